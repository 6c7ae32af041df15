"""Two senses of a word: their contexts meet along two different directions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from grassmeans.laboratory.experiments.findings import (
    Cell,
    ComparedValue,
    DataTable,
    Findings,
    SkipExperimentError,
    summarise,
)
from grassmeans.laboratory.experiments.setup import Experiment, ExperimentSetup
from grassmeans.laboratory.experiments.word_planes import (
    Panel,
    draw_planes,
    induce_word_model,
    list_coordinates,
    list_planes,
    measure_similarities,
)
from grassmeans.pictures.planes import PlanesScene, build_scene, choose_senses
from grassmeans.senses.entries import WordSenses
from grassmeans.senses.settings import InductionSettings
from grassmeans.subspaces import principal_subspaces
from grassmeans.vectors.word_vectors import WordVectors


@dataclass(frozen=True)
class Polysemy(Experiment):
    """Context planes and intersection directions of two senses.

    Parameters
    ----------
    n_senses : int
        More than two, where other senses (people of that name, say) are as frequent.
    anchors : tuple of str
        Of the senses, the two nearest to these words are shown; where that does not tell two
        apart, the largest one and the one that differs most from it.
    """

    name: ClassVar[str] = "polysemy"
    title: ClassVar[str] = "Two senses of a word meet along two directions"
    paper: ClassVar[str] = "figure 3, table 2"

    word: str = "crane"
    n_senses: int = 6
    anchors: tuple[str, ...] = ("machine", "bird")
    rank: int = 3
    max_contexts: int = 10_000
    n_init: int = 20

    @classmethod
    def quick(cls) -> Polysemy:
        """Two senses, few restarts."""
        return cls(n_senses=2, max_contexts=500, n_init=3)

    def run(self, setup: ExperimentSetup) -> Findings:
        """Induce the word's senses, choose two, and show them."""
        if self.n_senses < 2:
            raise SkipExperimentError(f"one sense cannot differ: n_senses is {self.n_senses}")
        settings = InductionSettings(
            self.n_senses,
            rank=self.rank,
            n_init=self.n_init,
            max_contexts=self.max_contexts,
            random_state=setup.random_state,
        )
        model = induce_word_model(setup, self.word, settings)
        entry = model.senses(self.word)
        shown = choose_by_anchors(entry, self.anchors, setup.vectors) or choose_senses(
            entry.directions
        )
        scene = build_scene(model, self.word, senses=shown)
        pair = entry.directions[[number - 1 for number in shown]]
        cosine = float(pair[0] @ pair[1])
        caption = (
            f'"{self.word}": planes of contexts of two senses, and the directions along which they '
            "meet; the picture keeps the angle between the two"
        )
        titles = {line.sense: line.name for line in scene.lines}
        panels: list[Panel] = [(titles[number], (number,), True) for number in shown]
        panels.append((f"the two directions, {_degrees(cosine):.0f}° apart", shown, False))
        values = (
            ComparedValue("cosine between the two directions", "", f"{cosine:.3f}"),
            *self._compare_fits(entry, pair, shown, setup),
        )
        return Findings(
            values,
            (draw_planes("polysemy-planes", caption, scene, panels),),
            (
                list_planes("polysemy-contexts", "The contexts of the picture", scene),
                list_coordinates("polysemy-planes", scene),
                _list_senses(entry),
            ),
            self._explain(entry, scene, cosine),
        )

    def _compare_fits(
        self,
        entry: WordSenses,
        pair: NDArray[np.float32],
        shown: tuple[int, ...],
        setup: ExperimentSetup,
    ) -> list[ComparedValue]:
        """Similarity of each sense's contexts to its own direction and to the other one."""
        contexts = (
            setup.extractor()
            .extract(self.word, max_contexts=self.max_contexts, random_state=setup.random_state)
            .with_at_least(self.rank)
        )
        bases = principal_subspaces(contexts.context_ids, setup.vectors.vectors, self.rank)
        nearest = measure_similarities(bases, entry.directions).argmax(axis=1) + 1
        fits = measure_similarities(bases, pair)
        return [
            ComparedValue(
                f"contexts of {self.word}.{mine} to {whose} direction",
                "",
                summarise(fits[nearest == mine, column]),
            )
            for own, mine in enumerate(shown)
            for whose, column in (("their own", own), ("the other", 1 - own))
        ]

    def _explain(self, entry: WordSenses, scene: PlanesScene, cosine: float) -> tuple[str, ...]:
        names = " and ".join(f"{line.sense} ({line.name})" for line in scene.lines)
        return (
            f'{entry.n_contexts:,} contexts of "{self.word}", {entry.n_senses} senses; shown are '
            f"{names}. Their directions are {_degrees(cosine):.0f} degrees apart. The paper shows "
            "such a picture and gives no numbers, nor which three dimensions it shows: here they "
            "hold the two directions.",
            "The shares of all senses are below. Where names of people or places are the most "
            "frequent use of a word, as in an encyclopedia, two groups may divide these first; "
            "more groups bring the others apart.",
        )


def choose_by_anchors(
    entry: WordSenses, anchors: tuple[str, ...], vectors: WordVectors
) -> tuple[int, ...] | None:
    """Numbers of the two senses nearest to two words; None where that does not tell two apart."""
    if len(anchors) != 2 or any(anchor not in vectors for anchor in anchors):
        return None
    cosines = [
        [vectors.similarity(anchor, direction) for anchor in anchors]
        for direction in entry.directions
    ]
    first, second = (int(number) + 1 for number in np.argmax(cosines, axis=0))
    return None if first == second else (first, second)


def _list_senses(entry: WordSenses) -> DataTable:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            sense.number,
            round(sense.share, 3),
            round(sense.mean_distance, 3),
            ", ".join(sense.characteristic_words[:8]),
        )
        for sense in entry.senses
    )
    columns = ("sense", "share", "mean distance", "marked by")
    return DataTable("polysemy-senses", columns, rows, "All senses that were found", shown=True)


def _degrees(cosine: float) -> float:
    return float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))
