import bz2
import time
from pathlib import Path

import pytest

from grassmeans.errors import InputError
from grassmeans.reading.documents import RawDocument, ReadReport
from grassmeans.reading.inputs import read_documents
from grassmeans.reading.opening import read_blocks

HEAD = '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/">\n<siteinfo><namespaces/></siteinfo>\n'
TAIL = "</mediawiki>\n"


def page(
    number: int, text: str = "Some text.", extra: str = "", ns: int = 0, inner: str = ""
) -> str:
    return (
        f"<page>\n<title>T{number}</title><ns>{ns}</ns><id>{number}</id>{extra}\n"
        f"<revision><id>9{number}</id><contributor><id>77</id></contributor>{inner}"
        f'<text bytes="1" xml:space="preserve">{text}</text></revision>\n</page>\n'
    )


def read(tmp_path: Path, content: str | bytes) -> tuple[list[RawDocument], ReadReport]:
    path = tmp_path / "dump.xml"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    report = ReadReport()
    return list(read_documents([path], report=report)), report


def ids(documents: list[RawDocument]) -> list[str]:
    return [document.id for document in documents]


def test_articles_are_read_with_their_markup(tmp_path: Path) -> None:
    documents, report = read(tmp_path, HEAD + page(1, "[[A]] &lt;ref&gt; é") + page(2) + TAIL)
    assert documents == [
        RawDocument("1", "T1", "[[A]] <ref> é", "wikitext"),
        RawDocument("2", "T2", "Some text.", "wikitext"),
    ]
    assert report.skipped == {}


def test_what_is_no_article_is_counted(tmp_path: Path) -> None:
    content = (
        HEAD
        + page(1, ns=14)
        + page(2, extra='<redirect title="X" />')
        + page(3, "#REDIRECT [[X]]")
        + page(4, " #weiterleitung[[X]]")
        + page(5, "#перенаправление: [[X]]")
        + page(6, inner="<model>javascript</model>")
        + page(7, "")
        + page(8, "# [[List]] item", inner="<model>wikitext</model>")
        + TAIL
    )
    documents, report = read(tmp_path, content)
    assert ids(documents) == ["8"]
    assert report.skipped == {
        "page outside the article namespace": 1,
        "redirect": 4,
        "page that is not wikitext": 1,
        "empty document": 1,
    }


def test_the_newest_revision_counts(tmp_path: Path) -> None:
    revision = "<revision><timestamp>{}</timestamp><text>{}</text></revision>"
    content = "<page><title>T</title><ns>0</ns><id>1</id>" + "".join(
        revision.format(*pair)
        for pair in [
            ("2019-01-01T00:00:00Z", "old"),
            ("2021-01-01T00:00:00Z", "new"),
            ("2020-01-01T00:00:00Z", "middle"),
        ]
    )
    documents, _ = read(tmp_path, HEAD + content + "</page>" + TAIL)
    assert [document.text for document in documents] == ["new"]


def test_multistream_dumps_and_joined_exports(tmp_path: Path) -> None:
    streams = [HEAD, page(1) + page(2), page(3), TAIL, HEAD + page(4) + TAIL]
    documents, report = read(tmp_path, b"".join(bz2.compress(part.encode()) for part in streams))
    assert ids(documents) == ["1", "2", "3", "4"]
    assert report.skipped == {}


def test_pages_without_a_root_are_read(tmp_path: Path) -> None:
    documents, report = read(tmp_path, page(1) + page(2) + page(3))
    assert ids(documents) == ["1", "2", "3"]
    assert report.skipped == {}


@pytest.mark.parametrize(
    ("damage", "n_damages"),
    [
        ("<page><title>X</title><text>a < b & c</text></page>\n", 1),
        ("<page><title>X</titl\x00\x01\n", 1),
        ("</wrong></tags>", 1),
        ("<page><title>X</title><revision><text>the end is lost\n", 1),
    ],
)
def test_reading_goes_on_at_the_next_page(tmp_path: Path, damage: str, n_damages: int) -> None:
    content = HEAD + page(1) + page(2) + damage + page(3) + page(4) + TAIL
    documents, report = read(tmp_path, content)
    assert ids(documents) == ["1", "2", "3", "4"]
    assert report.skipped == {"broken XML": n_damages}


def test_damage_far_from_the_next_page(tmp_path: Path) -> None:
    """The next page begins blocks after the damage, and across the border of two blocks."""
    filler = "x" * ((1 << 21) - len(HEAD + page(1)) - 3)
    documents, report = read(tmp_path, HEAD + page(1) + "<" + filler + page(2) + TAIL)
    assert ids(documents) == ["1", "2"]
    assert report.skipped == {"broken XML": 1}


def test_a_truncated_dump_keeps_its_whole_pages(tmp_path: Path) -> None:
    content = HEAD + page(1) + page(2)[:60]
    documents, report = read(tmp_path, content)
    assert ids(documents) == ["1"]
    assert report.skipped == {"broken XML": 1}


def test_a_truncated_bzip2_stream_keeps_the_streams_before(tmp_path: Path) -> None:
    whole = [bz2.compress(part.encode()) for part in (HEAD, page(1), page(2), page(3))]
    documents, report = read(tmp_path, b"".join(whole[:3]) + whole[3][:-15])
    assert ids(documents) == ["1", "2"]
    assert report.skipped["damaged compressed data"] == 1


def test_many_pages_cross_block_borders(tmp_path: Path) -> None:
    content = HEAD + "".join(page(i, f"näme {i} " * 700) for i in range(1, 400)) + TAIL
    documents, report = read(tmp_path, content)
    assert ids(documents) == [str(i) for i in range(1, 400)]
    assert all(d.text == f"näme {d.id} " * 700 for d in documents)
    assert report.skipped == {}


def test_entity_declarations_are_refused(tmp_path: Path) -> None:
    laughs = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>'
    with pytest.raises(InputError, match="declares a document type or XML entities"):
        read(tmp_path, '<?xml version="1.0"?>' + laughs + HEAD + page(1, "&b;") + TAIL)


def test_an_endless_page_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grassmeans.reading.mediawiki.MAX_PAGE_CHARS", 1_000_000)
    documents, report = read(tmp_path, HEAD + page(1, "endless " * 400_000) + page(2) + TAIL)
    assert ids(documents) == ["1", "2"]
    assert 1_000_000 < len(documents[0].text) < 1_100_000
    assert report.skipped == {"broken XML": 1}


@pytest.mark.parametrize("block_bytes", [64, 1000, 1 << 20])
def test_a_broken_page_takes_no_other_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block_bytes: int
) -> None:
    """However much a parser holds back before it complains: newer ones wait for whole tags."""
    monkeypatch.setattr(
        "grassmeans.reading.mediawiki.read_blocks",
        lambda file: read_blocks(file, block_bytes),
    )
    pages = [page(i, "word " * 100) for i in range(60)]
    for i in (7, 20, 21, 40):
        pages[i] = pages[i].replace("<revision>", '<revision a="')
    documents, report = read(tmp_path, HEAD + "".join(pages) + TAIL)
    assert ids(documents) == [str(i) for i in range(60) if i not in (7, 20, 21, 40)]
    assert report.skipped == {"broken XML": 4}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("<a>" * 5_000, "more than 64 elements"),
        ('<text a="' + "x" * 3_000_000, "a tag is longer than"),
        ("<!--" + "x" * 3_000_000, "a tag is longer than"),
    ],
)
def test_what_a_parser_would_hold_has_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, reason: str
) -> None:
    monkeypatch.setattr("grassmeans.reading.mediawiki.MAX_TAG_BYTES", 1 << 20)
    documents, report = read(tmp_path, HEAD + page(1) + "<page>" + content + page(2) + TAIL)
    assert ids(documents) == ["1", "2"]
    assert report.skipped == {"broken XML": 1}
    assert reason in report.examples["broken XML"]


@pytest.mark.parametrize("piece", ["<page>", "</page>", "<page></page>", "<page><a", "<pa"])
def test_broken_pages_are_passed_in_linear_time(tmp_path: Path, piece: str) -> None:
    content = HEAD + piece * (300_000 // len(piece)) + page(1) + TAIL
    start = time.process_time()
    documents, _ = read(tmp_path, content)
    assert time.process_time() - start < 5.0  # a second or less; minutes where it was quadratic
    assert [document.id for document in documents if document.id] == ["1"]


def test_other_encodings_that_an_export_declares(tmp_path: Path) -> None:
    content = '<?xml version="1.0" encoding="{}"?>' + HEAD + page(1, "café") + TAIL
    documents, _ = read(tmp_path, content.format("ISO-8859-1").encode("latin-1"))
    assert documents[0].text == "café"
    documents, _ = read(tmp_path, content.format("UTF-16").encode("utf-16"))
    assert documents[0].text == "café"
