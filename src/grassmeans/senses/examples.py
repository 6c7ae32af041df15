"""Contexts of a sense -> the sentences that show it to people.

Of the contexts nearest to a sense and far from the others, those are shown that a person
understands without more: whole sentences, neither short nor long, with words that are typical of
the sense, and with few names, numbers, rare words and marks. Where there are too few of them, the
text around the word fills up, cut.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import islice

import numpy as np

from grassmeans.arrays import Doubles, Indices
from grassmeans.artifacts.schema import check_fields, number, whole
from grassmeans.corpus.shard import ConcordanceLine
from grassmeans.senses.entries import ExampleLine, shorten_sides
from grassmeans.senses.samples import WordSample
from grassmeans.text.sentences import find_sentences, is_complete
from grassmeans.vectors.word_vectors import WordVectors

N_EXAMPLES = 6
EXAMPLE_WIDTH = 100
"""Characters a side of a line that is no whole sentence."""

REACH = 220
"""Characters a side that are read: what is cut there is too long for a sentence."""

_N_CANDIDATES = 60
_LONGEST = 200  # characters of a sentence
_WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")
_NUMBER = re.compile(r"\d+")
_MARK = re.compile(r"[^\w\s.,!?'’\-]")
GOOD = -1.0
"""The score of a sentence that is no better than the text around a nearer word."""
_ANAPHORIC = {
    "en": (
        "he she it they him her them his hers its their theirs this that these those such there "
        "then thus so however therefore also moreover furthermore but and or yet instead otherwise "
        "nevertheless meanwhile"
    ),
    "es": (
        "él ella ello ellos ellas le les lo su sus este esta esto estos estas ese esa "
        "eso esos esas aquel aquella aquello aquellos aquellas tal tales así entonces además "
        "también pero y o aunque luego"
    ),
    "de": (
        "er sie es ihn ihm ihr ihnen sein seine seinen seiner ihre ihren ihrer dieser diese dieses "
        "diesem diesen jener jene jenes solche so also dann dort da daher deshalb deswegen dadurch "
        "damit dabei danach auch aber und oder doch jedoch trotzdem außerdem"
    ),
}
ANAPHORIC = {language: frozenset(words.split()) for language, words in _ANAPHORIC.items()}
"""Words that point to an earlier sentence where one begins with them, by language."""
_NAME_CAPITALS = 0.9  # of a word's places inside sentences, where it is a name
_NOUN_CAPITALS = 0.3  # of the words inside sentences, where nouns are capitalised


@dataclass(frozen=True, slots=True)
class SentenceWeights:
    """What makes a sentence a good example, in steps of its score."""

    nearness: float = -2.0
    """For the share of the sense's contexts that are nearer to it."""
    typical: float = 0.2
    """For a typical word of the sense, of which `most_typical` count."""
    most_typical: int = 3
    """Of typical words, so many count."""
    fewest_words: int = 8
    """Of a sentence that is not too short."""
    most_words: int = 25
    """Of a sentence that is not too long."""
    length: float = -0.2
    """For each word that there are too few or too many."""
    name: float = -0.15
    """For the name of a person or a place."""
    number: float = -0.2
    """For each number."""
    rare: float = -0.15
    """For each word that is not among the `frequent` ones."""
    frequent: int = 20_000
    """So many words are not rare."""
    mark: float = -0.1
    """For each bracket, quote, colon, sign of a formula."""
    anaphora: float = 0.0
    """For a first word that points to an earlier sentence: "they", "however"."""
    of_document: int = 1
    """Examples that a document may give."""

    def __post_init__(self) -> None:
        rules = dict.fromkeys((field.name for field in fields(self)), number(-1e6, 1e6))
        counts = ("most_typical", "fewest_words", "most_words", "frequent")
        rules |= dict.fromkeys(counts, whole(0, 10**9)) | {"of_document": whole(1, 10**9)}
        check_fields(self, **rules)


WEIGHTS = SentenceWeights()


@dataclass(frozen=True)
class Candidate:
    """An occurrence in its text, of which an example may be made."""

    line: ConcordanceLine  # of `REACH` characters a side, with its line breaks
    distance: float  # to the direction of the sense
    nearer: float  # the share of the sense's contexts that are nearer to it
    begin: int  # of the sentence, in the line's text
    end: int
    is_whole: bool  # whether that is a sentence, and no longer than people like

    @classmethod
    def read(cls, line: ConcordanceLine, distance: float, nearer: float) -> Candidate:
        """Find the sentence of an occurrence."""
        text = f"{line.left}{line.word}{line.right}"
        starts = [*find_sentences(text), len(text)]
        place = bisect_right(starts, len(line.left), hi=len(starts) - 1)
        begin, end = starts[place - 1], starts[place]
        sentence = text[begin:end].rstrip()
        before, after = text[:begin].rstrip(" "), text[begin + len(sentence) : end]
        is_line = (not before or before[-1] == "\n") and (end == len(text) or "\n" in after)
        whole = len(sentence) <= _LONGEST and is_complete(sentence, is_line=is_line)
        return cls(line, distance, nearer, begin, end, whole)

    @property
    def document(self) -> str:
        """The title or id of its document."""
        return self.line.document_title or self.line.document_id

    @cached_property
    def sentence(self) -> str:
        """Its sentence, or what was read of it."""
        return f"{self.line.left}{self.line.word}{self.line.right}"[self.begin : self.end].strip()

    @cached_property
    def words(self) -> list[str]:
        """The words of its sentence, as they stand there."""
        return _WORD.findall(self.sentence)

    def make_example(self) -> ExampleLine:
        """Its whole sentence, or the text around the word."""
        left, right = self.line.left, self.line.right
        if self.is_whole:
            left = left[self.begin :].lstrip()
            right = right[: self.end - len(self.line.left) - len(self.line.word)].rstrip()
        left, right = (" ".join(f"<{side}>".split())[1:-1] for side in (left, right))
        if not self.is_whole:
            left, right = shorten_sides(left, right, EXAMPLE_WIDTH)
        return ExampleLine(left, self.line.word, right, self.document, self.distance)


def read_candidates(
    sample: WordSample, distances: Doubles, labels: Indices, sense: int, limit: int = _N_CANDIDATES
) -> list[Candidate]:
    """The contexts of a sense that are nearest to it and far from the others, nearest first.

    Of (n_contexts, n_senses) distances and the (n_contexts,) nearest senses; so many at most.
    """
    mine = np.flatnonzero(labels == sense)
    nearness = distances[mine, sense]
    if distances.shape[1] > 1:
        nearness = nearness - np.delete(distances[mine], sense, axis=1).min(axis=1)
    found = []
    for place, i in enumerate(mine[np.argsort(nearness, kind="stable")][:limit]):
        position = int(sample.contexts.positions[i])
        line = sample.source.line_at(position, REACH, keep_breaks=True)
        distance = round(float(distances[i, sense]), 4)
        found.append(Candidate.read(line, distance, place / len(mine)))
    return found


def find_names(candidates: Iterable[Candidate]) -> frozenset[str]:
    """The words, in lower case, that are nearly always capitalised inside of sentences.

    None where so many are that the language writes nouns so, as German does.
    """
    forms = Counter(word for candidate in candidates for word in candidate.words[1:])
    counts: Counter[str] = Counter()
    capitals: Counter[str] = Counter()
    for form, count in forms.items():
        counts[form.lower()] += count
        if form[0].isupper():
            capitals[form.lower()] += count
    if capitals.total() >= _NOUN_CAPITALS * counts.total():
        return frozenset()
    return frozenset(
        key for key, count in capitals.items() if count >= _NAME_CAPITALS * counts[key]
    )


def choose_examples(
    candidates: Sequence[Candidate],
    typical: Collection[str],
    names: Collection[str],
    vectors: WordVectors,
) -> tuple[ExampleLine, ...]:
    """The best sentences, one a document and none twice; then others and lines, nearest first.

    ``typical`` are the words that mark the sense, ``names`` those of people and places.
    """
    ranked = rank_candidates(candidates, typical, names, vectors)
    return tuple(candidate.make_example() for candidate, _ in islice(ranked, N_EXAMPLES))


def rank_candidates(
    candidates: Sequence[Candidate],
    typical: Collection[str],
    names: Collection[str],
    vectors: WordVectors,
    weights: SentenceWeights = WEIGHTS,
    anaphoric: Collection[str] = (),
) -> Iterator[tuple[Candidate, float]]:
    """Candidates that differ with their scores: good sentences first, then the rest as it came.

    No sentence comes twice, and of a document as many as the weights allow. ``anaphoric`` are
    words that point back where a sentence begins with them (`ANAPHORIC`).
    """
    scores = [score_sentence(c, typical, names, vectors, weights, anaphoric) for c in candidates]
    is_good = [c.is_whole and s >= GOOD for c, s in zip(candidates, scores, strict=True)]
    order = sorted(range(len(candidates)), key=lambda i: -scores[i] if is_good[i] else np.inf)
    sentences: set[str] = set()
    documents: Counter[str] = Counter()
    for i in order:
        candidate = candidates[i]
        text = candidate.sentence.casefold()
        if documents[candidate.document] < weights.of_document and text not in sentences:
            sentences.add(text)
            documents[candidate.document] += 1
            yield candidate, scores[i]


def score_sentence(
    candidate: Candidate,
    typical: Collection[str],
    names: Collection[str],
    vectors: WordVectors,
    weights: SentenceWeights = WEIGHTS,
    anaphoric: Collection[str] = (),
) -> float:
    """How good an example the sentence of a candidate is."""
    words, sentence = candidate.words, candidate.sentence
    keys = {word.lower() for word in words}
    ids = [vectors.id_of(key) for key in keys]
    n_rare = sum(i is None or i >= weights.frequent for i in ids)
    n_wrong = max(weights.fewest_words - len(words), len(words) - weights.most_words, 0)
    points_back = bool(words) and words[0].lower() in anaphoric
    return (
        weights.nearness * candidate.nearer
        + weights.typical * min(len(keys.intersection(typical)), weights.most_typical)
        + weights.length * n_wrong
        + weights.name * len(keys.intersection(names))
        + weights.number * len(_NUMBER.findall(sentence))
        + weights.rare * n_rare
        + weights.mark * len(_MARK.findall(sentence))
        + weights.anaphora * points_back
    )
