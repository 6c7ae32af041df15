"""Distances of every occurrence in a running text to the senses of its word.

Contexts of neighbouring occurrences share nearly all their words. So the inner products of words
that stand near each other (the band) are worked out once for a stretch of text, and the Gram matrix
of every context is read from it. With (lambda_n, c_n) its leading eigenpairs, X the context's word
vectors and u a sense direction, the part of u inside the context's subspace is

    sum_n (c_n . (X u))^2 / lambda_n

so the subspace's basis is never formed. What counts as dependent, and what is done again in double
precision, is decided as in the subspaces kernel: both give the same distances but for rounding.

Occurrences come in blocks of fixed size, each with a band of its own, so that a result does not
depend on how they are cut into calls, at multiples of the block. The band's memory is used again
without clearing it: a context reads products of words inside one window only, and ``reach`` has had
all of these written.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from grassmeans.arrays import Doubles, Floats, Indices, Integers
from grassmeans.kernels.arguments import NOT_KEPT, OCCURRENCE_BLOCK, SenseTable, Windows
from grassmeans.kernels.cpu.eigen import LANES, leading_eigenpairs
from grassmeans.kernels.cpu.products import FAST_SUMS, TILE, multiply_column, multiply_tile
from grassmeans.kernels.cpu.subspaces import is_well_conditioned, write_precise_grams
from grassmeans.kernels.cpu.threads import hold_arrays

# Occurrences that share a band; a multiple of the eigen-solver's batch.
BLOCK = OCCURRENCE_BLOCK


class _Block(NamedTuple):
    """Occurrences of one block, with the words of their windows in slots."""

    slots: Indices  # (n_slots,) rows of the vectors
    band: Floats  # (n_slots, width) inner products of the words in slots i and i + o
    first_slots: Indices  # (n_occurrences,) where windows begin
    centres: Integers  # (n_occurrences,)
    counts: Indices  # (n_occurrences,) words of contexts
    words: Integers  # (n_occurrences,)


@njit(cache=True)
def _lay_out(
    kept_rows: Integers, firsts: Integers, ends: Integers, slots: Indices, reach: Indices
) -> tuple[Indices, int]:
    """Put the words of a block's windows into slots, each word once; first slots, and how many.

    Windows come in text order and overlap, so every window is a stretch of slots. ``reach`` tells
    for each slot where the last window that holds it ends: so far its products are needed.
    """
    n_slots = 0
    taken = 0  # kept words before this one have their slot
    first_slots = np.empty(firsts.shape[0], np.int64)
    for i in range(firsts.shape[0]):
        for kept in range(max(firsts[i], taken), ends[i]):
            slots[n_slots] = kept_rows[kept]
            n_slots += 1
        taken = max(taken, ends[i])
        first_slots[i] = n_slots - (ends[i] - firsts[i])
        for slot in range(first_slots[i], n_slots):
            reach[slot] = n_slots
    for slot in range(n_slots, n_slots + TILE):
        slots[slot] = slots[n_slots - 1] if n_slots else 0
        reach[slot] = n_slots
    return first_slots, n_slots


@njit(cache=True)
def _fill_band(vectors: Floats, slots: Indices, reach: Indices, n_slots: int, band: Floats) -> None:
    """``band[i, o]`` becomes the inner product of the words in slots i and i + o."""
    tile = np.empty((TILE, TILE), np.float32)
    width = band.shape[1]
    for i in range(0, n_slots, TILE):
        end = reach[min(i + TILE, n_slots) - 1]
        for j in range(i, end, TILE):
            multiply_tile(vectors, slots, i, vectors, slots, j, tile)
            for a in range(TILE):
                for b in range(TILE):
                    offset = j + b - i - a
                    if 0 <= offset < width:
                        band[i + a, offset] = tile[a, b]


@njit(cache=True)
def _write_grams(block: _Block, members: Indices, m: int) -> Doubles:
    """Lower triangles of the contexts' Gram matrices, one lane each, read from the band."""
    lanes = members.shape[0]
    grams = np.zeros((m, m, lanes))
    for lane in range(lanes):
        first, centre = block.first_slots[members[lane]], block.centres[members[lane]]
        for i in range(block.counts[members[lane]]):
            a = first + i + (i >= centre)
            for j in range(i + 1):
                b = first + j + (j >= centre)
                grams[i, j, lane] = block.band[b, a - b]
    return grams


@njit(cache=True)
def _collect_contexts(block: _Block, members: Indices, longest: int) -> Indices:
    """(lanes, longest + TILE) rows of the contexts' words; the last is repeated to fill a tile."""
    contexts = np.empty((members.shape[0], longest + TILE), np.int64)
    for lane in range(members.shape[0]):
        first, centre = block.first_slots[members[lane]], block.centres[members[lane]]
        for i in range(contexts.shape[1]):
            word = min(i, block.counts[members[lane]] - 1)
            contexts[lane, i] = block.slots[first + word + (word >= centre)]
    return contexts


@njit(cache=True)
def _multiply_directions(
    table: SenseTable, context: Indices, count: int, senses: Indices, n: int, products: Doubles
) -> None:
    """``products[i, k]`` becomes the inner product of context word i and sense direction k."""
    tile = np.empty((TILE, TILE), np.float32)
    for k in range(0, n, TILE):
        alone = k == n - 1
        for i in range(0, count, TILE):
            if alone:
                multiply_column(table.vectors, context, i, table.directions, senses[k], tile)
            else:
                multiply_tile(table.vectors, context, i, table.directions, senses, k, tile)
            for a in range(TILE):
                for b in range(1 if alone else TILE):
                    products[i + a, k + b] = tile[a, b]


@njit(cache=True, error_model="numpy", fastmath=FAST_SUMS)
def _multiply_directions_precisely(
    table: SenseTable, context: Indices, count: int, senses: Indices, n: int, products: Doubles
) -> None:
    """As `_multiply_directions`, in double precision."""
    for i in range(count):
        for k in range(n):
            word, sense = context[i], senses[k]
            total = 0.0
            for d in range(table.vectors.shape[1]):
                total += np.float64(table.vectors[word, d]) * np.float64(table.directions[sense, d])
            products[i, k] = total


@njit(cache=True, error_model="numpy")
def _measure_lanes(table, tolerance, block, members, precise, distances):
    """Measure some occurrences of a block; tell which need double precision and were left out."""
    sizes = block.counts[members]
    m = max(table.rank, sizes.max())
    contexts = _collect_contexts(block, members, sizes.max())
    if precise:
        grams = write_precise_grams(table.vectors, contexts, sizes, m)
    else:
        grams = _write_grams(block, members, m)
    lanes = members.shape[0]
    totals = np.zeros(lanes)
    for i in range(m):
        totals += grams[i, i]
    values, coefficients = leading_eigenpairs(grams, table.rank)
    again = np.zeros(lanes, np.bool_)
    senses = np.zeros(distances.shape[1] + TILE, np.int64)
    products = np.empty((m + TILE, distances.shape[1] + TILE))
    for lane in range(lanes):
        largest = values[0, lane]
        if not precise and not is_well_conditioned(
            values[table.rank - 1, lane], largest, totals[lane]
        ):
            again[lane] = True
            continue
        context, count, word = contexts[lane], sizes[lane], block.words[members[lane]]
        n_senses = table.sense_offsets[word + 1] - table.sense_offsets[word]
        for k in range(n_senses + TILE):
            senses[k] = table.sense_offsets[word] + min(k, n_senses - 1)
        if precise:
            _multiply_directions_precisely(table, context, count, senses, n_senses, products)
        else:
            _multiply_directions(table, context, count, senses, n_senses, products)
        for k in range(n_senses):
            inside = 0.0
            for n in range(table.rank):
                if not values[n, lane] > tolerance * largest:
                    break
                projection = 0.0
                for i in range(count):
                    projection += coefficients[n, i, lane] * products[i, k]
                inside += projection * projection / (largest if table.singular else values[n, lane])
            distances[members[lane], k] = np.sqrt(min(max(1.0 - inside, 0.0), 1.0))
    return again


@njit(cache=True, nogil=True)
def _measure_windows(table: SenseTable, tolerance: float, windows: Windows, found: Floats) -> None:
    """Fill distances block by block; contexts with too few words stay as they are."""
    kept_rows, words, firsts, ends, centres = windows
    width = 2 * table.window + 1
    slots = np.zeros(BLOCK * width + TILE, np.int64)
    reach = np.zeros(BLOCK * width + TILE, np.int64)
    band = np.empty((BLOCK * width + TILE, width), np.float32)
    for start in range(0, words.shape[0], BLOCK):
        stop = min(start + BLOCK, words.shape[0])
        first_slots, n_slots = _lay_out(
            kept_rows, firsts[start:stop], ends[start:stop], slots, reach
        )
        _fill_band(table.vectors, slots, reach, n_slots, band)
        counts = np.empty(stop - start, np.int64)
        for i in range(stop - start):
            n = start + i
            counts[i] = ends[n] - firsts[n] - (centres[n] != NOT_KEPT)
        block = _Block(slots, band, first_slots, centres[start:stop], counts, words[start:stop])
        members = np.flatnonzero(counts >= table.fewest)
        for precise in (False, True):
            again = np.zeros(members.shape[0], np.bool_)
            for first in range(0, members.shape[0], LANES):
                some = members[first : first + LANES]
                again[first : first + LANES] = _measure_lanes(
                    table, tolerance, block, some, precise, found[start:stop]
                )
            members = members[again]


def measure_windows(windows: Windows, part: slice, table: SenseTable) -> Floats:
    """See `grassmeans.kernels.interface`."""
    n_senses = int(np.diff(table.sense_offsets).max())
    chosen = Windows(windows.kept_rows, *(array[part] for array in windows[1:]))
    distances = np.full((len(chosen.words), n_senses), np.nan, np.float32)
    _measure_windows(table, table.tolerance, chosen, distances)
    return distances


def prepare_senses(table: SenseTable) -> SenseTable:
    """See `grassmeans.kernels.interface`."""
    return hold_arrays(table, np.float32, np.float32, np.int64)
