"""The kernels in plain NumPy: slower on many contexts, and nothing to compile or to load for few.

The first call of a compiled kernel waits for Numba: most of a second, or ten where nothing is in
its cache. The few contexts of a sentence take less than a millisecond here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Booleans, Doubles, Floats, Halves, Indices, Integers
from grassmeans.kernels.arguments import (
    NORM_FLOOR,
    SIGNED,
    UNSIGNED,
    AttendingPlaces,
    EncoderLayers,
    PhraseTrie,
    RunningText,
    check_passages,
    negligible_share,
)

_BLOCK = 256


def solve_subspaces(
    context_ids: Integers, vectors: Floats, rank: int, with_bases: bool = True
) -> tuple[Floats, Doubles, Doubles]:
    """See `grassmeans.kernels.interface`."""
    n_contexts = len(context_ids)
    bases = np.zeros((n_contexts if with_bases else 0, rank, vectors.shape[1]), np.float32)
    squares = np.zeros((n_contexts, rank))
    totals = np.zeros(n_contexts)
    for start in range(0, n_contexts, _BLOCK):
        part = slice(start, start + _BLOCK)
        rows = _take_rows(context_ids[part], vectors)
        grams = rows @ rows.transpose(0, 2, 1)
        totals[part] = np.einsum("nii->n", grams)
        grams[~np.isfinite(totals[part])] = 0.0  # the caller sees it in the totals
        values, coefficients = np.linalg.eigh(grams)
        largest = slice(None, -rank - 1, -1)
        values = np.maximum(values[:, largest], 0.0)
        _drop_dependent(values, context_ids[part], vectors.shape[1])
        squares[part, : values.shape[1]] = values
        if with_bases:
            found = coefficients[:, :, largest].transpose(0, 2, 1) @ rows
            found /= np.sqrt(np.where(values > 0.0, values, np.inf))[:, :, None]
            found[-found.min(axis=2) > found.max(axis=2)] *= -1.0  # the largest is positive
            bases[part, : values.shape[1]] = found
    return bases, squares, totals


def _take_rows(context_ids: Integers, vectors: Floats) -> Doubles:
    """(n, m, dim) vectors of the contexts' words, at most m; zero where there is none."""
    counts = np.count_nonzero(context_ids >= 0, axis=1)
    width = max(1, int(counts.max()))  # eigenvalues take the cube of this: no padding in it
    rows = np.zeros((len(context_ids), width, vectors.shape[1]))
    rows[np.arange(width) < counts[:, None]] = vectors[context_ids[context_ids >= 0]]
    return rows


def _drop_dependent(values: Doubles, context_ids: Integers, dim: int) -> None:
    """Set to zero what rounding has left where words are dependent."""
    tolerance = negligible_share(context_ids.shape[1], dim)
    counts = np.count_nonzero(context_ids >= 0, axis=1)
    independent = values > tolerance * values[:, :1]
    independent &= np.arange(values.shape[1]) < counts[:, None]
    values[~independent] = 0.0


def assign_contexts(bases: Floats, directions: Floats) -> tuple[Integers, Floats, Doubles]:
    """See `grassmeans.kernels.interface`."""
    n_restarts, n_senses, dim = directions.shape
    squares = square_projections(bases, directions.reshape(-1, dim))
    by_restart = squares.reshape(len(bases), n_restarts, n_senses)
    labels = by_restart.argmax(axis=2).astype(np.int32)
    gains = np.take_along_axis(by_restart, labels[:, :, None], axis=2)[:, :, 0]
    return labels, gains, apply_groups(bases, labels, directions)


def apply_groups(bases: Floats, labels: Integers, directions: Floats) -> Doubles:
    """See `grassmeans.kernels.interface`."""
    products = np.zeros(directions.shape)
    for restart, senses in enumerate(directions):
        for k, direction in enumerate(senses):
            rows = bases[labels[:, restart] == k].reshape(-1, bases.shape[2])
            products[restart, k] = (rows @ direction) @ rows
    return products


def square_projections(bases: Floats, directions: Floats) -> Floats:
    """See `grassmeans.kernels.interface`."""
    squares: Floats = np.square(bases @ directions.T).sum(axis=1)
    return np.minimum(squares, np.float32(1.0))


def project_own(bases: Floats, directions: Floats, offsets: Indices, words: Indices) -> Floats:
    """See `grassmeans.kernels.interface`."""
    sizes = np.diff(offsets)
    senses = np.arange(int(sizes.max(initial=1)))
    absent = senses >= sizes[words, None]
    rows = np.where(absent, 0, offsets[words, None] + senses)
    # A copy of its word's directions for every context.
    squares: Floats = np.square(bases @ directions[rows].transpose(0, 2, 1)).sum(axis=1)
    squares[absent] = np.nan
    return squares


def multiply_bases(bases: Floats) -> Floats:
    """See `grassmeans.kernels.interface`."""
    grams: Floats = bases @ bases.transpose(0, 2, 1)
    return grams


def gather_contexts(
    text: RunningText, positions: Indices, window: int, drop_repeats: bool = False
) -> Integers:
    """See `grassmeans.kernels.interface`.

    In time linear in the text for each of the few targets, even where nearly all words are dropped.
    """
    tokens, document_offsets, row_of_token = text
    if not len(row_of_token) or not len(positions):
        return np.full((len(positions), 2 * window), -1, np.int32)
    rows = np.where(tokens >= 0, row_of_token[tokens], -1)
    document = np.searchsorted(document_offsets, positions, side="right") - 1
    bounds = document_offsets[document], document_offsets[document + 1]
    if not drop_repeats:
        return _take_nearest(rows, positions, bounds, window)
    targets = tokens[positions]
    contexts = np.empty((len(positions), 2 * window), np.int32)
    for target in np.unique(targets):
        mine = targets == target
        others = np.where(tokens == target, -1, rows)
        own = bounds[0][mine], bounds[1][mine]
        contexts[mine] = _take_nearest(others, positions[mine], own, window)
    return contexts


def _take_nearest(
    rows: Integers, positions: Indices, bounds: tuple[Indices, Indices], window: int
) -> Integers:
    """Contexts in a text given as rows, -1 for dropped words."""
    contexts = np.full((len(positions), 2 * window), -1, np.int32)
    kept = np.flatnonzero(rows >= 0)
    if len(kept) == 0:
        return contexts
    before = np.searchsorted(kept, positions)
    itself = kept[np.minimum(before, len(kept) - 1)] == positions
    index = before[:, None] + np.arange(-window, window)
    index[:, window:] += itself[:, None]
    first, end = (np.searchsorted(kept, bound) for bound in bounds)
    there = (index >= first[:, None]) & (index < end[:, None])
    contexts[there] = rows[kept[index[there]]]
    return contexts


def attend_places(queries: Floats, features: Halves, layer: int, where: AttendingPlaces) -> Floats:
    """See `grassmeans.kernels.interface`."""
    passages, offsets, places, hidden, angles = where
    found = np.zeros(queries.shape, np.float32)
    scale = np.float32(1.0 / np.sqrt(queries.shape[2]))
    cos, sin = np.cos(angles)[:, None], np.sin(angles)[:, None]
    for passage, filled in enumerate(passages):
        mine = slice(offsets[passage], offsets[passage + 1])
        rows = filled[filled >= 0]
        here, others = places[mine], hidden[mine]
        if len(here) == 0 or len(rows) < 2:
            continue
        keys, values = features[rows, layer].astype(np.float32).swapaxes(0, 1)
        turned = _turn(keys, cos[: len(rows)], sin[: len(rows)]).transpose(1, 2, 0)
        query = _turn(queries[mine] * scale, cos[here], sin[here]).transpose(1, 0, 2)
        scores = query @ turned
        each = np.arange(len(here))
        scores[:, each, here] = -np.inf
        hides = others >= 0
        if hides.any():
            scores[:, each[hides], others[hides]] = -np.inf
        largest = scores.max(axis=2, keepdims=True)
        largest[np.isinf(largest)] = 0.0  # nothing is left to look at
        weights = np.exp(scores - largest)
        totals = weights.sum(axis=2, keepdims=True)
        weights /= np.where(totals > 0.0, totals, 1.0)
        found[mine] = (weights @ values.transpose(1, 0, 2)).transpose(1, 0, 2)
    return found


def _turn(vectors: Floats, cos: Floats, sin: Floats) -> Floats:
    """Turn the two halves of each head, (n, n_heads, size), by its place's angles."""
    half = vectors.shape[2] // 2
    first, second = vectors[:, :, :half], vectors[:, :, half:]
    turned = np.empty_like(vectors)
    turned[:, :, :half] = first * cos - second * sin
    turned[:, :, half:] = second * cos + first * sin
    return turned


def add_squares(inner: Floats, weights: Floats, sums: Floats) -> None:
    """See `grassmeans.kernels.interface`."""
    sums += np.square(np.maximum(inner, 0.0)) @ weights


class RoundedMatrices(Sequence[Floats]):
    """Matrices of rounded numbers, of which one is restored when it is read.

    Of an encoder all together are four times as large as their codes, and few sentences are read
    here.
    """

    def __init__(self, codes: NDArray[np.uint8], scales: Floats) -> None:
        self._codes = codes
        self._scales = np.asarray(scales, np.float32)

    def __len__(self) -> int:
        return len(self._codes)

    def __getitem__(self, number):  # type: ignore[no-untyped-def]
        numbers = np.subtract(self._codes[number], np.float32(127.5), dtype=np.float32)
        numbers *= self._scales[number][..., None]
        # By columns: products with few rows are twice as fast.
        return np.ascontiguousarray(numbers.swapaxes(-1, -2)).swapaxes(-1, -2)


def pack_matrices(codes: NDArray[np.uint8], scales: Floats) -> RoundedMatrices:
    """See `grassmeans.kernels.interface`."""
    return RoundedMatrices(codes, scales)


def restore_matrices(codes: NDArray[np.uint8], scales: Floats) -> Floats:
    """All of them, (n_matrices, n_out, n_in) float32, for who reads them again and again."""
    restored: Floats = RoundedMatrices(codes, scales)[:]
    return restored


def add_products(rows: Floats, matrices: Sequence[Floats], number: int, sums: Floats) -> None:
    """See `grassmeans.kernels.interface`."""
    sums += rows @ matrices[number].T


def describe_products() -> str:
    """See `grassmeans.kernels.interface`."""
    return "single-precision products by BLAS"


def encode_passages(
    states: Floats, offsets: Indices, hidden: Integers, angles: Floats, layers: EncoderLayers
) -> Floats:
    """See `grassmeans.kernels.interface`."""
    check_passages(states, offsets, hidden, angles)
    cos, sin = np.cos(angles)[:, None], np.sin(angles)[:, None]

    def attend(features: Floats) -> Floats:
        size, (n, width) = 2 * angles.shape[1], features.shape
        heads = features.reshape(n, 3, width // 3 // size, size)
        found = np.zeros(heads[:, 0].shape, np.float32)
        for unseen, first, end in zip(hidden, offsets[:-1], offsets[1:], strict=True):
            if end > first:
                found[first:end] = _attend_passage(heads[first:end], int(unseen), cos, sin)
        return found.reshape(n, width // 3)

    return encode_layers(states, layers, attend)


def encode_layers(
    states: Floats, layers: EncoderLayers, attend: Callable[[Floats], Floats]
) -> Floats:
    """States after all layers; ``attend`` is what finds (n, dim) in queries, keys and values.

    Rows are rounded as 8-bit products round them: answers do not depend on the processor.
    """
    x = np.array(states, np.float32)
    for attention, mixing, up, down in zip(*layers, strict=True):
        x += _round(attend(_round_normed(x) @ attention.T), SIGNED) @ mixing.T
        inner = np.maximum(_round_normed(x) @ up.T, 0.0)
        x += _round(np.square(inner), UNSIGNED) @ down.T
    return x


def _round(rows: Floats, n_steps: np.float32) -> Floats:
    """Rows at so many even steps up to their largest number."""
    largest = np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
    steps = np.divide(n_steps, largest, out=np.zeros_like(largest), where=largest > 0)
    rounded: Floats = np.rint(rows * steps) * (largest / n_steps)
    return rounded


def _round_normed(x: Floats) -> Floats:
    """The same of rows at a mean square of 1; the rows themselves are rounded."""
    squares = np.einsum("ij,ij->i", x, x)[:, None] / np.float32(x.shape[1])
    normed: Floats = _round(x, SIGNED) / np.sqrt(squares + NORM_FLOOR)
    return normed


def _attend_passage(heads: Floats, unseen: int, cos: Floats, sin: Floats) -> Floats:
    """(length, n_heads, size) of a passage's queries, keys and values (length, 3, ...)."""
    n = len(heads)
    queries, keys = (
        _turn(_normalise(heads[:, i]), cos[:n], sin[:n]).transpose(1, 0, 2) for i in range(2)
    )
    scores = queries @ keys.transpose(0, 2, 1) / np.float32(np.sqrt(heads.shape[3]))
    if unseen >= 0:
        others = np.arange(n) != unseen
        scores[:, others, unseen] = -np.inf
    weights = np.exp(scores - scores.max(axis=2, keepdims=True))
    weights /= weights.sum(axis=2, keepdims=True)
    found: Floats = weights @ heads[:, 2].transpose(1, 0, 2)
    return found.transpose(1, 0, 2)


def _normalise(x: Floats) -> Floats:
    """Rows (last axis) with a mean square of 1."""
    squares = np.einsum("...i,...i->...", x, x)[..., None] / np.float32(x.shape[-1])
    normed: Floats = x / np.sqrt(squares + NORM_FLOOR)
    return normed


def join_phrases(words: Integers, follows: Booleans, trie: PhraseTrie) -> tuple[Integers, Integers]:
    """See `grassmeans.kernels.interface`; the CPU's kernel is this, compiled."""
    lengths = np.ones(len(words), np.int32)
    phrases = np.full(len(words), -1, np.int32)
    i = 0
    while i < len(words):
        state, t, end = 0, i, i + 1
        while t < len(words) and words[t] >= 0 and (t == i or follows[t]):
            edge = state * trie.n_words + int(words[t])
            place = int(np.searchsorted(trie.edges, edge))
            if place == len(trie.edges) or trie.edges[place] != edge:
                break
            state = int(trie.states[place])
            t += 1
            if trie.ends[state] >= 0:
                end = t
                phrases[i] = trie.ends[state]
        lengths[i] = end - i
        lengths[i + 1 : end] = 0
        i = end
    return lengths, phrases
