"""What answers a test set: a finished model, or any other method, behind one interface.

A `System` finds senses for the words of a test set. Its `Senses` answer with the distances of
occurrences to senses, so that one way of decoding and scoring serves all. A model is a system like
any of its rivals, whatever kind of context it has.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from grassmeans.arrays import Booleans, Floats
from grassmeans.artifacts.writing import digest_of, digest_of_array
from grassmeans.clustering.settings import InductionSettings
from grassmeans.contexts.interface import ContextEncoder
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.occurrences import Occurrences
from grassmeans.errors import InputError, UnknownWordError
from grassmeans.evaluation.instances import known_form
from grassmeans.geometry.distances import SenseLines, usable_contexts
from grassmeans.lexemes.lexeme_vectors import LexemeVectors, open_lexemes
from grassmeans.models.model import SenseModel
from grassmeans.senses.decoding import DEFAULT_SHARPNESS, MODEL_THRESHOLD, IdkRule, IdkThreshold
from grassmeans.senses.entries import WordSenses
from grassmeans.senses.induction import induce
from grassmeans.senses.inventory import SenseInventory
from grassmeans.senses.word_induction import group_contexts
from grassmeans.tagging.marked_text import AnyTokenizer
from grassmeans.text.tokenizer import Tokenizer
from grassmeans.vectors.word_vectors import WordVectors


class Senses:
    """The senses of words, as a system found them: here of none, in a subclass of some."""

    words: tuple[str, ...] = ()  # the words that have senses, some or all of those asked for
    # False for methods that never look at the words around: no context is too poor for them.
    uses_contexts: bool = True
    n_induced: int = 0  # words that a finished model did not have, induced when asked for

    def __contains__(self, word: object) -> bool:
        return word in self.words

    def n_senses(self, word: str) -> int:
        """How many senses a word has, at least one."""
        raise lacks_senses(word)

    def usual_distance(self, word: str) -> float:
        """The mean distance of a word's contexts to its only sense; NaN where it is not known."""
        return math.nan

    def distances(self, word: str, occurrences: Occurrences) -> Floats:
        """(n, n_senses) distances in [0, 1], the largest sense first; NaN for poor contexts."""
        raise lacks_senses(word)

    def for_running_text(self) -> Senses:
        """The same senses, as running text is tagged with them: single words say something."""
        return self

    def find_describing(self, words: Sequence[str]) -> Booleans:
        """(n_words,) which words say something about a context: all, where nothing is known."""
        return np.ones(len(words), np.bool_)

    def require(self, word: str) -> None:
        """Raise `UnknownWordError` for a word that has no senses."""
        if word not in self:
            raise lacks_senses(word)


def lacks_senses(word: str) -> UnknownWordError:
    """The error for a word of which a system has found nothing."""
    return UnknownWordError(f"{word!r} has no senses: it was not asked for, or is too rare")


class System(ABC):
    """Something that answers test sets."""

    name: str
    n_senses: int | str | None = None  # the number of senses asked for, where one was
    tokenizer: AnyTokenizer  # cuts texts as those were cut that the system learnt from
    vectors: WordVectors  # plain vectors of whole words
    # What its contexts are made of, where they can be compared with each other.
    encoder: ContextEncoder | None = None
    # Whether it can find the senses of a word among the instances of a test set.
    can_induce_on_test: bool = False

    @property
    @abstractmethod
    def parameters(self) -> Mapping[str, Any]:
        """Plain values that tell this system from others, for the record of a run."""

    @property
    @abstractmethod
    def digests(self) -> Mapping[str, str]:
        """Of what it learnt from, or of the finished model."""

    @abstractmethod
    def find_senses(self, targets: Iterable[str]) -> Senses:
        """The senses of the words of a test set, as far as there are any."""

    def induce_on_test(self, word: str, occurrences: Occurrences) -> Senses | None:
        """Senses of one word among these occurrences, whatever other words do; None for too few."""
        raise InputError(
            f"{self.name} does not work on given contexts, so it cannot induce senses on a test "
            "set: leave it out, or take induce='on-corpus'"
        )

    def choose_threshold(self, idk_threshold: IdkThreshold) -> IdkRule:
        """A threshold of "I don't know" as a number; methods have none of their own."""
        return None if isinstance(idk_threshold, str) else idk_threshold

    def choose_sharpness(self, sharpness: float | None) -> float:
        """How sharp soft answers are: as asked, or the paper's."""
        return DEFAULT_SHARPNESS if sharpness is None else sharpness


class ModelSenses(Senses):
    """Senses as the lines of an inventory, for any kind of context; perhaps with lexemes."""

    def __init__(
        self,
        encoder: ContextEncoder,
        inventory: SenseInventory,
        lexemes: LexemeVectors | None = None,
        n_induced: int = 0,
    ) -> None:
        self.encoder = encoder
        self.inventory = inventory
        self.lexemes = lexemes
        self.n_induced = n_induced
        self.words = inventory.words

    def __contains__(self, word: object) -> bool:
        return word in self.inventory

    def n_senses(self, word: str) -> int:
        """The number of lines."""
        self.require(word)
        return len(self.inventory.directions(word))

    def usual_distance(self, word: str) -> float:
        """As the inventory knows it."""
        return self.inventory.usual_distance(word)

    def distances(self, word: str, occurrences: Occurrences) -> Floats:
        """(n, n_senses), NaN where a context says nothing."""
        self.require(word)
        lines = SenseLines.collect([np.asarray(self.inventory.directions(word))])
        rows = np.zeros(len(occurrences), np.int64)
        return self.inventory.gather(self.encoder.measure(occurrences, rows, lines), rows, [word])

    def for_running_text(self) -> ModelSenses:
        """The same, with contexts of one known word or more."""
        encoder = self.encoder.hearing_single_words()
        return ModelSenses(encoder, self.inventory, self.lexemes, self.n_induced)

    def find_describing(self, words: Sequence[str]) -> Booleans:
        """(n_words,) those that have a vector and are no function words."""
        return self.encoder.rows_of(words) >= 0


class ModelSystem(System):
    """A finished model, with its own vectors and contexts.

    Parameters
    ----------
    lexemes : LexemeVectors, optional
        The vectors of its senses; those inside the model by default, where it has some.
    name : str, optional
        The model's folder by default.
    vectors : WordVectors, optional
        Plain vectors of whole words to compare with; the model's by default.
    corpus : Corpus, optional
        Where to induce senses of words that the model does not have, or has not with ``n_senses``.
        Without it, such words have no senses.
    n_senses : int, optional
        A word fits that has so many senses in the model; without it, any word that has senses.
    random_state : int, optional
        Of a new induction; that of the model by default.
    workers : int or None
        Of a new induction.
    """

    can_induce_on_test = True

    def __init__(
        self,
        model: SenseModel,
        lexemes: LexemeVectors | None = None,
        *,
        name: str | None = None,
        vectors: WordVectors | None = None,
        corpus: Corpus | None = None,
        n_senses: int | None = None,
        random_state: int | None = None,
        workers: int | None = 1,
    ) -> None:
        self.model = model
        changes = {"n_senses": n_senses, "random_state": random_state}
        given = {option: value for option, value in changes.items() if value is not None}
        self.settings: InductionSettings = replace(model.settings, **given)
        self.n_senses = self.settings.n_senses
        self.name = name or ("model" if model.folder is None else model.folder.name)
        self.tokenizer = model.tokenizer
        self.encoder = model.encoder
        self.vectors = model.vectors if vectors is None else vectors
        self._lexemes = lexemes
        self._corpus = corpus
        self._asked = n_senses
        self._workers = workers

    @cached_property
    def lexemes(self) -> LexemeVectors | None:
        """The vectors of its senses."""
        return open_lexemes(self.model) if self._lexemes is None else self._lexemes

    @property
    def parameters(self) -> dict[str, Any]:
        """How its senses were induced, and from what kind of context."""
        encoder = self.model.encoder
        about = {"method": self.name, "kind": encoder.kind}
        seen = {} if self.model.granularity is None else {"granularity": self.model.granularity}
        return about | encoder.shape.to_dict() | self.settings.to_dict() | seen

    @cached_property
    def digests(self) -> dict[str, str]:
        """Of the model, its lexemes, and the corpus of new senses."""
        found = {"model": self.model.digest}
        if self.lexemes is not None:
            found["lexemes"] = digest_of_vectors(self.lexemes.vectors)
        if self._corpus is not None:
            found["corpus"] = self._corpus.manifest["digest"]
        return found

    def find_senses(self, targets: Iterable[str]) -> ModelSenses:
        """The model's senses where they fit, else senses induced from the corpus."""
        encoder, inventory = self.model.encoder, self.model.inventory
        forms = {target: known_form(inventory, target) for target in targets}
        counts = inventory.sense_counts
        known = dict.fromkeys(form for form in forms.values() if form)
        fitting = [form for form in known if self._asked in (None, counts[form])]
        missing = [target for target, form in forms.items() if form not in fitting]
        new = SenseInventory([])
        if self._corpus is not None and missing:
            vocabulary = self._corpus.vocabulary
            wanted = dict.fromkeys(known_form(vocabulary, target) or target for target in missing)
            new = induce(
                self._corpus, encoder, list(wanted), settings=self.settings, workers=self._workers
            )
        elif self._asked is None:
            return ModelSenses(encoder, inventory, self.lexemes)
        entries = [inventory[word] for word in fitting] + [new[word] for word in new.words]
        found = SenseInventory(entries, new.skipped)
        # New senses have other numbers than the lexemes' ones.
        return ModelSenses(encoder, found, None if len(new) else self.lexemes, len(new))

    def induce_on_test(self, word: str, occurrences: Occurrences) -> ModelSenses | None:
        """Group the contexts of these occurrences."""
        return induce_from_occurrences(word, occurrences, self.model.encoder, self.settings)

    def choose_threshold(self, idk_threshold: IdkThreshold = MODEL_THRESHOLD) -> IdkRule:
        """A threshold as a number: the model's own for "model"."""
        return self.model.choose_threshold(idk_threshold)

    def choose_sharpness(self, sharpness: float | None = None) -> float:
        """As asked, or the model's own."""
        return self.model.choose_sharpness(sharpness)


class VectorSystem(System):
    """Word vectors alone: no word has senses."""

    name = "vectors"
    tokenizer = Tokenizer()

    def __init__(self, vectors: WordVectors) -> None:
        self.vectors = vectors

    @property
    def parameters(self) -> dict[str, Any]:
        """Nothing but a name."""
        return {"method": self.name}

    @property
    def digests(self) -> dict[str, str]:
        """Of the vectors."""
        return {"vectors": digest_of_vectors(self.vectors)}

    def find_senses(self, targets: Iterable[str]) -> Senses:
        """None."""
        return Senses()


def induce_from_occurrences(
    word: str, occurrences: Occurrences, encoder: ContextEncoder, settings: InductionSettings
) -> ModelSenses | None:
    """Senses of a word by K-Grassmeans on given occurrences; None where too few say something."""
    bases = encoder.encode(occurrences)
    bases = bases[usable_contexts(bases)]
    if len(bases) < settings.fewest_contexts:
        return None
    directions = group_contexts(word, bases, settings, encoder).directions_
    entry = WordSenses(word, len(occurrences), len(bases), directions, ())
    return ModelSenses(encoder, SenseInventory([entry]))


def digest_of_vectors(vectors: WordVectors) -> str:
    """A short digest of words and vectors."""
    return digest_of([list(vectors.words), digest_of_array(vectors.vectors)])
