"""What makes senses visible to people: names, characteristic and nearest words, examples.

A sense that lives in a fixed phrase is named by it (`fixed_phrases`), any other by up to three
words; examples are whole sentences (`examples`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Floats, Integers
from grassmeans.senses.entries import Sense, WordSenses
from grassmeans.senses.examples import Candidate, choose_examples, find_names, read_candidates
from grassmeans.senses.fixed_phrases import FixedPhrase, find_phrases
from grassmeans.senses.samples import WordSample
from grassmeans.vectors.similarity import unit_rows
from grassmeans.vectors.word_vectors import WordVectors

N_CHARACTERISTIC = 12
N_NEAREST = 10
NEAREST_AMONG = 20_000  # nearest words are looked for among this many of the most frequent ones
WORDS_IN_NAME = 3
_PRIOR_SHARE = 0.1
_FEWEST_OCCURRENCES = 3
_SHORTEST_WORD = 3
_SHORTEST_STEM = 3


def describe_sample(sample: WordSample, directions: Floats, vectors: WordVectors) -> WordSenses:
    """The senses of a word, as its contexts show them."""
    turned = sample.orient(directions, vectors)
    described = describe_senses(sample, turned, vectors)
    forms = sample.source.forms_of(sample.word)
    found = WordSenses(sample.word, sample.count, len(sample.contexts), turned, described)
    return replace(found, forms=forms)


def describe_senses(
    sample: WordSample, directions: Floats, vectors: WordVectors
) -> tuple[Sense, ...]:
    """What makes the senses of these directions (n_senses, dim) visible to people."""
    n_senses, distances = len(directions), sample.measure(directions)
    labels = np.argmin(distances, axis=1)
    words = characteristic_words(sample.contexts.context_ids, labels, n_senses)
    nearest = find_nearest_words(sample.word, directions, vectors, sample.function_words)
    characteristic = [tuple(vectors.words[i] for i in rows) for rows in words]
    candidates = [read_candidates(sample, distances, labels, k) for k in range(n_senses)]
    proper = find_names(one for own in candidates for one in own) - {sample.word}
    phrases = name_by_phrases(find_phrases(sample, labels, n_senses), candidates)
    # Without other senses nothing is characteristic but the topic: near words say it. Where
    # lines point to what they mean, these tell a sense best.
    telling: Sequence[Sequence[str]] = characteristic
    if sample.lines_have_ends or n_senses == 1:
        telling = [(*nearest[k], *characteristic[k]) for k in range(n_senses)]
    telling = [
        () if phrases[k] else [word for word in telling[k] if word not in sample.function_words]
        for k in range(n_senses)
    ]
    last = [() if _is_capitalised(own) else proper for own in candidates]
    names = name_senses(sample.word, telling, directions, vectors, last)
    senses = []
    for k in range(n_senses):
        mine = labels == k
        senses.append(
            Sense(
                number=k + 1,
                share=float(mine.mean()),
                mean_distance=float(distances[mine, k].mean()) if mine.any() else 1.0,
                characteristic_words=characteristic[k],
                nearest_words=nearest[k],
                examples=choose_examples(candidates[k], characteristic[k], proper, vectors),
                name=phrases[k] or names[k],
            )
        )
    return tuple(senses)


def _is_capitalised(candidates: Sequence[Candidate]) -> bool:
    """Whether the word mostly is: then its sense may be a name, and is told by names."""
    return 2 * sum(one.line.word[:1].isupper() for one in candidates) > len(candidates)


def name_by_phrases(
    phrases: Sequence[Sequence[FixedPhrase]], candidates: Sequence[Sequence[Candidate]]
) -> list[str]:
    """For each sense the best of its phrases, as it is written; "" where it has none of its own.

    A phrase that two senses have is the name of the one that it belongs to more surely.
    """
    names = [""] * len(phrases)
    ranked = [(-phrase.score, k, phrase) for k, own in enumerate(phrases) for phrase in own]
    for _, k, phrase in sorted(ranked, key=lambda item: item[:2]):
        if not names[k]:
            lines = (candidate.line for candidate in candidates[k])
            name = phrase.write((line.left, line.word, line.right) for line in lines) or ""
            if name.casefold() not in map(str.casefold, names):
                names[k] = name
    return names


def characteristic_words(
    context_ids: Integers, labels: NDArray[np.integer], n_senses: int
) -> list[Integers]:
    """Rows of the words that mark each sense, best first.

    Score: the log odds of a word in this sense against the other senses, smoothed with the word's
    overall frequency as a prior, divided by their standard error (Monroe et al. 2008).
    """
    present = context_ids >= 0
    rows, column = np.unique(context_ids[present], return_inverse=True)
    group = np.broadcast_to(labels[:, None], context_ids.shape)[present]
    counts = np.bincount(group * len(rows) + column, minlength=n_senses * len(rows))
    counts = counts.reshape(n_senses, len(rows)).astype(np.float64)
    total = counts.sum(axis=0)
    if n_senses == 1:
        return [rows[np.argsort(-total, kind="stable")[:N_CHARACTERISTIC]].astype(np.int32)]
    prior = _PRIOR_SHARE * total
    result = []
    for k in range(n_senses):
        inside = counts[k] + prior
        outside = total - counts[k] + prior
        odds = np.log(inside / np.maximum(inside.sum() - inside, 1e-9))
        other_odds = np.log(outside / np.maximum(outside.sum() - outside, 1e-9))
        score = (odds - other_odds) / np.sqrt(1 / inside + 1 / outside)
        usable = counts[k] >= min(_FEWEST_OCCURRENCES, counts[k].max(initial=0))
        order = np.argsort(np.where(usable, -score, np.inf), kind="stable")[:N_CHARACTERISTIC]
        result.append(rows[order[score[order] > 0]].astype(np.int32))
    return result


def find_nearest_words(
    word: str, directions: Floats, vectors: WordVectors, function_words: Collection[str] = ()
) -> list[tuple[str, ...]]:
    """The words nearest to each direction, without the word itself and, mostly, function words."""
    found = vectors.nearest(directions, 5 * N_NEAREST, first=NEAREST_AMONG)
    names = [[vectors.words[row] for row in rows] for rows in found.ids]
    kept = [[name for name in line if name != word] for line in names]
    telling = [[name for name in line if name not in function_words] for line in kept]
    return [tuple((best or line)[:N_NEAREST]) for best, line in zip(telling, kept, strict=True)]


def name_senses(
    word: str,
    candidates: Sequence[Sequence[str]],
    directions: Floats,
    vectors: WordVectors,
    last: Sequence[Collection[str]] | None = None,
) -> tuple[str, ...]:
    """A name of up to three words for every sense, such as "river, basin, dam".

    No word stands in two names or twice in one, not even inflected, and none is the word itself.
    Candidates of each sense are the words to choose from, most characteristic first; all have
    vectors. Directions (n_senses, dim) are turned to their side (see `orient_directions`). Of
    each sense the ``last`` are words that are taken after all others: names of people.
    """
    ranked = [_rank_candidates(words, k, directions, vectors) for k, words in enumerate(candidates)]
    for words, behind in zip(ranked, last or (), strict=False):
        words.sort(key=behind.__contains__)
    chosen: list[list[str]] = [[] for _ in candidates]
    taken = [word]
    # In turns: every sense gets its best word before any gets its second.
    for _ in range(WORDS_IN_NAME):
        for words, name in zip(ranked, chosen, strict=True):
            new = (w for w in words if not any(_share_stem(w, other) for other in taken))
            found = next((w for w in new if len(w) >= _SHORTEST_WORD and w.isalpha()), None)
            if found is not None:
                name.append(found)
                taken.append(found)
    return tuple(
        ", ".join(name) or next(iter(words), "") for name, words in zip(chosen, ranked, strict=True)
    )


def _rank_candidates(
    words: Sequence[str], sense: int, directions: Floats, vectors: WordVectors
) -> list[str]:
    """Words by the sum of two ranks: how characteristic, and how much nearer than to the others."""
    if not words:
        return []
    rows = vectors.vectors[vectors.ids_of(words)]
    cosines = unit_rows(rows) @ directions.T
    others = np.delete(cosines, sense, axis=1)
    nearer = cosines[:, sense] - (others.max(axis=1) if others.size else 0.0)
    ranks = np.arange(len(words)) + np.argsort(np.argsort(-nearer, kind="stable"))
    return [words[i] for i in np.argsort(ranks, kind="stable")]


def _share_stem(one: str, other: str) -> bool:
    """Whether two words begin alike: with half of the longer one, three letters at least.

    A rule for any language that inflects at the end; that it parts a few unrelated words too costs
    a name its second choice and no more.
    """
    common = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        common += 1
    return common >= max(_SHORTEST_STEM, max(len(one), len(other)) / 2) or one == other
