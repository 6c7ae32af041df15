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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from grassmeans.arrays import Booleans, Doubles, Floats
from grassmeans.artifacts.writing import digest_of
from grassmeans.corpus.occurrences import Occurrences
from grassmeans.errors import InputError
from grassmeans.evaluation.clustering_scores import ClusteringScores, KeyScores
from grassmeans.evaluation.instances import Instance, Key, Label, LabelledInstances, known_form
from grassmeans.evaluation.reports import ResultTable, group_rows, plain_groups, tabulate_groups
from grassmeans.evaluation.running import Result, RunSettings, Task
from grassmeans.evaluation.systems import Senses, System
from grassmeans.senses.decoding import decode_hard, decode_soft
from grassmeans.tagging.marked_text import AnyTokenizer
from grassmeans.tagging.tagging import occurrences_in_passages

MIN_SHARE = 0.1
"""Soft answers leave out senses this much less likely than the best; fuzzy NMI would take them for
absent, but fuzzy B-cubed for shared."""

ONE_A_WORD = "one cluster a word"
ONE_AN_OCCURRENCE = "one cluster an occurrence"

Distances = Floats | Doubles
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

    scores: Scores | None
    """None where the test set has no gold labels."""
    key: Key
    """The answers."""
    baselines: Mapping[str, Any] = field(default_factory=dict)
    """The scores over all words of answers that look at no context (`score_baselines`)."""

    def plain_scores(self) -> dict[str, Any]:
        """The scores of each group, and of the baselines."""
        scores = {} if self.scores is None else self.scores.to_dict()
        if self.baselines:
            scores["baselines"] = plain_groups(self.baselines)
        return scores | {"words_without_senses": list(self.words_without_senses)}

    def rows(self) -> list[dict[str, Any]]:
        """``group``, and its scores; then those of the baselines. None without gold labels."""
        scored = [] if self.scores is None else self.scores.rows()
        return scored + group_rows(plain_groups(self.baselines))

    def to_table(self) -> ResultTable:
        """A table of the scores of each group and baseline; without rows where there are none."""
        if self.scores is None:
            return ResultTable(("",), ())
        rows = tabulate_groups(plain_groups(self.baselines), self.scores.columns).rows
        table = self.scores.to_table()
        return replace(table, rows=table.rows + rows)


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
        """Group the instances by sense, and score them; `InputError` where no word has senses."""
        if not self.instances:
            raise InputError(f"{self.name} has no instances")
        on_test = settings.induce == "on-test"
        decoding = settings.decoding or self.scoring.decoding
        about: dict[str, Any] = {"induce": settings.induce, "decoding": decoding}
        if decoding == "soft":
            about["sharpness"] = system.choose_sharpness(settings.sharpness)
        senses = None if on_test else system.find_senses(self.targets)
        answers = answer_instances(system, self.instances, senses, about.get("sharpness"))
        if answers.n_without_senses == len(self.instances):
            what_to_do = (
                "ask for fewer senses, or decode with senses of a corpus"
                if on_test
                else "give a corpus to induce them from, or another model or number of senses"
            )
            example = ", ".join(answers.words_without_senses[:3])
            raise InputError(f"no word of {self.name} has senses ({example}): {what_to_do}")
        counts = {
            "n_instances": len(self.instances),
            "n_words": len(answers.key.labels),
            "n_words_induced": 0 if senses is None else senses.n_induced,
            "n_words_without_senses": len(answers.words_without_senses),
            "n_without_senses": answers.n_without_senses,
            "n_not_located": answers.n_not_located,
            "n_poor_context": answers.n_poor_context,
        }
        scores = None
        baselines: Mapping[str, Any] = {}
        if self.gold.n_instances > 0:
            scores = self.scoring.compare(answers.key, self.gold)
            if scores.n_unanswered == self.gold.n_instances:
                raise InputError(
                    f"the gold key has none of the {len(self.instances):,} instances of "
                    f"{self.name}: do they belong together?"
                )
            counts |= {"n_unanswered": scores.n_unanswered, "n_unlabelled": scores.n_unknown}
            baselines = score_baselines(self.gold, self.scoring)
        return GroupingResult(
            task=self.name,
            scores=scores,
            key=answers.key,
            parameters=about,
            counts=counts,
            words_without_senses=answers.words_without_senses,
            baselines=baselines,
        )


def score_baselines(gold: Key, scoring: type[Scores]) -> dict[str, Any]:
    """The scores over all words of answers that look at nothing: all alike, and each its own."""
    one = {word: dict.fromkeys(given, (Label("1"),)) for word, given in gold.labels.items()}
    own = {word: {name: (Label(name),) for name in given} for word, given in gold.labels.items()}
    return {
        ONE_A_WORD: scoring.compare(Key(one), gold).all,
        ONE_AN_OCCURRENCE: scoring.compare(Key(own), gold).all,
    }


def answer_instances(
    system: System,
    instances: Iterable[Instance],
    senses: Senses | None = None,
    sharpness: float | None = None,
) -> Answers:
    """Decode the instances with senses that were found before, or with those of their own word.

    Without ``senses``, those of every word are induced from its own instances; a word with too few
    usable ones has none. With ``sharpness``, each instance has weighted senses by `decode_soft`;
    without it, the nearest alone.
    """
    groups: dict[str, list[Instance]] = defaultdict(list)
    for instance in instances:
        groups[instance.key_word].append(instance)
    labels: dict[str, dict[str, tuple[Label, ...]]] = {}
    without_senses: list[str] = []
    n_not_located = n_poor_context = 0
    for word, group in groups.items():
        located = np.array([instance.is_located for instance in group])
        distances = _measure(system, senses, word, group, located)
        if distances is None:
            without_senses.append(word)
            labels[word] = {instance.id: (Label(f"{word}.1"),) for instance in group}
            continue
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


def _measure(
    system: System, senses: Senses | None, word: str, group: Sequence[Instance], located: Booleans
) -> Distances | None:
    """(n_instances, n_senses), NaN where the largest sense is to be taken; None without senses."""
    target = group[0].target
    name = word if senses is None else known_form(senses, target)
    if name is None:
        return None
    occurrences = read_instances(target if senses is None else name, group, system.tokenizer)
    found = system.induce_on_test(word, occurrences[located]) if senses is None else senses
    if found is None:
        return None
    distances = found.distances(name, occurrences)
    if not found.uses_contexts:
        return distances
    return np.where(located[:, None], distances, np.float32(np.nan))


def read_instances(
    word: str | Sequence[str], instances: Sequence[Instance], tokenizer: AnyTokenizer
) -> Occurrences:
    """The occurrences of a word in its instances, or of the word of each."""
    passages = [(instance.left, instance.right) for instance in instances]
    forms = [instance.word for instance in instances]
    return occurrences_in_passages(word, passages, tokenizer, forms=forms)


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
