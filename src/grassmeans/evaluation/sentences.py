"""Single sentences that tell the sense of a word: answered alone, and two in one text.

``NAME-sentences.jsonl`` has a sentence a line, with its word in it exactly once:

``{"id": "crane-1", "word": "crane", "sense": "bird", "text": "A crane flew by.", "kind": "noun"}``

``id`` is the number of the line where it is absent; ``kind`` names a group of words to be scored
apart, if any. ``NAME-pairs.jsonl``, which may be absent, has pairs of sentences with one word in
two senses, to be read as one text: ``{"first": "crane-1", "second": "crane-3"}``.

A sentence is answered where its word has senses and the system does not say "I don't know". Pairs
are read as one text, by the rule of all running text: `grassmeans.tagging.widening`.
"""

from __future__ import annotations

import math
import re
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
from grassmeans.evaluation.instances import (
    Instance,
    Key,
    Label,
    LabelledInstances,
    known_form,
    parse_object,
    read_numbered_lines,
)
from grassmeans.evaluation.reports import (
    Interval,
    ResultTable,
    bootstrap_weighted_mean,
    plain_fields,
    tabulate_groups,
)
from grassmeans.evaluation.running import Result, RunSettings, Task
from grassmeans.evaluation.systems import Senses, System
from grassmeans.senses.calibration import ConfidenceRule
from grassmeans.senses.decoding import IDK, MODEL_THRESHOLD, IdkRule, choose_senses, describe_rule
from grassmeans.tagging.marked_text import AnyTokenizer
from grassmeans.tagging.tagging import read_running_text
from grassmeans.tagging.widening import measure_near_first

SENTENCES = "sentences.jsonl"
PAIRS = "pairs.jsonl"

_COLUMNS = {
    "words": "n_words",
    "sentences": "n_sentences",
    "answered": "answered",
    "accuracy": "accuracy",
    "accuracy 95%": "accuracy_interval",
    "pairwise": "pairwise",
    "same": "same",
    "other": "other",
    "split": "split",
    "in pairs: answered": "answered_in_pairs",
    "accuracy in pairs": "accuracy_in_pairs",
    "told apart": "told_apart",
}


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, cut at its word."""

    id: str
    word: str
    sense: str
    kind: str
    # The text before and after the word.
    left: str
    right: str
    written: str  # the word as it stands there

    @property
    def text(self) -> str:
        """The whole sentence."""
        return f"{self.left}{self.written}{self.right}"


class SentencePair(NamedTuple):
    """Two sentences with one word in two senses."""

    first: Sentence
    second: Sentence

    @property
    def passages(self) -> list[tuple[str, str]]:
        """What stands before and after each occurrence in the text of both."""
        first, second = self
        return [
            (first.left, f"{first.right} {second.text}"),
            (f"{first.text} {second.left}", second.right),
        ]


@dataclass(frozen=True, kw_only=True)
class SentencesResult(Result):
    """Sentences, answered and scored."""

    groups: dict[str, SentenceScores]  # the scores of ``"all"`` words, and of each kind

    def plain_scores(self) -> dict[str, Any]:
        """The scores of each group."""
        scores: dict[str, Any] = {name: plain_fields(group) for name, group in self.groups.items()}
        return scores | {"words_without_senses": list(self.words_without_senses)}

    def to_table(self) -> ResultTable:
        """A row for each group."""
        plain = {name: plain_fields(group) for name, group in self.groups.items()}
        return tabulate_groups(plain, _COLUMNS)


class SentencesTask(Task[SentencesResult]):
    """Sentences of words in known senses: a file ``...sentences.jsonl``, or a folder with one.

    The pairs lie beside it.
    """

    name = "sentences"
    needs_senses = True

    def __init__(self, data: str | Path) -> None:
        place = _find_sentences(Path(data))
        self.sentences = read_sentences(place)
        pairs = place.with_name(place.name.removesuffix(SENTENCES) + PAIRS)
        self.pairs = read_pairs(pairs, self.sentences) if pairs.exists() else ()

    @cached_property
    def digest(self) -> str:
        """Of sentences, senses and pairs."""
        sentences = [asdict(sentence) for sentence in self.sentences]
        return digest_of([sentences, [[pair.first.id, pair.second.id] for pair in self.pairs]])

    @property
    def labelled(self) -> LabelledInstances:
        """The sentences as instances, and their senses."""
        instances = tuple(
            Instance(one.id, one.word, "", one.left, one.written, one.right)
            for one in self.sentences
        )
        labels: dict[str, dict[str, tuple[Label, ...]]] = defaultdict(dict)
        for sentence, instance in zip(self.sentences, instances, strict=True):
            labels[instance.key_word][sentence.id] = (Label(sentence.sense),)
        return LabelledInstances(instances, Key(labels))

    @cached_property
    def targets(self) -> tuple[str, ...]:
        """The words of the sentences."""
        return tuple(dict.fromkeys(sentence.word for sentence in self.sentences))

    def score(self, system: System, settings: RunSettings) -> SentencesResult:
        """Answer each sentence alone and in its pairs, and compare the answers.

        `InputError` where no word has senses.
        """
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
        answers = self._collect_answers(answer)
        kinds = dict.fromkeys(word.kind for word in answers if word.kind)
        parts = {kind: [word for word in answers if word.kind == kind] for kind in kinds}
        return {name: score_words(part) for name, part in ({"all": answers} | parts).items()}

    def _collect_answers(self, answer: Answerer) -> list[WordAnswers]:
        sentences: dict[str, list[Sentence]] = defaultdict(list)
        pairs: dict[str, list[SentencePair]] = defaultdict(list)
        for sentence in self.sentences:
            sentences[sentence.word].append(sentence)
        for pair in self.pairs:
            pairs[pair.first.word].append(pair)
        found: list[WordAnswers] = []
        for word, own in sentences.items():
            passages = [(sentence.left, sentence.right) for sentence in own]
            passages += [passage for pair in pairs[word] for passage in pair.passages]
            nearest, answers = answer(word, passages)
            joint = answers[len(own) :]
            found.append(
                WordAnswers(
                    kind=own[0].kind,
                    senses=tuple(sentence.sense for sentence in own),
                    nearest=tuple(nearest[: len(own)]),
                    answers=tuple(answers[: len(own)]),
                    pairs=tuple((first.sense, second.sense) for first, second in pairs[word]),
                    pair_answers=tuple(zip(joint[::2], joint[1::2], strict=True)),
                )
            )
        return found


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
        self._tokenizer: AnyTokenizer = system.tokenizer
        self._rule = own if isinstance(own, ConfidenceRule) else None
        self._threshold = threshold

    def __call__(self, word: str, passages: Sequence[tuple[str, str]]) -> PassageAnswers:
        """The answers; nothing but None for a word without senses."""
        form = known_form(self._senses, word)
        if form is None:
            return PassageAnswers([None] * len(passages), [None] * len(passages))
        distances = self._measure(form, passages)
        usual = self._senses.usual_distance(form)
        return PassageAnswers(
            _decode(distances, None, usual), _decode(distances, self._threshold, usual)
        )

    def _measure(self, form: str, passages: Sequence[tuple[str, str]]) -> Floats:
        """(n_passages, n_senses) distances."""
        senses = self._senses

        def measure(occurrences: Occurrences, rows: Indices) -> Floats:
            return senses.distances(form, occurrences)

        text = read_running_text(form, passages, self._tokenizer, senses.find_describing)
        usual = np.full(len(passages), senses.usual_distance(form))
        return measure_near_first(text, measure, self._rule, usual).distances


def _decode(distances: Floats, threshold: IdkRule, usual: float) -> list[int | None]:
    """Numbers of senses, as `grassmeans.tagging.answering` has it; None for no answer."""
    labels = choose_senses(distances, threshold, usual)
    asks_nothing = isinstance(threshold, ConfidenceRule) and threshold.at_least == 0.0
    if threshold is None or asks_nothing or distances.shape[1] == 1:
        # Where nothing is known around a word, the most frequent sense, which is the first.
        labels[np.isnan(distances[:, 0])] = 0
    return [None if label == IDK else label for label in labels.tolist()]


def read_sentences(path: str | Path) -> tuple[Sentence, ...]:
    """Read a file of sentences.

    `InputError` with the line, where one is no such object, does not hold its word exactly once, or
    has an id or a kind that does not go with the lines before.
    """
    path = Path(path)
    found: dict[str, Sentence] = {}
    kinds: dict[str, str] = {}
    for number, line in read_numbered_lines(path):
        place = f"{path}, line {number}"
        sentence = _make_sentence(parse_object(line, place, "word, sense, text"), number, place)
        if sentence.id in found:
            raise InputError(f"{place}: the sentence {sentence.id!r} comes twice")
        if kinds.setdefault(sentence.word, sentence.kind) != sentence.kind:
            raise InputError(f"{place}: {sentence.word!r} was {kinds[sentence.word]!r} before")
        found[sentence.id] = sentence
    return tuple(found.values())


def read_pairs(path: str | Path, sentences: Iterable[Sentence]) -> tuple[SentencePair, ...]:
    """Read a file of pairs.

    `InputError` with the line, where a sentence is not known, or two have not one word in two
    senses.
    """
    path = Path(path)
    known = {sentence.id: sentence for sentence in sentences}
    pairs: list[SentencePair] = []
    for number, line in read_numbered_lines(path):
        place = f"{path}, line {number}"
        fields = parse_object(line, place, "first, second")
        names = [str(fields.get(side)) for side in SentencePair._fields]
        missing = [name for name in names if name not in known]
        if missing:
            raise InputError(f"{place}: there is no sentence {missing[0]!r}")
        pair = SentencePair(*(known[name] for name in names))
        if pair.first.word != pair.second.word or pair.first.sense == pair.second.sense:
            raise InputError(f"{place}: expected one word in two senses, found {', '.join(names)}")
        pairs.append(pair)
    return tuple(pairs)


def _make_sentence(fields: dict[str, Any], number: int, place: str) -> Sentence:
    texts: dict[str, Any] = {name: fields.get(name) for name in ("word", "sense", "text")}
    texts["kind"] = fields.get("kind", "")
    wrong = [name for name, value in texts.items() if not isinstance(value, str)]
    if wrong:
        raise InputError(f"{place}: expected a text as {wrong[0]}, found {texts[wrong[0]]!r}")
    word, text = texts["word"], texts["text"]
    parts = re.split(rf"(?<!\w)({re.escape(word)})(?!\w)", text, flags=re.IGNORECASE)
    if len(parts) != 3:
        raise InputError(f"{place}: expected {word!r} once, found it {len(parts) // 2} times")
    name = str(fields.get("id", number))
    left, written, right = parts
    return Sentence(name, word, texts["sense"], texts["kind"], left, right, written)


def _find_sentences(place: Path) -> Path:
    if not place.is_dir():
        return place
    found = sorted(place.glob(f"*{SENTENCES}"))
    if len(found) != 1:
        raise InputError(
            f"{place} holds {len(found)} files *{SENTENCES}, expected one: name the file"
        )
    return found[0]


@dataclass(frozen=True, slots=True)
class WordAnswers:
    """The answers to the sentences of one word: numbers of senses, None where there is none."""

    kind: str
    senses: tuple[str, ...]  # the gold sense of each sentence
    nearest: tuple[int | None, ...]  # the nearest sense of each sentence alone, however far it is
    answers: tuple[int | None, ...]  # the same, None where it is too far for an answer
    pairs: tuple[tuple[str, str], ...] = ()  # the gold senses of two sentences in one text
    pair_answers: tuple[tuple[int | None, int | None], ...] = ()


@dataclass(frozen=True, slots=True)
class SentenceScores:
    """Scores over a group of words, in percent; NaN where there is nothing to score."""

    n_words: int
    n_sentences: int
    n_pairs: int
    answered: float  # share of the sentences; all other scores look at these only
    # Under the best matching of induced senses to gold ones, one to one for each word: an answer
    # that is matched to no sense is wrong. The matching is made by the nearest senses of all
    # sentences, so that a word with a single answer is not right for that alone.
    accuracy: float
    # Of two sentences of a word: share with one answer for one sense, two answers for two.
    pairwise: float
    # The same for sentences in one sense, and in two.
    same: float
    other: float
    # Share of the words of one gold sense (with two answers or more) that get different answers.
    split: float
    # Of the occurrences in texts of two sentences, by the same matching.
    answered_in_pairs: float
    accuracy_in_pairs: float
    # Share of those texts, with both occurrences answered, whose two answers differ.
    told_apart: float
    # 95% of bootstrap samples of the words; None for fewer than two words.
    accuracy_interval: Interval | None
    pairwise_interval: Interval | None


def score_words(words: Sequence[WordAnswers]) -> SentenceScores:
    """Score the answers to the sentences of some words; every sentence weighs the same."""
    accuracy = _Shares([_count_right(word) for word in words])
    comparisons = [_compare_sentences(word) for word in words]
    pairwise = _Shares([_count(comparison) for comparison in comparisons])
    joint = [_match_pairs(word) for word in words]
    several = [
        {answer for answer in word.answers if answer is not None}
        for word in words
        if len(set(word.senses)) == 1 and _n_answered(word.answers) > 1
    ]
    n_sentences = sum(len(word.answers) for word in words)
    n_pairs = sum(len(word.pairs) for word in words)
    return SentenceScores(
        n_words=len(words),
        n_sentences=n_sentences,
        n_pairs=n_pairs,
        answered=_percent(sum(_n_answered(word.answers) for word in words), n_sentences),
        accuracy=accuracy.mean,
        pairwise=pairwise.mean,
        same=_Shares([_count(c, lambda pair: pair.is_same) for c in comparisons]).mean,
        other=_Shares([_count(c, lambda pair: not pair.is_same) for c in comparisons]).mean,
        split=_percent(sum(len(answers) > 1 for answers in several), len(several)),
        answered_in_pairs=_percent(sum(len(right) for right in joint), 2 * n_pairs),
        accuracy_in_pairs=_Shares([(sum(right), len(right)) for right in joint]).mean,
        told_apart=_Shares([_count_apart(word) for word in words]).mean,
        accuracy_interval=accuracy.interval,
        pairwise_interval=pairwise.interval,
    )


def match_senses(word: WordAnswers) -> dict[int, str]:
    """The gold sense that each induced one stands for, by the nearest senses of all sentences."""
    given = zip(word.nearest, word.senses, strict=True)
    known = [(answer, sense) for answer, sense in given if answer is not None]
    return match_labels(*zip(*known, strict=True)) if known else {}


def _count_right(word: WordAnswers) -> tuple[int, int]:
    matched = match_senses(word)
    given = zip(word.answers, word.senses, strict=True)
    right = [matched.get(answer) == sense for answer, sense in given if answer is not None]
    return sum(right), len(right)


def _match_pairs(word: WordAnswers) -> list[bool]:
    """Whether each answer inside a pair is right."""
    matched = match_senses(word)
    return [
        matched.get(answer) == sense
        for senses, answers in zip(word.pairs, word.pair_answers, strict=True)
        for sense, answer in zip(senses, answers, strict=True)
        if answer is not None
    ]


def _count_apart(word: WordAnswers) -> tuple[int, int]:
    both = [answers for answers in word.pair_answers if None not in answers]
    return sum(first != second for first, second in both), len(both)


class _Comparison(NamedTuple):
    """Two answered sentences of a word: whether gold senses are the same, and answers agree."""

    is_same: bool
    is_right: bool


def _compare_sentences(word: WordAnswers) -> list[_Comparison]:
    given = zip(word.senses, word.answers, strict=True)
    known = [(sense, answer) for sense, answer in given if answer is not None]
    return [
        _Comparison(sense == other, (sense == other) == (answer == another))
        for (sense, answer), (other, another) in combinations(known, 2)
    ]


def _count(
    comparisons: Iterable[_Comparison], wanted: Callable[[_Comparison], bool] = lambda _: True
) -> tuple[int, int]:
    right = [comparison.is_right for comparison in comparisons if wanted(comparison)]
    return sum(right), len(right)


def _n_answered(answers: Iterable[int | None]) -> int:
    return sum(answer is not None for answer in answers)


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else math.nan


class _Shares:
    """Right and all of each word, as a mean over all that there are, in percent."""

    def __init__(self, counts: Iterable[tuple[int, int]]) -> None:
        self._counts = [(right, total) for right, total in counts if total]

    @property
    def mean(self) -> float:
        rights, totals = (sum(count[side] for count in self._counts) for side in (0, 1))
        return _percent(rights, totals)

    @property
    def interval(self) -> Interval | None:
        counts = np.array(self._counts, np.float64).reshape(-1, 2)
        return bootstrap_weighted_mean(100 * counts[:, 0] / counts[:, 1], counts[:, 1])
