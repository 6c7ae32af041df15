"""Words of a model that are worth a look at first, found by measure and not by a list.

A good one has several senses, each of which is used often, that lie far apart and are crisp, and
none of which is a name or lives in one phrase; the model gives its own examples back to the senses
that they belong to. Where forms share entries it is a word with forms of its own. This holds for
every language: a model shows words of its own.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grassmeans.arrays import Floats
from grassmeans.corpus.vocabulary import is_function_word
from grassmeans.senses.entries import Sense, WordSenses
from grassmeans_explorer.editing.sense_edits import visible_senses
from grassmeans_explorer.limits import Kept
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries.lookup import count_visible
from grassmeans_explorer.queries.occurrences import tell_senses
from grassmeans_explorer.queries.words import name_missing, words_by_count
from grassmeans_explorer.work import begin_long_work, checkpoint

N_WORDS = 12
_LOOKED_AT = 4_000  # words of more than one sense, the most frequent ones: people know these
_TRIED = 60  # of the best ones, whose examples are read by the model: most of the time
_EXAMPLES = 4  # of a sense
_MOST_SENSES = 6
_SHARE = 0.08  # of the occurrences, that every sense has
_NAME = 0.5  # share of the examples of a sense that are capitalised, where it is a name
_NOUN_CAPITALS = 0.5  # share of such senses where the language writes nouns so
_WORDS = re.compile(r"[^\W_]+")
_ALIKE = 0.5  # cosine of senses that two words may not both have: hip and hop, stem and stems


@dataclass(frozen=True, slots=True)
class ShowcaseWord:
    """A word with the names of its senses, the most frequent one first."""

    word: str
    n_senses: int
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Showcase:
    """Words to begin with, the best one first."""

    words: tuple[ShowcaseWord, ...]


def choose_showcase(opened: OpenModel) -> Showcase:
    """The words to begin with; long, but the first time."""
    return _SHOWCASES.of(opened)


def _choose(opened: OpenModel) -> Showcase:
    begin_long_work()
    entries = _read_entries(opened)
    capitals = [[is_capitalised(sense) for sense in visible_senses(entry)] for entry in entries]
    flat = [one for own in capitals for one in own]
    # Where so many senses would be names, capitals tell nothing: German writes all nouns so.
    tells = sum(flat) < _NOUN_CAPITALS * len(flat)
    has_forms = any(entry.forms for entry in entries)
    scored = [
        (score_entry(entry, lines_have_ends=opened.base.encoder.lines_have_ends), entry)
        for entry, own in zip(entries, capitals, strict=True)
        if not (tells and any(own)) and not (has_forms and not entry.forms) and not in_phrase(entry)
    ]
    best = sorted((one for one in scored if one[0] > 0.0), key=lambda one: -one[0])[:_TRIED]
    tried, recognised = [], _RECOGNISED.of(opened)
    for number, (score, entry) in enumerate(best):
        checkpoint(0.5 + 0.5 * number / len(best))
        if entry.word not in recognised:
            recognised[entry.word] = _recognise(opened, entry)
        tried.append((score * recognised[entry.word], entry))
    tried.sort(key=lambda one: -one[0])
    chosen = differing([entry for _, entry in tried], N_WORDS)
    # A small model may have nothing better than its frequent words.
    known = {entry.word for entry in chosen}
    rest = [entry for entry in entries if entry.word not in known]
    chosen += rest[: max(0, min(N_WORDS, len(entries)) - len(chosen))]
    return Showcase(tuple(_show(opened, one) for one in chosen))


_SHOWCASES: Kept[Showcase] = Kept(_choose)
_RECOGNISED: Kept[dict[str, float]] = Kept(lambda opened: {})
"""Of each word: kept where the time was up, for whoever asks again."""


def _read_entries(opened: OpenModel) -> list[WordSenses]:
    """The entries of frequent words of more than one sense; no function words and no numbers."""
    inventory, function_words = opened.base.inventory, opened.base.encoder.function_words
    counts = inventory.sense_counts
    found: list[WordSenses] = []
    for word in words_by_count(opened):
        if len(found) == _LOOKED_AT:
            break
        if counts.get(word, 0) < 2 or not word.isalpha() or is_function_word(word, function_words):
            continue
        entry = inventory[word]
        if entry.senses and count_visible(entry) > 1:
            found.append(entry)
            checkpoint(0.5 * len(found) / _LOOKED_AT)
    return found


def is_capitalised(sense: Sense) -> bool:
    """Whether the word is mostly capitalised in the examples of a sense, inside of sentences."""
    inside = [line.word for line in sense.examples if line.left.strip(" \"'“‘«([…")]
    return sum(word[:1].isupper() for word in inside) > _NAME * len(inside)


def in_phrase(entry: WordSenses) -> bool:
    """Whether a sense is named by a phrase with the word in it: "a couple of" tells little."""
    own = {entry.word, *(form for form, _ in entry.forms)}
    return any(own & set(_WORDS.findall(sense.name.lower())) for sense in visible_senses(entry))


def score_entry(entry: WordSenses, *, lines_have_ends: bool) -> float:
    """How good a word is to show: 0 where a sense is rare, or where there are too many.

    The distance between its nearest two senses, times how crisp they are, times the square root of
    how many there are in effect (the perplexity of their shares): two clear senses are better than
    five that overlap.
    """
    senses = visible_senses(entry)
    shares = np.array([sense.share for sense in senses])
    if not 2 <= len(senses) <= _MOST_SENSES or shares.min() < _SHARE:
        return 0.0
    apart = 1.0 - _cosines(entry, entry, lines_have_ends)[np.triu_indices(len(senses), 1)].max()
    shares = shares / shares.sum()
    crisp = 1.0 - float(shares @ [sense.mean_distance for sense in senses])
    in_effect = float(np.exp(-(shares * np.log(shares)).sum()))
    return max(float(apart), 0.0) * max(crisp, 0.0) * math.sqrt(in_effect)


def _directions(entry: WordSenses) -> Floats:
    return np.asarray(entry.directions)[[sense.number - 1 for sense in visible_senses(entry)]]


def _cosines(one: WordSenses, other: WordSenses, lines_have_ends: bool) -> Floats:
    found = _directions(one) @ _directions(other).T
    return found if lines_have_ends else np.abs(found)


def differing(entries: Sequence[WordSenses], most: int) -> list[WordSenses]:
    """The first entries of which no two have a sense in common."""
    chosen: list[WordSenses] = []
    for entry in entries:
        if all(_cosines(entry, other, False).max() < _ALIKE for other in chosen):
            chosen.append(entry)
        if len(chosen) == most:
            break
    return chosen


def _recognise(opened: OpenModel, entry: WordSenses) -> float:
    """How surely the model gives examples to their own sense, of the worst sense of an entry."""
    model = opened.base
    pairs = [
        (sense.number, line)
        for sense in visible_senses(entry)
        for line in sense.examples[:_EXAMPLES]
    ]
    if not pairs:
        return 0.0
    distances = model.distances(entry.word, [(line.left, line.right) for _, line in pairs])
    senses, sure = tell_senses(model, entry.word, distances)
    own = np.array([number for number, _ in pairs])
    right = np.where(senses == own, sure, 0.0)
    return min(float(right[own == number].mean()) for number in np.unique(own))


def _show(opened: OpenModel, entry: WordSenses) -> ShowcaseWord:
    senses = sorted(visible_senses(name_missing(opened, entry)), key=lambda sense: -sense.share)
    return ShowcaseWord(entry.word, len(senses), tuple(sense.name for sense in senses))
