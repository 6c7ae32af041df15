"""The intersection hypothesis: a word's vector lies near the subspaces of its contexts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from grassmeans.contexts import ContextExtractor, contexts_at
from grassmeans.laboratory.experiments.drawing import draw_histograms
from grassmeans.laboratory.experiments.findings import (
    Cell,
    ComparedValue,
    DataTable,
    Figure,
    Findings,
    SkipExperimentError,
    summarise,
)
from grassmeans.laboratory.experiments.setup import Experiment, ExperimentSetup
from grassmeans.laboratory.experiments.word_planes import (
    draw_planes,
    induce_word_model,
    list_coordinates,
    list_planes,
    measure_similarities,
)
from grassmeans.pictures.planes import build_scene, example_lines
from grassmeans.senses.model import SenseModel
from grassmeans.senses.settings import InductionSettings
from grassmeans.subspaces import principal_subspaces

_FEWEST_CONTEXTS = 20
_PAPER_OCCURRENCES = 14_829
_DRAWS_PER_CONTEXT = 4  # some random contexts are too short, or hold the word


@dataclass(frozen=True)
class Intersection(Experiment):
    """Similarity of a word's vector to its own contexts and to random ones; planes in a picture."""

    name: ClassVar[str] = "intersection"
    title: ClassVar[str] = "The contexts of a word meet near its vector"
    paper: ClassVar[str] = "figure 2, table 1"

    word: str = "typhoon"
    rank: int = 3
    window: int = 10
    max_contexts: int = 15_000
    n_planes: int = 5

    @classmethod
    def quick(cls) -> Intersection:
        """Few contexts."""
        return cls(max_contexts=200)

    def run(self, setup: ExperimentSetup) -> Findings:
        """Project the word's vector on its contexts' subspaces, and on those of random contexts."""
        setup.require_words(self.word)
        vector = setup.vectors[self.word][None, :]
        extractor = setup.extractor(self.window)
        contexts = self._collect(extractor, setup)
        alone = self._collect(self._extractor_without_repeats(setup), setup)
        repeated = (contexts == setup.vectors.id_of(self.word)).any(axis=1)
        samples = {
            kind: self._project(vector, ids, setup)
            for kind, ids in (
                ("own contexts", contexts),
                ("own contexts, repeats of the word left out", alone),
                ("random contexts", self._draw_random(len(contexts), extractor, setup)),
            )
        }
        settings = InductionSettings(
            1, self.window, self.rank, n_init=1, max_contexts=self.max_contexts
        )
        model = induce_word_model(setup, self.word, settings)
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

    def _extractor_without_repeats(self, setup: ExperimentSetup) -> ContextExtractor:
        return ContextExtractor(setup.corpus, setup.vectors, window=self.window, drop_repeats=True)

    def _draw_random(
        self, n_contexts: int, extractor: ContextExtractor, setup: ExperimentSetup
    ) -> NDArray[np.int32]:
        """Contexts of random places of the text, none of which is or holds the word."""
        rng = np.random.default_rng(setup.random_state)
        drawn = rng.integers(setup.corpus.n_tokens, size=_DRAWS_PER_CONTEXT * n_contexts)
        places = np.setdiff1d(drawn, setup.corpus.positions(self.word))
        found = contexts_at(setup.corpus, places, extractor.row_of_token, self.window)
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
            "the experiment isotropy).",
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
