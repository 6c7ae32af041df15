"""Words whose senses changed between two periods, as people grouped their uses (DWUG).

A folder with ``uses.jsonl``, one use of a word a line,

``{"id": "lane_nn.1", "target": "lane", "pos": "n", "left": "The ", "word": "lanes", "right": " of
the road.", "period": 2, "date": 1987, "label": "lane_nn.0"}``

(``label`` where people agreed on a sense), and ``change.tsv``: the columns ``lemma`` (as the ids of
the uses begin), ``graded`` (how much the word changed, from 0) and whatever else.

A system is scored by the rank correlation of its measures of change (`grassmeans.change.measures`)
with the graded change over words, and by how its senses agree with those of people.
"""

from __future__ import annotations

import csv
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from grassmeans.artifacts.writing import digest_of
from grassmeans.change.measures import (
    average_pairwise_distance,
    describe_contexts,
    jensen_shannon,
    prototype_distance,
)
from grassmeans.errors import InputError
from grassmeans.evaluation.clustering_scores import ClusteringScores
from grassmeans.evaluation.grouping import (
    Answers,
    answer_instances,
    read_instances,
)
from grassmeans.evaluation.instances import (
    Instance,
    Key,
    LabelledInstances,
    parse_object,
    read_json_instances,
    read_numbered_lines,
)
from grassmeans.evaluation.reports import (
    Interval,
    ResultTable,
    format_value,
    group_rows,
    round_interval,
    round_score,
)
from grassmeans.evaluation.running import Result, RunSettings, Task
from grassmeans.evaluation.systems import System
from grassmeans.geometry.distances import usable_contexts
from grassmeans_lab.evaluation.tasks.similarity_scores import bootstrap_correlation, correlate_ranks

USES, CHANGE = "uses.jsonl", "change.tsv"
PERIODS = (1, 2)
MEASURES = ("jsd", "apd", "prt")
_TAGS = {"n": "nn", "v": "vb", "a": "jj", "j": "jj", "r": "rb"}
_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class WordChange:
    """A word of the test set: how much people say it changed, and how much a system does.

    Attributes
    ----------
    graded : float
        People's.
    measures : mapping of str to float
        By the names of `MEASURES`; NaN where there is none.
    n_uses : tuple of int
        In each period.
    """

    word: str
    graded: float
    measures: Mapping[str, float]
    n_uses: tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class ChangeResult(Result):
    """Measures of change against people's, and senses against theirs.

    Attributes
    ----------
    words : tuple of WordChange
    senses : ClusteringScores or None
        Of the uses with a label; None where there are none.
    """

    words: tuple[WordChange, ...]
    senses: ClusteringScores | None

    @cached_property
    def correlations(self) -> dict[str, tuple[float, Interval | None]]:
        """Spearman's correlation x100 of each measure with the graded change, and its interval."""
        found = {}
        for name in MEASURES:
            known = [word for word in self.words if not math.isnan(word.measures[name])]
            values = [round(word.measures[name], _DECIMALS) for word in known]
            graded = [word.graded for word in known]
            found[name] = correlate_ranks(graded, values), bootstrap_correlation(graded, values)
        return found

    def plain_scores(self) -> dict[str, Any]:
        """The correlations and the scores of the senses, and the measures of every word."""
        scores: dict[str, Any] = {
            "n_words": len(self.words),
            "n_uses": sum(sum(word.n_uses) for word in self.words),
        }
        for name, (value, interval) in self.correlations.items():
            scores[f"spearman_{name}"] = round_score(value)
            scores[f"spearman_{name}_interval"] = round_interval(interval)
        group = None if self.senses is None else self.senses.groups["all"]
        for name in ("v_measure", "b_cubed", "ari"):
            scores[name] = None if group is None else round_score(getattr(group, name))
        return {"all": scores, "words": {word.word: _plain_word(word) for word in self.words}}

    def rows(self) -> list[dict[str, Any]]:
        """``group``, which is ``all``, and the correlations and scores of all words."""
        return group_rows({"all": self.plain_scores()["all"]})

    def to_table(self) -> ResultTable:
        """A row for each measure, and the scores of the senses below."""
        scores = self.plain_scores()["all"]
        rows = [
            (
                name.upper(),
                format_value(scores[f"spearman_{name}"]),
                format_value(scores[f"spearman_{name}_interval"]),
                format_value(scores["n_words"]),
            )
            for name in MEASURES
        ]
        senses = ", ".join(
            f"{title} {format_value(scores[name])}"
            for title, name in (("V", "v_measure"), ("B-cubed", "b_cubed"), ("ARI", "ari"))
        )
        columns = ("measure", "Spearman", "95%", "words")
        return ResultTable(columns, tuple(rows), f"senses of the uses: {senses}")


def _plain_word(word: WordChange) -> dict[str, Any]:
    measures = {name: round_score(value) for name, value in word.measures.items()}
    return {"graded": word.graded, **measures, "n_uses": list(word.n_uses)}


class ChangeTask(Task[ChangeResult]):
    """Uses of words in two periods, and how much each word changed.

    Words that the system has no senses for get some from their own uses, of both periods together.

    Parameters
    ----------
    data : path
        The folder.

    `InputError` where a file is missing or a line is not what it should be.
    """

    name = "dwug"
    groups_instances = True
    needs_senses = True

    def __init__(self, data: str | Path) -> None:
        folder = Path(data)
        for name in (USES, CHANGE):
            if not (folder / name).is_file():
                raise InputError(f"{folder} has no file {name}: give the folder with both")
        self.graded = read_graded(folder / CHANGE)
        found = read_json_instances(folder / USES)
        self._labels = found.gold
        self.periods = _read_periods(folder / USES)
        self.uses: dict[str, list[Instance]] = defaultdict(list)
        for instance in found.instances:
            lemma = find_lemma(instance, self.graded)
            if lemma is not None and instance.is_located:
                self.uses[lemma].append(instance)
        if not self.uses:
            raise InputError(f"{folder}: no use belongs to a word of {CHANGE}")

    @cached_property
    def digest(self) -> str:
        """Of uses, periods, labels and graded change."""
        texts = [
            [use.id, name, use.left, use.word, use.right, self.periods[use.id]]
            for name, uses in self.uses.items()
            for use in uses
        ]
        return digest_of([texts, list(self.graded.items())])

    @property
    def labelled(self) -> LabelledInstances:
        """The uses of both periods, and the senses of those that have one."""
        uses = tuple(use for own in self.uses.values() for use in own)
        return LabelledInstances(uses, self._labels)

    @property
    def targets(self) -> tuple[str, ...]:
        """The words."""
        return tuple(dict.fromkeys(uses[0].target for uses in self.uses.values()))

    def score(self, system: System, settings: RunSettings) -> ChangeResult:
        """Measure how each word changed, and group the uses by sense."""
        uses = [use for own in self.uses.values() for use in own]
        n_induced = len(self.uses)
        if settings.induce == "on-test":
            answers = answer_instances(system, uses)
        else:
            senses = system.find_senses(self.targets)
            answers = answer_instances(system, uses, senses)
            answers, n_induced = self._induce_missing(system, answers)
            n_induced += senses.n_induced
        scores = None
        if self._labels.n_instances:
            scores = ClusteringScores.compare(answers.key, self._labels)
        return ChangeResult(
            task=self.name,
            words=tuple(
                self._measure(name, own, answers.key, system) for name, own in self.uses.items()
            ),
            senses=scores,
            parameters={"induce": settings.induce},
            counts={
                "n_words": len(self.uses),
                "n_uses": len(uses),
                "n_words_induced": n_induced,
                "n_words_without_senses": len(answers.words_without_senses),
                "n_poor_context": answers.n_poor_context,
            },
            words_without_senses=answers.words_without_senses,
        )

    def _induce_missing(self, system: System, answers: Answers) -> tuple[Answers, int]:
        """The answers with senses from their own uses for words that had none."""
        missing = set(answers.words_without_senses)
        if not missing or not system.can_induce_on_test:
            return answers, 0
        uses = [use for own in self.uses.values() for use in own if use.key_word in missing]
        more = answer_instances(system, uses)
        joined = Answers(
            key=Key({**answers.key.labels, **more.key.labels}),
            words_without_senses=more.words_without_senses,
            n_without_senses=more.n_without_senses,
            n_not_located=answers.n_not_located + more.n_not_located,
            n_poor_context=answers.n_poor_context + more.n_poor_context,
        )
        return joined, len(missing) - len(more.words_without_senses)

    def _measure(self, name: str, uses: Sequence[Instance], key: Key, system: System) -> WordChange:
        periods = np.array([self.periods[use.id] for use in uses])
        n_first, n_second = (int((periods == period).sum()) for period in PERIODS)
        labels = [key.labels[use.key_word][use.id][0].name for use in uses]
        numbers = np.unique(labels, return_inverse=True)[1]
        counts = [
            np.bincount(numbers[periods == period], minlength=numbers.max() + 1).astype(float)
            for period in PERIODS
        ]
        measures = dict.fromkeys(MEASURES, float("nan"))
        measures["jsd"] = float(jensen_shannon(*counts))
        encoder = system.encoder
        if encoder is not None:
            word = uses[0].target
            bases = encoder.encode(read_instances(word, uses, system.tokenizer))
            rows = describe_contexts(word.lower(), bases, encoder)
            usable = usable_contexts(bases)
            groups = [rows[usable & (periods == period)] for period in PERIODS]
            measures["apd"] = average_pairwise_distance(*groups)
            measures["prt"] = prototype_distance(*groups)
        return WordChange(name, self.graded[name], measures, (n_first, n_second))


def read_graded(path: str | Path) -> dict[str, float]:
    """Word -> graded change, from a file with tabs whose first line names the columns."""
    path = Path(path)
    lines = read_numbered_lines(path)
    header = next(iter(csv.reader([lines[0][1]], delimiter="\t"))) if lines else []
    if "lemma" not in header or "graded" not in header:
        raise InputError(f"{path}: expected columns lemma and graded in the first line")
    found: dict[str, float] = {}
    for number, line in lines[1:]:
        row = dict(zip(header, line.split("\t"), strict=False))
        try:
            graded = float(row["graded"])
        except (KeyError, ValueError) as error:
            raise InputError(
                f"{path}, line {number}: expected a number as graded, found {line[:80]!r}"
            ) from error
        if not math.isfinite(graded) or not row["lemma"] or row["lemma"] in found:
            raise InputError(f"{path}, line {number}: expected a word once and a finite number")
        found[row["lemma"]] = graded
    return found


def find_lemma(instance: Instance, known: Mapping[str, float]) -> str | None:
    """The name of a use's word in ``change.tsv``: as its id begins, or the word and its tag."""
    tag = _TAGS.get(instance.pos, instance.pos)
    target = instance.target
    names = (instance.id.split(".")[0], f"{target}_{tag}", f"{target}_{instance.pos}", target)
    return next((name for name in names if name in known), None)


def _read_periods(path: Path) -> dict[str, int]:
    periods: dict[str, int] = {}
    for number, line in read_numbered_lines(path):
        place = f"{path}, line {number}"
        fields = parse_object(line, place, "id, target, left, right, period")
        period = fields.get("period")
        if period not in PERIODS:
            raise InputError(f"{place}: expected 1 or 2 as period, found {period!r}")
        periods[str(fields.get("id"))] = int(period)
    return periods
