"""Contexts as weighted means of their words' vectors, and the distances of these to senses.

What a word weighs depends on the number of documents that have it. Words can also be counted as
neighbours of others, for vectors of words in place of given ones.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from grassmeans.arrays import Floats, Indices, Integers
from grassmeans.kernels.cpu.products import FAST_SUMS
from grassmeans.kernels.cpu.threads import as_read_only, run_in_blocks
from grassmeans_lab.kernels.interface import PASSED_OVER

_BLOCK = 256


def average_contexts(context_ids: Integers, vectors: Floats, weights: Floats) -> Floats:
    """See `grassmeans_lab.kernels.interface`."""
    ids = as_read_only(context_ids, np.int32)
    table = as_read_only(vectors, np.float32)
    given = as_read_only(weights, np.float32)
    means = np.zeros((len(ids), table.shape[1]), np.float32)

    def average(start: int, stop: int) -> None:
        _average(ids[start:stop], table, given, means[start:stop])

    run_in_blocks(average, len(ids), _BLOCK)
    return means


def measure_means(
    means: Floats, words: Integers, directions: Floats, sense_offsets: Indices
) -> Floats:
    """See `grassmeans_lab.kernels.interface`."""
    n_senses = int(np.diff(sense_offsets).max(initial=1))
    distances = np.full((len(means), n_senses), np.nan, np.float32)
    numbers = as_read_only(words, np.int32)
    table = as_read_only(directions, np.float32)
    offsets = as_read_only(sense_offsets, np.int64)

    def measure(start: int, stop: int) -> None:
        _measure(means[start:stop], numbers[start:stop], table, offsets, distances[start:stop])

    run_in_blocks(measure, len(means), _BLOCK)
    return distances


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST_SUMS)
def _average(context_ids, vectors, weights, means):
    dim = vectors.shape[1]
    for i in range(context_ids.shape[0]):
        mean = means[i]
        for k in range(context_ids.shape[1]):
            row = context_ids[i, k]
            if row >= 0:
                weight = weights[row]
                for d in range(dim):
                    mean[d] += weight * vectors[row, d]
        total = np.float32(0.0)
        for d in range(dim):
            total += mean[d] * mean[d]
        if total > 0.0:
            scale = np.float32(1.0) / np.sqrt(total)
            for d in range(dim):
                mean[d] *= scale


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST_SUMS)
def _measure(means, words, directions, sense_offsets, distances):
    dim = means.shape[1]
    for i in range(means.shape[0]):
        length = np.float32(0.0)
        for d in range(dim):
            length += means[i, d] * means[i, d]
        if not length > 0.0:
            continue
        first = sense_offsets[words[i]]
        for k in range(sense_offsets[words[i] + 1] - first):
            cosine = np.float32(0.0)
            for d in range(dim):
                cosine += means[i, d] * directions[first + k, d]
            distances[i, k] = min(max(np.float32(0.5) * (1 - cosine), 0.0), 1.0)


def count_documents(tokens: Integers, document_offsets: Indices, n_types: int) -> Indices:
    """See `grassmeans_lab.kernels.interface`."""
    return _count_documents(
        as_read_only(tokens, np.int32), as_read_only(document_offsets, np.int64), n_types
    )


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _count_documents(tokens: Integers, document_offsets: Indices, n_types: int) -> Indices:
    """Count a token id where its document is not the last one that it was seen in."""
    counts = np.zeros(n_types, np.int64)
    last_document = np.full(n_types, -1, np.int64)
    for document in range(document_offsets.shape[0] - 1):
        for position in range(document_offsets[document], document_offsets[document + 1]):
            token = tokens[position]
            if token >= 0 and last_document[token] != document:
                last_document[token] = document
                counts[token] += 1
    return counts


def count_neighbours(
    tokens: Integers,
    document_offsets: Indices,
    row_of_token: Integers,
    column_of_token: Integers,
    window: int,
    counts: Floats,
) -> None:
    """See `grassmeans_lab.kernels.interface`."""
    _count_neighbours(
        as_read_only(tokens, np.int32),
        as_read_only(document_offsets, np.int64),
        as_read_only(row_of_token, np.int32),
        as_read_only(column_of_token, np.int32),
        window,
        counts,
    )


@njit(cache=True, nogil=True)
def _count_neighbours(tokens, document_offsets, row_of_token, column_of_token, window, counts):
    kept = np.empty(np.diff(document_offsets).max(), np.int32)
    for document in range(document_offsets.shape[0] - 1):
        n_kept = 0
        for position in range(document_offsets[document], document_offsets[document + 1]):
            token = tokens[position]
            if token >= 0 and column_of_token[token] > PASSED_OVER:
                kept[n_kept] = token
                n_kept += 1
        for position in range(n_kept):
            row = row_of_token[kept[position]]
            if row < 0:
                continue
            for other in range(max(position - window, 0), min(position + window + 1, n_kept)):
                column = column_of_token[kept[other]]
                if other != position and column >= 0:
                    counts[row, column] += np.float32(1.0)
