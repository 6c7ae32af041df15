"""Instances of a test set -> the sense of each, as a key, and its scores.

Rules, the same for every task:

- an instance goes to its nearest sense, never to "I don't know"; soft answers give all senses
  whose probability is more than a tenth of the largest;
- an instance whose target was not found in its text, or that has too few known words around it,
  goes to the largest sense; methods that never look at contexts answer it like any other;
- the instances of a word without senses form one cluster.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from grassmeans.arrays import Booleans, Doubles, Floats
from grassmeans.artifacts.writing import digest_of
from grassmeans.corpus.occurrences import Occurrences
from grassmeans.errors import InputError
from grassmeans.evaluation.clustering_scores import ClusteringScores, KeyScores
from grassmeans.evaluation.instances import Instance, Key, Label, LabelledInstances, known_form
from grassmeans.evaluation.reports import ResultTable
from grassmeans.evaluation.running import Result, RunSettings, Task
from grassmeans.evaluation.systems import Senses, System
from grassmeans.senses.decoding import decode_hard, decode_soft
from grassmeans.tagging.marked_text import AnyTokenizer
from grassmeans.tagging.tagging import occurrences_in_passages

MIN_SHARE = 0.1
"""Soft answers leave out senses this much less likely than the best; fuzzy NMI would take them for
absent, but fuzzy B-cubed for shared."""

Distances = Floats | Doubles
FindDistances = Callable[[str, Sequence[Instance]], Distances | None]
"""Name of a word in the key, its instances -> (n_instances, n_senses), or None without senses. NaN
where the largest sense is to be taken."""

Scores = KeyScores[Any, Any]


@dataclass(frozen=True, slots=True)
class Answers:
    """What a system says of a test set, and how many instances a rule of this module decided."""

    key: Key  # whose senses are named ``crane.n.1``, ``crane.n.2``, ...
    words_without_senses: tuple[str, ...]
    n_without_senses: int
    n_not_located: int
    n_poor_context: int


@dataclass(frozen=True, kw_only=True)
class GroupingResult(Result):
    """Instances, grouped and scored."""

    scores: Scores | None  # None where the test set has no gold labels
    key: Key  # the answers

    def plain_scores(self) -> dict[str, Any]:
        """The scores of each group."""
        scores = {} if self.scores is None else self.scores.to_dict()
        return scores | {"words_without_senses": list(self.words_without_senses)}

    def to_table(self) -> ResultTable:
        """A table of the scores of each group; without rows where there are none."""
        return ResultTable(("",), ()) if self.scores is None else self.scores.to_table()


@dataclass(frozen=True)
class ClusteringTask(Task[GroupingResult]):
    """Instances to be grouped by sense, and their gold senses."""

    name: str
    instances: tuple[Instance, ...]
    gold: Key  # may be empty for files of one's own
    scoring: type[Scores] = ClusteringScores  # how answers are scored

    groups_instances = True
    needs_senses = True

    @cached_property
    def digest(self) -> str:
        """A short digest of instances and gold labels: the same test set has the same."""
        texts = [[i.id, i.key_word, i.left, i.word, i.right] for i in self.instances]
        labels = [
            [word, name, [[label.name, label.weight] for label in given]]
            for word, instances in self.gold.labels.items()
            for name, given in instances.items()
        ]
        return digest_of([texts, labels])

    @property
    def labelled(self) -> LabelledInstances:
        """The instances and their gold senses."""
        return LabelledInstances(self.instances, self.gold)

    @property
    def targets(self) -> tuple[str, ...]:
        """The words of the instances."""
        return tuple(dict.fromkeys(instance.target for instance in self.instances))

    def score(self, system: System, settings: RunSettings) -> GroupingResult:
        """Group the instances by sense, and score the groups.

        `InputError` where no word of the task has senses, or the gold key belongs to another test
        set.
        """
        decoding = settings.decoding or self.scoring.decoding
        about: dict[str, Any] = {"induce": settings.induce, "decoding": decoding}
        if decoding == "soft":
            about["sharpness"] = system.choose_sharpness(settings.sharpness)
        sharpness = about.get("sharpness")
        n_induced = 0
        if settings.induce == "on-test":
            answers = answer_by_induction(system, self.instances, sharpness)
        else:
            senses = system.find_senses(self.targets)
            n_induced = senses.n_induced
            answers = answer_with_senses(senses, self.instances, system.tokenizer, sharpness)
        if not self.instances:
            raise InputError(f"{self.name} has no instances")
        if answers.n_without_senses == len(self.instances):
            what_to_do = (
                "ask for fewer senses, or decode with senses of a corpus"
                if settings.induce == "on-test"
                else "give a corpus to induce them from, or another model or number of senses"
            )
            example = ", ".join(answers.words_without_senses[:3])
            raise InputError(f"no word of {self.name} has senses ({example}): {what_to_do}")
        counts = {
            "n_instances": len(self.instances),
            "n_words": len(answers.key.labels),
            "n_words_induced": n_induced,
            "n_words_without_senses": len(answers.words_without_senses),
            "n_without_senses": answers.n_without_senses,
            "n_not_located": answers.n_not_located,
            "n_poor_context": answers.n_poor_context,
        }
        scores = self._score_key(answers.key)
        if scores is not None:
            counts |= {"n_unanswered": scores.n_unanswered, "n_unlabelled": scores.n_unknown}
        return GroupingResult(
            task=self.name,
            scores=scores,
            key=answers.key,
            parameters=about,
            counts=counts,
            words_without_senses=answers.words_without_senses,
        )

    def _score_key(self, key: Key) -> Scores | None:
        if self.gold.n_instances == 0:
            return None
        scores = self.scoring.compare(key, self.gold)
        if scores.n_unanswered == self.gold.n_instances:
            raise InputError(
                f"the gold key has none of the {len(self.instances):,} instances of {self.name}: "
                "do they belong together?"
            )
        return scores


def answer_with_senses(
    senses: Senses,
    instances: Iterable[Instance],
    tokenizer: AnyTokenizer,
    sharpness: float | None = None,
) -> Answers:
    """Decode the instances with senses that were found before.

    With ``sharpness``, each has weighted senses by `decode_soft`; without it, the nearest alone.
    """

    def find_distances(_: str, group: Sequence[Instance]) -> Distances | None:
        word = known_form(senses, group[0].target)
        if word is None:
            return None
        return _measure(senses, word, read_instances(word, group, tokenizer), group)

    return _answer(instances, find_distances, sharpness)


def answer_by_induction(
    system: System, instances: Iterable[Instance], sharpness: float | None = None
) -> Answers:
    """Induce the senses of every word from its own instances, and decode them.

    Words with too few usable instances have no senses.
    """

    def find_distances(name: str, group: Sequence[Instance]) -> Distances | None:
        occurrences = read_instances(group[0].target, group, system.tokenizer)
        senses = system.induce_on_test(name, occurrences[_located(group)])
        return None if senses is None else _measure(senses, name, occurrences, group)

    return _answer(instances, find_distances, sharpness)


def read_instances(
    word: str | Sequence[str], instances: Sequence[Instance], tokenizer: AnyTokenizer
) -> Occurrences:
    """The occurrences of a word in its instances, or of the word of each."""
    passages = [(instance.left, instance.right) for instance in instances]
    forms = [instance.word for instance in instances]
    return occurrences_in_passages(word, passages, tokenizer, forms=forms)


def _located(group: Sequence[Instance]) -> Booleans:
    return np.array([instance.is_located for instance in group])


def _measure(
    senses: Senses, word: str, occurrences: Occurrences, group: Sequence[Instance]
) -> Distances:
    distances = senses.distances(word, occurrences)
    if not senses.uses_contexts:
        return distances
    return np.where(_located(group)[:, None], distances, np.float32(np.nan))


def _answer(
    instances: Iterable[Instance], find_distances: FindDistances, sharpness: float | None
) -> Answers:
    groups: dict[str, list[Instance]] = defaultdict(list)
    for instance in instances:
        groups[instance.key_word].append(instance)
    labels: dict[str, dict[str, tuple[Label, ...]]] = {}
    without_senses: list[str] = []
    n_not_located = n_poor_context = 0
    for word, group in groups.items():
        distances = find_distances(word, group)
        if distances is None:
            without_senses.append(word)
            labels[word] = {instance.id: (Label(f"{word}.1"),) for instance in group}
            continue
        located = _located(group)
        poor = np.isnan(distances).all(axis=1)
        n_not_located += int((~located & poor).sum())
        n_poor_context += int((located & poor).sum())
        shares = _decode(distances, sharpness)
        labels[word] = {
            instance.id: _make_labels(word, row)
            for instance, row in zip(group, shares, strict=True)
        }
    return Answers(
        key=Key(labels),
        words_without_senses=tuple(without_senses),
        n_without_senses=sum(len(groups[word]) for word in without_senses),
        n_not_located=n_not_located,
        n_poor_context=n_poor_context,
    )


def _decode(distances: Distances, sharpness: float | None) -> Doubles:
    """(n_instances, n_senses) weights of the senses; 1 for the largest where nothing is known."""
    # Senses are in order of falling size: the first is the largest.
    nearest = np.maximum(decode_hard(distances, None), 0)
    hard: Doubles = np.eye(distances.shape[1])[nearest]
    if sharpness is None:
        return hard
    unknown = np.isnan(distances).all(axis=1, keepdims=True)
    return np.where(unknown, hard, decode_soft(distances, sharpness))


def _make_labels(word: str, weights: Doubles) -> tuple[Label, ...]:
    chosen = np.flatnonzero(weights > MIN_SHARE * weights.max())
    order = sorted(chosen.tolist(), key=lambda sense: -weights[sense])
    if len(order) == 1:
        return (Label(f"{word}.{order[0] + 1}"),)
    return tuple(Label(f"{word}.{k + 1}", round(float(weights[k]), 6)) for k in order)
