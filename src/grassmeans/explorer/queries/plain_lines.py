"""Lines of any word, whether the model has senses of it or not."""

from __future__ import annotations

from dataclasses import dataclass

from grassmeans.explorer.limits import WordNotFoundError
from grassmeans.explorer.open_model import OpenModel
from grassmeans.explorer.queries.lookup import check_typed, find_word
from grassmeans.explorer.queries.stored_lines import read_mentions
from grassmeans.explorer.work import Checkpoint

LINE_WIDTH = 80


@dataclass(frozen=True, slots=True)
class PlainLine:
    """An occurrence in the corpus, of whatever sense; ``position`` is None without a corpus."""

    position: int | None
    document: str
    left: str
    word: str
    right: str


@dataclass(frozen=True, slots=True)
class PlainLines:
    """A page of lines; ``total`` counts all pages."""

    total: int
    lines: tuple[PlainLine, ...]


def read_lines(
    opened: OpenModel,
    word: str,
    offset: int = 0,
    limit: int = 20,
    checkpoint: Checkpoint | None = None,
) -> PlainLines:
    """Lines in the order of the corpus; without one, examples of other words that have the word."""
    check_typed(opened, word)
    key = find_word(opened, word, exact=True)[0]
    corpus = opened.corpus
    if corpus is None:
        kept = read_mentions(opened, key, checkpoint)
        page = [
            PlainLine(None, line.document, line.left, line.word, line.right)
            for line in kept[offset : offset + limit]
        ]
        return PlainLines(len(kept), tuple(page))
    word_id = corpus.vocabulary.id_of(key)
    if word_id < 0:
        raise WordNotFoundError(f"{key[:80]!r} does not occur in the corpus")
    positions = corpus.positions(word_id)
    lines = []
    for position in positions[offset : offset + limit].tolist():
        line = corpus.line_at(position, LINE_WIDTH)
        document = line.document_title or line.document_id
        lines.append(PlainLine(position, document, line.left, line.word, line.right))
    return PlainLines(len(positions), tuple(lines))
