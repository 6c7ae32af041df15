"""The police lineup: precision and recall of a word's senses among those of other words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from grassmeans.evaluation.systems import ModelSenses, Senses
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.models.model import load
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_lab.evaluation.sense_vectors import merge_lexemes
from grassmeans_lab.evaluation.tasks.lineup.running import DEFAULT_KS, LineupResult, evaluate_lineup
from grassmeans_lab.evaluation.tasks.lineup.task import read_lineup
from grassmeans_lab.experiments.drawing import draw_curves
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
)
from grassmeans_lab.rivals.atoms import AtomSenses
from grassmeans_lab.rivals.interface import Material

_ARORA_K = 4
_ARORA = (63.0, 70.0)
"""Precision and recall at k = 4 that Arora et al. (2016) report, on their own testbed."""

_PLAIN = "plain skip-gram"
_DIRECTIONS = "K-Grassmeans directions"
_LEXEMES = "K-Grassmeans lexemes"
_MERGED = "lexemes merged to words"
_ATOMS = "discourse atoms"


@dataclass(frozen=True)
class LineupCurve(Experiment):
    """Precision against recall where k senses of each lineup are pointed out.

    Parameters
    ----------
    m : int
        Senses in a lineup.
    normalize : bool
        Vectors of length 1; the formula of the paper takes raw ones.
    n_atoms : int
        Learn so many discourse atoms and use them as senses; 0 leaves them out. They are found
        again in the experiment's folder.
    atom_words, atom_rounds : int
        From so many frequent words, in so many rounds. All words and 25 in their paper, which
        takes long and changes little here.
    """

    name: ClassVar[str] = "lineup"
    title: ClassVar[str] = "Police lineup"
    paper: ClassVar[str] = "figure 6, section 5.4"
    small: ClassVar[Parameters] = {"ks": (1, 2, 4), "m": 6, "n_atoms": 0}

    ks: tuple[int, ...] = DEFAULT_KS
    m: int = 20
    normalize: bool = False
    n_atoms: int = 2_000
    atom_words: int = 10_000
    atom_rounds: int = 5

    def run(self, setup: ExperimentSetup) -> Findings:
        """Score everything that is there on the same lineups."""
        place = setup.test_sets.lineup
        if place is None:
            raise SkipExperimentError(
                "no testbed of the police lineup is given: `grassmeans build-dataset lineup` "
                "makes one"
            )
        results = {
            name: self._evaluate(place, *given, setup.random_state)
            for name, given in self._collect(place, setup).items()
        }
        return Findings(
            values=tuple(self._compare(name, result) for name, result in results.items()),
            figures=(self._draw(results),),
            tables=(_tabulate(results),),
            text=_explain(results, setup),
        )

    def _collect(
        self, place: Path, setup: ExperimentSetup
    ) -> dict[str, tuple[Senses | None, WordVectors]]:
        """Senses, or None for word vectors only, and the word vectors of each curve."""
        found: dict[str, tuple[Senses | None, WordVectors]] = {_PLAIN: (None, setup.vectors)}
        if setup.model is not None:
            model = load(setup.model)
            directions = ModelSenses(model.encoder, model.inventory)
            found[_DIRECTIONS] = directions, setup.vectors
            if setup.lexemes is not None:
                lexemes = LexemeVectors.load(setup.lexemes)
                # Tells whether the sense vectors help, or the space that they are in differs.
                found[_MERGED] = None, merge_lexemes(lexemes)
                senses = ModelSenses(model.encoder, model.inventory, lexemes)
                found[_LEXEMES] = senses, setup.vectors
        if self.n_atoms > 0:
            found[_ATOMS] = self._learn_atoms(read_lineup(place).words, setup), setup.vectors
        return found

    def _learn_atoms(self, words: tuple[str, ...], setup: ExperimentSetup) -> Senses:
        material = Material(
            setup.corpus,
            setup.vectors,
            words,
            random_state=setup.random_state,
            workers=setup.workers,
            folder=setup.folder / f"atoms-{self.n_atoms}-{self.atom_words}-{self.atom_rounds}",
        )
        inducer = AtomSenses(self.n_atoms, n_iterations=self.atom_rounds, n_words=self.atom_words)
        return inducer.induce(material)

    def _evaluate(
        self, place: Path, senses: Senses | None, vectors: WordVectors, random_state: int
    ) -> LineupResult:
        return evaluate_lineup(
            place,
            senses,
            vectors,
            m=self.m,
            ks=self.ks,
            normalize=self.normalize,
            random_state=random_state,
        )

    def _compare(self, name: str, result: LineupResult) -> ComparedValue:
        point = next((one for one in result.points if one.k == _ARORA_K), result.points[-1])
        return ComparedValue(
            f"{name}: precision / recall at k = {point.k}",
            "63 / 70 (Arora et al.)" if name == _ATOMS and point.k == _ARORA_K else "",
            f"{point.precision:.1f} / {point.recall:.1f}",
        )

    def _draw(self, results: Mapping[str, LineupResult]) -> Figure:
        curves = {
            name: (
                [point.recall for point in result.points],
                [point.precision for point in result.points],
            )
            for name, result in results.items()
        }
        precision, recall = _ARORA
        curves[f"Arora et al., k = {_ARORA_K}, their testbed"] = ([recall], [precision])
        caption = (
            f"Precision against recall in lineups of {self.m} senses; k = "
            f"{', '.join(map(str, self.ks))} from left to right"
        )
        return draw_curves("lineup", caption, curves, "recall, %", "precision, %")


def _tabulate(results: Mapping[str, LineupResult]) -> DataTable:
    rows: list[tuple[Cell, ...]] = []
    for name, result in results.items():
        for point in result.points:
            cells: list[Cell] = []
            for value, interval in (
                (point.precision, point.precision_interval),
                (point.recall, point.recall_interval),
            ):
                ends = (None, None) if interval is None else (interval.low, interval.high)
                cells += [round(value, 2), *(end and round(end, 2) for end in ends)]
            rows.append((name, point.k, *cells))
    columns = ("senses", "k", "precision", "low", "high", "recall", "low", "high")
    caption = "Means over words, x100, with 95% intervals"
    return DataTable("lineup", columns, tuple(rows), caption, shown=True)


def _explain(results: Mapping[str, LineupResult], setup: ExperimentSetup) -> tuple[str, ...]:
    counts = results[_PLAIN].counts
    text = [
        f"{counts['n_words'] - counts['n_words_without_vector']} words with "
        f"{counts['n_true_senses']} senses, and the same lineups for all. The testbed of the paper "
        "(200 words, 704 senses) is not public any more, so that the numbers of Arora et al. are "
        "of other lineups, and no values of the paper's figure can stand beside ours."
    ]
    best = max(results, key=lambda name: results[name].points[0].precision)
    text.append(
        f"Precision at k = {results[best].points[0].k} is highest with {best}. The paper finds "
        "plain vectors as good as discourse atoms, and its lexemes a little better than both."
    )
    if _LEXEMES in results:
        merged, lexemes, plain = (
            results[name].points[0].precision for name in (_MERGED, _LEXEMES, _PLAIN)
        )
        part = (
            "the space that they were trained in"
            if abs(merged - plain) > abs(lexemes - merged)
            else "the sense vectors"
        )
        text.append(
            f"There, lexemes have {lexemes:.1f}; with their vectors merged to one a word it is "
            f"{merged:.1f}, with plain vectors {plain:.1f}: the difference comes mostly from "
            f"{part}."
        )
    if setup.model is None:
        text.append("The senses of K-Grassmeans need a model: none was given.")
    return tuple(text)
