from pathlib import Path

from grassmeans.reading.documents import RawDocument, ReadOptions, ReadReport
from grassmeans.reading.inputs import read_documents


def read(path: Path, **options: object) -> tuple[list[RawDocument], ReadReport]:
    report = ReadReport()
    return list(read_documents([path], ReadOptions(**options), report=report)), report  # type: ignore[arg-type]


def write(folder: Path, name: str, content: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_plain_text_documents_end_at_blank_lines(tmp_path: Path) -> None:
    content = "\ufeffOne\r\ntwo\r\n\r\n \t\r\nThree\r\n"
    documents, report = read(write(tmp_path, "a.txt", content))
    assert documents == [
        RawDocument("a.txt:1", "", "One\ntwo"),
        RawDocument("a.txt:5", "", "Three"),
    ]
    assert report.skipped == {}


def test_long_plain_documents_are_split(tmp_path: Path) -> None:
    content = "word " * 2_000_000 + "\n" + "line\n" * 10 + "\nshort\n"
    documents, report = read(write(tmp_path, "a.txt", content), max_document_chars=1_000_000)
    assert max(len(d.text) for d in documents) <= 1_000_000
    assert sum(d.text.count("word") for d in documents) == 2_000_000
    assert sum(d.text.count("line") for d in documents) == 10
    assert [d.id for d in documents[:2]] == ["a.txt:1", "a.txt:1#2"]
    assert documents[-1].text == "short"
    assert report.skipped["long document split"] == len(documents) - 2


WIKIEXTRACTOR = """\
<doc id="12" url="https://x?curid=12" title="AT&amp;T &quot;Bell&quot;">
AT&T "Bell"

A &lt;b&gt;company&lt;/b&gt; of <a href="x">America</a>.
It is old.

</doc>
stray
<doc id="13" url="u" title="Empty">
Empty

</doc>
<doc id="14" url="u" title="Open">
Never closed.
<doc id="15" url="u" title="Last">
At the end
"""


def test_wikiextractor(tmp_path: Path) -> None:
    documents, report = read(write(tmp_path, "wiki_00", WIKIEXTRACTOR))
    assert documents == [
        RawDocument("12", 'AT&T "Bell"', "A company of America.\nIt is old."),
        RawDocument("14", "Open", "Never closed."),
        RawDocument("15", "Last", "At the end"),
    ]
    assert report.skipped == {
        "text outside of a document": 1,
        "empty document": 1,
        "unclosed document": 2,
    }


def test_wikiextractor_splits_long_documents(tmp_path: Path) -> None:
    content = '<doc id="1" url="u" title="T">\n' + "some words\n" * 9 + "</doc>\n"
    documents, report = read(write(tmp_path, "wiki", content), max_document_chars=50)
    assert [(d.id, d.text.count("some")) for d in documents] == [("1", 4), ("1#2", 4), ("1#3", 1)]
    assert report.skipped == {"long document split": 2}
