"""How often a chance division of documents into two groups differs as much as the real one."""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from grassmeans.kernels.arguments import Permuted, SenseCounts
from grassmeans.kernels.cpu.threads import hold_arrays


def permute_groups(
    counts: SenseCounts, n_permutations: int, stop_after: int, random_state: int
) -> Permuted:
    """See `grassmeans.kernels.interface`."""
    n_words = len(counts.word_offsets) - 1
    found = Permuted(np.zeros(n_words, np.int64), np.zeros(n_words, np.int64))
    seeds = np.random.SeedSequence(random_state).generate_state(max(n_words, 1), np.uint64)
    seeds |= np.uint64(1)  # no state is 0
    held = hold_arrays(counts, np.int64, np.int64, np.int32, np.int32, np.int32)
    _permute(held, n_permutations, stop_after, seeds, *found)
    return found


@njit(cache=True, nogil=True, inline="always")
def _times_log(n):
    return n * np.log(n) if n > 0 else 0.0


@njit(cache=True, nogil=True)
def _measure(given, first, last, groups, table):
    """What the groups tell about senses, up to what no division of the documents changes.

    The mutual information of group and sense, times the number of occurrences, is the sum of
    n log n over the cells less that over groups and senses; the senses' part is always the same.
    """
    table[:] = 0.0
    for d in range(first, last):
        group = groups[d - first]
        for e in range(given.document_offsets[d], given.document_offsets[d + 1]):
            table[group, given.senses[e]] += given.counts[e]
    found = 0.0
    for group in range(2):
        total = 0.0
        for sense in range(table.shape[1]):
            total += table[group, sense]
            found += _times_log(table[group, sense])
        found -= _times_log(total)
    return found


@njit(cache=True, nogil=True, parallel=True)
def _permute(given, n_permutations, stop_after, seeds, n_as_large, n_done):
    for word in prange(given.word_offsets.shape[0] - 1):
        first, last = given.word_offsets[word], given.word_offsets[word + 1]
        mine = given.groups[first:last].copy()
        table = np.zeros((2, given.n_senses))
        real = _measure(given, first, last, mine, table)
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
            found = _measure(given, first, last, mine, table)
            n_as_large[word] += found >= limit
            n_done[word] += 1
