"""Contexts of a word: a random sample of its occurrences, encoded.

Whatever groups or shows the contexts of a word starts from a `WordSample`.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Doubles, Floats, Indices, Integers
from grassmeans.clustering.settings import InductionSettings
from grassmeans.contexts.interface import ContextEncoder, OccurrenceSource
from grassmeans.corpus.shard import ConcordanceLine
from grassmeans.corpus.vocabulary import Vocabulary
from grassmeans.geometry.distances import measure_distances, usable_contexts
from grassmeans.geometry.windows import Contexts, sample_positions
from grassmeans.vectors.word_vectors import WordVectors

_LOOKED_UP_TOGETHER = 64  # words; all positions of frequent ones take 100 MB


class WordSource(OccurrenceSource, Protocol):
    """A corpus, or a view of one, whose words have occurrences and lines of text."""

    def positions(self, word: str) -> Indices:
        """(n,) positions of a word, in text order; `UnknownWordError` where it does not occur."""
        ...

    def gather_positions(self, words: Sequence[str]) -> list[Indices]:
        """The same for each of some words, which is faster."""
        ...

    def count_of(self, word: str) -> int:
        """How often a word occurs."""
        ...

    @property
    def vocabulary(self) -> Vocabulary:
        """What its tokens are, with their counts."""
        ...

    @property
    def n_tokens(self) -> int:
        """Number of tokens."""
        ...

    def forms_of(self, word: str) -> tuple[tuple[str, int], ...]:
        """The forms that count as a word, with their counts; none where it stands for itself."""
        ...

    def tokens_at(self, positions: Indices) -> Integers:
        """(n,) ids of the forms at positions in text order."""
        ...

    def line_at(
        self, position: int, width: int = 60, *, keep_breaks: bool = False
    ) -> ConcordanceLine:
        """The text around an occurrence."""
        ...


@dataclass(frozen=True, slots=True)
class WordSample:
    """Contexts of a word that say something, with their bases (n_contexts, rank, dim)."""

    word: str
    contexts: Contexts
    bases: Floats
    source: WordSource
    lines_have_ends: bool = False  # as of a `ContextEncoder`
    function_words: frozenset[str] = frozenset()  # which tell nothing of a sense

    @property
    def count(self) -> int:
        """How often the word occurs, in the sample or not."""
        return self.source.count_of(self.word)

    def orient(self, directions: Floats, vectors: WordVectors) -> Floats:
        """Choose the signs of directions: to the side of the contexts, or of the words in them."""
        if not self.lines_have_ends:
            return orient_directions(directions, self.contexts, vectors)
        nearest = measure_distances(self.bases, directions).argmin(axis=1)
        projections = (self.bases[:, 0] * directions[nearest]).sum(axis=1)
        sides = np.bincount(nearest, projections, minlength=len(directions))
        return directions * np.where(sides < 0, -1.0, 1.0).astype(np.float32)[:, None]

    def measure(self, directions: Floats) -> Doubles:
        """(n_contexts, n_senses) distances to directions; 1 to a direction of zeros."""
        return measure_distances(self.bases, directions, signed=self.lines_have_ends)

    def __getitem__(self, part: slice | NDArray[Any]) -> WordSample:
        """Some of the contexts."""
        bases = np.ascontiguousarray(self.bases[part])
        return replace(self, contexts=self.contexts[part], bases=bases)


@dataclass(frozen=True, slots=True)
class EncodedWord:
    """A random sample of a word's occurrences with their bases, of which some may say nothing."""

    positions: Indices  # (n,)
    bases: Floats  # (n, rank, dim)

    def leave_out_poor(self) -> EncodedWord:
        """Without the occurrences that say nothing."""
        usable = usable_contexts(self.bases)
        return self if usable.all() else EncodedWord(self.positions[usable], self.bases[usable])


def encode_words(
    words: Sequence[str], source: WordSource, encoder: ContextEncoder, settings: InductionSettings
) -> list[EncodedWord]:
    """Sample the occurrences of words (`UnknownWordError` for none), and encode all at once."""
    drawn: list[Indices] = []
    for start in range(0, len(words), _LOOKED_UP_TOGETHER):
        some = words[start : start + _LOOKED_UP_TOGETHER]
        looked_up = source.gather_positions(some)
        drawn += [_draw(w, found, settings) for w, found in zip(some, looked_up, strict=True)]
    if len(drawn) == 1:
        return [EncodedWord(drawn[0], encoder.encode_at(source, drawn[0]))]
    if not drawn:
        return []
    bases = encoder.encode_unordered(source, np.concatenate(drawn))
    ends = np.cumsum([len(positions) for positions in drawn])
    parts = np.split(bases, ends[:-1])
    return [EncodedWord(positions, own) for positions, own in zip(drawn, parts, strict=True)]


def draw_positions(word: str, source: WordSource, settings: InductionSettings) -> Indices:
    """(n,) positions of a random sample of a word's occurrences, in text order."""
    return _draw(word, source.positions(word), settings)


def _draw(word: str, positions: Indices, settings: InductionSettings) -> Indices:
    seeds = word_seeds(word, settings.random_state).spawn(2)[0]
    return sample_positions(positions, settings.max_contexts, seeds)


def complete_sample(
    word: str, encoded: EncodedWord, source: WordSource, encoder: ContextEncoder
) -> WordSample:
    """What is needed to group and to describe a word's contexts, without those that say nothing."""
    kept = encoded.leave_out_poor()
    contexts = Contexts(encoder.describe_at(source, kept.positions), kept.positions)
    # The word's own forms tell no more of its senses than function words do.
    telling_nothing = encoder.function_words | {form for form, _ in source.forms_of(word)}
    return WordSample(word, contexts, kept.bases, source, encoder.lines_have_ends, telling_nothing)


def sample_word(
    word: str, source: WordSource, encoder: ContextEncoder, settings: InductionSettings
) -> WordSample:
    """A sample of a word's occurrences that say something; `UnknownWordError` where it has none."""
    (encoded,) = encode_words([word], source, encoder, settings)
    return complete_sample(word, encoded, source, encoder)


def word_seeds(word: str, random_state: int) -> np.random.SeedSequence:
    """One random stream per word: its senses do not change with the company it is induced in.

    The first that is spawned from it samples contexts, the second starts their grouping.
    """
    return np.random.SeedSequence([random_state, zlib.crc32(word.encode())])


def orient_directions(directions: Floats, contexts: Contexts, vectors: WordVectors) -> Floats:
    """Choose the signs so that context words lie on the positive side.

    An intersection direction is a line and its sign means nothing to distances; neighbours in the
    vector space need the end that the words are at.
    """
    rows, counts = np.unique(contexts.context_ids, return_counts=True)
    counts = counts[rows >= 0].astype(np.float32)
    centre = counts @ vectors.vectors[rows[rows >= 0]]
    signs = np.where(directions @ centre < 0, -1.0, 1.0).astype(np.float32)
    return directions * signs[:, None]
