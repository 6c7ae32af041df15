"""Intersection directions of many words: how near their words' vectors, and how near each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Doubles
from grassmeans.geometry.windows import ContextShape, rows_of_tokens
from grassmeans.models.model import load
from grassmeans.senses.induction import default_min_count, frequent_words, induce
from grassmeans.senses.inventory import SenseInventory
from grassmeans.vectors.similarity import unit_rows
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_lab.datasets.pseudowords import find_candidates
from grassmeans_lab.experiments.drawing import draw_curves, draw_histograms
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
from grassmeans_lab.wordnet.database import WordNet

_FEWEST_WORDS = 5
_PAPER_DIRECTIONS, _PAPER_WORDS = "0.889 ± 0.068", "0.134 ± 0.072"
_PAPER_DIRECTIONS_MEAN, _PAPER_WORDS_MEAN = 0.889, 0.134
_DIRECTIONS = "intersection directions"
_ALL_WORDS = "vectors of all words"
_SAME_WORDS = "vectors of the same words"


@dataclass(frozen=True)
class MonosemousDirections(Experiment):
    """Cosine of the one intersection direction of frequent words and their vectors."""

    name: ClassVar[str] = "monosemous"
    title: ClassVar[str] = "Intersection directions of words with one sense"
    paper: ClassVar[str] = "section 4"
    small: ClassVar[Parameters] = {"n_words": 20, "max_contexts": 100}

    n_words: int = 500
    # Words that occur so often; None scales the paper's 10,000 to the size of the corpus.
    min_count: int | None = None
    rank: int = 3
    max_contexts: int = 1000

    def run(self, setup: ExperimentSetup) -> Findings:
        """Induce one direction a word, and compare it with the word's vector and with another's."""
        words = self._choose_words(setup)
        inventory = induce(
            setup.corpus,
            setup.encoder(ContextShape(rank=self.rank)),
            words,
            n_senses=1,
            n_init=1,
            max_contexts=self.max_contexts,
            random_state=setup.random_state,
            workers=setup.workers,
        )
        if len(inventory) < _FEWEST_WORDS:
            raise SkipExperimentError(f"only {len(inventory)} words have enough contexts")
        own, other = self._measure(inventory, setup)
        samples = {"own vector": own, "vector of another word": other}
        figure = draw_histograms(
            "monosemous", "Cosine of intersection directions with word vectors", samples, "cosine"
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
        unit = unit_rows(_vectors_of(list(inventory), setup.vectors))
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


@dataclass(frozen=True)
class _Shift:
    """Word vectors moved along their mean: how close they are then, and their directions."""

    amount: float
    words: float
    directions: float


@dataclass(frozen=True)
class Isotropy(Experiment):
    """Cosines of random pairs of intersection directions, and of random pairs of word vectors."""

    name: ClassVar[str] = "isotropy"
    title: ClassVar[str] = "Intersection directions are not isotropic"
    paper: ClassVar[str] = "figure 5"
    small: ClassVar[Parameters] = {
        "n_words": 50,
        "n_pairs": 500,
        "n_induced": 8,
        "max_contexts": 60,
        "shifts": (-1.0, 0.0),
        "n_shifted": 6,
    }

    n_words: int = 2000  # words of the model given, drawn at random
    n_senses: int = 5
    n_pairs: int = 20_000
    n_induced: int = 200  # words whose senses are induced where there is no model
    max_contexts: int = 500
    # The word vectors are moved by these multiples of their mean, to see what it does.
    shifts: tuple[float, ...] = (-1.0, -0.5, 0.0, 0.5, 1.0)
    n_shifted: int = 40  # words that are induced for each shift

    def run(self, setup: ExperimentSetup) -> Findings:
        """Compare the two distributions, then move the word vectors along their mean."""
        rng = np.random.default_rng(setup.random_state)
        inventory = self._find_senses(setup, rng)
        words = self._draw_words(list(inventory), self.n_words, rng)
        directions = np.concatenate([inventory.directions(word) for word in words])
        directions = directions[directions.any(axis=1)]  # senses that a user hid are zeros
        samples = {
            _DIRECTIONS: self._pair_cosines(directions, rng),
            _SAME_WORDS: self._pair_cosines(_vectors_of(words, setup.vectors), rng),
            _ALL_WORDS: self._pair_cosines(setup.vectors.vectors, rng),
        }
        towards_mean = unit_rows(directions) @ unit_rows(_mean_of_text(setup)[None, :])[0]
        shifts = self._shift_vectors(setup, rng)
        values = (
            ComparedValue(
                "random intersection directions", _PAPER_DIRECTIONS, summarise(samples[_DIRECTIONS])
            ),
            ComparedValue(
                "random word vectors, of the same words",
                _PAPER_WORDS,
                summarise(samples[_SAME_WORDS]),
            ),
            ComparedValue("random word vectors, of all words", "", summarise(samples[_ALL_WORDS])),
            ComparedValue(
                "intersection directions to the mean of the text", "", summarise(towards_mean)
            ),
        )
        return Findings(
            values,
            (*_draw_samples(samples), _draw_shifts(shifts)),
            (_list_samples(samples), _list_shifts(shifts)),
            self._explain(words, directions, towards_mean, samples, shifts),
        )

    def _find_senses(self, setup: ExperimentSetup, rng: np.random.Generator) -> SenseInventory:
        if setup.model is not None:
            inventory = load(setup.model).inventory
        else:
            candidates = frequent_words(setup.corpus, setup.vectors)
            words = self._draw_words(candidates, self.n_induced, rng)
            inventory = self._induce(words, setup.vectors, setup, setup.workers)
        if len(inventory) < _FEWEST_WORDS:
            raise SkipExperimentError(
                f"{len(inventory)} words have senses; at least {_FEWEST_WORDS} are needed"
            )
        return inventory

    def _induce(
        self, words: list[str], vectors: WordVectors, setup: ExperimentSetup, workers: int | None
    ) -> SenseInventory:
        if len(words) < _FEWEST_WORDS:
            raise SkipExperimentError(f"only {len(words)} words are frequent enough")
        return induce(
            setup.corpus,
            setup.encoder(ContextShape(), vectors),
            words,
            n_senses=self.n_senses,
            n_init=2,
            max_contexts=self.max_contexts,
            random_state=setup.random_state,
            workers=workers,
        )

    def _draw_words(self, words: list[str], n_words: int, rng: np.random.Generator) -> list[str]:
        return [words[i] for i in np.sort(rng.permutation(len(words))[:n_words])]

    def _pair_cosines(self, rows: NDArray[np.floating], rng: np.random.Generator) -> Doubles:
        first = rng.integers(len(rows), size=self.n_pairs)
        # A step of at least one from the first: never the same row twice.
        second = (first + rng.integers(1, len(rows), size=self.n_pairs)) % len(rows)
        cosines: Doubles = (unit_rows(rows[first]) * unit_rows(rows[second])).sum(axis=1)
        return cosines

    def _shift_vectors(self, setup: ExperimentSetup, rng: np.random.Generator) -> list[_Shift]:
        """Move all word vectors along the mean of frequent ones, and induce again."""
        candidates = frequent_words(setup.corpus, setup.vectors)
        words = self._draw_words(candidates, self.n_shifted, rng)
        mean = _vectors_of(candidates, setup.vectors).mean(axis=0)
        found = []
        for amount in self.shifts:
            moved = setup.vectors.vectors + np.float32(amount) * mean.astype(np.float32)
            vectors = WordVectors(setup.vectors.words, moved, check=False)
            inventory = self._induce(words, vectors, setup, workers=1)
            directions = np.concatenate([inventory.directions(word) for word in inventory])
            found.append(
                _Shift(
                    amount,
                    float(self._pair_cosines(_vectors_of(candidates, vectors), rng).mean()),
                    float(self._pair_cosines(directions, rng).mean()),
                )
            )
        return found

    def _explain(
        self,
        words: list[str],
        directions: NDArray[np.float32],
        towards_mean: Doubles,
        samples: dict[str, Doubles],
        shifts: list[_Shift],
    ) -> tuple[str, ...]:
        common = float(towards_mean.mean())
        text = [
            f"{len(directions):,} directions of {len(words):,} words: a mean cosine of "
            f"{samples[_DIRECTIONS].mean():.2f}, against {samples[_SAME_WORDS].mean():.2f} of the "
            "vectors of these words. What directions share is the mean vector of the text's words: "
            f"their cosine to it is {common:.2f} on average, and two directions with nothing else "
            f"in common would have {common**2:.2f}."
        ]
        if len(shifts) > 1:
            text.append(_explain_shifts(sorted(shifts, key=lambda shift: shift.words)))
        return tuple(text)


def _explain_shifts(shifts: list[_Shift]) -> str:
    """What moving the mean shows; ``shifts`` from the smallest cosine of words to the largest."""
    words, directions = [s.words for s in shifts], [s.directions for s in shifts]
    text = (
        f"The mean is the cause: when all word vectors are moved along it so that their cosine "
        f"goes from {words[0]:.3f} to {words[-1]:.3f} (measured on fewer words), that of the "
        f"directions goes from {directions[0]:.3f} to {directions[-1]:.3f}."
    )
    if not words[0] <= _PAPER_WORDS_MEAN <= words[-1]:
        return text
    there = float(np.interp(_PAPER_WORDS_MEAN, words, directions))
    return (
        f"{text} At the paper's {_PAPER_WORDS_MEAN} for words, directions would have {there:.2f} "
        f"here and have {_PAPER_DIRECTIONS_MEAN} there: what lies between is not explained by the "
        "mean. The paper does not say which words it drew, nor how it chose the signs of "
        "directions; ours point to the side of their words."
    )


def _mean_of_text(setup: ExperimentSetup) -> Doubles:
    """(dim,) mean vector of the text's content words, as often as they occur."""
    rows = rows_of_tokens(setup.corpus, setup.vectors)
    known = np.flatnonzero(rows >= 0)
    counts = np.asarray(setup.corpus.vocabulary.counts)[known].astype(np.float64)
    mean: Doubles = (counts / counts.sum()) @ setup.vectors.vectors[rows[known]]
    return mean


def _vectors_of(words: list[str], vectors: WordVectors) -> NDArray[np.float32]:
    chosen: NDArray[np.float32] = vectors.vectors[vectors.ids_of(words)]
    return chosen


def _draw_samples(samples: dict[str, Doubles]) -> tuple[Figure, ...]:
    directions = {_DIRECTIONS: samples[_DIRECTIONS]}
    words = {name: sample for name, sample in samples.items() if name not in directions}
    return (
        draw_histograms(
            "isotropy-directions", "Cosines of random intersection directions", directions, "cosine"
        ),
        draw_histograms("isotropy-words", "Cosines of random word vectors", words, "cosine"),
    )


def _draw_shifts(shifts: list[_Shift]) -> Figure:
    ordered = sorted(shifts, key=lambda shift: shift.words)
    curve = ([shift.words for shift in ordered], [shift.directions for shift in ordered])
    return draw_curves(
        "isotropy-mean",
        "Word vectors moved along their mean: the closer they lie, the closer their directions",
        {"here": curve, "paper": ([_PAPER_WORDS_MEAN], [_PAPER_DIRECTIONS_MEAN])},
        "mean cosine of word vectors",
        "mean cosine of directions",
    )


def _list_samples(samples: dict[str, Doubles]) -> DataTable:
    percentiles = (5, 25, 50, 75, 95)
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (name, *(round(float(value), 4) for value in np.percentile(sample, percentiles)))
        for name, sample in samples.items()
    )
    columns = ("pairs", *(f"{p}%" for p in percentiles))
    return DataTable("isotropy", columns, rows, "Percentiles of the cosines", shown=True)


def _list_shifts(shifts: list[_Shift]) -> DataTable:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (shift.amount, round(shift.words, 4), round(shift.directions, 4)) for shift in shifts
    )
    columns = ("multiple of the mean added", "word vectors", "directions")
    caption = "Mean cosines after moving all word vectors along their mean"
    return DataTable("isotropy-mean", columns, rows, caption, shown=True)
