from __future__ import annotations

import pytest

from grassmeans.corpus.stored_documents import (
    Selection,
    read_block,
    read_selections,
    write_block,
)
from grassmeans.errors import ArtifactError
from grassmeans.reading.documents import RawDocument

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
    assert [document.id for document in read_selections(chosen)] == ["1", "4", "notes:105"]


def test_a_block_that_is_gone_or_damaged_is_told(tmp_path) -> None:
    with pytest.raises(ArtifactError, match="cannot be read"):
        read_block(tmp_path / "nothing")
    write_block(tmp_path / "a", DOCUMENTS)
    (tmp_path / "a").write_bytes((tmp_path / "a").read_bytes()[:-9])
    with pytest.raises(ArtifactError, match="start the command anew"):
        read_block(tmp_path / "a")
