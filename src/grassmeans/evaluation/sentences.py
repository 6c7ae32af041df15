"""Single sentences that tell the sense of a word: answered alone, and two in one text.

A sentence is answered where its word has senses and the system does not say "I don't know". Pairs
are read as one text, by the rule of all running text: `grassmeans.tagging.widening`. Answers are
scored against the senses that the sentences were written for; no score depends on how senses are
numbered. The files are told in `grassmeans.evaluation.task_files`.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from grassmeans.arrays import Floats, Indices
from grassmeans.artifacts.writing import digest_of
from grassmeans.corpus.occurrences import Occurrences
from grassmeans.errors import InputError
from grassmeans.evaluation.clustering_scores import match_labels
from grassmeans.evaluation.instances import Instance, Key, Label, LabelledInstances, known_form
from grassmeans.evaluation.reports import Interval, bootstrap_weighted_mean, head_columns
from grassmeans.evaluation.running import GroupsResult, RunSettings, Task
from grassmeans.evaluation.systems import Senses, System
from grassmeans.evaluation.task_files import (
    Sentence,
    SentencePair,
    read_sentence_pairs,
    read_sentences,
)
from grassmeans.senses.calibration import ConfidenceRule
from grassmeans.senses.decoding import IDK, MODEL_THRESHOLD, IdkRule, choose_senses, describe_rule
from grassmeans.tagging.tagging import read_running_text
from grassmeans.tagging.widening import measure_near_first

SENTENCES = "sentences.jsonl"
PAIRS = "pairs.jsonl"

_COLUMNS = (
    head_columns("n_words", "n_sentences", "answered", "accuracy", "accuracy_interval")
    | head_columns("pairwise", "same", "other", "split")
    | {"in pairs: answered": "answered_in_pairs"}
    | head_columns("accuracy_in_pairs", "told_apart")
)


@dataclass(frozen=True, kw_only=True)
class SentencesResult(GroupsResult):
    """Sentences, answered and scored: `SentenceScores` of all words and of each kind."""

    def plain_scores(self) -> dict[str, Any]:
        """The scores of each group, and the words without senses."""
        without = {"words_without_senses": list(self.words_without_senses)}
        return super().plain_scores() | without


class SentencesTask(Task[SentencesResult]):
    """Sentences of words in known senses: a file ``...sentences.jsonl``, or a folder with one."""

    name = "sentences"
    needs_senses = True

    def __init__(self, data: str | Path) -> None:
        place = Path(data)
        if place.is_dir():
            found = sorted(place.glob(f"*{SENTENCES}"))
            if len(found) != 1:
                raise InputError(
                    f"{place} holds {len(found)} files *{SENTENCES}, expected one: name the file"
                )
            place = found[0]
        self.sentences = read_sentences(place)
        pairs = place.with_name(place.name.removesuffix(SENTENCES) + PAIRS)
        self.pairs = read_sentence_pairs(pairs, self.sentences) if pairs.exists() else ()

    @cached_property
    def digest(self) -> str:
        """Of sentences, senses and pairs."""
        sentences = [asdict(sentence) for sentence in self.sentences]
        return digest_of([sentences, [[pair.first.id, pair.second.id] for pair in self.pairs]])

    @property
    def labelled(self) -> LabelledInstances:
        """The sentences as instances, and their senses."""
        labels: dict[str, dict[str, tuple[Label, ...]]] = defaultdict(dict)
        instances = []
        for one in self.sentences:
            instance = Instance(one.id, one.word, "", one.left, one.written, one.right)
            instances.append(instance)
            labels[instance.key_word][one.id] = (Label(one.sense),)
        return LabelledInstances(tuple(instances), Key(labels))

    @cached_property
    def targets(self) -> tuple[str, ...]:
        """The words of the sentences."""
        return tuple(dict.fromkeys(sentence.word for sentence in self.sentences))

    def score(self, system: System, settings: RunSettings) -> SentencesResult:
        """Answer each sentence alone and in its pairs; `InputError` where no word has senses."""
        senses = system.find_senses(self.targets)
        threshold = system.choose_threshold(settings.idk_threshold)
        without = tuple(word for word in self.targets if known_form(senses, word) is None)
        if len(without) == len(self.targets):
            raise InputError(
                f"no word of {self.name} has senses ({', '.join(without[:3])}): give another model"
            )
        return SentencesResult(
            task=self.name,
            groups=self.score_answers(SenseAnswerer(system, senses, threshold)),
            columns=_COLUMNS,
            parameters={"idk": describe_rule(threshold)},
            counts={
                "n_sentences": len(self.sentences),
                "n_pairs": len(self.pairs),
                "n_words": len(self.targets),
                "n_words_induced": senses.n_induced,
                "n_words_without_senses": len(without),
            },
            words_without_senses=without,
        )

    def score_answers(self, answer: Answerer) -> dict[str, SentenceScores]:
        """The scores of ``"all"`` words, and of each kind, whatever gave the answers."""
        sentences: dict[str, list[Sentence]] = defaultdict(list)
        pairs: dict[str, list[SentencePair]] = defaultdict(list)
        for sentence in self.sentences:
            sentences[sentence.word].append(sentence)
        for pair in self.pairs:
            pairs[pair.first.word].append(pair)
        found: dict[str, list[WordAnswers]] = {"all": []}
        for word, own in sentences.items():
            passages = [(sentence.left, sentence.right) for sentence in own]
            passages += [passage for pair in pairs[word] for passage in pair.passages]
            nearest, answers = answer(word, passages)
            joint = answers[len(own) :]
            told = WordAnswers(
                senses=tuple(sentence.sense for sentence in own),
                nearest=tuple(nearest[: len(own)]),
                answers=tuple(answers[: len(own)]),
                pairs=tuple((first.sense, second.sense) for first, second in pairs[word]),
                pair_answers=tuple(zip(joint[::2], joint[1::2], strict=True)),
            )
            found["all"].append(told)
            if own[0].kind:
                found.setdefault(own[0].kind, []).append(told)
        return {name: score_words(part) for name, part in found.items()}


class PassageAnswers(NamedTuple):
    """Numbers of senses for some passages."""

    nearest: list[int | None]  # however far they are; None for a word without senses
    given: list[int | None]  # the same, None for "I don't know"


Answerer = Callable[[str, Sequence[tuple[str, str]]], PassageAnswers]
"""A word, and the texts before and after it in some passages -> the answers to these."""


class SenseAnswerer:
    """Answers passages as running text is tagged (`grassmeans.tagging.widening`).

    The system's tokenizer reads the passages, and its own rule says which sentences say little.
    """

    def __init__(self, system: System, senses: Senses, threshold: IdkRule) -> None:
        own = system.choose_threshold(MODEL_THRESHOLD)
        self._senses = senses.for_running_text()
        self._tokenizer = system.tokenizer
        self._rule = own if isinstance(own, ConfidenceRule) else None
        self._threshold = threshold

    def __call__(self, word: str, passages: Sequence[tuple[str, str]]) -> PassageAnswers:
        """The answers; nothing but None for a word without senses."""
        senses = self._senses
        form = known_form(senses, word)
        if form is None:
            return PassageAnswers([None] * len(passages), [None] * len(passages))

        def measure(occurrences: Occurrences, rows: Indices) -> Floats:
            return senses.distances(form, occurrences)

        text = read_running_text(form, passages, self._tokenizer, senses.find_describing)
        usual = senses.usual_distance(form)
        everywhere = np.full(len(passages), usual)
        distances = measure_near_first(text, measure, self._rule, everywhere).distances
        return PassageAnswers(
            _decode(distances, None, usual), _decode(distances, self._threshold, usual)
        )


def _decode(distances: Floats, threshold: IdkRule, usual: float) -> list[int | None]:
    """Numbers of senses, as `grassmeans.tagging.answering` has it; None for no answer."""
    labels = choose_senses(distances, threshold, usual)
    asks_nothing = isinstance(threshold, ConfidenceRule) and threshold.at_least == 0.0
    if threshold is None or asks_nothing or distances.shape[1] == 1:
        # Where nothing is known around a word, the most frequent sense, which is the first.
        labels[np.isnan(distances[:, 0])] = 0
    return [None if label == IDK else label for label in labels.tolist()]


@dataclass(frozen=True, slots=True)
class WordAnswers:
    """The answers to the sentences of one word: numbers of senses, None where there is none."""

    senses: tuple[str, ...]  # the gold sense of each sentence
    nearest: tuple[int | None, ...]  # the nearest sense of each sentence alone, however far it is
    answers: tuple[int | None, ...]  # the same, None where it is too far for an answer
    pairs: tuple[tuple[str, str], ...] = ()  # the gold senses of two sentences in one text
    pair_answers: tuple[tuple[int | None, int | None], ...] = ()


@dataclass(frozen=True, slots=True)
class SentenceScores:
    """Scores over a group of words, in percent; NaN where there is nothing to score."""

    n_words: int
    """In the group."""
    n_sentences: int
    """Of these words."""
    n_pairs: int
    """Texts of two sentences."""
    answered: float
    """Share of the sentences; all other scores look at these only."""
    accuracy: float
    """Under the best matching of induced senses to gold ones, one to one for each word: an answer
    that is matched to no sense is wrong. The matching is made by the nearest senses of all
    sentences, so that a word with a single answer is not right for that alone."""
    pairwise: float
    """Of two sentences of a word: share with one answer for one sense, two answers for two."""
    same: float
    """The same for sentences in one sense."""
    other: float
    """The same for sentences in two."""
    split: float
    """Share of the words of one gold sense (with two answers or more) that get different
    answers."""
    answered_in_pairs: float
    """Share of the occurrences in texts of two sentences."""
    accuracy_in_pairs: float
    """Of these, by the same matching."""
    told_apart: float
    """Share of those texts, with both occurrences answered, whose two answers differ."""
    accuracy_interval: Interval | None
    """95% of bootstrap samples of the words; None for fewer than two words."""
    pairwise_interval: Interval | None
    """The same of ``pairwise``."""


def score_words(words: Sequence[WordAnswers]) -> SentenceScores:
    """Score the answers to the sentences of some words; every sentence weighs the same."""
    right, compared, same, other, in_pairs, apart = (_Shares() for _ in range(6))
    is_split: list[bool] = []
    for word in words:
        matched = match_senses(word)
        given = [(s, a) for s, a in zip(word.senses, word.answers, strict=True) if a is not None]
        right.add(matched.get(answer) == sense for sense, answer in given)
        agreement = [(s == t, (s == t) == (a == b)) for (s, a), (t, b) in combinations(given, 2)]
        compared.add(agrees for _, agrees in agreement)
        same.add(agrees for is_same, agrees in agreement if is_same)
        other.add(agrees for is_same, agrees in agreement if not is_same)
        in_pairs.add(
            matched.get(answer) == sense
            for senses, answers in zip(word.pairs, word.pair_answers, strict=True)
            for sense, answer in zip(senses, answers, strict=True)
            if answer is not None
        )
        apart.add(both[0] != both[1] for both in word.pair_answers if None not in both)
        if len(set(word.senses)) == 1 and len(given) > 1:
            is_split.append(len({answer for _, answer in given}) > 1)
    n_sentences = sum(len(word.answers) for word in words)
    n_pairs = sum(len(word.pairs) for word in words)
    return SentenceScores(
        n_words=len(words),
        n_sentences=n_sentences,
        n_pairs=n_pairs,
        answered=_percent(right.total, n_sentences),
        accuracy=right.mean,
        pairwise=compared.mean,
        same=same.mean,
        other=other.mean,
        split=_percent(sum(is_split), len(is_split)),
        answered_in_pairs=_percent(in_pairs.total, 2 * n_pairs),
        accuracy_in_pairs=in_pairs.mean,
        told_apart=apart.mean,
        accuracy_interval=right.interval,
        pairwise_interval=compared.interval,
    )


def match_senses(word: WordAnswers) -> dict[int, str]:
    """The gold sense that each induced one stands for, by the nearest senses of all sentences."""
    given = zip(word.nearest, word.senses, strict=True)
    known = [(answer, sense) for answer, sense in given if answer is not None]
    return match_labels(*zip(*known, strict=True)) if known else {}


class _Shares:
    """Right and all of each word, as a mean over all that there are, in percent."""

    def __init__(self) -> None:
        self._counts: list[tuple[int, int]] = []

    def add(self, is_right: Iterable[bool]) -> None:
        """What is right of a word, and what is not."""
        if found := list(is_right):
            self._counts.append((sum(found), len(found)))

    @property
    def total(self) -> int:
        return sum(total for _, total in self._counts)

    @property
    def mean(self) -> float:
        return _percent(sum(right for right, _ in self._counts), self.total)

    @property
    def interval(self) -> Interval | None:
        counts = np.array(self._counts, np.float64).reshape(-1, 2)
        return bootstrap_weighted_mean(100 * counts[:, 0] / counts[:, 1], counts[:, 1])


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else math.nan
