"""The one interface behind which every kind of context stands.

A kind of context turns occurrences into bases. All that follows (K-Grassmeans, distances, decoding,
labelling, lexemes, evaluation, the explorer) knows nothing else about it. A new kind is one module
in `grassmeans.contexts`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Booleans, Doubles, Floats, Indices, Integers
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.occurrences import Occurrences
from grassmeans.errors import InputError
from grassmeans.geometry.distances import SenseLines, measure_senses
from grassmeans.geometry.rules import DEFAULT_RULES, GroupingRules
from grassmeans.geometry.windows import ContextShape, gather_rows, rows_of_words
from grassmeans.vectors.word_vectors import WordVectors

WordWeights = list[list[tuple[int, float]]]
"""For each occurrence positions in its ``tokens``, with weights that are not negative, 1 in all."""

Numbers = NDArray[np.integer]
DEFAULT_CONFIDENCE = 0.7
"""Answers that are less likely to be right are "I don't know"."""

_AT_ONCE = 4096  # occurrences whose bases are held at once: 15 MB, however long the text
_WORTH_KEEPING = 10_000
"""Words from which on their rows are kept for the next text of the same corpus."""


def rank_places(order: Indices) -> Indices:
    """Where each item of a list stands in an order of it."""
    ranks = np.empty_like(order)
    ranks[order] = np.arange(len(order))
    return ranks


def weigh_losses(places: Sequence[int], squares: Floats) -> list[tuple[int, float]]:
    """What words weigh, by what is lost of the first square without each of them, if anything."""
    effects = np.maximum(squares[0] - squares[1:], 0.0)
    total = float(effects.sum())
    pairs = zip(places, effects.tolist(), strict=True)
    return [(place, effect / total) for place, effect in pairs] if total > 0.0 else []


class OccurrenceSource(Protocol):
    """A corpus, or whatever else gives the occurrences at positions."""

    def occurrences(self, positions: Indices) -> Iterator[tuple[slice, Occurrences]]:
        """Which of the positions, and their occurrences, part by part."""
        ...


@runtime_checkable
class UnfittedContexts(Protocol):
    """What becomes a kind of context once it has seen a corpus."""

    @property
    def settings(self) -> Collection[str]:
        """Names of what `fit` can be told beside the corpus and the device."""
        ...

    def fit(
        self, corpus: Corpus, device: str = "cpu", show_progress: bool | None = None, **changes: Any
    ) -> ContextEncoder:
        """The kind of context for a corpus."""
        ...


class ContextEncoder(ABC):
    """Turns occurrences into bases, with words (``vectors``) in the space of these.

    The rank of its ``shape`` is that of the bases; window and repeats say which words describe a
    context, and ``function_words`` do not.
    """

    # The name of its module in `grassmeans.contexts`.
    kind: ClassVar[str]
    # Where bases are computed. Any other that `use_device` has chosen is used from one process, for
    # many occurrences at once.
    device: str = "cpu"
    # Why answers with it are poor, where they are: what was found, and what to do.
    remark: str = ""
    # How contexts are grouped where the number of senses is found by itself.
    grouping: ClassVar[GroupingRules] = DEFAULT_RULES
    # Whether bases of rank 1 point to what they mean: the opposite direction means something else.
    # Contexts are then grouped and measured by signed projections.
    lines_have_ends: ClassVar[bool] = False
    # Whether the words and dimensions of the vectors are part of the encoder, so that a smaller
    # model must keep them all.
    space_is_fixed: ClassVar[bool] = False
    # From which distance on a model that is not calibrated says "I don't know"; None for never.
    idk_distance: ClassVar[float | None] = 0.6
    # How likely right an answer must be, where answers are calibrated, to be given.
    answer_confidence: ClassVar[float] = DEFAULT_CONFIDENCE
    # Of words whose only sense is known: by how many spreads contexts in a sense that is lacking
    # are nearer than those of other words; how far own ones spread, where pseudo-words do not tell.
    lacking_nearness: ClassVar[float] = 0.0
    only_sense_spread: ClassVar[float | None] = None
    # How right an answer is, where confidence is learnt from pseudo-words, that is a further sense
    # of the right word: it may be a sense of that word, or a double of the one that counts.
    further_right: ClassVar[float] = 0.0
    # Whether one process with it keeps all cores busy, so that others would only share them.
    uses_all_cores: ClassVar[bool] = False
    # Whether a network reads every occurrence, some hundreds a second: who asks for the same bases
    # again keeps them.
    worth_keeping: ClassVar[bool] = False
    # Made-up words from which it is learnt how sure answers are.
    n_pseudowords: ClassVar[int] = 60
    # Of soft decoding, exp(-sharpness d): how fast a sense becomes unlikely with its distance.
    sharpness: ClassVar[float] = 10.0
    # Settings of induction that suit this kind of context better than the paper's.
    induction: ClassVar[Mapping[str, Any]] = {}

    def __init__(
        self, vectors: WordVectors, shape: ContextShape, function_words: frozenset[str]
    ) -> None:
        self.vectors = vectors
        self.shape = shape
        self.function_words = function_words
        self._kept_rows: tuple[Sequence[str], Integers] | None = None

    @abstractmethod
    def encode(self, occurrences: Occurrences) -> Floats:
        """(n, rank, dim) float32 bases of contexts, zeros where a context says nothing.

        Rows are orthogonal, and of unit length at most.
        """

    @abstractmethod
    def weigh_words(self, occurrences: Occurrences, directions: Floats) -> WordWeights:
        """Which words of its context decide for a direction, one direction an occurrence."""

    def turn(self, turn: Doubles) -> ContextEncoder:
        """The same on axes turned by (dim, dim), where ``space_is_fixed``; itself if it cannot."""
        return self

    def _turn_vectors(self, turn: Doubles) -> WordVectors:
        placed = (self.vectors.vectors @ turn).astype(np.float32)
        return WordVectors(self.vectors.words, placed, self.vectors.counts, check=False)

    @abstractmethod
    def identity(self) -> Any:
        """Plain values that tell what bases depend on, beside the vectors and the shape."""

    def save(  # noqa: B027 (most kinds have nothing more)
        self, folder: Path, bits: int | None = None
    ) -> None:
        """Write what `open` needs beside vectors, shape and function words; bits are of words."""

    @classmethod
    def open(
        cls, folder: Path, vectors: WordVectors, shape: ContextShape, function_words: frozenset[str]
    ) -> ContextEncoder:
        """Read what `save` wrote."""
        return cls(vectors, shape, function_words)

    def use_device(self, device: str) -> None:
        """Choose where bases are computed from now on; most kinds know the CPU alone."""
        if device != "cpu":
            raise InputError(
                f"contexts of the kind {self.kind!r} are computed on the CPU: leave the device out"
            )

    def reads_twice(self, n_contexts: int, n_tokens: int) -> bool:
        """Whether so many contexts of so much text overlap: all are best encoded together then."""
        return False

    def measure_cost(self, source: OccurrenceSource, positions: Indices) -> float | None:
        """Seconds for one context, measured on a few; None where they are soon encoded anyway."""
        return None

    def take_over(self, other: ContextEncoder) -> None:
        """Compute where another one does, with what it has loaded: both have the same contents."""
        self.use_device(other.device)

    def writing_words_as(self, forms: Mapping[str, str]) -> ContextEncoder:
        """The same kind of context, which reads some words as others where it reads them itself.

        For pseudo-words, whose members must not be told apart by their letters. Most kinds do not
        look at the word whose context it is.
        """
        return self

    def encode_at(self, source: OccurrenceSource, positions: Indices) -> Floats:
        """(n, rank, dim) bases of the occurrences at positions of a corpus, in text order."""
        bases = np.zeros((len(positions), self.shape.rank, self.vectors.dim), np.float32)
        for part, occurrences in source.occurrences(positions):
            bases[part] = self.encode(occurrences)
        return bases

    def encode_unordered(self, source: OccurrenceSource, positions: Indices) -> Floats:
        """(n, rank, dim) bases of the occurrences at positions in any order, read in text order."""
        order = np.argsort(positions, kind="stable")
        return self.encode_at(source, positions[order])[rank_places(order)]

    def measure(self, occurrences: Occurrences, words: Numbers, lines: SenseLines) -> Floats:
        """Distances of occurrences to the senses of their words, as `measure_senses` gives them."""
        if len(occurrences) <= _AT_ONCE:
            bases = self.encode(occurrences)
            return measure_senses(bases, words, lines, signed=self.lines_have_ends)
        distances = np.empty((len(occurrences), lines.most_senses), np.float32)
        for start in range(0, len(occurrences), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            distances[part] = ContextEncoder.measure(self, occurrences[part], words[part], lines)
        return distances

    def measure_for_labels(
        self, occurrences: Occurrences, words: Numbers, lines: SenseLines
    ) -> Floats:
        """Distances as labels are decoded from: as `measure` gives them.

        Where a distance means nothing by itself (``idk_distance`` is None), that to an only sense
        decides nothing: it is left at 0, and no context of such a word is encoded.
        """
        if self.idk_distance is not None:
            return self.measure(occurrences, words, lines)
        distances = np.full((len(occurrences), lines.most_senses), np.nan, np.float32)
        distances[self._find_heard(occurrences), 0] = 0.0
        chosen = np.flatnonzero(lines.n_senses[words] > 1)
        distances[chosen] = self.measure(occurrences[chosen], words[chosen], lines)
        return distances

    def _find_heard(self, occurrences: Occurrences) -> Booleans:
        """(n,) which occurrences say something, as far as that is known without encoding them."""
        return np.ones(len(occurrences), np.bool_)

    def hearing_single_words(self) -> ContextEncoder:
        """The same kind of context, which says something with a single known word.

        For tagging: an answer from a word or two is unsure, and better than none where one is
        asked for. Most kinds are so already.
        """
        return self

    def describing_words(self, occurrences: Occurrences) -> Integers:
        """(n, 2 * window) rows of the kept words around occurrences, -1 where there is none.

        In text order, the nearest in the middle. They name and describe a sense, whatever kind of
        context it was found with.
        """
        return gather_rows(occurrences, self.rows_of(occurrences.words), self.shape)

    def describe_at(self, source: OccurrenceSource, positions: Indices) -> Integers:
        """(n, 2 * window) `describing_words` of the occurrences at positions of a corpus."""
        found = np.full((len(positions), 2 * self.shape.window), -1, np.int32)
        for part, occurrences in source.occurrences(positions):
            found[part] = self.describing_words(occurrences)
        return found

    def rules_for(self, count: int) -> GroupingRules:
        """How the contexts of a word are grouped that has so many occurrences."""
        counts = self.vectors.counts
        return self.grouping.for_word(count, None if counts is None else int(counts.sum()))

    def rows_of(self, words: Sequence[str]) -> Integers:
        """(n_words,) rows in the vectors; -1 for words that do not describe a context."""
        if self._kept_rows is not None and self._kept_rows[0] is words:
            return self._kept_rows[1]
        rows = rows_of_words(words, self.vectors, self.function_words)
        if len(words) >= _WORTH_KEEPING:
            self._kept_rows = words, rows
        return rows

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_kept_rows": None}
