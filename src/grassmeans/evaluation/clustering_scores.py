"""How well induced senses agree with gold ones: V-measure, paired F-score and other scores.

The conventions are those of the official scorers of SemEval-2010 task 14:

- a score is the mean over words, weighted by how many gold instances each word has;
- the instances of a word that a system did not answer form one more cluster;
- for pairs, a cluster or class of one instance counts as one pair, which is common to both sides
  only if the instance is alone on both;
- the number of clusters is the plain mean over words, the cluster of the unanswered included.

B-cubed, the adjusted Rand index and the accuracy are averaged in the same way.

The scores of one word take a ``table`` (n_clusters, n_classes), the number of instances that each
cluster and class have in common, with no empty row or column, and give a number in [0, 1] (the Rand
index in [-1, 1]). scikit-learn has V-measure and Rand index of labels, fifty times slower.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np
from scipy.special import entr

from grassmeans.arrays import Doubles, Indices
from grassmeans.clustering.merging import UNMATCHED, match_groups, pair_all
from grassmeans.errors import InputError
from grassmeans.evaluation import reports
from grassmeans.evaluation.instances import Key
from grassmeans.results import ColumnTypes, Tabular

PARTS_OF_SPEECH = ("a", "j", "n", "r", "v")


@dataclass(frozen=True, slots=True)
class PrecisionRecall:
    """Precision, recall, and their harmonic mean ``f``."""

    precision: float
    """In [0, 1]."""
    recall: float
    """In [0, 1]."""

    @property
    def f(self) -> float:
        """The harmonic mean; 0 where both are 0."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both > 0 else 0.0


@dataclass(frozen=True, slots=True)
class WordScore:
    """The scores of one word; all but counts are in percent."""

    word: str
    """As in the key: ``crane.n``."""
    n_instances: int
    """Those with a gold label."""
    n_answered: int
    """Those of them with an answer."""
    v_measure: float
    """Harmonic mean of homogeneity and completeness."""
    f_score: float
    """Of pairs of instances."""
    n_clusters: int
    """Groups of the system."""
    b_cubed_precision: float
    """Mean over instances."""
    b_cubed_recall: float
    """Mean over instances."""
    b_cubed: float
    """Their harmonic mean."""
    ari: float
    """Rand index adjusted for chance."""
    accuracy: float
    """Under the best mapping of clusters to classes, one to one."""


@dataclass(frozen=True, slots=True)
class GroupScore:
    """Scores over a group of words, in percent."""

    n_words: int
    """In the group."""
    n_instances: int
    """Of these words."""
    v_measure: float
    """Mean, weighted by the words' instances; as all others."""
    f_score: float
    """Of pairs of instances."""
    n_clusters: float
    """Plain mean over words."""
    b_cubed_precision: float
    """Mean of the words' precision."""
    b_cubed_recall: float
    """Mean of the words' recall."""
    b_cubed: float
    """Mean of the words' F-scores."""
    ari: float
    """Rand index adjusted for chance."""
    accuracy: float
    """Under the best mapping of clusters to classes, one to one for each word."""
    v_measure_interval: reports.Interval | None
    """95% of bootstrap samples of the words; None for a single word."""
    f_score_interval: reports.Interval | None
    """The same of the F-score."""


Word = TypeVar("Word", bound=Any)  # the scores of one, with ``word`` and ``n_answered``
Group = TypeVar("Group")
Cluster = TypeVar("Cluster", bound=Hashable)


@dataclass(frozen=True, slots=True)
class KeyScores(Tabular, Generic[Word, Group]):
    """Scores of a system's key against a gold key; a kind of scores is a subclass.

    As a table it has a row for each group.
    """

    # Of a table for people: from headings to fields of a group.
    columns: ClassVar[Mapping[str, str]]
    note: ClassVar[str] = ""  # a remark that goes with printed scores
    # What is asked of a system whose answers are scored so: one sense an instance, or weights.
    decoding: ClassVar[str] = "hard"

    groups: Mapping[str, Group]
    """``"all"``, and each part of speech that the names of the words show: ``"n"``, ``"v"``."""
    words: tuple[Word, ...]
    """The scores of each word, in the order of the gold key."""
    n_unanswered: int
    """Gold instances without an answer."""
    n_unknown: int
    """Answers to instances that the gold key does not have; they do not count."""

    @property
    def all(self) -> Group:
        """The scores over all words."""
        return self.groups["all"]

    @staticmethod
    @abstractmethod
    def score_word(system_key: Key, gold_key: Key, word: str) -> Word:
        """The scores of one word of the gold key."""

    @staticmethod
    @abstractmethod
    def average(words: Sequence[Word]) -> Group:
        """The scores over some words, at least one."""

    @classmethod
    def compare(cls, system_key: Key, gold_key: Key) -> Self:
        """Score word by word, and average over groups of words."""
        if gold_key.n_instances == 0:
            raise InputError("the gold key has no instances: nothing can be scored")
        words = tuple(cls.score_word(system_key, gold_key, word) for word in gold_key.labels)
        positions = group_words(list(gold_key.labels))
        n_answered = sum(score.n_answered for score in words)
        return cls(
            {name: cls.average([words[i] for i in chosen]) for name, chosen in positions.items()},
            words,
            n_unanswered=gold_key.n_instances - n_answered,
            n_unknown=system_key.n_instances - n_answered,
        )

    def to_dict(self) -> dict[str, Any]:
        """The scores of each group as plain values, and the note where there is one."""
        return reports.plain_groups(self.groups) | ({"note": self.note} if self.note else {})

    def rows(self) -> list[dict[str, Any]]:
        """``group``, and its scores; an interval is two columns, ``f_score_low`` and ``_high``."""
        return reports.group_rows(reports.plain_groups(self.groups))

    def column_types(self) -> ColumnTypes:
        """The name of a group: of all words there always is one, with its scores."""
        return {"group": str}

    def _heading(self) -> str:
        return f"{len(self.words):,} words, scored"

    def to_table(self) -> reports.ResultTable:
        """A row for each group."""
        return reports.tabulate_groups(reports.plain_groups(self.groups), self.columns, self.note)


class ClusteringScores(KeyScores[WordScore, GroupScore]):
    """Of a key with one label for each instance; where one has several, the heaviest counts."""

    columns: ClassVar[Mapping[str, str]] = {
        "words": "n_words",
        "instances": "n_instances",
        "V": "v_measure",
        "V 95%": "v_measure_interval",
        "F": "f_score",
        "F 95%": "f_score_interval",
        "clusters": "n_clusters",
        "B-cubed": "b_cubed",
        "ARI": "ari",
        "accuracy": "accuracy",
    }

    @staticmethod
    def score_word(system_key: Key, gold_key: Key, word: str) -> WordScore:
        """V-measure, paired F-score and the others; the unanswered are a cluster."""
        gold, system = gold_key.best_labels(word), system_key.best_labels(word)
        # None is no label's name: it stands for the cluster of the unanswered.
        table = cross_tabulate([system.get(instance) for instance in gold], list(gold.values()))
        cubed = b_cubed(table)
        return WordScore(
            word=word,
            n_instances=len(gold),
            n_answered=len(gold.keys() & system.keys()),
            v_measure=100 * v_measure(table),
            f_score=100 * paired_f_score(table),
            n_clusters=table.shape[0],
            b_cubed_precision=100 * cubed.precision,
            b_cubed_recall=100 * cubed.recall,
            b_cubed=100 * cubed.f,
            ari=100 * adjusted_rand(table),
            accuracy=100 * mapped_accuracy(table),
        )

    @staticmethod
    def average(words: Sequence[WordScore]) -> GroupScore:
        """Means by the numbers of instances; the plain mean of the numbers of clusters."""
        weights = np.array([score.n_instances for score in words], dtype=np.float64)

        def values(name: str) -> Doubles:
            return np.array([getattr(score, name) for score in words], dtype=np.float64)

        cubed = ("b_cubed_precision", "b_cubed_recall", "b_cubed")
        averaged = ("v_measure", "f_score", *cubed, "ari", "accuracy")
        means = {name: float(np.average(values(name), weights=weights)) for name in averaged}
        return GroupScore(
            n_words=len(words),
            n_instances=int(weights.sum()),
            n_clusters=float(values("n_clusters").mean()),
            v_measure_interval=reports.bootstrap_weighted_mean(values("v_measure"), weights),
            f_score_interval=reports.bootstrap_weighted_mean(values("f_score"), weights),
            **means,
        )


def group_words(words: Sequence[str]) -> dict[str, list[int]]:
    """Positions of all words, and of those with each part of speech that occurs: ``crane.n``."""
    groups = {"all": list(range(len(words)))}
    for letter in PARTS_OF_SPEECH:
        if members := [i for i, word in enumerate(words) if word[1:].endswith(f".{letter}")]:
            groups[letter] = members
    return groups


def cross_tabulate(clusters: Sequence[Hashable], classes: Sequence[Hashable]) -> Indices:
    """(n_clusters, n_classes) instances in common, both sides in the order of first occurrence."""
    rows = {label: row for row, label in enumerate(dict.fromkeys(clusters))}
    columns = {label: column for column, label in enumerate(dict.fromkeys(classes))}
    table = np.zeros((len(rows), len(columns)), dtype=np.int64)
    for (cluster, label), count in Counter(zip(clusters, classes, strict=True)).items():
        table[rows[cluster], columns[label]] = count
    return table


def match_labels(clusters: Sequence[Cluster], classes: Sequence[str]) -> dict[Cluster, str]:
    """The class that each cluster stands for, if any, one to one, so that most instances agree."""
    found = match_groups(cross_tabulate(clusters, classes)).tolist()
    names = list(dict.fromkeys(classes))
    pairs = zip(dict.fromkeys(clusters), found, strict=True)
    return {cluster: names[column] for cluster, column in pairs if column != UNMATCHED}


def v_measure(table: Indices) -> float:
    """Harmonic mean of homogeneity and completeness, in [0, 1]."""
    joint = _entropy(table.ravel())
    clusters, classes = _entropy(table.sum(axis=1)), _entropy(table.sum(axis=0))
    homogeneity = 1 - (joint - clusters) / classes if classes > 0 else 1.0
    completeness = 1 - (joint - classes) / clusters if clusters > 0 else 1.0
    # Independent clusters give 0 up to rounding: neither below it nor divided by it.
    return PrecisionRecall(max(homogeneity, 0.0), max(completeness, 0.0)).f


def paired_f_score(table: Indices) -> float:
    """F-score of the pairs of instances that stand together, in [0, 1]."""
    cluster_sizes, class_sizes = table.sum(axis=1), table.sum(axis=0)
    alone_on_both = (table == 1) & (cluster_sizes == 1)[:, None] & (class_sizes == 1)[None, :]
    common = int((table * (table - 1) // 2).sum() + alone_on_both.sum())
    # Pairs inside groups of these sizes, a group of one counted as one pair.
    n_pairs = [np.where(n == 1, 1, n * (n - 1) // 2).sum() for n in (cluster_sizes, class_sizes)]
    return PrecisionRecall(*(common / int(n) for n in n_pairs)).f


def b_cubed(table: Indices) -> PrecisionRecall:
    """B-cubed of a hard clustering (Bagga and Baldwin 1998).

    Precision is the mean, over instances, of the share of their cluster that has their class,
    themselves included; recall the share of their class that has their cluster.
    """
    squares, n_instances = np.square(table.astype(np.float64)), table.sum()
    return PrecisionRecall(
        precision=float((squares / table.sum(axis=1)[:, None]).sum() / n_instances),
        recall=float((squares / table.sum(axis=0)[None, :]).sum() / n_instances),
    )


def adjusted_rand(table: Indices) -> float:
    """Rand index adjusted for chance (Hubert and Arabie 1985): 1 is perfect, 0 is chance."""
    counts = (table, table.sum(axis=1), table.sum(axis=0), table.sum())
    together, in_clusters, in_classes, n_pairs = (float((n * (n - 1) / 2).sum()) for n in counts)
    expected = in_clusters * in_classes / n_pairs if n_pairs > 0 else 0.0
    highest = (in_clusters + in_classes) / 2
    # No pairs on either side, or all pairs on both: two clusterings that are the same.
    return float((together - expected) / (highest - expected)) if highest != expected else 1.0


def mapped_accuracy(table: Indices) -> float:
    """Share of instances whose class is the one that their cluster stands for, one to one.

    So that most agree; the instances of clusters left over are wrong.
    """
    return float(table[pair_all(table)].sum() / table.sum())


def _entropy(counts: Indices) -> float:
    return float(entr(counts / counts.sum()).sum())
