"""How often a chance division of documents into two groups differs as much as the real one."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from grassmeans.kernels.cpu.products import as_read_only
from grassmeans.kernels.interface import Indices, Integers, Permuted


def permute_groups(
    word_offsets: Indices,
    document_offsets: Indices,
    senses: Integers,
    counts: Integers,
    groups: Integers,
    n_senses: int,
    n_permutations: int,
    stop_after: int,
    random_state: int,
) -> Permuted:
    """See `grassmeans.kernels.interface`."""
    n_words = len(word_offsets) - 1
    n_as_large, n_done = np.zeros(n_words, np.int64), np.zeros(n_words, np.int64)
    seeds = np.random.SeedSequence(random_state).generate_state(max(n_words, 1), np.uint64)
    _permute(
        as_read_only(word_offsets, np.int64),
        as_read_only(document_offsets, np.int64),
        as_read_only(senses, np.int32),
        as_read_only(counts, np.int32),
        as_read_only(groups, np.int32),
        n_senses,
        n_permutations,
        stop_after,
        seeds | np.uint64(1),  # no state is 0
        n_as_large,
        n_done,
    )
    return Permuted(n_as_large, n_done)


@njit(cache=True, nogil=True, inline="always")
def _times_log(n):
    return n * np.log(n) if n > 0 else 0.0


@njit(cache=True, nogil=True)
def _measure(first, last, document_offsets, senses, counts, groups, table):
    """What the groups tell about senses, up to what no division of the documents changes.

    The mutual information of group and sense, times the number of occurrences, is the sum of
    n log n over the cells less that over groups and senses; the senses' part is always the same.
    """
    table[:] = 0.0
    for d in range(first, last):
        group = groups[d - first]
        for e in range(document_offsets[d], document_offsets[d + 1]):
            table[group, senses[e]] += counts[e]
    found = 0.0
    for group in range(2):
        total = 0.0
        for sense in range(table.shape[1]):
            total += table[group, sense]
            found += _times_log(table[group, sense])
        found -= _times_log(total)
    return found


@njit(cache=True, nogil=True, parallel=True)
def _permute(
    word_offsets,
    document_offsets,
    senses,
    counts,
    groups,
    n_senses,
    n_permutations,
    stop_after,
    seeds,
    n_as_large,
    n_done,
):
    for word in prange(word_offsets.shape[0] - 1):
        first, last = word_offsets[word], word_offsets[word + 1]
        mine = groups[first:last].copy()
        table = np.zeros((2, n_senses))
        real = _measure(first, last, document_offsets, senses, counts, mine, table)
        limit = real - 1e-9 * max(abs(real), 1.0)  # equal but for rounding counts as equal
        state = seeds[word]
        while n_done[word] < n_permutations and n_as_large[word] < stop_after:
            for i in range(mine.shape[0] - 1, 0, -1):  # Fisher and Yates, by xorshift64*
                state ^= state >> np.uint64(12)
                state ^= state << np.uint64(25)
                state ^= state >> np.uint64(27)
                bits = (state * np.uint64(2685821657736338717)) >> np.uint64(32)
                j = np.int64((bits * np.uint64(i + 1)) >> np.uint64(32))
                mine[i], mine[j] = mine[j], mine[i]
            found = _measure(first, last, document_offsets, senses, counts, mine, table)
            n_as_large[word] += found >= limit
            n_done[word] += 1
