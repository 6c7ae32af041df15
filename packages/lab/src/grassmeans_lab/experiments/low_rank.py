"""Contexts are of low rank: the share of energy that a few principal directions keep."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from grassmeans.geometry.subspaces import context_energies
from grassmeans.senses.induction import frequent_words
from grassmeans_lab.experiments.drawing import draw_histograms
from grassmeans_lab.experiments.experiment import (
    Cell,
    ComparedValue,
    DataTable,
    Experiment,
    ExperimentSetup,
    Findings,
    Parameters,
    SkipExperimentError,
    summarise,
)

_PAPER = defaultdict(str, {3: "at least 0.45", 4: "at least 0.5"})


@dataclass(frozen=True)
class LowRank(Experiment):
    """Energy kept by rank 3, 4 and 5 over the contexts of frequent words, and of random words."""

    name: ClassVar[str] = "low-rank"
    title: ClassVar[str] = "Contexts are of low rank"
    paper: ClassVar[str] = "figure 1, section 2"
    small: ClassVar[Parameters] = {"n_words": 10, "contexts_per_word": 20, "min_words": 8}

    n_words: int = 500
    contexts_per_word: int = 200
    ranks: tuple[int, ...] = (3, 4, 5)
    min_words: int = 15

    def run(self, setup: ExperimentSetup) -> Findings:
        """Collect contexts, and compare them with as many random words of the same frequencies."""
        rng = np.random.default_rng(setup.random_state)
        contexts = self._collect(setup)
        present = contexts >= 0
        random = np.where(present, rng.permutation(contexts[present])[_ranks_of(present)], -1)
        kept = self._shares(contexts, setup)
        chance = self._shares(random, setup)
        figures = tuple(
            draw_histograms(
                f"low-rank-{rank}",
                f"Share of a context's energy in its {rank} main directions",
                {"contexts": kept[rank], "as many random words": chance[rank]},
                "share of energy",
            )
            for rank in self.ranks
        )
        values = tuple(
            value
            for rank in self.ranks
            for value in (
                ComparedValue(
                    f"rank {rank}, contexts", _PAPER.get(rank, ""), summarise(kept[rank])
                ),
                ComparedValue(f"rank {rank}, random words", "", summarise(chance[rank])),
            )
        )
        return Findings(values, figures, self._tables(kept, chance), self._explain(contexts))

    def _collect(self, setup: ExperimentSetup) -> NDArray[np.int32]:
        extractor = setup.extractor()
        rows = []
        for word in frequent_words(setup.corpus, setup.vectors)[: self.n_words]:
            found = extractor.extract(
                word, max_contexts=self.contexts_per_word, random_state=setup.random_state
            ).with_at_least(self.min_words)
            rows.append(found.context_ids)
        contexts = np.concatenate(rows) if rows else np.empty((0, 20), np.int32)
        if len(contexts) < 10:
            raise SkipExperimentError(
                f"only {len(contexts)} contexts have {self.min_words} known words"
            )
        return contexts

    def _shares(
        self, contexts: NDArray[np.int32], setup: ExperimentSetup
    ) -> dict[int, NDArray[np.float64]]:
        shares = context_energies(contexts, setup.vectors.vectors, max(self.ranks)).shares
        return {rank: shares[:, rank - 1] for rank in self.ranks}

    def _tables(
        self, kept: dict[int, NDArray[np.float64]], chance: dict[int, NDArray[np.float64]]
    ) -> tuple[DataTable, ...]:
        percentiles = (5, 25, 50, 75, 95)
        rows: tuple[tuple[Cell, ...], ...] = tuple(
            (rank, kind, *(round(float(v), 4) for v in np.percentile(energies, percentiles)))
            for rank in self.ranks
            for kind, energies in (("contexts", kept[rank]), ("random words", chance[rank]))
        )
        columns = ("rank", "words", *(f"{p}%" for p in percentiles))
        return (DataTable("low-rank", columns, rows, "Percentiles of the share of energy", True),)

    def _explain(self, contexts: NDArray[np.int32]) -> tuple[str, ...]:
        mean = float(np.count_nonzero(contexts >= 0, axis=1).mean())
        return (
            f"{len(contexts):,} contexts of {self.n_words} frequent words, {mean:.1f} words each "
            "on average. The same words, shuffled over all contexts, are the comparison: they keep "
            "less energy in a few directions, because words of one text are related.",
        )


def _ranks_of(present: NDArray[np.bool_]) -> NDArray[np.int64]:
    """For every cell of a table, how many present cells stand before it."""
    before: NDArray[np.int64] = np.maximum(np.cumsum(present.ravel()) - 1, 0)
    return before.reshape(present.shape)
