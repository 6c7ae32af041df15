"""What makes a sense visible to people: name, characteristic and nearest words, example lines."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Floats, Integers
from grassmeans.corpus.shard import ConcordanceLine
from grassmeans.geometry.windows import Contexts
from grassmeans.senses.entries import ExampleLine, Sense
from grassmeans.vectors.similarity import unit_rows
from grassmeans.vectors.word_vectors import WordVectors


class LineSource(Protocol):
    """A corpus, or whatever else gives the text around an occurrence."""

    def line_at(self, position: int, width: int = 60) -> ConcordanceLine:
        """The text around an occurrence."""
        ...


N_CHARACTERISTIC = 12
N_NEAREST = 10
N_EXAMPLES = 7
NEAREST_AMONG = 20_000
"""Nearest words are looked for among this many of the most frequent ones."""

EXAMPLE_WIDTH = 100
_PRIOR_SHARE = 0.1
_FEWEST_OCCURRENCES = 3


def describe_senses(
    word: str,
    contexts: Contexts,
    distances: NDArray[np.floating],
    directions: Floats,
    corpus: LineSource,
    vectors: WordVectors,
    *,
    named_by_nearest: bool = False,
    function_words: Collection[str] = (),
) -> tuple[Sense, ...]:
    """Describe every sense of a word.

    Parameters
    ----------
    contexts : Contexts
        The contexts from which the senses were induced.
    distances : (n_contexts, n_senses)
    directions : (n_senses, dim)
    named_by_nearest : bool
        Whether names are made of the nearest words (where lines point to what they mean, these
        tell a sense best) or of the characteristic ones.
    function_words : collection of str
        Never among the nearest words: they say nothing of a sense.
    """
    n_senses = len(directions)
    labels = np.argmin(distances, axis=1)
    words = characteristic_words(contexts.context_ids, labels, n_senses)
    nearest = find_nearest_words(word, directions, vectors, function_words)
    characteristic = [tuple(vectors.words[i] for i in rows) for rows in words]
    # Without other senses nothing is characteristic but the topic: near words say it.
    candidates: Sequence[Sequence[str]] = characteristic
    if named_by_nearest or n_senses == 1:
        candidates = [(*nearest[k], *characteristic[k]) for k in range(n_senses)]
    names = name_senses(word, candidates, directions, vectors)
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
                examples=_best_examples(contexts, distances, labels, k, corpus),
                name=names[k],
            )
        )
    return tuple(senses)


def orient_directions(directions: Floats, contexts: Contexts, vectors: WordVectors) -> Floats:
    """Choose the signs so that context words lie on the positive side.

    An intersection direction is a line and its sign means nothing to distances; neighbours in the
    vector space need the end that the words are at.
    """
    rows, counts = np.unique(contexts.context_ids, return_counts=True)
    counts = counts[rows >= 0].astype(np.float32)
    centre = counts @ vectors.vectors[rows[rows >= 0]]
    signs = np.where(directions @ centre < 0, -1.0, 1.0).astype(np.float32)
    return directions * signs[:, None]


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
    """The words whose vectors are nearest to each direction, without the word itself.

    Nor are function words among them, as long as these are not nearly all that is near.
    """
    found = vectors.nearest(directions, 5 * N_NEAREST, first=NEAREST_AMONG)
    names = [[vectors.words[row] for row in rows] for rows in found.ids]
    kept = [[name for name in line if name != word] for line in names]
    telling = [[name for name in line if name not in function_words] for line in kept]
    return [tuple((best or line)[:N_NEAREST]) for best, line in zip(telling, kept, strict=True)]


def _best_examples(
    contexts: Contexts,
    distances: NDArray[np.floating],
    labels: NDArray[np.integer],
    k: int,
    corpus: LineSource,
) -> tuple[ExampleLine, ...]:
    """The lines nearest to this sense and far from the others, one a document, none twice."""
    mine = np.flatnonzero(labels == k)
    own = distances[mine, k]
    if distances.shape[1] > 1:
        others = np.delete(distances[mine], k, axis=1).min(axis=1)
        order = mine[np.argsort(own - others, kind="stable")]
    else:
        order = mine[np.argsort(own, kind="stable")]
    examples: list[ExampleLine] = []
    seen: set[str] = set()
    for i in order[: 10 * N_EXAMPLES]:
        line = corpus.line_at(int(contexts.positions[i]), EXAMPLE_WIDTH)
        document = line.document_title or line.document_id
        if document in seen or str(line) in seen:
            continue
        seen |= {document, str(line)}
        distance = round(float(distances[i, k]), 4)
        examples.append(ExampleLine(line.left, line.word, line.right, document, distance))
        if len(examples) == N_EXAMPLES:
            break
    return tuple(examples)


WORDS_IN_NAME = 3
_SHORTEST_WORD = 3
_SHORTEST_STEM = 3


def name_senses(
    word: str, candidates: Sequence[Sequence[str]], directions: Floats, vectors: WordVectors
) -> tuple[str, ...]:
    """A name of up to three words for every sense, such as "river, basin, dam".

    No word stands in two names or twice in one, not even inflected, and none is the word itself.

    Parameters
    ----------
    candidates : sequence of sequences of str
        For each sense the words to choose from, most characteristic first; all have vectors.
    directions : (n_senses, dim) float32
        Turned to the side of the words (see `orient_directions`).
    """
    ranked = [_rank_candidates(words, k, directions, vectors) for k, words in enumerate(candidates)]
    chosen: list[list[str]] = [[] for _ in candidates]
    taken = [word]
    # In turns: every sense gets its best word before any gets its second.
    for _ in range(WORDS_IN_NAME):
        for words, name in zip(ranked, chosen, strict=True):
            found = next((w for w in words if _is_new(w, taken)), None)
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


def _is_new(word: str, taken: Sequence[str]) -> bool:
    return (
        len(word) >= _SHORTEST_WORD
        and word.isalpha()
        and not any(_share_stem(word, other) for other in taken)
    )


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
