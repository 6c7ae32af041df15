"""Lines that are given to a sense: those of a corpus, or passages that somebody wrote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from grassmeans.arrays import Doubles, Floats
from grassmeans.errors import InputError
from grassmeans.geometry.distances import measure_distances, usable_contexts
from grassmeans.models.model import SenseModel
from grassmeans.senses.describing import find_nearest_words
from grassmeans.senses.entries import ExampleLine, WordSenses
from grassmeans.tagging.tagging import occurrences_in_passages
from grassmeans.vectors.word_vectors import WordVectors

_WORDS_OF_NAME = 3

Passage = tuple[str, str, str]
"""What stands before a word, the word as it is written, what stands after it."""


class GivenLines(Protocol):
    """Contexts of lines that say something."""

    @property
    def bases(self) -> Floats:
        """(n, rank, dim)."""
        ...

    @property
    def lines_have_ends(self) -> bool:
        """As `ContextEncoder.lines_have_ends`."""
        ...

    def measure(self, directions: Floats) -> Doubles:
        """(n, n_senses) distances to directions."""
        ...


@dataclass(frozen=True, slots=True)
class PassageLines:
    """Passages with a word, as contexts."""

    bases: Floats
    lines_have_ends: bool

    def measure(self, directions: Floats) -> Doubles:
        """(n, n_senses) distances to directions; 1 to a direction of zeros."""
        return measure_distances(self.bases, directions, signed=self.lines_have_ends)


def encode_passages(model: SenseModel, key: str, passages: Sequence[Passage]) -> PassageLines:
    """The contexts of a word in passages, as tagging reads them, without poor ones."""
    if not all(word.strip() for _, word, _ in passages):
        raise InputError("a passage has no word: tell what stands left, the word, and the rest")
    sides = [(left, right) for left, _, right in passages]
    forms = [word for _, word, _ in passages]
    found = occurrences_in_passages(key, sides, model.tokenizer, model.lemmas, forms)
    bases = model.encoder.hearing_single_words().encode(found)
    return PassageLines(bases[usable_contexts(bases)], model.encoder.lines_have_ends)


def describe_by_passages(
    entry: WordSenses, touched: Sequence[int], passages: Sequence[Passage], vectors: WordVectors
) -> WordSenses:
    """Describe touched senses where there is no corpus: nearest words anew, all else as it was.

    A sense that is new has the passages as its examples; it has no share until it is counted.
    """
    senses = list(entry.senses)
    for number in touched:
        old = senses[number - 1]
        (near,) = find_nearest_words(entry.word, entry.directions[[number - 1]], vectors)
        name = old.name
        if not old.examples and not old.name:
            name = ", ".join(near[:_WORDS_OF_NAME])
        examples = old.examples or tuple(
            ExampleLine(left, word, right, "", 0.0) for left, word, right in passages
        )
        senses[number - 1] = replace(old, nearest_words=near, name=name, examples=examples)
    return replace(entry, senses=tuple(senses))
