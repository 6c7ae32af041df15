"""Good examples of senses for a dictionary, in the manner of GDEX (Kilgarriff et al. 2008).

Whole sentences of a corpus are ranked by the rules of `grassmeans.senses.examples`: near to the
sense and far from the others, neither short nor long, with typical words of the sense, with few
names, numbers, rare words and marks; and one that begins with a word that points back is worse.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from string import punctuation
from typing import Any

import numpy as np

from grassmeans.arrays import Booleans, Indices
from grassmeans.artifacts.checking import read_json
from grassmeans.clustering.loop import sample_evenly
from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import ArtifactError, InputError
from grassmeans.models.model import SenseModel
from grassmeans.senses.entries import WordSenses
from grassmeans.senses.examples import (
    ANAPHORIC,
    GOOD,
    Candidate,
    SentenceWeights,
    find_names,
    rank_candidates,
    read_candidates,
)
from grassmeans.senses.samples import (
    EncodedWord,
    WordSample,
    WordSource,
    complete_sample,
    sample_word,
)
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_explorer.editing.sense_edits import blank_hidden
from grassmeans_explorer.entries.definitions import OPENERS, SIGNALS
from grassmeans_explorer.entries.entry import NEVER, PROPOSED, EntryExample

DICTIONARY_WEIGHTS = SentenceWeights(
    typical=0.3, fewest_words=7, most_words=20, name=-0.3, rare=-0.2, anaphora=-0.5
)
"""Stricter than what a model shows: a reader of a dictionary has no text around the sentence."""
DEFINING = 400
"""Occurrences at which a word may be defined that are read, of all of it."""
_WORD = re.compile(r"\w+")
_FIRST_TOKENS = 8  # of a document, which says there what it is about
LOOKED_AT = 1_000
"""Occurrences of a sense that are read, the nearest ones."""


@dataclass(frozen=True, slots=True)
class RankedExample:
    """A sentence with its score."""

    example: EntryExample
    score: float
    """Higher is better; below `grassmeans.senses.examples.GOOD`, no better than a cut line."""


def read_weights(path: str | Path) -> SentenceWeights:
    """The weights of a JSON file: names and numbers; what it does not name is the dictionary's."""
    path = Path(path)
    known = [field.name for field in fields(SentenceWeights)]
    try:
        values = read_json(path)
    except ArtifactError as error:
        raise InputError(f"{path} cannot be read as weights: {error}") from error
    if not isinstance(values, dict):
        raise InputError(f"{path} holds no weights: expected names and numbers")
    strange = [name for name in values if name not in known]
    if strange:
        raise InputError(f"{path}: {strange[0][:80]!r} is no weight; there are {', '.join(known)}")
    given: dict[str, Any] = asdict(DICTIONARY_WEIGHTS) | values
    try:
        return SentenceWeights(**given)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


@dataclass(frozen=True)
class ReadWord:
    """The occurrences of a word's senses in a corpus, read once for all that is proposed."""

    senses: WordSenses
    candidates: tuple[tuple[Candidate, ...], ...]
    """Of each sense, nearest first."""
    names: frozenset[str]
    """Of people and places in them."""
    defining: tuple[tuple[Candidate, ...], ...]
    """Of each sense, those before a word that defines, also of occurrences outside the sample."""
    vectors: WordVectors
    language: str | None

    @classmethod
    def of_sample(
        cls,
        sample: WordSample,
        senses: WordSenses,
        vectors: WordVectors,
        language: str | None,
        defining: WordSample | None = None,
    ) -> ReadWord:
        """Of a sample of the word's contexts, whoever has drawn it.

        ``defining`` are contexts in which definitions are looked for too.
        """
        candidates = _read_senses(sample, senses)
        more = candidates if defining is None else _read_senses(defining, senses)
        names = find_names(one for own in candidates for one in own) - {sample.word}
        return cls(senses, candidates, names, more, vectors, language)

    @classmethod
    def of_corpus(cls, model: SenseModel, corpus: Corpus, word: str) -> ReadWord:
        """Of a corpus; `UnknownWordError` where the word does not occur in it."""
        senses = model.senses(word)
        source = model.pool_forms(corpus)
        sample = sample_word(senses.word, source, model.encoder, model.settings)
        more = find_defining(senses.word, source, corpus, model.language)
        encoded = EncodedWord(more, model.encoder.encode_at(source, more))
        defining = complete_sample(senses.word, encoded, source, model.encoder)
        return cls.of_sample(sample, senses, model.vectors, model.language, defining)

    def rank(
        self,
        number: int,
        typical: Collection[str] = (),
        decided: Sequence[EntryExample] = (),
        weights: SentenceWeights = DICTIONARY_WEIGHTS,
        limit: int = 10,
    ) -> tuple[RankedExample, ...]:
        """Good examples of a sense by its number, the best first.

        ``typical`` words count beside the characteristic ones of the sense. What a person has
        decided on (kept, or never to be shown) is not among them.
        """
        sense = self.senses.senses[number - 1]
        known = {example.identity for example in decided}
        words = {*sense.characteristic_words, *typical}
        anaphoric = ANAPHORIC.get((self.language or "").partition("-")[0], frozenset())
        ranked = rank_candidates(
            self.candidates[number - 1], words, self.names, self.vectors, weights, anaphoric
        )
        found: list[RankedExample] = []
        for candidate, score in ranked:
            if len(found) == limit or not candidate.is_whole or score < GOOD:
                break  # the rest is no good sentence
            line = candidate.make_example()
            example = EntryExample(line.left, line.word, line.right, line.document, PROPOSED)
            if example.identity not in known and _stands_alone(example):
                found.append(RankedExample(example, round(score, 4)))
        return tuple(found)

    def find_spread(self, number: int) -> frozenset[str]:
        """The words beside a sense in two documents or more; all where there is one document."""
        documents: dict[str, set[str]] = {}
        for candidate in self.candidates[number - 1]:
            line = candidate.line
            for run in f"{line.left} {line.right}".casefold().split():
                for word in (run, run.strip(punctuation), *_WORD.findall(run)):
                    documents.setdefault(word, set()).add(candidate.document)
        fewest = min(2, len({candidate.document for candidate in self.candidates[number - 1]}))
        return frozenset(word for word, own in documents.items() if len(own) >= fewest)


def _stands_alone(example: EntryExample) -> bool:
    """Whether a sentence needs nothing around it, and its word is no part of another: "at-bats"."""
    is_part = example.left.endswith("-") or example.right.startswith("-")
    return not is_part and example.text.count('"') % 2 == 0


def _read_senses(sample: WordSample, senses: WordSenses) -> tuple[tuple[Candidate, ...], ...]:
    """The contexts of each sense, nearest first."""
    distances = sample.measure(blank_hidden(senses).directions)
    labels = np.argmin(distances, axis=1)
    return tuple(
        tuple(read_candidates(sample, distances, labels, k, LOOKED_AT))
        for k in range(senses.n_senses)
    )


def find_defining(word: str, source: WordSource, corpus: Corpus, language: str | None) -> Indices:
    """(n,) positions of a word, in text order, at which it may be defined.

    Of all its occurrences, not of a sample: definitions are rare. At the beginning of a document,
    and where a word follows that defines; of too many the surer ones, and an even part of the rest.
    ``source`` is the corpus, or its words with their forms.
    """
    short = (language or "").partition("-")[0]
    if short not in SIGNALS:
        return np.empty(0, np.int64)
    positions = source.positions(word)
    is_first = np.zeros(len(positions), np.bool_)
    for part, shard, local in corpus.split_positions(positions):
        is_first[part] = local - shard.document_bounds(local)[0] < _FIRST_TOKENS
    is_signal = _stands_at(source, positions + 1, SIGNALS[short])
    is_opened = is_signal & _stands_at(source, positions + 2, OPENERS[short])
    chosen = [np.empty(0, np.int64)]
    left = DEFINING
    for rows in (is_first, is_opened & ~is_first, is_signal & ~is_opened & ~is_first):
        chosen.append(sample_evenly(positions[rows], left)[:left])
        left -= len(chosen[-1])
    return np.sort(np.concatenate(chosen))


def _stands_at(source: WordSource, places: Indices, words: Collection[str]) -> Booleans:
    """(n,) whether one of some words stands at places, of which the last may be beyond the end."""
    ids = source.vocabulary.ids_of(sorted(words))
    ids = ids[ids >= 0]  # words that the corpus does not know
    found = np.zeros(len(places), np.bool_)
    inside = places < source.n_tokens
    found[inside] = np.isin(source.tokens_at(places[inside]), ids)
    return found


def stored_examples(
    senses: WordSenses, number: int, decided: Sequence[EntryExample] = ()
) -> tuple[EntryExample, ...]:
    """The model's own examples of a sense, without those that a person has decided on."""
    known = {example.identity for example in decided}
    lines = senses.senses[number - 1].examples
    found = (EntryExample(x.left, x.word, x.right, x.document, PROPOSED) for x in lines)
    return tuple(example for example in found if example.identity not in known)


def add_examples(
    decided: Sequence[EntryExample], proposed: Sequence[EntryExample], wanted: int
) -> tuple[EntryExample, ...]:
    """What was decided, filled up with proposals until so many are shown."""
    n_shown = sum(example.decision != NEVER for example in decided)
    return (*decided, *proposed[: max(wanted - n_shown, 0)])
