"""Words of one sense: the direction where their contexts meet, and their vector."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from grassmeans.laboratory.datasets.monosemous import find_candidates
from grassmeans.laboratory.datasets.wordnet import WordNet
from grassmeans.laboratory.experiments.drawing import draw_histograms
from grassmeans.laboratory.experiments.findings import (
    Cell,
    ComparedValue,
    DataTable,
    Findings,
    SkipExperimentError,
    summarise,
)
from grassmeans.laboratory.experiments.setup import Experiment, ExperimentSetup
from grassmeans.senses.inventory import SenseInventory, default_min_count

_FEWEST_WORDS = 5


@dataclass(frozen=True)
class MonosemousDirections(Experiment):
    """Cosine of the one intersection direction of frequent words and their vectors.

    Parameters
    ----------
    min_count : int or None
        Words that occur so often; None scales the paper's 10,000 to the size of the corpus.
    """

    name: ClassVar[str] = "monosemous"
    title: ClassVar[str] = "Intersection directions of words with one sense"
    paper: ClassVar[str] = "section 4"

    n_words: int = 500
    min_count: int | None = None
    rank: int = 3
    max_contexts: int = 1000

    @classmethod
    def quick(cls) -> MonosemousDirections:
        """A few words."""
        return cls(n_words=20, max_contexts=100)

    def run(self, setup: ExperimentSetup) -> Findings:
        """Induce one direction a word, and compare it with the word's vector and with another's."""
        words = self._choose_words(setup)
        inventory = SenseInventory.induce(
            setup.corpus,
            setup.vectors,
            words,
            n_senses=1,
            n_init=1,
            rank=self.rank,
            max_contexts=self.max_contexts,
            random_state=setup.random_state,
            workers=setup.workers,
        )
        if len(inventory) < _FEWEST_WORDS:
            raise SkipExperimentError(f"only {len(inventory)} words have enough contexts")
        own, other = self._measure(inventory, setup)
        samples = {"own vector": own, "vector of another word": other}
        figure = draw_histograms(
            "monosemous",
            "Cosine of intersection directions with word vectors",
            samples,
            "cosine",
        )
        values = (
            ComparedValue("direction and its word's vector", "0.607 ± 0.095", summarise(own)),
            ComparedValue("direction and another word's vector", "", summarise(other)),
        )
        return Findings(
            values, (figure,), self._tables(inventory, own, other), self._explain(inventory, setup)
        )

    def _choose_words(self, setup: ExperimentSetup) -> list[str]:
        wordnet = setup.test_sets.wordnet
        known = None if wordnet is None else WordNet.open(wordnet)
        count = self._count(setup)
        found = find_candidates(setup.corpus, count, None, known)
        candidates = [word for word in found if word in setup.vectors]
        if len(candidates) < _FEWEST_WORDS:
            raise SkipExperimentError(
                f"{len(candidates)} words that occur {count:,} times have a vector"
                f"{'' if known is None else ' and one sense in WordNet'}; at least "
                f"{_FEWEST_WORDS} are needed"
            )
        rng = np.random.default_rng(setup.random_state)
        return [candidates[i] for i in np.sort(rng.permutation(len(candidates))[: self.n_words])]

    def _count(self, setup: ExperimentSetup) -> int:
        return self.min_count or default_min_count(setup.corpus.n_tokens)

    def _measure(
        self, inventory: SenseInventory, setup: ExperimentSetup
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Cosines without their signs: a direction is a line."""
        directions = np.concatenate([inventory.directions(word) for word in inventory])
        vectors = setup.vectors.vectors[setup.vectors.ids_of(inventory)]
        lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        unit = np.asarray(vectors / lengths, np.float64)
        own = np.abs((directions * unit).sum(axis=1))
        other = np.abs((directions * np.roll(unit, len(unit) // 2, axis=0)).sum(axis=1))
        return own, other

    def _tables(
        self, inventory: SenseInventory, own: NDArray[np.float64], other: NDArray[np.float64]
    ) -> tuple[DataTable, ...]:
        rows: list[tuple[Cell, ...]] = [
            (word, inventory[word].n_contexts, round(float(mine), 4), round(float(chance), 4))
            for word, mine, chance in zip(inventory, own, other, strict=True)
        ]
        columns = ("word", "contexts", "cosine to its vector", "cosine to another's")
        ordered = sorted(rows, key=lambda row: -float(row[2] or 0))
        ends = (*ordered[:5], *ordered[-5:]) if len(ordered) > 10 else tuple(ordered)
        caption = "The words at both ends"
        return (
            DataTable("monosemous", columns, tuple(rows)),
            DataTable("monosemous-ends", columns, tuple(ends), caption, shown=True),
        )

    def _explain(self, inventory: SenseInventory, setup: ExperimentSetup) -> tuple[str, ...]:
        choice = (
            "whose dictionary form has one sense in WordNet. That goes by spelling: a form such "
            'as "known", an adjective of one sense, is counted though the verb has many'
            if setup.test_sets.wordnet is not None
            else "drawn from all frequent ones: without WordNet nobody tells which have one sense "
            "only, so that words of several senses are among them"
        )
        return (
            f"{len(inventory):,} random words that occur {self._count(setup):,} times or more "
            f"(the paper's 10,000, scaled to this corpus), {choice}.",
            f"Up to {self.max_contexts:,} contexts a word. The vector of another word shows what "
            "is left without any relation: not zero, because directions share a common part.",
        )
