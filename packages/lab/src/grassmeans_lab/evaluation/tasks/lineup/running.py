"""The police lineup with any system: draw the lineups, rank them, and keep the record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.errors import InputError
from grassmeans.evaluation.reports import (
    Interval,
    ResultTable,
    bootstrap_weighted_mean,
    format_value,
    group_rows,
    round_interval,
    round_score,
)
from grassmeans.evaluation.running import Result, RunSettings, Task
from grassmeans.evaluation.systems import Senses, System, digest_of_vectors
from grassmeans.results import ColumnTypes
from grassmeans.vectors.similarity import inverse_norms
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_lab.evaluation.sense_vectors import find_sense_vectors, find_space
from grassmeans_lab.evaluation.tasks.lineup.scores import (
    LineupCurves,
    Lineups,
    Ranking,
    SenseDefinitions,
    draw_lineups,
    gather_definitions,
    mean_power_sums,
    measure_curves,
    power_sums,
    rank_by_senses,
    rank_by_words,
)
from grassmeans_lab.evaluation.tasks.lineup.task import LineupTestbed, read_lineup

DEFAULT_KS = (1, 2, 3, 4, 5, 6)
VOCABULARY_SAMPLE = 20_000  # the mean over so many words is exact to some tenths of a percent


@dataclass(frozen=True, slots=True)
class LineupPoint:
    """Means over words, x100, where ``k`` senses of each lineup are output.

    ``n_output`` is the mean number of senses that were output in fact: k, or fewer where senses
    without known words, or not named by any sense vector (``fill=False``), are held back.
    """

    k: int
    precision: float
    recall: float
    n_output: float
    precision_interval: Interval | None
    recall_interval: Interval | None


@dataclass(frozen=True, kw_only=True)
class LineupResult(Result):
    """Precision and recall of the police lineup."""

    task: str = "lineup"

    points: tuple[LineupPoint, ...]  # one for each k
    words: tuple[str, ...]  # those that were tested
    curves: LineupCurves  # of each of these words
    words_without_vector: tuple[str, ...]  # not tested and not in the means

    def plain_scores(self) -> dict[str, Any]:
        """The scores at each k."""
        points = self.points
        scores = {
            "k": [point.k for point in points],
            "precision": [round_score(point.precision) for point in points],
            "recall": [round_score(point.recall) for point in points],
            "precision_interval": [round_interval(point.precision_interval) for point in points],
            "recall_interval": [round_interval(point.recall_interval) for point in points],
            "n_output": [round_score(point.n_output) for point in points],
            "n_words": len(self.words),
        }
        return {"all": scores, "words_without_vector": list(self.words_without_vector)}

    def rows(self) -> list[dict[str, Any]]:
        """``k``, and the scores there."""
        lists = {k: v for k, v in self.plain_scores()["all"].items() if k not in ("k", "n_words")}
        points = {
            str(point.k): {name: values[i] for name, values in lists.items()}
            for i, point in enumerate(self.points)
        }
        return [row | {"k": int(row["k"])} for row in group_rows(points, "k")]

    def column_types(self) -> ColumnTypes:
        """The column of k."""
        return {"k": int}

    def to_table(self) -> ResultTable:
        """A table with a row for each k."""
        columns = ("k", "precision", "precision 95%", "recall", "recall 95%", "words", "output")
        rows = tuple(
            (
                str(point.k),
                format_value(point.precision),
                format_value(round_interval(point.precision_interval)),
                format_value(point.recall),
                format_value(round_interval(point.recall_interval)),
                format_value(len(self.words)),
                format_value(point.n_output),
            )
            for point in self.points
        )
        return ResultTable(columns, rows)


class LineupTask(Task[LineupResult]):
    """The police lineup as a test set for any system.

    Parameters
    ----------
    path : path
        See `grassmeans_lab.evaluation.tasks.lineup.task`.
    """

    name = "lineup"

    def __init__(self, path: str | Path) -> None:
        self._path = path
        self._testbed = read_lineup(path)

    @property
    def digest(self) -> str:
        """Of words and definitions."""
        return self._testbed.digest

    @property
    def targets(self) -> tuple[str, ...]:
        """The polysemous words."""
        return self._testbed.words

    def score(self, system: System, settings: RunSettings) -> LineupResult:
        """Find the senses of each word among others, by the sense vectors where there are any."""
        senses = system.find_senses(self.targets)
        return evaluate_lineup(self._path, senses if senses.words else None, system.vectors)


def evaluate_lineup(
    testbed_path: str | Path,
    senses: Senses | None,
    vectors: WordVectors,
    *,
    m: int = 20,
    ks: Sequence[int] = DEFAULT_KS,
    p: float = 2.0,
    normalize: bool = False,
    fill: bool = True,
    vocabulary_sample: int | None = VOCABULARY_SAMPLE,
    random_state: int = 0,
) -> LineupResult:
    """Find the senses of the testbed's words in lineups, by the algorithms of the appendix.

    The lineups depend on the testbed, ``m`` and ``random_state`` only, so that all methods see the
    same ones. Words that define a sense and have no vector are left out; a sense without any
    stays in the lineup and is never output.

    `InputError` where the testbed cannot be read or is too small for ``m``, an option is out of
    range, or no word has a vector.

    Parameters
    ----------
    testbed_path : path
        See `grassmeans_lab.evaluation.tasks.lineup.task`.
    senses : Senses or None
        Its sense vectors, compared in its ``space`` (``vectors`` where it has none). A word that it
        does not have is answered by its word vector. None: word vectors only.
    vectors : WordVectors
        Those of whole words.
    m : int
        Senses in a lineup.
    ks : sequence of int
        How many senses are output, from 1 to ``m``.
    p : float
        Of the power sum: 1, 2 (the paper's), ... or ``inf``.
    normalize : bool
        Scale all vectors to length 1. By default they stay raw, as the formula is written; sense
        vectors that have length 1 then count little beside longer word vectors.
    fill : bool
        Output k senses even where the sense vectors of a word name fewer. False: only those.
    vocabulary_sample : int or None
        The correction is the mean over so many random words of the vocabulary; None takes all.
    """
    _check_options(m, ks, p, vocabulary_sample)
    testbed = read_lineup(testbed_path)
    found_space = None if senses is None else find_space(senses)
    space = vectors if found_space is None else found_space
    words = tuple(word for word in testbed.words if word in space)
    if not words:
        raise InputError(f"no word of {testbed_path} has a vector: are they of one language?")
    lineups = draw_lineups(testbed.senses, words, m, random_state)
    scoring = _Scoring(space, normalize, p)
    definitions = gather_definitions(testbed.senses, space, scoring.matrix)
    sample = _sample_rows(len(space), vocabulary_sample, random_state)
    ranking = scoring.rank_with_words(words, definitions, lineups, sample)
    n_with_senses = 0
    if senses is not None:
        found = _stack_sense_vectors(senses, words, space.dim)
        n_with_senses = len(np.unique(found.owners))
        ranking = scoring.rank_with_senses(ranking, found, definitions, lineups)
    curves = measure_curves(ranking, lineups.is_true, ks, fill=fill)
    return LineupResult(
        points=_summarize(curves, ks),
        words=words,
        curves=curves,
        words_without_vector=tuple(word for word in testbed.words if word not in space),
        parameters={
            "m": m,
            "p": p if np.isfinite(p) else "inf",
            "normalize": normalize,
            "fill": fill,
            "vocabulary_sample": len(sample),
            "vectors": "words" if senses is None else "senses",
            "random_state": random_state,
        },
        digests={"vectors": digest_of_vectors(space), "data": testbed.digest},
        counts=_count(testbed, space, definitions, lineups, n_with_senses),
    )


@dataclass(frozen=True, slots=True)
class _StackedSenses:
    """The sense vectors of all words, (n_vectors, dim), and the word of each, (n_vectors,)."""

    vectors: NDArray[np.float32]
    owners: NDArray[np.intp]


class _Scoring:
    """One way of scoring: whose vectors, of which length, with which power."""

    def __init__(self, space: WordVectors, normalize: bool, p: float) -> None:
        self.space = space
        self.normalize = normalize
        self.p = p
        self.matrix = _scale_rows(space.vectors) if normalize else space.vectors

    def rank_with_words(
        self,
        words: Sequence[str],
        definitions: SenseDefinitions,
        lineups: Lineups,
        sample: NDArray[np.intp],
    ) -> Ranking:
        rows = self.space.ids_of(words)
        scores = power_sums(self.matrix[rows], definitions, self.p).astype(np.float64)
        scores -= mean_power_sums(self.matrix[sample], definitions, self.p)[:, None]
        return rank_by_words(scores, lineups)

    def rank_with_senses(
        self,
        by_words: Ranking,
        senses: _StackedSenses,
        definitions: SenseDefinitions,
        lineups: Lineups,
    ) -> Ranking:
        queries = _scale_rows(senses.vectors) if self.normalize else senses.vectors
        sense_scores = power_sums(queries, definitions, self.p)
        return rank_by_senses(by_words, sense_scores, senses.owners, lineups)


def _sample_rows(n_rows: int, n_sample: int | None, random_state: int) -> NDArray[np.intp]:
    if n_sample is None or n_sample >= n_rows:
        return np.arange(n_rows)
    rng = np.random.default_rng(random_state)
    return np.sort(rng.choice(n_rows, n_sample, replace=False)).astype(np.intp)


def _stack_sense_vectors(senses: Senses, words: Sequence[str], dim: int) -> _StackedSenses:
    known = set(senses.words)
    stacked = [np.empty((0, dim), np.float32)]
    owners: list[int] = []
    for number, word in enumerate(words):
        found = find_sense_vectors(senses, word) if word in known else None
        if found is None:
            continue
        if found.shape[1] != dim:
            raise InputError(
                f"the sense vectors of {word!r} have {found.shape[1]} dimensions, the word vectors "
                f"that they are compared with have {dim}"
            )
        # A sense that got no vector in training may stand there as NaN.
        usable = found[np.isfinite(found).all(axis=1)]
        stacked.append(usable.astype(np.float32, copy=False))
        owners += [number] * len(usable)
    return _StackedSenses(np.concatenate(stacked), np.array(owners, np.intp))


def _scale_rows(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    scaled: NDArray[np.float32] = matrix * inverse_norms(matrix)[:, None]
    return scaled


def _summarize(curves: LineupCurves, ks: Sequence[int]) -> tuple[LineupPoint, ...]:
    equal = np.ones(len(curves.precision))
    return tuple(
        LineupPoint(
            k=k,
            precision=float(precision.mean()),
            recall=float(recall.mean()),
            n_output=float(curves.n_output[:, i].mean()),
            precision_interval=bootstrap_weighted_mean(precision, equal),
            recall_interval=bootstrap_weighted_mean(recall, equal),
        )
        for i, k in enumerate(ks)
        for precision, recall in [(100 * curves.precision[:, i], 100 * curves.recall[:, i])]
    )


def _count(
    testbed: LineupTestbed,
    space: WordVectors,
    definitions: SenseDefinitions,
    lineups: Lineups,
    n_with_senses: int,
) -> dict[str, int]:
    n_entries = sum(len(sense.words) for sense in testbed.senses)
    n_tested = len(lineups.senses)
    return {
        "n_words": len(testbed.words),
        "n_senses": len(testbed.senses),
        "n_words_without_vector": len(testbed.words) - n_tested,
        "n_words_with_sense_vectors": n_with_senses,
        "n_true_senses": int(lineups.is_true.sum()),
        "n_definition_words": n_entries,
        "n_definition_words_without_vector": n_entries - len(definitions.vectors),
        "n_senses_without_known_words": int((~definitions.is_known).sum()),
        "n_vocabulary": len(space),
    }


def _check_options(m: int, ks: Sequence[int], p: float, sample: int | None) -> None:
    if m < 2:
        raise InputError(f"m must be 2 or more (a true sense and another one), got {m}")
    if not ks or min(ks) < 1 or max(ks) > m:
        raise InputError(f"ks must be whole numbers from 1 to m = {m}, got {list(ks)}")
    if not p >= 1:
        raise InputError(f"p must be 1 or more (inf for the nearest word alone), got {p}")
    if sample is not None and sample < 1:
        raise InputError(f"vocabulary_sample must be 1 or more, or None for all, got {sample}")
