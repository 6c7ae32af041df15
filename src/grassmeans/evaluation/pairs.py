"""Same sense or not, for two occurrences of a word: by how alike their contexts are.

No senses are needed and nothing is grouped: what is scored is the kind of context alone, a model's,
an encoder's or a transformer's. Pairs are all pairs of instances of a word in a test set with gold
senses (`InstancePairsTask`), or those of a file (`PairsTask`).

Contexts are compared by `grassmeans.geometry.distances`. An occurrence whose target was not
found in its text, or around which nothing is known, is 0 alike to any other.

The measure is the area under the ROC curve: how often a pair in one sense is more alike than a pair
in two, ties counted half. It asks for no threshold. All scores are in percent.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from grassmeans.arrays import Booleans, Doubles, Floats, Indices
from grassmeans.artifacts.writing import digest_of
from grassmeans.contexts.interface import ContextEncoder
from grassmeans.corpus.batches import cut_batches
from grassmeans.errors import InputError
from grassmeans.evaluation.clustering_scores import group_words
from grassmeans.evaluation.grouping import read_instances
from grassmeans.evaluation.instances import Instance, known_form
from grassmeans.evaluation.reports import (
    Interval,
    bootstrap_weighted_mean,
    bootstrap_words,
    head_columns,
)
from grassmeans.evaluation.running import GroupsResult, RunSettings, Task
from grassmeans.evaluation.systems import System
from grassmeans.evaluation.task_files import read_word_pairs
from grassmeans.geometry.distances import compare_all, compare_rows, usable_contexts
from grassmeans.senses.samples import word_seeds

PAIRS = "pairs"

MOST_INSTANCES = 4_000
"""Of a word that are compared with each other, 8 million pairs: of more, a random sample."""

_ENCODED_AT_ONCE = 2_048
_COMPARED_AT_ONCE = 512
_AREA_COLUMNS = head_columns("n_words", "n_instances", "n_pairs", "area", "area_interval")
_PAIR_COLUMNS = head_columns(
    "n_words", "n_pairs", "same", "area", "area_interval", "accuracy", "accuracy_interval"
)


@dataclass(frozen=True, slots=True)
class WordArea:
    """The pairs of instances of one word."""

    word: str
    """As in the key: ``crane.n``."""
    n_instances: int
    """Those with a gold label."""
    n_pairs: int
    """Of these."""
    area: float
    """Under the curve; NaN where all instances have one sense, or each its own."""


@dataclass(frozen=True, slots=True)
class AreaScores:
    """Scores over those of a group of words that have an area, in percent."""

    n_words: int
    """Those with an area."""
    n_instances: int
    """Of these words."""
    n_pairs: int
    """Of these instances."""
    area: float
    """The mean, weighted by the words' instances; NaN where there are none."""
    area_interval: Interval | None
    """95% of bootstrap samples of the words; None for fewer than two."""


@dataclass(frozen=True, slots=True)
class PairScores:
    """Scores of single pairs of many words, in percent; NaN where there is nothing to score."""

    n_words: int
    """In the pairs."""
    n_pairs: int
    """All."""
    same: float
    """Share of the pairs in one sense."""
    area: float
    """Under the curve of all pairs, whatever their words."""
    area_interval: Interval | None
    """95% of bootstrap samples of the words; None for fewer than two."""
    accuracy: float
    """Share of the pairs that are on the right side of a threshold. Words are halved at random; the
    threshold of either half is the best one for the other. NaN for a single word."""
    accuracy_interval: Interval | None
    """The same of the accuracy."""


@dataclass(frozen=True, kw_only=True)
class PairsResult(GroupsResult):
    """Pairs, scored: `AreaScores` or `PairScores` of all words and of each part of speech."""

    words: tuple[WordArea, ...] = ()
    """Of each word, where all its instances are compared."""


class ContextEncoding:
    """Encodes instances with the contexts of a system, and counts those that say nothing."""

    def __init__(self, system: System) -> None:
        if system.encoder is None:
            raise InputError(
                f"{system.name} has no contexts that could be compared: pairs need a model, an "
                "encoder or a transformer"
            )
        self.encoder: ContextEncoder = system.encoder
        self._tokenizer = system.tokenizer
        # Instances without an occurrence, and such with nothing known around it.
        self.counts = {"n_not_located": 0, "n_poor_context": 0}

    def encode(self, instances: Sequence[Instance]) -> Floats:
        """(n, rank, dim) bases; zeros where there is nothing to compare."""
        known = self.encoder.vectors
        words = [known_form(known, instance.target) or instance.target for instance in instances]
        bases = self.encoder.encode(read_instances(words, instances, self._tokenizer))
        located = np.array([instance.is_located for instance in instances])
        self.counts["n_not_located"] += int((~located).sum())
        self.counts["n_poor_context"] += int((located & ~usable_contexts(bases)).sum())
        return np.where(located[:, None, None], bases, np.float32(0.0))


class InstancePairsTask(Task[PairsResult]):
    """All pairs of instances of each word of a test set, of which the same gold sense is wanted.

    Where an instance has several gold senses, the heaviest counts. `InputError` where none has one.
    """

    needs_contexts = True

    def __init__(self, task: Task[Any]) -> None:
        found = task.labelled
        if found is None or found.gold.n_instances == 0:
            raise InputError(f"{task.name} has no instances with gold senses to be paired")
        self.name = f"{PAIRS} of {task.name}"
        self._task = task
        self.words = found.by_word()
        if not self.words:
            raise InputError(f"the gold key has none of the instances of {task.name}")

    @property
    def digest(self) -> str:
        """Of the test set."""
        return self._task.digest

    @property
    def targets(self) -> tuple[str, ...]:
        """The words."""
        return tuple(dict.fromkeys(labelled[0][0].target for labelled in self.words.values()))

    def score(self, system: System, settings: RunSettings) -> PairsResult:
        """Compare the contexts of all instances of each word."""
        encoding = ContextEncoding(system)
        words = tuple(self._measure_words(encoding))
        groups = group_words([word.word for word in words])
        scores = {name: average_areas([words[i] for i in own]) for name, own in groups.items()}
        sizes = [word.n_instances for word in words]
        return PairsResult(
            task=self.name,
            groups=scores,
            words=words,
            columns=_AREA_COLUMNS,
            counts={
                "n_instances": sum(sizes),
                "n_words": len(words),
                "n_words_without_area": len(words) - scores["all"].n_words,
                "n_words_sampled": sum(size > MOST_INSTANCES for size in sizes),
                **encoding.counts,
            },
        )

    def _measure_words(self, encoding: ContextEncoding) -> Iterator[WordArea]:
        signed = encoding.encoder.lines_have_ends
        words = self.words.items()
        for batch in cut_batches(words, _ENCODED_AT_ONCE, lambda word: len(word[1])):
            chosen = {name: _sample(name, labelled) for name, labelled in batch}
            bases = encoding.encode([one for own, _ in chosen.values() for one in own])
            start = 0
            for name, (own, senses) in chosen.items():
                end = start + len(own)
                area, n_pairs = measure_area(bases[start:end], senses, signed=signed)
                yield WordArea(name, len(self.words[name]), n_pairs, area)
                start = end


class PairsTask(Task[PairsResult]):
    """Pairs of a file, each with its label; data and gold as for `read_word_pairs`."""

    name = PAIRS
    needs_contexts = True

    def __init__(self, data: str | Path, gold: str | Path | None = None) -> None:
        self.pairs = read_word_pairs(data, gold)

    @cached_property
    def digest(self) -> str:
        """Of words, texts and labels."""
        sides = [
            [[i.target, i.left, i.word, i.right] for i in (pair.first, pair.second)]
            for pair in self.pairs
        ]
        return digest_of([sides, [pair.same for pair in self.pairs]])

    @property
    def targets(self) -> tuple[str, ...]:
        """The words."""
        return tuple(dict.fromkeys(pair.word for pair in self.pairs))

    def score(self, system: System, settings: RunSettings) -> PairsResult:
        """Compare the two contexts of each pair."""
        encoding = ContextEncoding(system)
        signed = encoding.encoder.lines_have_ends
        similarities = np.empty(len(self.pairs), np.float32)
        step = _ENCODED_AT_ONCE // 2
        for start in range(0, len(self.pairs), step):
            part = self.pairs[start : start + step]
            bases = encoding.encode([pair.first for pair in part] + [pair.second for pair in part])
            found = compare_rows(bases[: len(part)], bases[len(part) :], signed=signed)
            similarities[start : start + step] = found
        same = np.array([pair.same for pair in self.pairs])
        scores = score_pairs([pair.word for pair in self.pairs], similarities, same)
        counts = {"n_instances": 2 * len(self.pairs), "n_words": scores.n_words, **encoding.counts}
        return PairsResult(
            task=self.name, groups={"all": scores}, columns=_PAIR_COLUMNS, counts=counts
        )


def _sample(word: str, labelled: list[tuple[Instance, str]]) -> tuple[list[Instance], Indices]:
    """Instances that are compared, and their senses as numbers: all, or a sample of the word's."""
    instances = [instance for instance, _ in labelled]
    numbers = _number_names([sense for _, sense in labelled])
    if len(instances) <= MOST_INSTANCES:
        return instances, numbers
    rng = np.random.default_rng(word_seeds(word, 0))
    kept = np.sort(rng.choice(len(instances), MOST_INSTANCES, replace=False))
    return [instances[i] for i in kept], numbers[kept]


def _number_names(names: Sequence[str]) -> Indices:
    """(n,) the same number for the same name, in the order of first occurrence."""
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.array([numbers[name] for name in names], np.int64)


def measure_area(bases: Floats, senses: Indices, *, signed: bool = False) -> tuple[float, int]:
    """The area under the curve of all pairs of contexts in percent, and how many pairs there are.

    Of ``bases`` (n, rank, dim), those with the same number of ``senses`` (n,) have one sense;
    ``signed`` as for `compare_all`.
    """
    alike: list[Floats] = []
    same: list[Booleans] = []
    for start in range(0, len(bases), _COMPARED_AT_ONCE):
        part = slice(start, start + _COMPARED_AT_ONCE)
        found = compare_all(bases[part], bases[start:], signed=signed)
        above = np.triu_indices(len(found), 1, found.shape[1])
        alike.append(found[above])
        same.append((senses[part, None] == senses[None, start:])[above])
    both = np.concatenate(alike), np.concatenate(same)
    return RankedPairs(*both).area(), len(both[0])


class RankedPairs:
    """Pairs in the order of their similarity; areas with any weights need no further sorting.

    Of similarities (n,), and whether the two occurrences of a pair have one sense (n,).
    scikit-learn's `roc_auc_score` gives the same; a bootstrap with it takes fifty times as long.
    """

    def __init__(self, similarities: Floats, same: Booleans) -> None:
        self._order = np.argsort(similarities)
        ranked = similarities[self._order]
        self._same = same[self._order]
        # Where each group of equal similarities begins.
        self._starts = np.flatnonzero(np.append(True, ranked[1:] != ranked[:-1])[: len(ranked)])

    def area(self, weights: Doubles | None = None) -> float:
        """The area under the curve of weighted pairs; NaN without pairs in one sense, or in two."""
        if not len(self._same):
            return math.nan
        drawn = np.ones(len(self._same)) if weights is None else weights[self._order]
        same = np.add.reduceat(np.where(self._same, drawn, 0.0), self._starts)
        other = np.add.reduceat(np.where(self._same, 0.0, drawn), self._starts)
        n_pairs = same.sum() * other.sum()
        below = np.cumsum(other) - other / 2
        return 100 * float(same @ below / n_pairs) if n_pairs > 0 else math.nan


def average_areas(words: Sequence[WordArea]) -> AreaScores:
    """The mean over the words that have an area."""
    known = [word for word in words if not math.isnan(word.area)]
    areas = np.array([word.area for word in known], np.float64)
    weights = np.array([word.n_instances for word in known], np.float64)
    return AreaScores(
        n_words=len(known),
        n_instances=int(weights.sum()),
        n_pairs=sum(word.n_pairs for word in known),
        area=float(np.average(areas, weights=weights)) if known else math.nan,
        area_interval=bootstrap_weighted_mean(areas, weights),
    )


def score_pairs(words: Sequence[str], similarities: Floats, same: Booleans) -> PairScores:
    """Score pairs, each of one of the words, by their similarities, as `RankedPairs` takes them."""
    owners = _number_names(words)
    n_words = int(owners.max()) + 1
    ranked = RankedPairs(similarities, same)

    def measure_areas(chosen: Indices) -> Doubles:
        counts = (np.bincount(sample, minlength=n_words) for sample in chosen)
        found = (ranked.area(count[owners].astype(np.float64)) for count in counts)
        # A sample of few words may lack one kind of pairs.
        return np.array([area for area in found if not math.isnan(area)])

    right = _judge(similarities, same, owners)
    totals = np.bincount(owners, minlength=n_words).astype(np.float64)
    shares = 100 * np.bincount(owners, right, minlength=n_words) / totals
    area = ranked.area()
    return PairScores(
        n_words=n_words,
        n_pairs=len(same),
        same=100 * float(same.mean()),
        area=area,
        area_interval=None if math.isnan(area) else bootstrap_words(n_words, measure_areas),
        accuracy=100 * float(right.mean()) if n_words > 1 else math.nan,
        accuracy_interval=bootstrap_weighted_mean(shares, totals),
    )


def _judge(similarities: Floats, same: Booleans, owners: Indices) -> Booleans:
    """(n,) which pairs are on the right side of the threshold that the other half of words has."""
    n_words = int(owners.max()) + 1
    is_second = np.zeros(n_words, np.bool_)
    is_second[np.random.default_rng(0).permutation(n_words)[::2]] = True
    right = np.zeros(len(same), np.bool_)
    for half in (False, True):
        mine = is_second[owners] == half
        if mine.any() and not mine.all():
            threshold = find_threshold(similarities[~mine], same[~mine])
            right[mine] = (similarities[mine] >= threshold) == same[mine]
    return right


def find_threshold(similarities: Floats, same: Booleans) -> float:
    """From which similarity on most pairs are told right; the lowest of those that do it best.

    Halfway between two similarities; infinite where all pairs, or none, are best called the same.
    """
    order = np.argsort(similarities, kind="stable")
    ranked, is_same = similarities[order].astype(np.float64), same[order]
    # With a threshold below pair i: the pairs in two senses before it, those in one from it on.
    right = np.append(0, np.cumsum(~is_same)) + is_same.sum() - np.append(0, np.cumsum(is_same))
    is_cut = np.append(True, np.append(ranked[1:] != ranked[:-1], True))
    best = int(np.argmax(np.where(is_cut, right, -1)))
    around = np.concatenate([[-np.inf], ranked, [np.inf]])[best : best + 2]
    return float(around.mean())
