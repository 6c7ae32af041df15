from __future__ import annotations

from pathlib import Path

import pytest

from grassmeans.errors import InputError
from grassmeans.reading.documents import RawDocument, ReadOptions, ReadReport
from grassmeans.reading.inputs import read_documents
from grassmeans.reading.texts import read_sentences
from grassmeans.text.tokenizer import WhitespaceTokenizer


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


def read_as(
    tmp_path: Path, content: str, format_name: str, **options: object
) -> tuple[list[RawDocument], ReadReport]:
    path = tmp_path / "f"
    path.write_text(content, encoding="utf-8", newline="")
    report = ReadReport()
    chosen = ReadOptions(format=format_name, **options)  # type: ignore[arg-type]
    documents = read_documents([path], chosen, report=report)
    return list(documents), report


def test_tokens_one_sentence_a_line(tmp_path: Path) -> None:
    content = "The  cat\tsat .\r\nIt slept .\r\n\r\n\r\nNext\u00a0one .\r\n"
    documents, report = read_as(tmp_path, content, "tokens")
    assert documents == [
        RawDocument("f:1", "", "The cat sat . It slept .", "tokens"),
        RawDocument("f:2", "", "Next one .", "tokens"),
    ]
    assert report.skipped == {}


def test_long_tokenised_documents_are_split_between_lines(tmp_path: Path) -> None:
    documents, report = read_as(tmp_path, "one two\n" * 5, "tokens", max_document_chars=15)
    assert [(d.id, d.text) for d in documents] == [
        ("f:1", "one two one two"),
        ("f:1#2", "one two one two"),
        ("f:1#3", "one two"),
    ]
    assert report.skipped["long document split"] == 2


VERTICAL = """\
<doc id="a1" title='First'>
<s>
The\tDT\tthe
cats\tNNS\tcat
</s>
<g/>
<\tSYM\t<
shorter\tJJ
</doc>
<doc id=a2>
New York\tNNP\tNew York
"""


def test_vertical_forms(tmp_path: Path) -> None:
    documents, report = read_as(tmp_path, VERTICAL, "vertical")
    assert documents == [
        RawDocument("a1", "First", "The cats < shorter", "tokens"),
        RawDocument("a2", "", "New\u00a0York", "tokens"),
    ]
    assert report.skipped == {}


@pytest.mark.parametrize("column", [2, "2"])
def test_vertical_keys_from_another_column(tmp_path: Path, column: int | str) -> None:
    documents, report = read_as(tmp_path, VERTICAL, "vertical", column=column)
    assert documents[0] == RawDocument("a1", "First", "The cats <", "tokens", ("the", "cat", "<"))
    assert documents[1].keys == ("New\u00a0York",)
    assert report.skipped == {"missing column": 1}


CONLLU = """\
# newdoc id = d1
# sent_id = 1
1-2\tdel\t_\t_\t_\t_\t_\t_\t_\t_
1\tde\tde\tADP\t_\t_\t0\troot\t_\t_
2\tel\tel\tDET\t_\t_\t1\tdet\t_\t_
2.1\tghost\tghost\tX\t_\t_\t_\t_\t_\t_
3\tgatos\tgato\tNOUN\t_\t_\t1\tdep\t_\t_

bad line
1\tshort
# newdoc
1\tDos mil\t_\tNUM\t_\t_\t0\troot\t_\t_
"""


def test_conllu_forms(tmp_path: Path) -> None:
    documents, report = read_as(tmp_path, CONLLU, "conllu")
    assert documents == [
        RawDocument("d1", "", "de el gatos short", "tokens"),
        RawDocument("f:3", "", "Dos\u00a0mil", "tokens"),
    ]
    assert report.skipped == {"bad CoNLL-U line": 1}


@pytest.mark.parametrize("column", ["lemma", "LEMMA", 2, "2"])
def test_conllu_lemmas(tmp_path: Path, column: int | str) -> None:
    documents, report = read_as(tmp_path, CONLLU, "conllu", column=column)
    assert documents[0].text == "de el gatos"
    assert documents[0].keys == ("de", "el", "gato")
    # A lemma that is missing is the form.
    assert documents[1].keys == ("Dos\u00a0mil",)
    assert report.skipped == {"bad CoNLL-U line": 2}


def test_conllu_without_documents_is_grouped_by_sentences(tmp_path: Path) -> None:
    sentence = "1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n2\tb\tb\tX\t_\t_\t1\tdep\t_\t_\n\n"
    documents, _ = read_as(tmp_path, sentence * 250, "conllu")
    assert [len(d.text.split()) for d in documents] == [200, 200, 100]
    assert [d.id for d in documents] == ["f:1", "f:2", "f:3"]


@pytest.mark.parametrize(
    ("format_name", "column"),
    [("conllu", "stem"), ("conllu", 10), ("conllu", -1), ("vertical", "lemma"), ("vertical", -1)],
)
def test_an_unknown_column_is_explained(
    tmp_path: Path, format_name: str, column: str | int
) -> None:
    with pytest.raises(InputError, match=f"there is no column {column!r}: expected"):
        read_as(tmp_path, CONLLU, format_name, column=column)


def test_forms_never_change_the_number_of_tokens(tmp_path: Path) -> None:
    """Spaces inside a form, forms that normalise to nothing, and missing ones."""
    content = "a b\tx\n\u00ad\ty\n\u2028c\tz z\n"
    [document], _ = read_as(tmp_path, content, "vertical", column=1)
    assert document.keys == ("x", "y", "z\u00a0z")
    assert len(WhitespaceTokenizer().tokenize(document.text)) == 3


def test_sentences_of_conllu_lines_with_or_without_blank_ones_between() -> None:
    rest = "\t".join(["_"] * 7)
    lines = [
        "# sent_id = 1",
        f"1-2\tDas\t_\t{rest}",
        f"1\tThe\tthe\t{rest}",
        f"2\tcranes\tcrane\t{rest}",
        "",
        f"1\tfly\t_\t{rest}",
        "broken",
    ]
    for given in (lines, [line for line in lines if line]):
        first, second = read_sentences(given, "lemma")
        assert (first.text, first.keys) == ("The cranes", ("the", "crane"))
        assert (second.text, second.keys, second.markup) == ("fly", ("fly",), "tokens")
    assert next(read_sentences(lines)).keys == ("The", "cranes")
