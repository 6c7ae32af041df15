"""The police lineup: find the senses of a word among those of others (the paper's appendix).

The score of a vector v against a sense L, a set of words, is a power sum:

    s_p(v, L) = (sum over w' in L of |v . v(w')|^p)^(1/p),   max |v . v(w')| for p = infinity

- word vectors only (the first algorithm): s_p(v(w), L) - mean over w'' in V of s_p(v(w''), L);
- sense vectors (the second): s_p(v_k(w), L) is added to that. Every sense k of w names the two
  senses of the lineup that score best; one that several name counts with its best score. These
  are output first. Where they are fewer than k, the others follow in the order of their best
  scores: the task is to output k senses.

The mean corrects for senses whose words are near everything. It is computed once for all lineups.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grassmeans.errors import InputError
from grassmeans.senses.samples import word_seeds
from grassmeans.vectors.similarity import iterate_row_blocks
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_lab.evaluation.tasks.lineup.task import LineupSense

N_CANDIDATES = 2  # each sense vector names the two best senses of the lineup
_BLOCK = 1_024  # vocabulary rows at a time: the products of a block stay in tens of MB


@dataclass(frozen=True, slots=True)
class SenseDefinitions:
    """The vectors of the words that define senses, one sense after the other.

    Attributes
    ----------
    vectors : (n_entries, dim) float32
        Words without a vector are left out.
    is_known : (n_senses,) bool
        Whether any word of the sense has a vector.
    starts : (n_known_senses,) intp
        The first entry of each known sense.
    """

    vectors: NDArray[np.float32]
    is_known: NDArray[np.bool_]
    starts: NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Lineups:
    """Who stands in the lineup of each word, in random order.

    Attributes
    ----------
    senses : (n_words, m) intp
        Rows of the testbed's senses.
    is_true : (n_words, m) bool
    """

    senses: NDArray[np.intp]
    is_true: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Scores of the senses in each word's lineup.

    Attributes
    ----------
    scores : (n_words, m) float64
        ``-inf`` is never output.
    is_named : (n_words, m) bool
        Those named by a sense vector, which come before all others.
    """

    scores: NDArray[np.float64]
    is_named: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class LineupCurves:
    """Precision and recall of each word, 0 to 1.

    Attributes
    ----------
    precision, recall : (n_words, n_ks) float64
        Precision is over the senses that were output.
    n_output : (n_words, n_ks) int64
        k, or fewer where fewer could be output.
    """

    precision: NDArray[np.float64]
    recall: NDArray[np.float64]
    n_output: NDArray[np.int64]


def gather_definitions(
    senses: Sequence[LineupSense], words: WordVectors, vectors: NDArray[np.float32]
) -> SenseDefinitions:
    """Put the vectors of the defining words together.

    Parameters
    ----------
    words : WordVectors
        The vocabulary.
    vectors : (n_vocabulary, dim) float32
        The vectors to score with: those of ``words``, raw or scaled.
    """
    rows = [words.ids_of(sense.words) for sense in senses]
    known = [found[found >= 0] for found in rows]
    lengths = np.array([len(found) for found in known], np.intp)
    if not lengths.any():
        raise InputError("no word that defines a sense has a vector: are they of one language?")
    starts = np.cumsum(lengths) - lengths
    return SenseDefinitions(
        vectors=np.ascontiguousarray(vectors[np.concatenate(known)]),
        is_known=lengths > 0,
        starts=starts[lengths > 0],
    )


def power_sums(
    queries: NDArray[np.float32], definitions: SenseDefinitions, p: float
) -> NDArray[np.float32]:
    """Score vectors against senses: s_p of each pair.

    Parameters
    ----------
    queries : (n_queries, dim) float32
    p : float
        1 or more; ``inf`` takes the nearest word alone.

    Returns
    -------
    (n_senses, n_queries) float32
        0 for a sense without known words.
    """
    scores = np.zeros((len(definitions.is_known), len(queries)), np.float32)
    scores[definitions.is_known] = _sum_powers(queries, definitions, p)
    return scores


def mean_power_sums(
    vectors: NDArray[np.float32], definitions: SenseDefinitions, p: float
) -> NDArray[np.float64]:
    """Average the scores of each sense over the words of a vocabulary.

    Returns
    -------
    (n_senses,) float64
        Infinite for a sense without known words: nothing can score well against it.
    """
    total = np.zeros(len(definitions.starts))
    for rows in iterate_row_blocks(len(vectors), _BLOCK):
        total += _sum_powers(vectors[rows], definitions, p).sum(axis=1, dtype=np.float64)
    means = np.full(len(definitions.is_known), np.inf)
    means[definitions.is_known] = total / len(vectors)
    return means


def _sum_powers(
    queries: NDArray[np.float32], definitions: SenseDefinitions, p: float
) -> NDArray[np.float32]:
    """(n_known_senses, n_queries): entries lie in rows, so that whole rows are added up."""
    products = np.abs(definitions.vectors @ queries.T)
    if np.isinf(p):
        largest: NDArray[np.float32] = np.maximum.reduceat(products, definitions.starts, axis=0)
        return largest
    if p == 2:
        np.square(products, out=products)
    elif p != 1:
        np.power(products, p, out=products)
    sums: NDArray[np.float32] = np.add.reduceat(products, definitions.starts, axis=0)
    return sums if p == 1 else np.asarray(sums ** (1 / p), np.float32)


def draw_lineups(senses: Sequence[LineupSense], words: Sequence[str], m: int, seed: int) -> Lineups:
    """Put all senses of each word among random ones of other words.

    Each word has a random stream of its own, so that its lineup does not depend on the others. A
    sense that is defined by the word itself is no distractor.

    Parameters
    ----------
    words : sequence of str
        Those to test, each with at least one sense.
    m : int
        Senses in a lineup, the true ones included.
    """
    owners = np.array([sense.word for sense in senses], dtype=object)
    defined_by: dict[str, list[int]] = {}
    for row, sense in enumerate(senses):
        for word in sense.words:
            defined_by.setdefault(word, []).append(row)
    chosen = np.empty((len(words), m), np.intp)
    is_true = np.empty((len(words), m), bool)
    for i, word in enumerate(words):
        own = np.flatnonzero(owners == word)
        others = np.setdiff1d(np.flatnonzero(owners != word), defined_by.get(word, []))
        _check_size(word, len(own), len(others), m)
        rng = np.random.default_rng(word_seeds(word, seed))
        drawn = rng.choice(others, m - len(own), replace=False)
        # Shuffled, so that equal scores favour nobody.
        order = rng.permutation(m)
        chosen[i] = np.concatenate([own, drawn])[order]
        is_true[i] = order < len(own)
    return Lineups(chosen, is_true)


def rank_by_words(scores: NDArray[np.float64], lineups: Lineups) -> Ranking:
    """Rank each lineup by the word's own vector (the first algorithm).

    Parameters
    ----------
    scores : (n_senses, n_words)
        Corrected power sums of the words.
    """
    found = np.take_along_axis(scores.T, lineups.senses, axis=1)
    return Ranking(found, np.isfinite(found))


def rank_by_senses(
    by_words: Ranking, sense_scores: NDArray[np.float32], owners: NDArray[np.intp], lineups: Lineups
) -> Ranking:
    """Rank each lineup by the sense vectors of its word (the second algorithm).

    Parameters
    ----------
    by_words : Ranking
        What `rank_by_words` gives. A word without sense vectors keeps its ranking.
    sense_scores : (n_senses, n_vectors)
        Power sums of the sense vectors.
    owners : (n_vectors,) intp
        The word of each sense vector.
    """
    own = np.take_along_axis(sense_scores.T, lineups.senses[owners], axis=1)
    totals = own + by_words.scores[owners]
    best = np.full(by_words.scores.shape, -np.inf)
    np.maximum.at(best, owners, totals)
    is_named = np.zeros(best.shape, bool)
    is_named[owners[:, None], np.argsort(-totals, axis=1, kind="stable")[:, :N_CANDIDATES]] = True
    without = np.setdiff1d(np.arange(len(best)), owners)
    best[without] = by_words.scores[without]
    is_named[without] = by_words.is_named[without]
    return Ranking(best, is_named)


def measure_curves(
    ranking: Ranking, is_true: NDArray[np.bool_], ks: Sequence[int], *, fill: bool = True
) -> LineupCurves:
    """Compute precision and recall where the k best of each lineup are output.

    Parameters
    ----------
    is_true : (n_words, m) bool
    fill : bool
        False: only senses that were named are output, even where they are fewer than k.
    """
    can_output = np.isfinite(ranking.scores) & (ranking.is_named | fill)
    order = np.lexsort((-ranking.scores, ~ranking.is_named, ~can_output), axis=-1)
    counted = np.take_along_axis(can_output, order, axis=1)
    hits = np.cumsum(np.take_along_axis(is_true, order, axis=1) & counted, axis=1)
    columns = np.asarray(ks, np.intp) - 1
    n_output = np.cumsum(counted, axis=1)[:, columns]
    found = hits[:, columns]
    return LineupCurves(
        precision=found / np.maximum(n_output, 1),
        recall=found / is_true.sum(axis=1, keepdims=True),
        n_output=n_output.astype(np.int64),
    )


def _check_size(word: str, n_own: int, n_others: int, m: int) -> None:
    if n_own >= m:
        raise InputError(
            f"{word!r} has {n_own} senses, which leaves no room for others in a lineup of {m}: "
            "choose a larger m"
        )
    if n_own + n_others < m:
        raise InputError(
            f"a lineup of {m} senses for {word!r} needs {m - n_own} senses of other words, the "
            f"testbed has {n_others}: choose a smaller m, or a larger testbed"
        )
