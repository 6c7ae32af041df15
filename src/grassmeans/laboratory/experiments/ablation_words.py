"""Words whose contexts have known senses, and how they are told apart under one setting."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from grassmeans.contexts import NO_TOKEN, contexts_at, rows_of_tokens, sample_positions
from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import InputError
from grassmeans.evaluation.answering import known_form
from grassmeans.evaluation.instance_contexts import ContextReader
from grassmeans.evaluation.tasks.instances import Instance
from grassmeans.evaluation.tasks.loading import ClusteringTask
from grassmeans.laboratory.rivals.interface import ContextRule
from grassmeans.senses.induction import word_seeds
from grassmeans.senses.kgrassmeans import KGrassmeans
from grassmeans.subspaces import principal_subspaces
from grassmeans.vectors.word_vectors import WordVectors

CENTRINGS = ("none", "vectors", "contexts")


@dataclass(frozen=True, slots=True)
class Variant:
    """The settings that are tried; the paper's by default, but for fewer contexts.

    Parameters
    ----------
    n_contexts : int
        Occurrences that the senses of a word are induced from.
    centring : {"none", "vectors", "contexts"}
        Subtract nothing, the mean of all word vectors, or from each context its own mean.
    drop_repeats : bool
        Leave out other occurrences of the target inside its context.
    """

    window: int = 10
    rank: int = 3
    n_senses: int = 2
    n_contexts: int = 1_500
    centring: str = "none"
    drop_repeats: bool = False
    n_init: int = 5

    def __post_init__(self) -> None:
        if self.centring not in CENTRINGS:
            raise InputError(f"centring must be one of {CENTRINGS}, got {self.centring!r}")

    @property
    def min_words(self) -> int:
        """Words that a context needs; centring it takes one dimension away."""
        return self.rank + (self.centring == "contexts")


@dataclass(frozen=True, slots=True)
class WordContexts:
    """Contexts to learn from, (n_learnt, 2 * window), to test with, and ``gold`` (n_tested,)."""

    learnt: NDArray[np.int32]
    tested: NDArray[np.int32]
    gold: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class DecodedWord:
    """Distances (n_tested, n_senses), NaN for poor contexts, and the gold class of each."""

    distances: NDArray[np.float32]
    gold: NDArray[np.int64]


class GoldWords(ABC):
    """Words with contexts whose senses are known.

    Attributes
    ----------
    name : str
    words : tuple of str
    table : (n_rows, dim) float32
        The vectors; context ids are its rows.
    """

    name: str
    words: tuple[str, ...]
    table: NDArray[np.float32]

    @abstractmethod
    def contexts(self, word: str, variant: Variant) -> WordContexts:
        """Contexts of one word; the same occurrences are tested under every variant."""

    @cached_property
    def centred_table(self) -> NDArray[np.float32]:
        """The vectors less their mean."""
        centred: NDArray[np.float32] = self.table - self.table.mean(axis=0, dtype=np.float64)
        return centred.astype(np.float32)

    def decode(
        self, words: Sequence[str], variant: Variant, random_state: int
    ) -> list[DecodedWord]:
        """Induce the senses of words, and measure the tested contexts."""
        return [self._decode(word, variant, random_state) for word in words]

    def _decode(self, word: str, variant: Variant, random_state: int) -> DecodedWord:
        found = self.contexts(word, variant)
        learnt = found.learnt[_count_words(found.learnt) >= variant.min_words]
        if len(learnt) < variant.n_senses:
            # As in the evaluation of test sets: a word without senses is one cluster.
            return DecodedWord(np.zeros((len(found.gold), 1), np.float32), found.gold)
        _, starting = word_seeds(word, random_state).spawn(2)
        estimator = KGrassmeans(
            variant.n_senses, variant.n_init, random_state=np.random.default_rng(starting)
        ).fit(self._make_bases(learnt, variant))
        distances = np.full((len(found.gold), variant.n_senses), np.nan, np.float32)
        usable = _count_words(found.tested) >= variant.min_words
        if usable.any():
            bases = self._make_bases(found.tested[usable], variant)
            distances[usable] = estimator.transform(bases)
        return DecodedWord(distances, found.gold)

    def _make_bases(self, ids: NDArray[np.int32], variant: Variant) -> NDArray[np.float32]:
        if variant.centring == "contexts":
            return principal_subspaces(*centre_contexts(ids, self.table), variant.rank)
        table = self.centred_table if variant.centring == "vectors" else self.table
        return principal_subspaces(ids, table, variant.rank)


class TaskWords(GoldWords):
    """Words of a test set: learnt from the corpus, tested on its instances.

    Parameters
    ----------
    n_words : int
        So many of its words, drawn at random.
    """

    def __init__(
        self,
        task: ClusteringTask,
        corpus: Corpus,
        vectors: WordVectors,
        n_words: int,
        random_state: int,
    ) -> None:
        self.name = task.name
        self.table = vectors.vectors
        self._corpus = corpus
        self._reader = ContextReader.for_corpus(corpus, vectors)
        self._rows = rows_of_tokens(corpus, vectors)
        self._random_state = random_state
        self._gold = task.gold
        groups: dict[str, list[Instance]] = defaultdict(list)
        for instance in task.instances:
            form = known_form(corpus.vocabulary, instance.target)
            if form is not None and instance.is_located:
                groups[form].append(instance)
        names = sorted(groups)
        chosen = np.random.default_rng(random_state).permutation(len(names))[:n_words]
        self.words = tuple(names[i] for i in sorted(chosen.tolist()))
        self._groups = {word: groups[word] for word in self.words}

    def contexts(self, word: str, variant: Variant) -> WordContexts:
        """Contexts of the corpus, and those of the instances."""
        group = self._groups[word]
        rule = ContextRule(variant.window, drop_repeats=variant.drop_repeats)
        sampling, _ = word_seeds(word, self._random_state).spawn(2)
        positions = sample_positions(self._corpus.positions(word), variant.n_contexts, sampling)
        left_out = self._corpus.word_id(word) if variant.drop_repeats else NO_TOKEN
        learnt = contexts_at(self._corpus, positions, self._rows, variant.window, left_out)
        labels = [self._gold.best_labels(one.key_word)[one.id] for one in group]
        return WordContexts(
            learnt.context_ids,
            self._reader.read_instances(group[0].target, group, rule),
            np.unique(labels, return_inverse=True)[1],
        )


class PseudoWords(GoldWords):
    """Words merged into one, as if each were a sense of it.

    Where a member stands in a context again, the merged word's vector stands there, the mean of
    its members' by their counts: the member's own would give the answer away.

    Parameters
    ----------
    groups : sequence of tuples of str
        The members of each merged word.
    n_tested : int
        Occurrences of each member that are kept for testing.
    """

    name = "pseudo-words"

    def __init__(
        self,
        groups: Sequence[tuple[str, ...]],
        corpus: Corpus,
        vectors: WordVectors,
        n_tested: int,
        random_state: int,
    ) -> None:
        self._groups = {"+".join(group): group for group in groups}
        self.words = tuple(self._groups)
        self._corpus = corpus
        self._rows = rows_of_tokens(corpus, vectors)
        self._n_tested = n_tested
        self._random_state = random_state
        merged = [_merge_vectors(group, corpus, vectors) for group in groups]
        self.table = np.concatenate([vectors.vectors, np.stack(merged)])

    def contexts(self, word: str, variant: Variant) -> WordContexts:
        """As many contexts of each member: first those to be tested, then those to learn from."""
        members = self._groups[word]
        rows = self._rows.copy()
        merged = len(self.table) - len(self.words) + self.words.index(word)
        rows[self._corpus.vocabulary.ids_of(members)] = -1 if variant.drop_repeats else merged
        tested: list[NDArray[np.int32]] = []
        learnt: list[NDArray[np.int32]] = []
        for member in members:
            rng = np.random.default_rng(word_seeds(member, self._random_state))
            drawn = rng.permutation(self._corpus.positions(member))
            end = self._n_tested + variant.n_contexts // len(members)
            parts = ((drawn[: self._n_tested], tested), (drawn[self._n_tested : end], learnt))
            for positions, store in parts:
                found = contexts_at(self._corpus, np.sort(positions), rows, variant.window)
                store.append(found.context_ids)
        gold = np.repeat(np.arange(len(members)), [len(contexts) for contexts in tested])
        return WordContexts(np.concatenate(learnt), np.concatenate(tested), gold)


def centre_contexts(
    context_ids: NDArray[np.int32], table: NDArray[np.float32]
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Subtract from the vectors of each context their mean.

    Returns
    -------
    ids : (n_contexts, width) int32
        -1 where there is no word.
    rows : (n_contexts * width, dim) float32
        The table that these ids belong to.
    """
    present = context_ids >= 0
    words = np.where(present[:, :, None], table[context_ids], np.float32(0.0))
    means = words.sum(axis=1) / np.maximum(present.sum(axis=1), 1)[:, None]
    rows = (words - means[:, None, :]).astype(np.float32).reshape(-1, table.shape[1])
    ids = np.where(present, np.arange(present.size).reshape(present.shape), -1)
    return ids.astype(np.int32), rows


def _count_words(context_ids: NDArray[np.int32]) -> NDArray[np.int64]:
    counts: NDArray[np.int64] = np.count_nonzero(context_ids >= 0, axis=1)
    return counts


def _merge_vectors(
    members: tuple[str, ...], corpus: Corpus, vectors: WordVectors
) -> NDArray[np.float32]:
    counts = np.array([corpus.vocabulary.count_of(member) for member in members], np.float32)
    merged: NDArray[np.float32] = counts @ vectors.vectors[vectors.ids_of(members)] / counts.sum()
    return merged
