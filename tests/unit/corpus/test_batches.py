from __future__ import annotations

import pytest

from grassmeans.corpus.batches import (
    DUPLICATE,
    Selection,
    digest_document,
    read_block,
    without_duplicates,
    write_block,
)
from grassmeans.errors import ArtifactError
from grassmeans.reading.documents import RawDocument, ReadReport

DOCUMENTS = [
    RawDocument("1", "Über", "naïve text\nwith lines"),
    RawDocument("", "", "", "wikitext"),
    RawDocument("3", "lone \ud800", "surrogate \udfff 漢字", "redirect"),
    RawDocument("4", "t", "a b", "tokens", ("A", "B"), (0, 2)),
]


def test_documents_come_back_as_they_were(tmp_path) -> None:
    write_block(tmp_path / "x" / "block.zst", DOCUMENTS)
    assert read_block(tmp_path / "x" / "block.zst") == DOCUMENTS


def test_rows_are_chosen_and_lines_numbered(tmp_path) -> None:
    write_block(tmp_path / "a", DOCUMENTS)
    write_block(tmp_path / "b", [RawDocument("notes:\ufdd35\ufdd4", "", "text")])
    chosen = [Selection(tmp_path / "a", (0, 3)), Selection(tmp_path / "b", (0,), first_line=100)]
    found = [document.id for selection in chosen for document in selection.read()]
    assert found == ["1", "4", "notes:105"]


def test_a_block_that_is_gone_or_damaged_is_told(tmp_path) -> None:
    with pytest.raises(ArtifactError, match="cannot be read"):
        read_block(tmp_path / "nothing")
    write_block(tmp_path / "a", DOCUMENTS)
    (tmp_path / "a").write_bytes((tmp_path / "a").read_bytes()[:-9])
    with pytest.raises(ArtifactError, match="start the command anew"):
        read_block(tmp_path / "a")


def leave_out(documents, report):
    return list(without_duplicates(documents, report, digest_document, lambda found: found))


def test_a_text_is_taken_once_and_the_first_of_the_others_is_told():
    documents = [
        RawDocument("1", "Crane", "a crane"),
        RawDocument("2", "", "a Crane"),
        RawDocument("3", "Again", "a crane", markup="tokens"),
        RawDocument("4", "", "a crane"),
    ]
    report = ReadReport()
    assert [found.id for found in leave_out(documents, report)] == ["1", "2"]
    assert report.skipped == {DUPLICATE: 2}
    assert report.examples == {DUPLICATE: "Again"}


def test_many_redirects_lead_to_one_page():
    report = ReadReport()
    given = [RawDocument(str(i), "Grus", "Crane", markup="redirect") for i in range(3)]
    given.append(RawDocument("3", "", "Crane"))
    assert leave_out(given, report) == given
    assert not report.skipped


def test_half_a_letter_of_utf_16_has_a_digest_too():
    assert digest_document(RawDocument("1", "", "\ud800")) is not None
