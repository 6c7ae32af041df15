"""Distances of every occurrence in a running text to the senses of its word.

Contexts of neighbouring occurrences share nearly all their words. So the inner products of words
that stand near each other (the band) are worked out once for a stretch of text, and the Gram matrix
of every context is read from it. With (lambda_n, c_n) its leading eigenpairs, X the context's word
vectors and u a sense direction, the part of u inside the context's subspace is

    sum_n (c_n . (X u))^2 / lambda_n

so the subspace's basis is never formed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from grassmeans.kernels.cpu.eigen import LANES, leading_eigenpairs
from grassmeans.kernels.cpu.products import FAST_SUMS, TILE, multiply_column, multiply_tile

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Integers = NDArray[np.int32]
Indices = NDArray[np.int64]

BLOCK = 8 * LANES
"""Occurrences that share a band; a multiple of the eigen-solver's batch."""

# The rules of the subspaces kernel: what counts as dependent, and what has to be done again in
# double precision.
_SINGLE_EPSILON = 2.0**-23
_ILL_CONDITIONED = 1e-2
_UNDERFLOW = 1e-25
_NOT_KEPT = 2**30


class Occurrences(NamedTuple):
    """Occurrences of target words, and the windows of kept words around them.

    Attributes
    ----------
    kept_rows : (n_kept,) int32
        Rows of the vectors for the text's kept words, in order.
    positions : (n_occurrences,) int32
        Where the targets stand among the tokens.
    words : (n_occurrences,) int32
        Which target each one is.
    firsts, ends : (n_occurrences,) int32
        The window: ``kept_rows[first:end]``, inside the document.
    centres : (n_occurrences,) int32
        Index of the occurrence itself inside its window, which is no part of the context; a number
        beyond every window where the target is not a kept word.
    """

    kept_rows: Integers
    positions: Integers
    words: Integers
    firsts: Integers
    ends: Integers
    centres: Integers

    def context_sizes(self, part: slice) -> Integers:
        """How many words the contexts of some occurrences have."""
        is_kept = self.centres[part] != _NOT_KEPT
        return (self.ends[part] - self.firsts[part] - is_kept).astype(np.int32)


class SenseTable(NamedTuple):
    """What distances are measured with.

    Attributes
    ----------
    vectors : (n_words, dim) float32
    directions : (n_directions, dim) float32
        Unit vectors, the senses of one target word after the other.
    sense_offsets : (n_targets + 1,) int64
        Where each target's directions begin, and the end.
    rank : int
        Dimension of a context's subspace.
    singular : bool
        Whether a subspace's direction n weighs lambda_n / lambda_1 instead of 1.
    tolerance : float
        Share of lambda_1 from which on an eigenvalue counts as zero.
    """

    vectors: Floats
    directions: Floats
    sense_offsets: Indices
    rank: int
    singular: bool
    tolerance: float


def find_occurrences(
    tokens: Integers,
    document_offsets: Indices,
    row_of_token: Integers,
    word_of_token: Integers,
    window: int,
) -> Occurrences:
    """Find the targets of a shard and the window of each.

    Parameters
    ----------
    tokens : (n_tokens,) int32
    document_offsets : (n_documents + 1,) int64
    row_of_token : (n_types,) int32
        Row of each token id in the vectors; -1 for words that contexts leave out.
    word_of_token : (n_types,) int32
        Number of the target word that a token id is; -1 for the others.
    window : int
        Kept words a side.
    """
    return _find_windows(
        _as_read_only(tokens, np.int32),
        _as_read_only(document_offsets, np.int64),
        _as_read_only(row_of_token, np.int32),
        _as_read_only(word_of_token, np.int32),
        window,
    )


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _find_windows(
    tokens: Integers,
    document_offsets: Indices,
    row_of_token: Integers,
    word_of_token: Integers,
    window: int,
) -> Occurrences:
    n_kept = 0
    n_found = 0
    for token in tokens:
        if token >= 0:
            n_kept += row_of_token[token] >= 0
            n_found += word_of_token[token] >= 0
    kept_rows = np.empty(n_kept, np.int32)
    positions = np.empty(n_found, np.int32)
    words = np.empty(n_found, np.int32)
    firsts = np.empty(n_found, np.int32)
    ends = np.empty(n_found, np.int32)
    centres = np.empty(n_found, np.int32)
    kept = 0
    found = 0
    for document in range(document_offsets.shape[0] - 1):
        document_kept, document_found = kept, found
        for position in range(document_offsets[document], document_offsets[document + 1]):
            token = tokens[position]
            if token < 0:
                continue
            is_kept = row_of_token[token] >= 0
            if word_of_token[token] >= 0:
                first = max(document_kept, kept - window)
                positions[found] = position
                words[found] = word_of_token[token]
                firsts[found] = first
                ends[found] = kept + is_kept + window
                centres[found] = kept - first if is_kept else _NOT_KEPT
                found += 1
            if is_kept:
                kept_rows[kept] = row_of_token[token]
                kept += 1
        for i in range(document_found, found):
            ends[i] = min(ends[i], kept)
    return Occurrences(kept_rows, positions, words, firsts, ends, centres)


@njit(cache=True)  # type: ignore[untyped-decorator]
def _lay_out(
    kept_rows: Integers, firsts: Integers, ends: Integers, slots: Indices, reach: Indices
) -> tuple[Indices, int]:
    """Put the words of a block's windows into slots, each word once.

    Windows come in text order and overlap, so every window is a stretch of slots. ``reach`` tells
    for each slot where the last window that holds it ends: so far its products are needed.

    Returns
    -------
    first_slots : (n_occurrences,) int64
    n_slots : int
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


@njit(cache=True)  # type: ignore[untyped-decorator]
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


@njit(cache=True)  # type: ignore[untyped-decorator]
def _write_grams(band: Floats, firsts: Indices, centres: Integers, counts: Indices) -> Doubles:
    """Lower triangles of the contexts' Gram matrices, one lane each, read from the band."""
    lanes = firsts.shape[0]
    m = max(1, counts.max())
    grams = np.zeros((m, m, lanes))
    for lane in range(lanes):
        for i in range(counts[lane]):
            a = firsts[lane] + i + (i >= centres[lane])
            for j in range(i + 1):
                b = firsts[lane] + j + (j >= centres[lane])
                grams[i, j, lane] = band[b, a - b]
    return grams


@njit(cache=True, error_model="numpy", fastmath=FAST_SUMS)  # type: ignore[untyped-decorator]
def _write_precise_grams(
    vectors: Floats, slots: Indices, firsts: Indices, centres: Integers, counts: Indices
) -> Doubles:
    """As `_write_grams`, from the vectors and in double precision: slower, and seldom needed."""
    lanes = firsts.shape[0]
    m = max(1, counts.max())
    grams = np.zeros((m, m, lanes))
    for lane in range(lanes):
        for i in range(counts[lane]):
            a = slots[firsts[lane] + i + (i >= centres[lane])]
            for j in range(i + 1):
                b = slots[firsts[lane] + j + (j >= centres[lane])]
                total = 0.0
                for d in range(vectors.shape[1]):
                    total += np.float64(vectors[a, d]) * np.float64(vectors[b, d])
                grams[i, j, lane] = total
    return grams


@njit(cache=True)  # type: ignore[untyped-decorator]
def _multiply_directions(
    vectors: Floats,
    context: Indices,
    count: int,
    directions: Floats,
    senses: Indices,
    n_senses: int,
    products: Doubles,
) -> None:
    """``products[i, k]`` becomes the inner product of context word i and sense direction k."""
    tile = np.empty((TILE, TILE), np.float32)
    for k in range(0, n_senses, TILE):
        alone = k == n_senses - 1
        for i in range(0, count, TILE):
            if alone:
                multiply_column(vectors, context, i, directions, senses[k], tile)
            else:
                multiply_tile(vectors, context, i, directions, senses, k, tile)
            for a in range(TILE):
                for b in range(1 if alone else TILE):
                    products[i + a, k + b] = tile[a, b]


@njit(cache=True, error_model="numpy", fastmath=FAST_SUMS)  # type: ignore[untyped-decorator]
def _multiply_directions_precisely(
    vectors: Floats,
    context: Indices,
    count: int,
    directions: Floats,
    senses: Indices,
    n_senses: int,
    products: Doubles,
) -> None:
    """As `_multiply_directions`, in double precision."""
    for i in range(count):
        for k in range(n_senses):
            total = 0.0
            for d in range(vectors.shape[1]):
                total += np.float64(vectors[context[i], d]) * np.float64(directions[senses[k], d])
            products[i, k] = total


@njit(cache=True, error_model="numpy")  # type: ignore[untyped-decorator]
def _measure_lanes(
    table: SenseTable,
    slots: Indices,
    band: Floats,
    members: Indices,
    first_slots: Indices,
    centres: Integers,
    counts: Indices,
    words: Integers,
    precise: bool,
    distances: Floats,
) -> NDArray[np.bool_]:
    """Measure some occurrences of a block; tell which need double precision and were left out."""
    firsts, middles, sizes = first_slots[members], centres[members], counts[members]
    if precise:
        grams = _write_precise_grams(table.vectors, slots, firsts, middles, sizes)
    else:
        grams = _write_grams(band, firsts, middles, sizes)
    lanes, m = members.shape[0], grams.shape[0]
    totals = np.zeros(lanes)
    for i in range(m):
        totals += grams[i, i]
    values, coefficients = leading_eigenpairs(grams, table.rank)
    again = np.zeros(lanes, np.bool_)
    context = np.zeros(m + TILE, np.int64)
    senses = np.zeros(distances.shape[1] + TILE, np.int64)
    products = np.empty((m + TILE, distances.shape[1] + TILE))
    for lane in range(lanes):
        smallest, largest = values[table.rank - 1, lane], values[0, lane]
        good = smallest > _ILL_CONDITIONED * largest and totals[lane] > _UNDERFLOW
        if not precise and not (good and totals[lane] < 1.0 / _UNDERFLOW):
            again[lane] = True
            continue
        count, word = sizes[lane], words[members[lane]]
        for i in range(count):
            context[i] = slots[firsts[lane] + i + (i >= middles[lane])]
        context[count : count + TILE] = context[count - 1]
        n_senses = table.sense_offsets[word + 1] - table.sense_offsets[word]
        for k in range(n_senses + TILE):
            senses[k] = table.sense_offsets[word] + min(k, n_senses - 1)
        if precise:
            _multiply_directions_precisely(
                table.vectors, context, count, table.directions, senses, n_senses, products
            )
        else:
            _multiply_directions(
                table.vectors, context, count, table.directions, senses, n_senses, products
            )
        for k in range(n_senses):
            inside = 0.0
            for n in range(table.rank):
                if not values[n, lane] > table.tolerance * largest:
                    break
                projection = 0.0
                for i in range(count):
                    projection += coefficients[n, i, lane] * products[i, k]
                inside += projection * projection / (largest if table.singular else values[n, lane])
            distances[members[lane], k] = np.sqrt(min(max(1.0 - inside, 0.0), 1.0))
    return again


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _measure_windows(
    table: SenseTable,
    kept_rows: Integers,
    words: Integers,
    firsts: Integers,
    ends: Integers,
    centres: Integers,
    window: int,
    distances: Floats,
) -> None:
    """Fill ``distances`` block by block; contexts of fewer words than the rank stay as they are."""
    width = 2 * window + 1
    slots = np.zeros(BLOCK * width + TILE, np.int64)
    reach = np.zeros(BLOCK * width + TILE, np.int64)
    band = np.empty((BLOCK * width + TILE, width), np.float32)
    for start in range(0, words.shape[0], BLOCK):
        stop = min(start + BLOCK, words.shape[0])
        first_slots, n_slots = _lay_out(
            kept_rows, firsts[start:stop], ends[start:stop], slots, reach
        )
        _fill_band(table.vectors, slots, reach, n_slots, band)
        block_centres, block_words = centres[start:stop], words[start:stop]
        counts = np.empty(stop - start, np.int64)
        for i in range(stop - start):
            counts[i] = ends[start + i] - firsts[start + i] - (block_centres[i] != _NOT_KEPT)
        members = np.flatnonzero(counts >= table.rank)
        for precise in (False, True):
            again = np.zeros(members.shape[0], np.bool_)
            for first in range(0, members.shape[0], LANES):
                again[first : first + LANES] = _measure_lanes(
                    table,
                    slots,
                    band,
                    members[first : first + LANES],
                    first_slots,
                    block_centres,
                    counts,
                    block_words,
                    precise,
                    distances[start:stop],
                )
            members = members[again]


def measure_distances(
    occurrences: Occurrences, part: slice, table: SenseTable, window: int
) -> Floats:
    """Distances of some of the occurrences to the senses of their words.

    Parameters
    ----------
    part : slice
        Which occurrences; a result is the same for every cut at multiples of `BLOCK`.

    Returns
    -------
    distances : (n, largest number of senses) float32
        NaN beyond a word's senses, and all along where the context has fewer words than the rank.
    """
    n_senses = int(np.diff(table.sense_offsets).max())
    words = occurrences.words[part]
    distances = np.full((len(words), n_senses), np.nan, np.float32)
    _measure_windows(
        table,
        occurrences.kept_rows,
        words,
        occurrences.firsts[part],
        occurrences.ends[part],
        occurrences.centres[part],
        window,
        distances,
    )
    return distances


def prepare_senses(
    vectors: Floats,
    directions: Floats,
    sense_offsets: Indices,
    rank: int,
    *,
    singular: bool,
    window: int,
) -> SenseTable:
    """Put the arrays into the form that the kernel is compiled for."""
    # The rule of numpy.linalg.matrix_rank for single-precision input, on squared values.
    tolerance = (max(2 * window, vectors.shape[1]) * _SINGLE_EPSILON) ** 2
    return SenseTable(
        _as_read_only(vectors, np.float32),
        _as_read_only(directions, np.float32),
        _as_read_only(sense_offsets, np.int64),
        rank,
        singular,
        tolerance,
    )


def _as_read_only(array: NDArray[Any], dtype: Any) -> NDArray[Any]:
    """A view that Numba types the same whether the array is a read-only map or in memory."""
    view = np.ascontiguousarray(array, dtype=dtype).view(np.ndarray)
    view.flags.writeable = False
    return view
