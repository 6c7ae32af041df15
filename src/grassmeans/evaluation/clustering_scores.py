"""How well induced senses agree with gold ones: V-measure, paired F-score, number of clusters.

The conventions are those of the official scorers of SemEval-2010 task 14:

- a score is the mean over words, weighted by how many gold instances each word has;
- the instances of a word that a system did not answer form one more cluster;
- for pairs, a cluster or class of one instance counts as one pair, which is common to both sides
  only if the instance is alone on both;
- the number of clusters is the plain mean over words, the cluster of the unanswered included.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grassmeans.errors import InputError
from grassmeans.evaluation.key_files import Key

PARTS_OF_SPEECH = ("a", "n", "r", "v")


@dataclass(frozen=True, slots=True)
class WordScore:
    """The scores of one word; ``v_measure`` and ``f_score`` are in percent."""

    word: str
    n_instances: int
    n_answered: int
    v_measure: float
    f_score: float
    n_clusters: int
    n_classes: int

    @property
    def part_of_speech(self) -> str | None:
        """The letter after the last dot of the word, as in ``crane.n``; None where it has none."""
        stem, _, letter = self.word.rpartition(".")
        return letter if stem and letter in PARTS_OF_SPEECH else None


@dataclass(frozen=True, slots=True)
class GroupScore:
    """Scores over a group of words; ``v_measure`` and ``f_score`` are in percent."""

    n_words: int
    n_instances: int
    v_measure: float
    f_score: float
    n_clusters: float


@dataclass(frozen=True, slots=True)
class ClusteringScores:
    """Scores of a system's key against a gold key.

    Attributes
    ----------
    groups : mapping
        ``"all"``, and each part of speech that the names of the words show: ``"n"``, ``"v"``.
    words : tuple of WordScore
        In the order of the gold key.
    n_unanswered : int
        Gold instances without an answer.
    n_unknown : int
        Answers to instances that the gold key does not have; they do not count.
    """

    groups: Mapping[str, GroupScore]
    words: tuple[WordScore, ...]
    n_unanswered: int
    n_unknown: int

    @property
    def all(self) -> GroupScore:
        """The scores over all words."""
        return self.groups["all"]


def score_clustering(system_key: Key, gold_key: Key) -> ClusteringScores:
    """Score a system's key against the gold key.

    Where an instance has several labels, the heaviest one counts.
    """
    if gold_key.n_instances == 0:
        raise InputError("the gold key has no instances: nothing can be scored")
    words = tuple(_score_word(system_key, gold_key, word) for word in gold_key.labels)
    groups = {"all": _average(words)}
    for letter in PARTS_OF_SPEECH:
        if members := [score for score in words if score.part_of_speech == letter]:
            groups[letter] = _average(members)
    n_answered = sum(score.n_answered for score in words)
    return ClusteringScores(
        groups=groups,
        words=words,
        n_unanswered=gold_key.n_instances - n_answered,
        n_unknown=system_key.n_instances - n_answered,
    )


def v_measure(table: NDArray[np.int64]) -> float:
    """Harmonic mean of homogeneity and completeness, in [0, 1].

    Parameters
    ----------
    table : (n_clusters, n_classes)
        How many instances each cluster and class share.
    """
    joint = _entropy(table.ravel())
    clusters, classes = _entropy(table.sum(axis=1)), _entropy(table.sum(axis=0))
    homogeneity = 1 - (joint - clusters) / classes if classes > 0 else 1.0
    completeness = 1 - (joint - classes) / clusters if clusters > 0 else 1.0
    # Independent clusters give 0 up to rounding: neither below it nor divided by it.
    homogeneity, completeness = max(homogeneity, 0.0), max(completeness, 0.0)
    both = homogeneity + completeness
    return 2 * homogeneity * completeness / both if both > 0 else 0.0


def paired_f_score(table: NDArray[np.int64]) -> float:
    """F-score of the pairs of instances that stand together, in [0, 1].

    Parameters
    ----------
    table : (n_clusters, n_classes)
        How many instances each cluster and class share.
    """
    cluster_sizes, class_sizes = table.sum(axis=1), table.sum(axis=0)
    alone_on_both = (table == 1) & (cluster_sizes == 1)[:, None] & (class_sizes == 1)[None, :]
    common = int((table * (table - 1) // 2).sum() + alone_on_both.sum())
    if common == 0:
        return 0.0
    precision = common / _count_pairs(cluster_sizes)
    recall = common / _count_pairs(class_sizes)
    return 2 * precision * recall / (precision + recall)


def _score_word(system_key: Key, gold_key: Key, word: str) -> WordScore:
    gold, system = gold_key.best_labels(word), system_key.best_labels(word)
    # None is no label's name: it stands for the cluster of the unanswered.
    table = _cross_tabulate([system.get(instance) for instance in gold], list(gold.values()))
    return WordScore(
        word=word,
        n_instances=len(gold),
        n_answered=len(gold.keys() & system.keys()),
        v_measure=100 * v_measure(table),
        f_score=100 * paired_f_score(table),
        n_clusters=table.shape[0],
        n_classes=table.shape[1],
    )


def _cross_tabulate(clusters: Sequence[str | None], classes: Sequence[str]) -> NDArray[np.int64]:
    rows = {label: row for row, label in enumerate(dict.fromkeys(clusters))}
    columns = {label: column for column, label in enumerate(dict.fromkeys(classes))}
    table = np.zeros((len(rows), len(columns)), dtype=np.int64)
    for (cluster, label), count in Counter(zip(clusters, classes, strict=True)).items():
        table[rows[cluster], columns[label]] = count
    return table


def _entropy(counts: NDArray[np.int64]) -> float:
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log(shares)).sum())


def _count_pairs(sizes: NDArray[np.int64]) -> int:
    """Pairs inside groups of the given sizes, a group of one counted as one pair."""
    return int(np.where(sizes == 1, 1, sizes * (sizes - 1) // 2).sum())


def _average(words: Sequence[WordScore]) -> GroupScore:
    weights = [score.n_instances for score in words]
    return GroupScore(
        n_words=len(words),
        n_instances=sum(weights),
        v_measure=float(np.average([score.v_measure for score in words], weights=weights)),
        f_score=float(np.average([score.f_score for score in words], weights=weights)),
        n_clusters=float(np.mean([score.n_clusters for score in words])),
    )
