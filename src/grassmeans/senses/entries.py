"""What is known of a word's senses."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class ExampleLine:
    """A line of the corpus that shows a sense well."""

    left: str
    word: str
    right: str
    document: str
    distance: float


@dataclass(frozen=True, slots=True)
class Sense:
    """One sense of a word.

    Parameters
    ----------
    number : int
        1 for the most frequent sense; 0 is kept for "I don't know".
    share : float
        Share of the sampled occurrences whose nearest direction is this one.
    mean_distance : float
        Mean distance of these occurrences to the direction: the smaller, the crisper the sense.
    characteristic_words : tuple of str
        Context words that mark this sense off from the others.
    nearest_words : tuple of str
        Words whose vectors are nearest to the intersection direction.
    name : str
        Two or three words that tell the sense from the others; empty in models of older versions.
    hidden : bool
        Whether a user has taken the sense out of use. It keeps its number, so that those of the
        others stay; its stored direction is zeros, at distance 1 from everything.
    """

    number: int
    share: float
    mean_distance: float
    characteristic_words: tuple[str, ...]
    nearest_words: tuple[str, ...]
    examples: tuple[ExampleLine, ...]
    name: str = ""
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class WordSenses:
    """The senses of one word.

    Parameters
    ----------
    count : int
        Occurrences in the corpus.
    n_contexts : int
        Sampled occurrences with enough context words, from which the senses were induced.
    directions : (n_senses, dim) float32
        The intersection directions, unit length.
    """

    word: str
    count: int
    n_contexts: int
    directions: NDArray[np.float32]
    senses: tuple[Sense, ...]

    @property
    def n_senses(self) -> int:
        """How many senses."""
        return len(self.directions)


@dataclass(frozen=True, slots=True)
class SkippedWord:
    """A word whose senses were not induced, and why."""

    word: str
    reason: str


def entry_to_dict(entry: WordSenses) -> dict[str, Any]:
    """Everything but the directions, as plain values."""
    return {
        "word": entry.word,
        "count": entry.count,
        "n_contexts": entry.n_contexts,
        "senses": [asdict(sense) for sense in entry.senses],
    }


def entry_from_dict(values: dict[str, Any], directions: NDArray[np.float32]) -> WordSenses:
    """The opposite of `entry_to_dict`."""
    texts = ("characteristic_words", "nearest_words")
    senses = tuple(
        Sense(
            **sense
            | {name: tuple(sense[name]) for name in texts}
            | {"examples": tuple(ExampleLine(**example) for example in sense["examples"])}
        )
        for sense in values["senses"]
    )
    return WordSenses(values["word"], values["count"], values["n_contexts"], directions, senses)
