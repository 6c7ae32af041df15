"""Scores for graded labels: fuzzy NMI and fuzzy B-cubed of SemEval-2013 task 13.

After Jurgens and Klapaftis (2013); where their paper leaves a question open, the official scorer's
answer is taken:

- the weights of an instance are divided by its largest, so that the best label weighs 1;
- fuzzy NMI treats every label as a variable over the instances, its weights cut into ten bins
  (a weight of at most 0.1 is in the bin of those that do not have the label);
- in fuzzy B-cubed an instance is never compared with itself, so that one which shares its label
  with no other scores 0, and two instances agree in the labels that both have;
- instances without an answer belong to no cluster; a word without any answer scores 0;
- a score is the plain mean over words, and fuzzy B-cubed the harmonic mean of mean precision and
  mean recall.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

from grassmeans.errors import InputError
from grassmeans.evaluation.clustering_scores import KeyScores, PrecisionRecall
from grassmeans.evaluation.instances import Key, Label
from grassmeans.evaluation.reports import Interval, bootstrap_words

N_BINS = 10

OFFICIAL_NAMES = (
    "fbc_precision and fbc_recall are each other's names in the official scorer of SemEval-2013: "
    "what it calls precision is recall here; fbc itself is the same"
)
"""A remark that goes with printed scores."""


@dataclass(frozen=True, slots=True)
class GradedWordScore:
    """The scores of one word, in percent; ``n_clusters`` labels were given to its instances."""

    word: str
    n_instances: int
    n_answered: int
    fnmi: float
    fbc_precision: float
    fbc_recall: float
    n_clusters: int


@dataclass(frozen=True, slots=True)
class GradedGroupScore:
    """Scores over a group of words, in percent; ``fbc`` is fuzzy B-cubed."""

    n_words: int
    n_instances: int
    fnmi: float
    fbc: float
    fbc_precision: float
    fbc_recall: float
    n_clusters: float
    fnmi_interval: Interval | None
    fbc_interval: Interval | None


class GradedScores(KeyScores[GradedWordScore, GradedGroupScore]):
    """Of a key with weighted labels."""

    columns: ClassVar[Mapping[str, str]] = {
        "words": "n_words",
        "instances": "n_instances",
        "FNMI": "fnmi",
        "FNMI 95%": "fnmi_interval",
        "FBC": "fbc",
        "FBC 95%": "fbc_interval",
        "clusters": "n_clusters",
    }
    note = OFFICIAL_NAMES
    decoding = "soft"

    @staticmethod
    def score_word(system_key: Key, gold_key: Key, word: str) -> GradedWordScore:
        """Fuzzy NMI and fuzzy B-cubed; the unanswered belong to no cluster."""
        gold, system = gold_key.labels[word], system_key.labels.get(word, {})
        gold_weights = memberships(list(gold.values()))
        if not gold_weights.any(axis=1).all():
            raise InputError(f"the gold key has an instance of {word!r} whose labels all weigh 0")
        system_weights = memberships([system.get(instance, ()) for instance in gold])
        cubed = fuzzy_b_cubed(system_weights, gold_weights)
        return GradedWordScore(
            word=word,
            n_instances=len(gold),
            n_answered=len(gold.keys() & system.keys()),
            fnmi=100 * fuzzy_nmi(system_weights, gold_weights),
            fbc_precision=100 * cubed.precision,
            fbc_recall=100 * cubed.recall,
            n_clusters=system_weights.shape[1],
        )

    @staticmethod
    def average(words: Sequence[GradedWordScore]) -> GradedGroupScore:
        """Plain means, and the harmonic mean of mean precision and mean recall."""
        nmi = np.array([score.fnmi for score in words])
        cubed = np.array([[score.fbc_precision, score.fbc_recall] for score in words])

        def mean_nmi(chosen: NDArray[np.int64]) -> NDArray[np.float64]:
            means: NDArray[np.float64] = nmi[chosen].mean(axis=1)
            return means

        def harmonic_mean(chosen: NDArray[np.int64]) -> NDArray[np.float64]:
            precision, recall = cubed[chosen].mean(axis=1).T
            both = np.where(precision + recall > 0, precision + recall, 1.0)
            scores: NDArray[np.float64] = 2 * precision * recall / both
            return scores

        everything = np.arange(len(words))[None, :]
        precision, recall = cubed.mean(axis=0).tolist()
        return GradedGroupScore(
            n_words=len(words),
            n_instances=sum(score.n_instances for score in words),
            fnmi=float(nmi.mean()),
            fbc=float(harmonic_mean(everything)[0]),
            fbc_precision=precision,
            fbc_recall=recall,
            n_clusters=float(np.mean([score.n_clusters for score in words])),
            fnmi_interval=bootstrap_words(len(words), mean_nmi),
            fbc_interval=bootstrap_words(len(words), harmonic_mean),
        )


def is_graded(group: Mapping[str, Any]) -> bool:
    """Whether plain scores of a group are fuzzy ones."""
    return "fnmi" in group


def memberships(instances: Sequence[Sequence[Label]]) -> NDArray[np.float64]:
    """How much each instance belongs to each label, the best label of an instance 1.

    Returns
    -------
    weights : (n_instances, n_labels)
        Rows of zeros for instances without labels; no column of zeros.
    """
    names = {label.name: None for labels in instances for label in labels if label.weight > 0}
    columns = {name: column for column, name in enumerate(names)}
    weights = np.zeros((len(instances), len(columns)))
    for row, labels in zip(weights, instances, strict=True):
        for label in labels:
            if label.weight > 0:
                column = columns[label.name]
                row[column] = max(row[column], label.weight)
    largest = weights.max(axis=1, keepdims=True, initial=0.0)
    np.divide(weights, largest, out=weights, where=largest > 0)
    return weights


def fuzzy_nmi(system: NDArray[np.float64], gold: NDArray[np.float64]) -> float:
    """Normalised mutual information of fuzzy, overlapping clusterings, in [0, 1].

    Parameters
    ----------
    system : (n_instances, n_clusters)
    gold : (n_instances, n_classes)
        From `memberships`.

    Notes
    -----
    The measure of Lancichetti et al. (2009): H(X|Y) sums, over the labels of X, the smallest
    entropy that one is left with when a label of Y is known; NMI is the mean of H(X) - H(X|Y) and
    H(Y) - H(Y|X), divided by the larger of H(X) and H(Y). Two clusterings without any information
    (one cluster, one class) are the same: 1.
    """
    system_entropies, gold_entropies = _entropies(system), _entropies(gold)
    largest = max(system_entropies.sum(), gold_entropies.sum())
    if largest == 0:
        return 1.0 if system.any() else 0.0
    known = system_entropies.sum() - _conditional_entropies(system, gold).sum()
    known += gold_entropies.sum() - _conditional_entropies(gold, system).sum()
    return float(max(known / 2 / largest, 0.0))


def fuzzy_b_cubed(system: NDArray[np.float64], gold: NDArray[np.float64]) -> PrecisionRecall:
    """Fuzzy B-cubed; the parameters are those of `fuzzy_nmi`.

    For each instance and each other one that shares a cluster with it: how much of their agreement
    in the clusters is also agreement in the classes. Recall is the same from the side of the
    classes. (The official scorer gives the two each other's names, see `OFFICIAL_NAMES`.)
    """
    in_clusters, in_classes = _agreements(system), _agreements(gold)
    common = np.minimum(in_clusters, in_classes)
    return PrecisionRecall(_mean_share(common, in_clusters), _mean_share(common, in_classes))


def _bins(weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Bin 0 is [0, 0.1], bin 1 (0.1, 0.2], ..., bin 9 (0.9, 1]."""
    upper = np.arange(1, N_BINS + 1) / N_BINS
    return np.searchsorted(upper, weights, side="left").astype(np.int64).clip(0, N_BINS - 1)


def _entropies(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n_labels,) entropies of the labels' weights, in bits."""
    bins = _bins(weights)
    return np.array([_entropy(np.bincount(column)) for column in bins.T], dtype=np.float64)


def _conditional_entropies(
    of: NDArray[np.float64], given: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(n_labels,) for every label of one side, the least entropy left by a label of the other.

    A label that says rather where the other is not (its complement) is passed over, as in equation
    B.14 of Lancichetti et al.; where all are, the label's own entropy is left.
    """
    left = _entropies(of)
    of_bins, given_bins, given_entropies = _bins(of), _bins(given), _entropies(given)
    for i in range(of.shape[1]):
        usable = [
            _entropy(np.bincount(of_bins[:, i] * N_BINS + given_bins[:, j])) - given_entropies[j]
            for j in range(given.shape[1])
            if not _is_complement(of[:, i] > 0, given[:, j] > 0)
        ]
        if usable:
            left[i] = min(usable)
    return left


def _is_complement(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> bool:
    def surprise(chosen: NDArray[np.bool_]) -> float:
        # In bits as the official scorer has it: elsewhere ties would be decided by rounding.
        share = float(chosen.mean())
        return -share * float(np.log2(share)) if share > 0 else 0.0

    same = surprise(first & second) + surprise(~first & ~second)
    return same < surprise(first & ~second) + surprise(~first & second)


def _entropy(counts: NDArray[np.int64]) -> float:
    return float(entr(counts / counts.sum()).sum() / np.log(2))


def _agreements(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n, n) sums of 1 - |difference of weights| over the labels that both instances have."""
    n_instances = len(weights)
    agreements = np.zeros((n_instances, n_instances))
    for column in weights.T:
        members = np.flatnonzero(column)
        values = column[members]
        agreements[np.ix_(members, members)] += 1 - np.abs(values[:, None] - values[None, :])
    np.fill_diagonal(agreements, 0.0)
    return agreements


def _mean_share(common: NDArray[np.float64], agreements: NDArray[np.float64]) -> float:
    neighbours = agreements > 0
    shares = np.divide(common, agreements, out=np.zeros_like(common), where=neighbours)
    n_neighbours = neighbours.sum(axis=1)
    return float((shares.sum(axis=1) / np.maximum(n_neighbours, 1)).mean())
