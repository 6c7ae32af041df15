"""What every method of sense induction has in common.

An inducer learns from a corpus and word vectors, the same for all methods, and gives the senses of
the words that were asked for. Those answer with distances from contexts to senses, so that one way
of decoding serves all methods.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from grassmeans.contexts import DEFAULT_WINDOW
from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import UnknownWordError
from grassmeans.vectors.word_vectors import WordVectors


@dataclass(frozen=True, slots=True)
class ContextRule:
    """Which words around an occurrence a method looks at.

    Parameters
    ----------
    window : int
        Words a side, counted after unknown words (and function words) are dropped.
    drop_function_words : bool
    drop_repeats : bool
        Leave out other occurrences of the same word.
    """

    window: int = DEFAULT_WINDOW
    drop_function_words: bool = True
    drop_repeats: bool = False


@dataclass(frozen=True, slots=True)
class Material:
    """What a method learns from.

    Parameters
    ----------
    corpus : Corpus
    vectors : WordVectors
        Trained on that corpus. Context ids are its rows.
    words : tuple of str
        The words whose senses are wanted.
    max_contexts : int
        At most this many occurrences a word are looked at by methods that work word by word.
    random_state : int
    workers : int or None
        Processes or threads; None takes all cores.
    folder : Path, optional
        Where a method that trains keeps what it trained, and finds it again. Without it, a
        temporary folder.
    """

    corpus: Corpus
    vectors: WordVectors
    words: tuple[str, ...]
    max_contexts: int = 10_000
    random_state: int = 0
    workers: int | None = 1
    folder: Path | None = None


class InducedSenses(ABC):
    """The senses that a method found.

    Attributes
    ----------
    words : tuple of str
        The words that have senses, some or all of those asked for.
    rule : ContextRule
        How contexts are cut for `distances`.
    space : WordVectors or None
        Vectors of whole words that the sense vectors may be compared with: those that the method
        learnt from, or others that it trained. None where it makes no sense vectors.
    uses_contexts : bool
        False for methods that give an answer without looking at the words around an occurrence,
        so that no context is too poor for them.
    """

    words: tuple[str, ...]
    rule: ContextRule = ContextRule()
    space: WordVectors | None = None
    uses_contexts: bool = True

    def __contains__(self, word: object) -> bool:
        return word in self.words

    @abstractmethod
    def n_senses(self, word: str) -> int:
        """How many senses a word has, at least one."""

    @abstractmethod
    def distances(self, word: str, context_ids: NDArray[np.int32]) -> NDArray[np.float32]:
        """Distances of contexts to the senses of a word.

        Parameters
        ----------
        context_ids : (n_contexts, 2 * rule.window) int32
            Rows of the vectors that the method learnt from, -1 for padding; the nearest words are
            in the middle.

        Returns
        -------
        (n_contexts, n_senses) float32
            In [0, 1], the nearest sense has the smallest. A row of NaN where a context has too few
            words. Senses stand in order of falling size, as far as the method knows their sizes.
        """

    def sense_vectors(self, word: str) -> NDArray[np.float32] | None:
        """(n_senses, dim) a vector for each sense, or None where the method makes none."""
        self.require(word)
        return None

    def require(self, word: str) -> None:
        """Raise `UnknownWordError` for a word that has no senses."""
        if word not in self:
            raise UnknownWordError(f"{word!r} has no senses: it was not asked for, or is too rare")


class SenseInducer(ABC):
    """A method of sense induction; the constructor takes its parameters and only stores them."""

    name: ClassVar[str]

    @abstractmethod
    def induce(self, material: Material) -> InducedSenses:
        """Learn the senses of the words; the same material gives the same senses."""

    def parameters(self) -> dict[str, object]:
        """The constructor's parameters as plain values, for the record of a run."""
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}


class ContextInducer(SenseInducer):
    """A method that works word by word on given contexts, so that it can cluster a test set too."""

    @property
    def rule(self) -> ContextRule:
        """How contexts are to be cut for `induce_from_contexts`."""
        return ContextRule()

    @abstractmethod
    def induce_from_contexts(
        self, word: str, context_ids: NDArray[np.int32], vectors: WordVectors, random_state: int
    ) -> InducedSenses | None:
        """Find senses of one word among these contexts; None where they are too few.

        Each word has a random stream of its own, made of the state and the word.
        """
