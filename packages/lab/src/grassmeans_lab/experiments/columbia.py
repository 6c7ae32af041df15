"""Induction on one word: groups with example lines, and lines not seen before decoded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from grassmeans.clustering.kgrassmeans import KGrassmeans
from grassmeans.geometry.subspaces import principal_subspaces
from grassmeans.geometry.windows import Contexts
from grassmeans.senses.decoding import (
    DEFAULT_IDK_THRESHOLD,
    DEFAULT_SHARPNESS,
    IDK,
    decode_hard,
    decode_soft,
)
from grassmeans.senses.describing import describe_senses
from grassmeans.senses.entries import ExampleLine, Sense
from grassmeans.senses.samples import WordSample
from grassmeans_lab.experiments.drawing import draw_matrix
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

_FEWEST_PER_SENSE = 10
_SHOWN_EXAMPLES = 2
_PAPER_LARGEST = "0.70 to 0.92"


@dataclass(frozen=True)
class _HeldOut:
    """Occurrences that the induction did not see, with what decoding says of them."""

    contexts: Contexts
    distances: NDArray[np.float64]
    labels: NDArray[np.int64]
    probabilities: NDArray[np.float64]


@dataclass(frozen=True)
class InductionExample(Experiment):
    """Groups of a word's contexts, and hard and soft decoding of held-out lines."""

    name: ClassVar[str] = "columbia"
    title: ClassVar[str] = "Induction and disambiguation of one word"
    paper: ClassVar[str] = "tables 3 and 4"
    small: ClassVar[Parameters] = {"max_contexts": 500, "n_init": 2}

    word: str = "columbia"
    n_senses: int = 5
    rank: int = 3
    held_out: float = 0.1
    max_contexts: int = 10_000
    n_init: int = 5
    idk_threshold: float = DEFAULT_IDK_THRESHOLD
    sharpness: float = DEFAULT_SHARPNESS

    def run(self, setup: ExperimentSetup) -> Findings:
        """Induce on most of the occurrences, decode the others."""
        setup.require_words(self.word)
        training, unseen = self._split(setup)
        vectors = setup.vectors
        bases = principal_subspaces(training.context_ids, vectors.vectors, self.rank)
        estimator = KGrassmeans(self.n_senses, self.n_init, random_state=setup.random_state)
        sample = WordSample(self.word, training, bases, setup.corpus)
        directions = sample.orient(estimator.fit(bases).directions_, vectors)
        senses = describe_senses(sample, directions, vectors)
        found = self._decode(estimator, unseen, setup)
        chosen = self._choose_lines(found, setup.random_state)
        lines = [_line_of(found, row, setup) for row in chosen]
        names = [chr(ord("a") + i) for i in range(len(chosen))]
        return Findings(
            self._compare(found, chosen),
            (self._draw(found, chosen, names),) if chosen else (),
            (
                _list_groups(senses),
                self._list_decoded(found, chosen, names, lines),
                _list_all(found),
            ),
            self._explain(training, found),
        )

    def _split(self, setup: ExperimentSetup) -> tuple[Contexts, Contexts]:
        contexts = (
            setup.extractor()
            .extract(self.word, max_contexts=self.max_contexts, random_state=setup.random_state)
            .with_at_least(self.rank)
        )
        n_unseen = round(self.held_out * len(contexts))
        needed = _FEWEST_PER_SENSE * self.n_senses
        if n_unseen < 1 or len(contexts) - n_unseen < needed:
            raise SkipExperimentError(
                f"{self.word!r} has {len(contexts)} contexts; {self.n_senses} groups need {needed} "
                "and some to hold out"
            )
        order = np.random.default_rng(setup.random_state).permutation(len(contexts))
        unseen, kept = np.sort(order[:n_unseen]), np.sort(order[n_unseen:])
        return contexts[kept], contexts[unseen]

    def _decode(self, estimator: KGrassmeans, unseen: Contexts, setup: ExperimentSetup) -> _HeldOut:
        bases = principal_subspaces(unseen.context_ids, setup.vectors.vectors, self.rank)
        distances = estimator.transform(bases)
        return _HeldOut(
            unseen,
            distances,
            decode_hard(distances, self.idk_threshold),
            decode_soft(distances, self.sharpness),
        )

    def _choose_lines(self, found: _HeldOut, random_state: int) -> list[int]:
        """One held-out line of each group at random, among those with an answer."""
        rng = np.random.default_rng(random_state)
        groups = (np.flatnonzero(found.labels == k) for k in range(self.n_senses))
        return [int(rng.choice(rows)) for rows in groups if len(rows)]

    def _compare(self, found: _HeldOut, chosen: list[int]) -> tuple[ComparedValue, ...]:
        largest = found.probabilities.max(axis=1)
        answered = found.labels != IDK
        values = [ComparedValue("groups", "5", str(self.n_senses))]
        if chosen:
            shown = largest[chosen]
            values.append(
                ComparedValue(
                    "largest probability, the lines shown",
                    _PAPER_LARGEST,
                    f"{shown.min():.2f} to {shown.max():.2f}",
                )
            )
        values.append(
            ComparedValue(
                "largest probability, all new lines", "", f"{largest.mean():.2f} on average"
            )
        )
        values.append(ComparedValue("new lines with an answer", "", f"{answered.mean():.0%}"))
        return tuple(values)

    def _draw(self, found: _HeldOut, chosen: list[int], names: list[str]) -> Figure:
        columns = [f"k={k + 1}" for k in range(self.n_senses)]
        return draw_matrix(
            "columbia-soft",
            f'Soft decoding of new lines of "{self.word}": the probability of each group',
            found.probabilities[chosen],
            [f"({name})" for name in names],
            columns,
        )

    def _list_decoded(
        self, found: _HeldOut, chosen: list[int], names: list[str], lines: list[str]
    ) -> DataTable:
        rows: tuple[tuple[Cell, ...], ...] = tuple(
            (f"({name})", line, int(found.labels[row]) + 1, *_mark(found.probabilities[row]))
            for name, line, row in zip(names, lines, chosen, strict=True)
        )
        columns = ("", "new line", "hard", *(f"k={k + 1}" for k in range(self.n_senses)))
        caption = "Hard and soft decoding of lines that the induction did not see; * is the largest"
        return DataTable("columbia-decoding", columns, rows, caption, shown=True)

    def _explain(self, training: Contexts, found: _HeldOut) -> tuple[str, ...]:
        return (
            f'{self.n_senses} groups from {len(training):,} contexts of "{self.word}"; '
            f"{len(found.labels):,} others were held out and decoded. Of those, one line a group "
            "is shown, drawn at random among the ones with an answer; the paper chose its lines. "
            f'Hard decoding answers "I don\'t know" where the nearest direction is '
            f"{self.idk_threshold:g} or farther.",
            f"Probabilities are exp(-{self.sharpness:g} d), as in the paper's appendix: its main "
            "text's exp(-d) cannot give more than 0.40 to one of five groups.",
        )


def _list_groups(senses: tuple[Sense, ...]) -> DataTable:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            sense.number,
            round(sense.share, 3),
            ", ".join(sense.characteristic_words[:8]),
            _show_line(example),
        )
        for sense in senses
        for example in sense.examples[:_SHOWN_EXAMPLES]
    )
    columns = ("group", "share", "marked by", "example")
    caption = "The groups, with the lines that show them best"
    return DataTable("columbia-groups", columns, rows, caption, shown=True)


def _list_all(found: _HeldOut) -> DataTable:
    n_senses = found.distances.shape[1]
    numbers = np.column_stack([found.distances, found.probabilities]).round(4).tolist()
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (position, label, *row)
        for position, label, row in zip(
            found.contexts.positions.tolist(), (found.labels + 1).tolist(), numbers, strict=True
        )
    )
    names = [f"{what} {k + 1}" for what in ("distance", "probability") for k in range(n_senses)]
    return DataTable("columbia-held-out", ("position", "hard (0: IDK)", *names), rows)


def _mark(probabilities: NDArray[np.float64]) -> list[str]:
    best = int(probabilities.argmax())
    return [f"{p:.2f}{'*' if k == best else ''}" for k, p in enumerate(probabilities.tolist())]


def _line_of(found: _HeldOut, row: int, setup: ExperimentSetup) -> str:
    line = setup.corpus.line_at(int(found.contexts.positions[row]), 100)
    return f"…{line.left}[{line.word}]{line.right}…"


def _show_line(example: ExampleLine) -> str:
    return f"…{example.left}[{example.word}]{example.right}…"
