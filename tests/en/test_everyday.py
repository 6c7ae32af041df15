from __future__ import annotations

from pathlib import Path

from english_texts.documents import Document
from english_texts.everyday import SOURCES, take_words

TABLE = Path(__file__).parents[2] / "packages" / "en" / "SOURCES.md"


def test_documents_are_taken_until_there_are_enough_words():
    documents = [Document(str(n), "", "one two three", "web") for n in range(4)]
    assert [document.id for document in take_words(documents, 4)] == ["0", "1"]


def test_every_source_stands_in_the_table_with_its_licence():
    rows = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if line[:1] == "|"]
    for source in SOURCES:
        [row] = [row for row in rows if f"github.com/{source.repository})" in row]
        assert source.licence in row
