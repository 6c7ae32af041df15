"""Whether answers are right as often as a model says that they are.

Confidence is learnt from pseudo-words, so it is tested on other ones, made of words that the
calibration has not seen, and on test sets whose senses people have labelled. In both an answer is
right only where its sense is THE sense of the label: senses and labels are matched one to one for
each word, and a sense that comes twice is wrong the second time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Booleans, Doubles
from grassmeans.contexts.interface import DEFAULT_CONFIDENCE
from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import InputError
from grassmeans.evaluation.clustering_scores import match_labels
from grassmeans.evaluation.instances import LabelledInstances, known_form
from grassmeans.evaluation.reports import ResultTable, group_rows, plain_fields, tabulate_groups
from grassmeans.evaluation.running import Task
from grassmeans.evaluation.systems import ModelSenses
from grassmeans.models.model import SenseModel
from grassmeans.results import ColumnTypes, Tabular, types_of
from grassmeans.senses.calibration import Calibration
from grassmeans.senses.pseudowords import answer_pseudowords, make_pseudowords
from grassmeans.tagging.tagging import occurrences_in_passages

N_BINS = 10
PSEUDOWORDS = "pseudo-words"
"""The group of answers to pseudo-words held apart."""

_COLUMNS = {
    "instances": "n_instances",
    "answered": "answered",
    "right of the answered": "accuracy",
    "right of all": "accuracy_of_all",
    "mean confidence": "confidence",
    "calibration error": "calibration_error",
}


@dataclass(frozen=True, slots=True)
class ConfidenceBin:
    """Answers whose confidence is from ``low`` to ``high``."""

    low: float
    """The smallest confidence."""
    high: float
    """The largest."""
    n_instances: int
    """Answers in the bin."""
    confidence: float
    """Their mean confidence, in percent."""
    right: float
    """How many of them are right, in percent."""


@dataclass(frozen=True, slots=True)
class Reliability:
    """How confidence and right answers go together, in percent; NaN where there is nothing."""

    n_instances: int
    """All of them, with those that no confidence is known for (no senses, too poor a context)."""
    answered: float
    """Share whose confidence is as large as asked for."""
    accuracy: float
    """Right ones of these."""
    accuracy_of_all: float
    """Right ones of all that have a confidence."""
    confidence: float
    """The mean confidence of these."""
    calibration_error: float
    """The mean gap between the two over bins of confidence (ECE)."""
    bins: tuple[ConfidenceBin, ...]
    """Those that are not empty."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        bins = [{k: round(v, 4) for k, v in asdict(one).items()} for one in self.bins]
        return plain_fields(self) | {"bins": bins}


def score_reliability(
    confidence: Doubles,
    right: Booleans | Doubles,
    at_least: float = DEFAULT_CONFIDENCE,
    n_bins: int = N_BINS,
) -> Reliability:
    """Compare confidence (n,), NaN where there is none, with what was right (n,).

    An instance is answered from the confidence ``at_least`` on.
    """
    known = ~np.isnan(confidence)
    sure, good = confidence[known], right[known]
    numbers = np.minimum((sure * n_bins).astype(int), n_bins - 1)
    bins = tuple(
        ConfidenceBin(
            low=k / n_bins,
            high=(k + 1) / n_bins,
            n_instances=int((numbers == k).sum()),
            confidence=_percent(sure[numbers == k]),
            right=_percent(good[numbers == k]),
        )
        for k in np.unique(numbers).tolist()
    )
    gaps = sum(part.n_instances * abs(part.confidence - part.right) for part in bins)
    answered = sure >= at_least
    return Reliability(
        n_instances=len(confidence),
        answered=100 * int(answered.sum()) / len(confidence) if len(confidence) else math.nan,
        accuracy=_percent(good[answered]),
        accuracy_of_all=_percent(good),
        confidence=_percent(sure),
        calibration_error=gaps / len(sure) if len(sure) else math.nan,
        bins=bins,
    )


@dataclass(frozen=True, slots=True)
class LabelledWord:
    """Instances of a word: their distances (n, n_senses), and the label of each."""

    distances: Doubles
    labels: tuple[str, ...]
    usual: float | None = None  # the usual distance of an only sense

    def find_right(self) -> Booleans:
        """(n,) whether the nearest sense is the one that is matched to the label."""
        right = np.zeros(len(self.labels), np.bool_)
        usable = np.flatnonzero(~np.isnan(self.distances).all(axis=1))
        if len(usable):
            nearest = np.nanargmin(self.distances[usable], axis=1).tolist()
            labels = [self.labels[i] for i in usable]
            matched = match_labels(nearest, labels)
            right[usable] = [
                matched.get(sense) == label for sense, label in zip(nearest, labels, strict=True)
            ]
        return right


def score_labelled_words(
    words: Sequence[LabelledWord], calibration: Calibration, at_least: float = DEFAULT_CONFIDENCE
) -> Reliability:
    """The reliability of answers to labelled instances; every instance weighs the same."""
    confidence = [calibration.confidence(word.distances, word.usual) for word in words]
    right = [word.find_right() for word in words]
    return score_reliability(
        np.concatenate([np.empty(0), *confidence]),
        np.concatenate([np.empty(0, np.bool_), *right]),
        at_least,
    )


def measure_labelled_words(model: SenseModel, task: Task[Any]) -> list[LabelledWord]:
    """Answer the labelled instances of a task, word by word; `InputError` where it has none."""
    senses = ModelSenses(model.encoder, model.inventory)
    found: list[LabelledWord] = []
    for labelled in (task.labelled or LabelledInstances(())).by_word().values():
        own = [(instance, label) for instance, label in labelled if instance.is_located]
        if not own:
            continue
        form = known_form(model.inventory, own[0][0].target)
        distances, usual = np.full((len(own), 1), np.nan), None
        if form is not None:
            passages = [(instance.left, instance.right) for instance, _ in own]
            occurrences = occurrences_in_passages(form, passages, model.tokenizer)
            distances = senses.distances(form, occurrences).astype(np.float64)
            usual = senses.usual_distance(form)
        found.append(LabelledWord(distances, tuple(label for _, label in own), usual))
    if not found:
        raise InputError(
            f"{task.name} has no instances with a sense: give sentences, or a test set of instances"
        )
    return found


@dataclass(frozen=True, slots=True)
class ReliabilityReport(Tabular):
    """The reliability of each group of answers; as a table, a row for each."""

    groups: Mapping[str, Reliability]
    """Names -> reliability."""
    at_least: float
    """The confidence from which on an instance counts as answered."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        groups = {name: group.to_dict() for name, group in self.groups.items()}
        return groups | {"at_least": self.at_least}

    def rows(self) -> list[dict[str, Any]]:
        """``group``, and its reliability without the bins."""
        groups = {name: plain_fields(group) for name, group in self.groups.items()}
        return group_rows(
            {n: {k: v for k, v in g.items() if k != "bins"} for n, g in groups.items()}
        )

    def column_types(self) -> ColumnTypes:
        """The columns of such rows."""
        kinds = types_of(Reliability)
        return {"group": str} | {name: kind for name, kind in kinds.items() if name != "bins"}

    def to_table(self) -> ResultTable:
        """A row for each group."""
        groups = {name: asdict(group) for name, group in self.groups.items()}
        return tabulate_groups(groups, _COLUMNS, f"Answered from a confidence of {self.at_least}.")


def report_reliability(
    model: SenseModel,
    corpus: Corpus | None = None,
    tasks: Sequence[Task[Any]] = (),
    *,
    at_least: float = DEFAULT_CONFIDENCE,
    workers: int | None = 1,
    show_progress: bool | None = None,
) -> ReliabilityReport:
    """Score a model's confidence on pseudo-words held apart, and on labelled test sets.

    The first pseudo-words that the model's corpus gives are those of the calibration, and the next
    ones, of other words, are answered here; without it, test sets alone. An instance is answered
    from the confidence ``at_least`` on.

    `InputError` where the model is not calibrated, or the corpus has too few words.
    """
    curve = model.calibration
    if curve is None:
        raise InputError("this model is not calibrated, so it has no confidence: build it again")
    groups: dict[str, Reliability] = {}
    if corpus is not None:
        encoder, used = model.encoder, model.encoder.n_pseudowords
        apart = make_pseudowords(corpus, encoder, model.settings, 2 * used)[used:]
        known = answer_pseudowords(
            corpus, encoder, model.settings, apart, workers=workers, show_progress=show_progress
        )
        if known is None:
            raise InputError(
                "the corpus has too few words for pseudo-words beside those of the calibration: "
                "leave the corpus out, and name test sets"
            )
        confidence = curve.confidence_of_margins(known.log_margins)
        groups[PSEUDOWORDS] = score_reliability(confidence, known.right, at_least)
    for task in tasks:
        words = measure_labelled_words(model, task)
        groups[task.name] = score_labelled_words(words, curve, at_least)
    return ReliabilityReport(groups, at_least)


def _percent(values: NDArray[Any]) -> float:
    return 100 * float(values.mean()) if len(values) else math.nan
