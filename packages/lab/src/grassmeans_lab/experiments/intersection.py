"""The intersection hypothesis: the subspaces of a sense's contexts meet along a line.

`Intersection` shows it for a word of one sense, whose vector lies near that line; `Polysemy` for
two senses of a word, which meet along two different lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from grassmeans.clustering.settings import InductionSettings
from grassmeans.geometry.subspaces import principal_subspaces
from grassmeans.geometry.windows import ContextShape, contexts_at
from grassmeans.models.model import SenseModel
from grassmeans.pictures.planes import PlanesScene, build_scene, choose_senses, example_lines
from grassmeans.senses.entries import WordSenses
from grassmeans.senses.induction import induce
from grassmeans.vectors.similarity import unit_rows
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_lab.experiments.drawing import (
    Panel,
    draw_histograms,
    draw_planes,
    list_coordinates,
    list_planes,
)
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

_FEWEST_CONTEXTS = 20
_PAPER_OCCURRENCES = 14_829
_DRAWS_PER_CONTEXT = 4  # some random contexts are too short, or hold the word


@dataclass(frozen=True)
class Intersection(Experiment):
    """Similarity of a word's vector to its own contexts and to random ones; planes in a picture."""

    name: ClassVar[str] = "intersection"
    title: ClassVar[str] = "The contexts of a word meet near its vector"
    paper: ClassVar[str] = "figure 2, table 1"
    small: ClassVar[Parameters] = {"max_contexts": 200}

    word: str = "typhoon"
    rank: int = 3
    window: int = 10
    max_contexts: int = 15_000
    n_planes: int = 5

    def run(self, setup: ExperimentSetup) -> Findings:
        """Project the word's vector on its contexts' subspaces, and on those of random contexts."""
        setup.require_words(self.word)
        vector = setup.vectors[self.word][None, :]
        extractor = setup.extractor(self.window)
        contexts = self._collect(extractor, setup)
        alone = self._collect(setup.extractor(self.window, drop_repeats=True), setup)
        repeated = (contexts == setup.vectors.id_of(self.word)).any(axis=1)
        samples = {
            kind: self._project(vector, ids, setup)
            for kind, ids in (
                ("own contexts", contexts),
                ("own contexts, repeats of the word left out", alone),
                ("random contexts", self._draw_random(len(contexts), extractor, setup)),
            )
        }
        settings = InductionSettings(1, n_init=1, max_contexts=self.max_contexts)
        shape = ContextShape(window=self.window, rank=self.rank)
        model = induce_word_model(setup, self.word, settings, shape)
        direction = model.inventory.directions(self.word)[0]
        meeting = abs(setup.vectors.similarity(self.word, direction))
        figures, tables = self._show_planes(model)
        values = (
            *(self._compare(kind, sample) for kind, sample in samples.items()),
            ComparedValue(f'where they meet, to the vector of "{self.word}"', "", f"{meeting:.3f}"),
        )
        return Findings(
            values,
            (self._draw_samples(samples), *figures),
            (_tabulate(samples), *tables),
            self._explain(samples, repeated, setup),
        )

    def _collect(self, extractor: ContextExtractor, setup: ExperimentSetup) -> NDArray[np.int32]:
        found = extractor.extract(
            self.word, max_contexts=self.max_contexts, random_state=setup.random_state
        ).with_at_least(self.rank)
        if len(found) < _FEWEST_CONTEXTS:
            raise SkipExperimentError(
                f"{self.word!r} has {len(found)} contexts of {self.rank} known words or more; "
                f"a distribution needs {_FEWEST_CONTEXTS}"
            )
        return found.context_ids

    def _draw_random(
        self, n_contexts: int, extractor: ContextExtractor, setup: ExperimentSetup
    ) -> NDArray[np.int32]:
        """Contexts of random places of the text, none of which is or holds the word."""
        rng = np.random.default_rng(setup.random_state)
        drawn = rng.integers(setup.corpus.n_tokens, size=_DRAWS_PER_CONTEXT * n_contexts)
        places = np.setdiff1d(drawn, setup.corpus.positions(self.word))
        found = contexts_at(setup.corpus, places, extractor.row_of_token, extractor.shape)
        ids = found.with_at_least(self.rank).context_ids
        ids = ids[(ids != setup.vectors.id_of(self.word)).all(axis=1)]
        if len(ids) < _FEWEST_CONTEXTS:
            raise SkipExperimentError(f"too little text without {self.word!r} to compare with")
        chosen: NDArray[np.int32] = rng.permutation(ids)[:n_contexts]
        return chosen

    def _project(
        self, vector: NDArray[np.float32], ids: NDArray[np.int32], setup: ExperimentSetup
    ) -> NDArray[np.float64]:
        bases = principal_subspaces(ids, setup.vectors.vectors, self.rank)
        return measure_similarities(bases, vector)[:, 0]

    def _compare(self, kind: str, sample: NDArray[np.float64]) -> ComparedValue:
        paper = {"own contexts": "0.693 ± 0.211", "random contexts": "0.305 ± 0.041"}
        return ComparedValue(f'"{self.word}" to {kind}', paper.get(kind, ""), summarise(sample))

    def _draw_samples(self, samples: dict[str, NDArray[np.float64]]) -> Figure:
        shown = {kind: samples[kind] for kind in ("own contexts", "random contexts")}
        return draw_histograms(
            "intersection-similarity",
            f'Similarity of the vector of "{self.word}" to subspaces of contexts (rank '
            f"{self.rank}): the length of its unit vector's projection",
            shown,
            "similarity",
            bins=30,
        )

    def _show_planes(self, model: SenseModel) -> tuple[tuple[Figure, ...], tuple[DataTable, ...]]:
        lines = example_lines(model.senses(self.word), (1,), self.n_planes)
        scene = build_scene(model, self.word, senses=(1,), lines=lines)
        caption = (
            f'{len(scene.planes)} contexts of "{self.word}" as planes in three dimensions, and the '
            "line along which its contexts meet. Shown are the contexts nearest to that line, one "
            "a document"
        )
        figure = draw_planes(
            "intersection-planes", caption, scene, [(f'contexts of "{self.word}"', (1,), True)]
        )
        heading = "The contexts of the picture"
        tables = (
            list_planes("intersection-contexts", heading, scene),
            list_coordinates("intersection-planes", scene),
        )
        return (figure,), tables

    def _explain(
        self,
        samples: dict[str, NDArray[np.float64]],
        repeated: NDArray[np.bool_],
        setup: ExperimentSetup,
    ) -> tuple[str, ...]:
        own, random = samples["own contexts"], samples["random contexts"]
        chance = np.sqrt(self.rank / setup.vectors.dim)
        share_above = float((own > np.percentile(random, 95)).mean())
        text = [
            f'"{self.word}" has {len(own):,} contexts here. Its vector is nearer to '
            f"{share_above:.0%} of them than to 19 of 20 random contexts ({len(random):,} drawn). "
            f"A direction without any relation would have a similarity of about {chance:.2f}; "
            "random contexts are above that, because all contexts share a common direction (see "
            "the experiment isotropy)."
        ]
        if 0 < repeated.sum() < len(repeated):
            text.append(
                f"In {repeated.mean():.0%} of the contexts the word occurs a second time, which "
                f"lifts the similarity: {own[repeated].mean():.3f} with, "
                f"{own[~repeated].mean():.3f} without. The paper had {_PAPER_OCCURRENCES:,} "
                'contexts of "typhoon", and three of the four that it prints repeat the word: that '
                "may explain a part of its larger mean and spread."
            )
        return tuple(text)


def _tabulate(samples: dict[str, NDArray[np.float64]]) -> DataTable:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (kind, round(float(value), 4)) for kind, sample in samples.items() for value in sample
    )
    return DataTable("intersection-similarity", ("contexts", "similarity"), rows)


@dataclass(frozen=True)
class Polysemy(Experiment):
    """Context planes and intersection directions of two senses."""

    name: ClassVar[str] = "polysemy"
    title: ClassVar[str] = "Two senses of a word meet along two directions"
    paper: ClassVar[str] = "figure 3, table 2"
    small: ClassVar[Parameters] = {"n_senses": 2, "max_contexts": 500, "n_init": 3}

    word: str = "crane"
    # More than two, where other senses (people of that name, say) are as frequent.
    n_senses: int = 6
    # Of the senses, the two nearest to these words are shown; where that does not tell two apart,
    # the largest one and the one that differs most from it.
    anchors: tuple[str, ...] = ("machine", "bird")
    rank: int = 3
    max_contexts: int = 10_000
    n_init: int = 20

    def run(self, setup: ExperimentSetup) -> Findings:
        """Induce the word's senses, choose two, and show them."""
        if self.n_senses < 2:
            raise SkipExperimentError(f"one sense cannot differ: n_senses is {self.n_senses}")
        settings = InductionSettings(
            self.n_senses,
            n_init=self.n_init,
            max_contexts=self.max_contexts,
            random_state=setup.random_state,
        )
        model = induce_word_model(setup, self.word, settings, ContextShape(rank=self.rank))
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


def induce_word_model(
    setup: ExperimentSetup, word: str, settings: InductionSettings, shape: ContextShape
) -> SenseModel:
    """A model of one word, induced on the spot.

    `SkipExperimentError` where the word does not occur, or too seldom.
    """
    setup.require_words(word)
    encoder = setup.encoder(shape)
    inventory = induce(setup.corpus, encoder, [word], settings=settings, show_progress=False)
    if inventory.skipped:
        raise SkipExperimentError(f"{word!r} {inventory.skipped[0].reason}")
    return SenseModel(encoder, inventory, setup.corpus.tokenizer)


def measure_similarities(
    bases: NDArray[np.float32], directions: NDArray[np.floating]
) -> NDArray[np.float64]:
    """(n_contexts, n_directions) lengths of unit directions projected on the subspaces.

    Parameters
    ----------
    bases : (n_contexts, rank, dim)
        Orthonormal rows.
    directions : (n_directions, dim)
        Of any length above 0.
    """
    unit = unit_rows(directions)
    lengths: NDArray[np.float64] = np.linalg.norm(bases @ unit.T.astype(np.float64), axis=1)
    return lengths
