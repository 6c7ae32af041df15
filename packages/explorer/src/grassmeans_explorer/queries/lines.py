"""Concordance lines as they are shown: of the corpus, and those that a model keeps itself.

For an explorer without a corpus the examples of all words together are a small corpus: a word
stands in those of other words too. Such lines have the sense that the model tells, and may be "I
don't know".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from grassmeans.arrays import Floats, Indices
from grassmeans.corpus.corpus import Corpus
from grassmeans.senses.entries import ExampleLine
from grassmeans.tagging.marked_text import read_text
from grassmeans_explorer.limits import BoundedCache, Kept
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries.lookup import check_typed, find_word
from grassmeans_explorer.queries.occurrences import MeasuredWord, ids_of_forms, tell_senses
from grassmeans_explorer.queries.words import require_word
from grassmeans_explorer.work import begin_long_work, checkpoint

LINE_WIDTH = 80
MOST_LINES = 400
"""Of one word, its own examples included."""
SPREAD = 50
"""So many lines, nearest to a sense, among which those of different documents come first."""

_CORE = 20  # characters of a side by which the same line is known again
_MOST_ENTRIES = 100_000  # that are looked at, the first ones: frequent words, as a rule
_AT_ONCE = 1_024
_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Line:
    """An occurrence with its sense."""

    position: int  # in the corpus; without one, the number of the example
    document: str
    left: str
    word: str
    right: str
    sense: int  # 0 for "I don't know"
    confidence: float  # probability of the nearest sense
    # To every sense; empty where there are too few known words around the occurrence.
    distances: tuple[float, ...]
    # What else is known of the document: a date, a source.
    fields: dict[str, str] = field(default_factory=dict)


_LINES: Kept[BoundedCache[tuple[Line, ...]]] = Kept(
    lambda opened: BoundedCache(opened.limits.memory.inductions)
)


def read_lines(opened: OpenModel, page: MeasuredWord, width: int) -> tuple[Line, ...]:
    """The text of lines."""
    corpus = opened.require_corpus("looking at lines")
    lines = []
    for i, position in enumerate(page.positions.tolist()):
        found = corpus.line_at(position, width)
        text = found.document_title or found.document_id, found.left, found.word, found.right
        told = _tell(page.senses[i], page.confidence[i], page.distances[i])
        lines.append(Line(position, *text, *told, dict(found.fields)))
    return tuple(lines)


def find_documents(corpus: Corpus, positions: Indices) -> list[int]:
    """The numbers of the documents of (n,) positions, in any order."""
    order = np.argsort(positions, kind="stable")
    found = np.empty(len(positions), np.int64)
    found[order] = corpus.documents_of(positions[order])
    return [int(number) for number in found]


def spread_documents(documents: Sequence[Hashable], block: int = SPREAD) -> list[int]:
    """An order of lines in which no document comes twice as long as there are others.

    Lines come nearest first, each with its document. In every block of so many the first lines of
    all documents come first, then the second ones: one article does not fill a page, and what is
    far away does not come to its top.
    """
    order: list[int] = []
    for start in range(0, len(documents), block):
        seen: Counter[Hashable] = Counter()
        ranks = []
        for document in documents[start : start + block]:
            ranks.append(seen[document])
            seen[document] += 1
        order += [start + i for i in sorted(range(len(ranks)), key=ranks.__getitem__)]
    return order


def _tell(sense: int, confidence: float, distances: Floats) -> tuple[int, float, tuple[float, ...]]:
    """Sense, confidence and (n_senses,) distances of a line, as they are shown."""
    known = len(distances) and not np.isnan(distances[0])
    rounded = tuple(round(float(d), _DIGITS) for d in distances) if known else ()
    return int(sense), round(float(confidence), _DIGITS), rounded


def stored_lines_of(opened: OpenModel, word: str) -> tuple[Line, ...]:
    """The examples of a word's visible senses, then the lines of other words in which it stands.

    An example has the sense that the model keeps it under. To find them is long, the first time.
    """
    key = require_word(opened, word)
    cached = key, opened.now.revision(key)
    return _LINES.of(opened).get_or_make(cached, lambda: _collect(opened, key))


def _collect(opened: OpenModel, key: str) -> tuple[Line, ...]:
    begin_long_work()
    model = opened.current
    visible = [sense for sense in model.inventory[key].senses if not sense.hidden]
    lines = [example for sense in visible for example in sense.examples]
    own = [sense.number for sense in visible for _ in sense.examples]
    lines += islice(_find_mentions(opened, key, lines), max(MOST_LINES - len(own), 0))
    if not lines:
        return ()
    distances = model.distances(key, [(line.left, line.right) for line in lines])
    checkpoint(0.9)
    senses, confidence = tell_senses(model, key, distances)
    senses[: len(own)] = own
    return tuple(
        Line(
            *(i, line.document, line.left, line.word, line.right),
            *_tell(senses[i], confidence[i], distances[i]),
        )
        for i, line in enumerate(lines)
    )


def _find_mentions(
    opened: OpenModel, key: str, own: Iterable[ExampleLine] = ()
) -> Iterator[ExampleLine]:
    """Examples of other words in which a word stands, around it: each once, without its own."""
    inventory = opened.base.inventory
    spellings: tuple[str, ...] = (key,)
    if getattr(opened.base.tokenizer, "lowercase", False):
        spellings = tuple(dict.fromkeys((key, key.capitalize(), key.upper())))
    known = {side for example in own for side in _sides_of(example)}
    words = inventory.words[:_MOST_ENTRIES]
    for start in range(0, len(words), _AT_ONCE):
        checkpoint(0.8 * start / len(words))
        others = inventory.find_mentions(spellings, words[start : start + _AT_ONCE])
        senses = (sense for other in others if other != key for sense in inventory[other].senses)
        examples = (example for sense in senses for example in sense.examples)
        for line in (line for example in examples for line in _turn_to(opened, key, example)):
            if known.isdisjoint(_sides_of(line)):
                yield line
            known.update(_sides_of(line))


def _turn_to(opened: OpenModel, key: str, example: ExampleLine) -> Iterator[ExampleLine]:
    """The same line around each occurrence of a word in it, which may have no senses."""
    model = opened.current
    text = f"{example.left}{example.word}{example.right}"
    read = read_text(text, {key}, model.tokenizer, None, model.lemmas, marks=False)
    for target in read.targets:
        start, end = read.spans[target]
        yield ExampleLine(
            read.text[:start], read.text[start:end], read.text[end:], example.document, 0.0
        )


def _sides_of(line: ExampleLine) -> set[tuple[str, str]]:
    """What tells a line that is kept twice, cut at different places: one whole side is the same.

    Or all of it, where it is short.
    """
    sides = ("left", line.left[-_CORE:].casefold()), ("right", line.right[:_CORE].casefold())
    long = {side for side in sides if len(side[1]) == _CORE}
    return long or {("all", f"{line.left}<b>{line.word}</b>{line.right}".casefold())}


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


def read_plain_lines(opened: OpenModel, word: str, offset: int = 0, limit: int = 20) -> PlainLines:
    """Lines in the order of the corpus; without one, examples of other words that have the word."""
    check_typed(opened, word)
    key = find_word(opened, word, exact=True)[0]
    corpus = opened.corpus
    rows = slice(offset, offset + limit)
    if corpus is None:
        begin_long_work()
        kept = list(islice(_find_mentions(opened, key), MOST_LINES))
        page = [PlainLine(None, x.document, x.left, x.word, x.right) for x in kept[rows]]
        return PlainLines(len(kept), tuple(page))
    ids = ids_of_forms(opened, key)
    itself = corpus.vocabulary.id_of(key)
    positions = corpus.positions(itself if itself in ids else key)
    page = []
    for position in positions[rows].tolist():
        line = corpus.line_at(position, LINE_WIDTH)
        document = line.document_title or line.document_id
        page.append(PlainLine(position, document, line.left, line.word, line.right))
    return PlainLines(len(positions), tuple(page))
