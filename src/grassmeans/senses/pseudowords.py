"""Pseudo-words: answers of which it is known whether they are right, made from any corpus.

The contexts of two to four words, put together as if they were one word, have known senses.
Half of them are grouped as a word's are; the other half is decoded. Groups are matched to the words
one to one: where a word was divided, one of its groups is right and the others are not, since a
sense that comes twice is a mistake to a user.

They also tell how sure an only sense is: the line in which one half of a word's contexts meets is
measured from the other half, and from the contexts of the other words, which are strangers to it.
And they tell how likely a word means the same in two contexts: two of one word count as one sense,
one each of two words as two senses, both as likely. Any two words are told apart more easily than
two senses of a word, which have something in common. So the other word is a near one: of all words
that could be told from the first at all, one in twenty lies nearer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

import numpy as np

from grassmeans.arrays import Booleans, Doubles, Floats
from grassmeans.clustering.loop import FitOptions
from grassmeans.clustering.merging import UNMATCHED, match_groups
from grassmeans.clustering.sense_number import find_meeting
from grassmeans.clustering.settings import InductionSettings
from grassmeans.contexts.interface import ContextEncoder
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.vocabulary import is_function_word
from grassmeans.engines.parallel import map_tasks
from grassmeans.geometry.distances import (
    compare_all,
    compare_rows,
    measure_distances,
    usable_contexts,
)
from grassmeans.progress import progress_bar
from grassmeans.senses import calibration
from grassmeans.senses.samples import encode_words
from grassmeans.senses.word_induction import group_contexts
from grassmeans.vectors.word_vectors import WordVectors

CONTEXTS_A_WORD = 160
PAIRED_A_WORD = 80
"""Contexts of a word that are compared with each other, and with those of another."""

FEWEST_CONTEXTS = 40
FEWEST_PSEUDOWORDS = 6  # with fewer a calibration would say more than it knows
SIZES = (2, 3, 4)
ALIKE = 0.5  # words whose vectors have at least this cosine are not told apart by their contexts
NEARER = 0.05
"""The share of all words that is nearer to a word than the one that stands for another sense."""

_LARGEST_COUNT = 20_000
_GROUPS_AT_ONCE = 12

PseudowordTask = tuple[ContextEncoder, InductionSettings, tuple[str, ...], list[Floats]]


@dataclass(frozen=True, slots=True)
class KnownAnswers:
    """Answers (n,) to occurrences of pseudo-words, of which each weighs as much as any other."""

    log_margins: Doubles
    right: Doubles
    weights: Doubles
    strangers: calibration.Strangers | None = None
    same_sense: calibration.SamenessCurve | None = None


class PseudowordAnswers(NamedTuple):
    """Of one pseudo-word; strangers and own as for `fit_strangers`."""

    log_margins: Doubles
    right: Doubles
    strangers: Doubles
    own: Doubles


def calibrate(
    corpus: Corpus,
    encoder: ContextEncoder,
    settings: InductionSettings,
    *,
    workers: int | None = 1,
    show_progress: bool | None = None,
) -> calibration.Calibration | None:
    """Learn how likely answers are right; None where the corpus has too few words for it."""
    groups = make_pseudowords(corpus, encoder, settings, encoder.n_pseudowords)
    if len(groups) < FEWEST_PSEUDOWORDS:
        return None
    found = answer_pseudowords(
        corpus, encoder, settings, groups, workers=workers, show_progress=show_progress
    )
    if found is None:
        return None
    curve = calibration.fit_calibration(found.log_margins, found.right, found.weights)
    return replace(curve, strangers=found.strangers, same_sense=found.same_sense)


def make_pseudowords(
    corpus: Corpus, encoder: ContextEncoder, settings: InductionSettings, n_pseudowords: int
) -> list[tuple[str, ...]]:
    """Pseudo-words of a corpus, in an order of its own: the first are those of a calibration."""
    n_senses = settings.n_senses
    # As many senses as the word is divided into, where that is fixed.
    sizes = [size for size in SIZES if isinstance(n_senses, str) or size <= n_senses]
    if not sizes:
        return []
    words = choose_members(corpus, encoder)
    return draw_pseudowords(words, encoder.vectors, sizes, n_pseudowords, settings.random_state)


def draw_pseudowords(
    words: Sequence[str],
    vectors: WordVectors,
    sizes: Sequence[int],
    n_pseudowords: int,
    random_state: int,
) -> list[tuple[str, ...]]:
    """Groups of words of different meaning, of these sizes in turns; no word is in two of them.

    Words that are much alike ("Monday" and "Tuesday") stand in the same contexts: nobody could tell
    which of them was meant, as anybody can for the senses of a word.
    """
    rng = np.random.default_rng(random_state)
    left = [words[i] for i in rng.permutation(len(words))]
    groups: list[tuple[str, ...]] = []
    while len(groups) < n_pseudowords and left:
        group = [left.pop()]
        for word in left[::-1]:
            if len(group) == sizes[len(groups) % len(sizes)]:
                break
            if max(abs(vectors.similarity(word, other)) for other in group) < ALIKE:
                group.append(word)
                left.remove(word)
        if len(group) > 1:
            groups.append(tuple(group))
    return groups


def choose_members(corpus: Corpus, encoder: ContextEncoder) -> list[str]:
    """Words that pseudo-words are made of: content words that are neither rare nor everywhere."""
    counts = np.asarray(corpus.vocabulary.counts)
    largest = min(_LARGEST_COUNT, max(int(counts.max(initial=0)) // 4, FEWEST_CONTEXTS))
    first = corpus.vocabulary.size_at(largest + 1)
    end = corpus.vocabulary.size_at(FEWEST_CONTEXTS)
    left_out = corpus.function_words
    candidates = corpus.vocabulary.words[first:end]
    return [
        word
        for word in candidates
        if word in encoder.vectors and word.isalpha() and not is_function_word(word, left_out)
    ]


def answer_pseudowords(
    corpus: Corpus,
    encoder: ContextEncoder,
    settings: InductionSettings,
    groups: Sequence[tuple[str, ...]],
    *,
    workers: int | None = 1,
    show_progress: bool | None = None,
) -> KnownAnswers | None:
    """Induce and decode pseudo-words; None where none of them has two senses."""
    sampling = replace(settings, max_contexts=CONTEXTS_A_WORD)
    parts: list[PseudowordAnswers] = []
    kept: dict[str, Floats] = {}

    def keep_contexts(tasks: Iterable[PseudowordTask]) -> Iterator[PseudowordTask]:
        for task in tasks:
            for word, bases in zip(task[2], task[3], strict=True):
                kept[word] = bases[:PAIRED_A_WORD].copy()
            yield task

    with progress_bar("calibrating", len(groups), unit="words", show=show_progress) as advance:
        forms = {word: members[0] for members in groups for word in members}
        tasks = _encode_groups(corpus, encoder.writing_words_as(forms), sampling, groups)
        for answers in map_tasks(answer_pseudoword, keep_contexts(tasks), workers):
            if answers is not None:
                parts.append(answers)
            advance()
    if not parts:
        return None
    log_margins, right, strangers, own = map(np.concatenate, zip(*parts, strict=True))
    weights = np.concatenate([np.full(len(part.right), 1.0 / len(part.right)) for part in parts])
    known = {word: bases for word, bases in kept.items() if len(bases) > 1}
    vectors = encoder.vectors.vectors[encoder.vectors.ids_of(list(known))]
    alike = np.abs(compare_all(vectors[:, None], vectors[:, None], signed=True)) >= ALIKE
    pairs = pair_contexts(list(known.values()), alike, signed=encoder.lines_have_ends)
    same_sense = calibration.fit_sameness(pairs)
    rule = encoder.lacking_nearness, encoder.only_sense_spread
    known_strangers = calibration.fit_strangers(strangers, own, *rule)
    return KnownAnswers(log_margins, right, weights, known_strangers, same_sense)


def _encode_groups(
    corpus: Corpus,
    encoder: ContextEncoder,
    settings: InductionSettings,
    groups: Sequence[tuple[str, ...]],
) -> Iterator[PseudowordTask]:
    """The pseudo-words, with the bases of each of their words; some are encoded together."""
    for start in range(0, len(groups), _GROUPS_AT_ONCE):
        block = groups[start : start + _GROUPS_AT_ONCE]
        words = [word for members in block for word in members]
        encoded = iter(encode_words(words, corpus, encoder, settings))
        for members in block:
            samples = [word.bases for word in islice(encoded, len(members))]
            yield encoder, settings, members, [b[usable_contexts(b)] for b in samples]


def answer_pseudoword(
    encoder: ContextEncoder,
    settings: InductionSettings,
    members: tuple[str, ...],
    samples: Sequence[Floats],
) -> PseudowordAnswers | None:
    """Group every second context (n, rank, dim), decode the others; None for one sense."""
    halves = [(bases[::2], bases[1::2]) for bases in samples]
    learnt = np.concatenate([first for first, _ in halves])
    tested = np.concatenate([second for _, second in halves])
    if len(learnt) < settings.fewest_contexts or len(tested) == 0:
        return None
    owners, truth = (
        np.repeat(np.arange(len(members)), [len(pair[half]) for pair in halves]) for half in (0, 1)
    )
    directions = group_contexts(" ".join(members), learnt, settings, encoder).directions_
    if len(directions) == 1:
        return None
    signed = encoder.lines_have_ends
    groups = measure_distances(learnt, directions, signed=signed).argmin(axis=1)
    pairs = np.bincount(groups * len(members) + owners, minlength=len(directions) * len(members))
    table = pairs.reshape(len(directions), len(members))
    distances = measure_distances(tested, directions, signed=signed)
    answers = distances.argmin(axis=1)
    matched, most = match_groups(table)[answers], table.argmax(axis=1)[answers]
    is_further = (matched == UNMATCHED) & (most == truth)
    right = (matched == truth) + encoder.further_right * is_further
    strangers, own = measure_strangers(halves, signed)
    return PseudowordAnswers(
        calibration.measure_log_margins(distances), np.asarray(right, np.float64), strangers, own
    )


def measure_strangers(
    halves: Sequence[tuple[Floats, Floats]], signed: bool
) -> tuple[Doubles, Doubles]:
    """How much of the lines of words lies inside contexts: of other words, and of their own.

    Of two halves of the contexts of each word; the line is that of the first one. Where lines have
    ends, a stranger on the other side counts below 0. The result is as for `fit_strangers`.
    """

    def find_inside(bases: Floats, line: Floats) -> Doubles:
        if signed:
            return np.asarray(bases[:, 0] @ line, np.float64)
        return calibration.measure_inside(measure_distances(bases, line[None])[:, 0])

    strangers, own = [], []
    for word, (first, second) in enumerate(halves):
        if not len(first):
            continue
        line = find_meeting(first, FitOptions(signed=signed))
        usual = measure_distances(first, line[None], signed=signed).mean()
        own.append(find_inside(second, line) / calibration.measure_inside(usual))
        others = [half for other, (_, half) in enumerate(halves) if other != word]
        strangers.append(find_inside(np.concatenate(others), line))
    return np.concatenate(strangers), np.concatenate(own)


def pair_contexts(
    samples: Sequence[Floats], alike: Booleans, *, signed: bool = False
) -> calibration.KnownPairs:
    """Pair the contexts of words with others of the same word, and of a near one.

    The contexts (n, rank, dim) of each word are in text order, two or more, none of zeros. Words
    that are ``alike``, (n_words, n_words), stand in the same contexts: they are not paired.
    """
    halves = [(bases[::2], bases[1::2]) for bases in samples]
    others = _find_near([first for first, _ in halves], alike, signed)
    similarities, same = [np.empty(0, np.float32)], [np.empty(0, np.bool_)]
    for word, (first, _) in enumerate(halves):
        for other in dict.fromkeys((word, others[word])):
            # Neighbours in the text have more in common than the word: they are not paired.
            second = halves[other][1]
            second = np.roll(second, len(second) // 2, axis=0)
            n_pairs = min(len(first), len(second))
            found = compare_rows(first[:n_pairs], second[:n_pairs], signed=signed)
            similarities.append(found)
            same.append(np.full(n_pairs, other == word))
    return calibration.KnownPairs(np.concatenate(similarities), np.concatenate(same))


def _find_near(samples: Sequence[Floats], alike: Booleans, signed: bool) -> list[int]:
    """The number of another word for each, not the nearest; its own where all are alike."""
    if not samples:
        return []
    lines = np.stack([find_meeting(bases, FitOptions(signed=signed)) for bases in samples])
    near = compare_all(lines[:, None], lines[:, None], signed=signed)
    found = []
    for word, own in enumerate(near):
        others = np.flatnonzero(~alike[word] & (np.arange(len(near)) != word))
        order = others[np.argsort(-own[others], kind="stable")]
        found.append(int(order[int(NEARER * len(order))]) if len(order) else word)
    return found
