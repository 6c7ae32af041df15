"""Words whose contexts have known senses, and how they are told apart under one setting."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from grassmeans.clustering.settings import InductionSettings
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import InputError
from grassmeans.evaluation.grouping import ClusteringTask, read_instances
from grassmeans.evaluation.instances import Instance, known_form
from grassmeans.geometry.distances import measure_distances, usable_contexts
from grassmeans.geometry.subspaces import principal_subspaces
from grassmeans.geometry.windows import (
    ContextShape,
    contexts_at,
    count_words,
    rows_of_tokens,
    sample_positions,
)
from grassmeans.senses.samples import word_seeds
from grassmeans.senses.word_induction import group_contexts
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
    def shape(self) -> ContextShape:
        """What contexts are made of."""
        return ContextShape(self.window, self.rank, drop_repeats=self.drop_repeats)


class CentredEncoder(SubspaceEncoder):
    """Subspaces of context words less the mean of their context, which takes a dimension away."""

    def span(self, context_ids: NDArray[np.int32]) -> NDArray[np.float32]:
        """(n, rank, dim) bases of contexts given as rows of the vectors."""
        centred = centre_contexts(context_ids, self.vectors.vectors)
        bases = principal_subspaces(*centred, self.shape.rank)
        bases[count_words(context_ids) <= self.shape.rank] = 0.0
        return bases


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
    vectors : WordVectors
        Context ids are its rows.
    """

    name: str
    words: tuple[str, ...]
    corpus: Corpus
    vectors: WordVectors
    random_state: int

    @abstractmethod
    def contexts(self, word: str, variant: Variant) -> WordContexts:
        """Contexts of one word; the same occurrences are tested under every variant."""

    @cached_property
    def centred(self) -> WordVectors:
        """The vectors less their mean."""
        table = self.vectors.vectors
        moved = (table - table.mean(axis=0, dtype=np.float64)).astype(np.float32)
        return WordVectors(self.vectors.words, moved, check=False)

    def encoder(self, variant: Variant) -> SubspaceEncoder:
        """The contexts of a variant."""
        kind = CentredEncoder if variant.centring == "contexts" else SubspaceEncoder
        vectors = self.centred if variant.centring == "vectors" else self.vectors
        return kind(vectors, variant.shape, self.corpus.function_words)

    def decode(self, words: Sequence[str], variant: Variant) -> list[DecodedWord]:
        """Induce the senses of words, and measure the tested contexts."""
        encoder = self.encoder(variant)
        settings = InductionSettings(
            variant.n_senses, n_init=variant.n_init, random_state=self.random_state
        )
        return [_decode(word, self.contexts(word, variant), encoder, settings) for word in words]


def _decode(
    word: str, contexts: WordContexts, encoder: SubspaceEncoder, settings: InductionSettings
) -> DecodedWord:
    learnt = encoder.span(contexts.learnt)
    learnt = learnt[usable_contexts(learnt)]
    if len(learnt) < settings.fewest_contexts:
        # As in the evaluation of test sets: a word without senses is one cluster.
        return DecodedWord(np.zeros((len(contexts.gold), 1), np.float32), contexts.gold)
    directions = group_contexts(word, learnt, settings, encoder).directions_
    tested = encoder.span(contexts.tested)
    distances = measure_distances(tested, directions).astype(np.float32)
    distances[~usable_contexts(tested)] = np.nan
    return DecodedWord(distances, contexts.gold)


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
        self.corpus = corpus
        self.vectors = vectors
        self.random_state = random_state
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
        group, encoder = self._groups[word], self.encoder(variant)
        sampling, _ = word_seeds(word, self.random_state).spawn(2)
        positions = sample_positions(self.corpus.positions(word), variant.n_contexts, sampling)
        labels = [self._gold.best_labels(one.key_word)[one.id] for one in group]
        return WordContexts(
            encoder.describe_at(self.corpus, positions),
            encoder.describing_words(read_instances(word, group, self.corpus.tokenizer)),
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
        self.corpus = corpus
        self.random_state = random_state
        self._rows = rows_of_tokens(corpus, vectors)
        self._n_tested = n_tested
        merged = [_merge_vectors(group, corpus, vectors) for group in groups]
        table = np.concatenate([vectors.vectors, np.stack(merged)])
        self.vectors = WordVectors([*vectors.words, *self.words], table, check=False)

    def contexts(self, word: str, variant: Variant) -> WordContexts:
        """As many contexts of each member: first those to be tested, then those to learn from."""
        members = self._groups[word]
        rows = self._rows.copy()
        merged = len(self.vectors) - len(self.words) + self.words.index(word)
        rows[self.corpus.vocabulary.ids_of(members)] = -1 if variant.drop_repeats else merged
        shape = ContextShape(variant.window)  # what repeats are is decided above
        tested: list[NDArray[np.int32]] = []
        learnt: list[NDArray[np.int32]] = []
        for member in members:
            rng = np.random.default_rng(word_seeds(member, self.random_state))
            drawn = rng.permutation(self.corpus.positions(member))
            end = self._n_tested + variant.n_contexts // len(members)
            parts = ((drawn[: self._n_tested], tested), (drawn[self._n_tested : end], learnt))
            for positions, store in parts:
                found = contexts_at(self.corpus, np.sort(positions), rows, shape)
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


def _merge_vectors(
    members: tuple[str, ...], corpus: Corpus, vectors: WordVectors
) -> NDArray[np.float32]:
    counts = np.array([corpus.vocabulary.count_of(member) for member in members], np.float32)
    merged: NDArray[np.float32] = counts @ vectors.vectors[vectors.ids_of(members)] / counts.sum()
    return merged
