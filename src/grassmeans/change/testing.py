"""Is a difference more than chance? A permutation test, and the correction for many tests.

Documents are exchanged between the groups, never single occurrences: those of one document mostly
have the same sense, so that exchanging them would call chance a change. Each word's documents are
divided anew into groups of as many documents as there were; the statistic is the mutual information
of group and sense. A word for which many divisions differ as much is given up early (Besag and
Clifford's rule), so that nearly all of the time goes to the words that do change.

The p-values of all tests are corrected by Benjamini and Hochberg's procedure: of the changes that
are reported at 5%, 5% are expected to be none; where nothing changed at all, the chance of a single
false alarm is 5%.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Doubles
from grassmeans.change.uses import Uses
from grassmeans.kernels import get_kernels

N_PERMUTATIONS = 20_000
STOP_AFTER = 20


def find_p_values(
    uses: Uses,
    pair: tuple[int, int],
    tested: NDArray[np.bool_],
    n_permutations: int = N_PERMUTATIONS,
    random_state: int = 0,
) -> Doubles:
    """(n_words,) chances that two groups differ so much where nothing changed; NaN where untested.

    ``tested`` (n_words,) tells which words are. "I don't know" is no sense, and does not count.
    """
    kept = np.isin(uses.group, pair) & (uses.sense > 0) & tested[uses.word]
    word, document = uses.word[kept], uses.document[kept]
    is_new = np.ones(len(word), np.bool_)
    is_new[1:] = (np.diff(word) != 0) | (np.diff(document) != 0)
    starts = np.flatnonzero(is_new)
    result = np.full(len(uses.words), np.nan)
    found = get_kernels().permute_groups(
        np.searchsorted(word[starts], np.arange(len(uses.words) + 1)).astype(np.int64),
        np.append(starts, len(word)).astype(np.int64),
        (uses.sense[kept] - 1).astype(np.int32),
        uses.count[kept],
        (uses.group[kept][starts] == pair[1]).astype(np.int32),
        int(uses.n_senses.max(initial=1)),
        n_permutations,
        STOP_AFTER,
        random_state,
    )
    stopped = found.n_as_large >= STOP_AFTER
    with np.errstate(invalid="ignore", divide="ignore"):
        values = np.where(
            stopped, found.n_as_large / found.n_done, (found.n_as_large + 1) / (found.n_done + 1)
        )
    result[tested] = values[tested]
    return result


def correct_many(p_values: Doubles) -> Doubles:
    """(n,) q-values by Benjamini and Hochberg: the smallest rate of false alarms that reports each.

    NaN, where nothing was tested, stays NaN and does not count.
    """
    # Takes a second to import, which the other measures do not need.
    from scipy.stats import false_discovery_control

    result = np.full(len(p_values), np.nan)
    known = ~np.isnan(p_values)
    result[known] = false_discovery_control(p_values[known])
    return result


def find_intervals(
    uses: Uses, counts: NDArray[np.int64], z: float = 1.959964
) -> tuple[Doubles, Doubles]:
    """95% intervals of the shares of senses, by Wilson's formula with as many documents as speak.

    Occurrences of one document are no independent witnesses. How much fewer they are worth is the
    ratio of the variance between documents to that of independent occurrences; where all documents
    agree, a document is worth one occurrence.

    ``counts`` (n_words, n_groups, most senses + 1) are those of `Uses.count_senses`; low and high
    are (n_words, n_groups, most senses), NaN where a group has no occurrence.
    """
    senses = counts[:, :, 1:].astype(np.float64)
    totals = senses.sum(axis=2, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = senses / totals
        worth = _count_witnesses(uses, shares, totals)
        centre = (shares + z * z / (2 * worth)) / (1 + z * z / worth)
        spread = shares * (1 - shares) / worth + z * z / (4 * worth * worth)
        half = z * np.sqrt(spread) / (1 + z * z / worth)
    low, high = np.clip(centre - half, 0.0, 1.0), np.clip(centre + half, 0.0, 1.0)
    return np.minimum(low, shares), np.maximum(high, shares)


def _count_witnesses(uses: Uses, shares: Doubles, totals: Doubles) -> Doubles:
    """(n_words, n_groups, most senses) how many independent occurrences the documents are worth."""
    n_words, n_groups, most = shares.shape
    known = uses.sense > 0
    word, document = uses.word[known], uses.document[known]
    sense, count = uses.sense[known] - 1, uses.count[known].astype(np.float64)
    is_new = np.ones(len(word), np.bool_)
    is_new[1:] = (np.diff(word) != 0) | (np.diff(document) != 0)
    pair_of = np.cumsum(is_new) - 1
    starts = np.flatnonzero(is_new)
    sizes = np.bincount(pair_of, count, len(starts))
    cell = word[starts].astype(np.int64) * n_groups + uses.group[known][starts]
    n_documents = np.bincount(cell, minlength=n_words * n_groups).reshape(n_words, n_groups, 1)
    squares = np.bincount(cell, sizes * sizes, n_words * n_groups).reshape(n_words, n_groups, 1)
    # The sum over documents of (x - p n)^2 is that of x^2 - 2 p x n + p^2 n^2, and x is mostly 0.
    flat = cell[pair_of] * most + sense
    shape = (n_words, n_groups, most)
    own = np.bincount(flat, count * count, n_words * n_groups * most).reshape(shape)
    mixed = np.bincount(flat, count * sizes[pair_of], n_words * n_groups * most).reshape(shape)
    between = own - 2 * shares * mixed + shares * shares * squares
    between *= n_documents / np.maximum(n_documents - 1, 1)
    plain = shares * (1 - shares) * totals
    ratio = np.where(plain > 0.0, between / np.where(plain > 0.0, plain, 1.0), np.nan)
    worth = np.where(
        np.isnan(ratio) | (n_documents < 2), n_documents, totals / np.maximum(ratio, 1)
    )
    return np.maximum(worth, 1e-9)
