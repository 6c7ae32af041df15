"""Artificial polysemy: words merged into one, and whether their contexts can be told apart again.

Every occurrence of a member word stands for the merged word. So member words are left out of all
contexts, the occurrence itself and its repeats: in a corpus with the merged word they would be the
target, and a member that is left in would give the answer away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from grassmeans.clustering.merging import pair_all
from grassmeans.corpus.occurrences import Occurrences
from grassmeans.engines.parallel import map_tasks
from grassmeans.evaluation.clustering_scores import mapped_accuracy
from grassmeans.geometry.windows import contexts_at, sample_positions
from grassmeans.senses.samples import word_seeds
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_lab.datasets.pseudowords import find_candidates
from grassmeans_lab.experiments.drawing import draw_curves, draw_matrix
from grassmeans_lab.experiments.experiment import (
    Cell,
    ComparedValue,
    DataTable,
    Experiment,
    ExperimentSetup,
    Figure,
    Findings,
    Parameters,
    SkipExperimentError,
    summarise,
)
from grassmeans_lab.extracting import ContextExtractor
from grassmeans_lab.rivals.context_means import KMeansSenses
from grassmeans_lab.rivals.grassmeans import GrassmeansSenses
from grassmeans_lab.rivals.interface import ContextInducer, Material
from grassmeans_lab.wordnet.database import WordNet

Table = NDArray[np.int64]
Scores = dict[str, NDArray[np.float64]]
"""Method -> (trials,) accuracies."""

PAPER_METHOD = "K-Grassmeans (paper)"
WEIGHTED_METHOD = "K-Grassmeans, rank 5, weighted"
MEANS_METHOD = "k-means on means"
MIN_WORDS = 5
"""Contexts with fewer words are left out for all methods: the largest rank needs so many."""

_TRIALS_PER_TASK = 10


@dataclass(frozen=True)
class ArtificialPolysemy(Experiment):
    """Merge words of one meaning, and find the members again by the contexts."""

    name: ClassVar[str] = "artificial"
    title: ClassVar[str] = "Artificial polysemous words are taken apart"
    paper: ClassVar[str] = "figure 4, section 3.2"
    small: ClassVar[Parameters] = {
        "ks": (2, 3),
        "trials": 4,
        "contexts_per_word": 30,
        "min_count": 8,
        "n_init": 2,
    }

    examples: tuple[tuple[str, ...], ...] = (
        ("monastery", "phd"),
        ("employers", "exiled", "grossed", "incredible", "unreleased"),
    )
    ks: tuple[int, ...] = (2, 3, 4, 5, 6, 7, 8)
    trials: int = 100
    contexts_per_word: int = 300
    min_count: int = 500
    max_count: int = 20_000
    n_init: int = 5

    def run(self, setup: ExperimentSetup) -> Findings:
        """Two examples with their confusions, then random groups of every size."""
        pool = self._find_pool(setup)
        merger = ContextMerger.of(self, setup)
        examples = list(self._choose_examples(setup, pool))
        tables = [merger.cluster(words) for words in examples]
        accuracies = {k: self._run_trials(merger, pool, k, setup) for k in self.ks}
        figures = [
            _draw_confusion(words, found[PAPER_METHOD])
            for words, found in zip(examples, tables, strict=True)
        ]
        figures.append(self._draw_accuracies(accuracies))
        values = [
            ComparedValue(
                f"accuracy, {' + '.join(words)}, {method}", "", f"{mapped_accuracy(table):.3f}"
            )
            for words, found in zip(examples, tables, strict=True)
            for method, table in found.items()
        ]
        values += [
            ComparedValue(f"accuracy, {k} random words", "", summarise(found[PAPER_METHOD]))
            for k, found in accuracies.items()
        ]
        confusions = map(_confusion_table, examples, tables)
        data = (*confusions, _mean_table(accuracies), _trial_table(accuracies))
        text = self._explain(setup, examples, accuracies, len(pool))
        return Findings(tuple(values), tuple(figures), data, text)

    def _find_pool(self, setup: ExperimentSetup) -> list[str]:
        place = setup.test_sets.wordnet
        wordnet = None if place is None else WordNet.open(place)
        found = find_candidates(setup.corpus, self.min_count, self.max_count, wordnet)
        pool = [word for word in found if word in setup.vectors]
        needed = max([*self.ks, *map(len, self.examples)])
        if len(pool) < needed:
            raise SkipExperimentError(
                f"only {len(pool)} words can be merged (they occur {self.min_count:,} to "
                f"{self.max_count:,} times), {needed} are needed"
            )
        return pool

    def _choose_examples(
        self, setup: ExperimentSetup, pool: Sequence[str]
    ) -> Iterator[tuple[str, ...]]:
        """The paper's words, or as many of the corpus where one of them is missing."""
        known = setup.corpus.vocabulary
        for number, words in enumerate(self.examples):
            if all(word in known and word in setup.vectors for word in words):
                yield words
            else:
                rng = np.random.default_rng([setup.random_state, number])
                yield _draw_words(pool, len(words), rng)

    def _run_trials(
        self, merger: ContextMerger, pool: Sequence[str], k: int, setup: ExperimentSetup
    ) -> Scores:
        """(trials,) accuracy of each method on groups of k random words."""
        generators = [
            np.random.default_rng([setup.random_state, k, trial]) for trial in range(self.trials)
        ]
        groups = [_draw_words(pool, k, rng) for rng in generators]
        tasks = (
            (groups[start : start + _TRIALS_PER_TASK],)
            for start in range(0, self.trials, _TRIALS_PER_TASK)
        )
        scores = [row for rows in map_tasks(merger.score, tasks, setup.workers) for row in rows]
        return {name: np.array([row[name] for row in scores]) for name in self.methods(k)}

    def methods(self, k: int) -> dict[str, ContextInducer]:
        """The methods that are compared, for k senses."""
        return {
            PAPER_METHOD: GrassmeansSenses(k, n_init=self.n_init),
            WEIGHTED_METHOD: GrassmeansSenses(k, 5, "singular", n_init=self.n_init),
            MEANS_METHOD: KMeansSenses(k, n_init=self.n_init),
        }

    def _draw_accuracies(self, accuracies: dict[int, Scores]) -> Figure:
        names = list(self.methods(2))
        # A little apart, so that the bars of one method do not hide those of another.
        shifts = dict(zip(names, np.linspace(-0.1, 0.1, len(names)).tolist(), strict=True))
        curves = {
            name: (
                [k + shifts[name] for k in self.ks],
                [float(accuracies[k][name].mean()) for k in self.ks],
            )
            for name in names
        }
        curves["chance"] = (list(self.ks), [1 / k for k in self.ks])
        spreads = {name: [float(accuracies[k][name].std()) for k in self.ks] for name in names}
        return draw_curves(
            "artificial-accuracy",
            f"Accuracy over {self.trials} groups of random words; bars are one standard deviation",
            curves,
            "number of merged words K",
            "accuracy",
            errors=spreads,
        )

    def _explain(
        self,
        setup: ExperimentSetup,
        examples: Sequence[tuple[str, ...]],
        accuracies: dict[int, Scores],
        n_pool: int,
    ) -> tuple[str, ...]:
        kind = "content words" if setup.test_sets.wordnet is None else "words with one sense"
        first, last = self.ks[0], self.ks[-1]
        text = [
            f"Up to {self.contexts_per_word} contexts of each member, in which no member stands: "
            "it would give the answer away. The random groups are drawn from "
            f"{n_pool:,} {kind} that occur {self.min_count:,} to {self.max_count:,} times. "
            "The accuracy is that of the best one-to-one mapping of groups to members.",
            f"From K={first} to K={last} the accuracy goes from "
            f"{accuracies[first][PAPER_METHOD].mean():.2f} to "
            f"{accuracies[last][PAPER_METHOD].mean():.2f} with the paper's settings, and from "
            f"{accuracies[first][MEANS_METHOD].mean():.2f} to "
            f"{accuracies[last][MEANS_METHOD].mean():.2f} with k-means on the mean of a context's "
            "vectors, which the paper does not show.",
        ]
        for wanted, used in zip(self.examples, examples, strict=True):
            if wanted != used:
                text.append(f"In place of {', '.join(wanted)}: {', '.join(used)}.")
        return tuple(text)


@dataclass(frozen=True)
class ContextMerger:
    """Merges words and clusters their contexts; can be sent to a worker."""

    experiment: ArtificialPolysemy
    extractor: ContextExtractor
    material: Material

    @classmethod
    def of(cls, experiment: ArtificialPolysemy, setup: ExperimentSetup) -> ContextMerger:
        """On the corpus and vectors of a setup."""
        material = Material(setup.corpus, setup.vectors, (), random_state=setup.random_state)
        return cls(experiment, setup.extractor(), material)

    def score(self, groups: Sequence[tuple[str, ...]]) -> list[dict[str, float]]:
        """The accuracy of every method on each group."""
        return [
            {name: mapped_accuracy(table) for name, table in self.cluster(words).items()}
            for words in groups
        ]

    def cluster(self, words: tuple[str, ...]) -> dict[str, Table]:
        """(n_groups, n_words) how many contexts of each word are in each group, for every method.

        Groups stand in the order of the words that they are mapped to.
        """
        contexts, members = self.collect(words)
        merged = "+".join(words)
        occurrences = occurrences_of(contexts, self.material.vectors)
        tables = {}
        for name, method in self.experiment.methods(len(words)).items():
            senses = method.induce_from(merged, occurrences, self.material)
            if senses is None:
                raise SkipExperimentError(f"too few contexts of {', '.join(words)}")
            labels = senses.distances(merged, occurrences).argmin(axis=1)
            tables[name] = cross_tabulate(labels, members, len(words))
        return tables

    def collect(self, words: tuple[str, ...]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The contexts of all words, and the number of the word of each."""
        corpus = self.extractor.corpus
        kept_rows = self.extractor.row_of_token.copy()
        kept_rows[corpus.vocabulary.ids_of(words)] = -1
        found = []
        for word in words:
            positions = sample_positions(
                corpus.positions(word),
                self.experiment.contexts_per_word,
                word_seeds(word, self.material.random_state),
            )
            contexts = contexts_at(corpus, positions, kept_rows, self.extractor.shape)
            found.append(contexts.with_at_least(MIN_WORDS).context_ids)
        members = np.repeat(np.arange(len(words)), [len(contexts) for contexts in found])
        return np.concatenate(found), members


def occurrences_of(context_ids: NDArray[np.int32], vectors: WordVectors) -> Occurrences:
    """Contexts given as rows of vectors as occurrences, each in a document of its own."""
    used, numbers = np.unique(context_ids, return_inverse=True)
    # What is no word, -1, is the first of the sorted rows.
    tokens = numbers.reshape(context_ids.shape) - (used[:1] < 0).sum()
    n_contexts, width = context_ids.shape
    texts = np.insert(tokens.astype(np.int32), width // 2, -1, axis=1)
    offsets = np.arange(n_contexts + 1, dtype=np.int64) * (width + 1)
    words = [vectors.words[row] for row in used.tolist() if row >= 0]
    return Occurrences(texts.ravel(), offsets, offsets[:-1] + width // 2, words)


def _draw_words(pool: Sequence[str], k: int, rng: np.random.Generator) -> tuple[str, ...]:
    return tuple(pool[i] for i in rng.choice(len(pool), k, replace=False).tolist())


def cross_tabulate(labels: NDArray[np.int64], members: NDArray[np.int64], k: int) -> Table:
    """(k, k) contexts by group and member; row i is the group that is mapped to member i."""
    table: Table = np.bincount(labels * k + members, minlength=k * k).reshape(k, k)
    groups, words = pair_all(table)
    ordered: Table = table[groups[np.argsort(words)]]
    return ordered


def _draw_confusion(words: Sequence[str], table: Table) -> Figure:
    shares = table.T / np.maximum(table.sum(axis=0), 1)[:, None]
    return draw_matrix(
        f"artificial-{len(words)}",
        f"Contexts of {', '.join(words)} in the groups that K-Grassmeans found, as shares of each",
        shares,
        words,
        [f"group {number}" for number in range(1, len(words) + 1)],
    )


def _confusion_table(words: tuple[str, ...], tables: dict[str, Table]) -> DataTable:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (name, group + 1, *counts)
        for name, table in tables.items()
        for group, counts in enumerate(table.tolist())
    )
    return DataTable(f"artificial-{len(words)}", ("method", "group", *words), rows)


def _mean_table(accuracies: dict[int, Scores]) -> DataTable:
    names = tuple(next(iter(accuracies.values())))
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (k, *(summarise(found[name]) for name in names), round(1 / k, 3))
        for k, found in accuracies.items()
    )
    caption = "Accuracy, mean and standard deviation over the groups"
    return DataTable("artificial-accuracy", ("K", *names, "chance"), rows, caption, shown=True)


def _trial_table(accuracies: dict[int, Scores]) -> DataTable:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (k, name, trial + 1, round(accuracy, 4))
        for k, found in accuracies.items()
        for name, scores in found.items()
        for trial, accuracy in enumerate(scores.tolist())
    )
    return DataTable("artificial-trials", ("k", "method", "trial", "accuracy"), rows)
