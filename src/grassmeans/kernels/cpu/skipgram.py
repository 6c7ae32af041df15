"""Skip-gram with negative sampling: the training loop.

For one centre word the inputs are the words of its (dynamic) window and the outputs are the centre
and its negatives, shared by all pairs of the window. With X the inputs' and Y the outputs' vectors
(rows), one step is three small dense products::

    G = (labels - sigmoid(X Y^T)) * rate        errors of all pairs
    inputs  += G Y
    outputs += G^T X

Sharing negatives turns updates of single pairs into products of small matrices (Ji et al. 2016).
They run over blocks of two inputs by six outputs, whose sums stay in vector registers.

Several threads may train on the same matrices without locks (Hogwild, Recht et al. 2011): a step
changes a few rows of very many, so threads seldom meet, and where they do, an addition may be lost,
which is less than the noise of sampling. A number is written as a whole, so none is ever torn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from grassmeans.kernels.arguments import Matrices, Sampling, Stretch
from grassmeans.kernels.cpu.negative_sampling import (
    MAX_SEQUENCE,
    OPTIONS,
    OUTPUT_BLOCK,
    ZERO,
    add_outputs,
    copy_rows,
    cut_documents,
    draw_outputs,
    subsample,
    take_window,
    turn_into_errors,
)


@njit(**OPTIONS)
def _dot_block(x, y, i, j, dim, products):
    """products[i:i+2, j:j+6] = x[i:i+2] @ y[j:j+6].T, twelve sums in registers."""
    a0 = a1 = a2 = a3 = a4 = a5 = ZERO
    b0 = b1 = b2 = b3 = b4 = b5 = ZERO
    for d in range(dim):
        first = x[i, d]
        second = x[i + 1, d]
        value = y[j, d]
        a0 += first * value
        b0 += second * value
        value = y[j + 1, d]
        a1 += first * value
        b1 += second * value
        value = y[j + 2, d]
        a2 += first * value
        b2 += second * value
        value = y[j + 3, d]
        a3 += first * value
        b3 += second * value
        value = y[j + 4, d]
        a4 += first * value
        b4 += second * value
        value = y[j + 5, d]
        a5 += first * value
        b5 += second * value
    products[i, j] = a0
    products[i, j + 1] = a1
    products[i, j + 2] = a2
    products[i, j + 3] = a3
    products[i, j + 4] = a4
    products[i, j + 5] = a5
    products[i + 1, j] = b0
    products[i + 1, j + 1] = b1
    products[i + 1, j + 2] = b2
    products[i + 1, j + 3] = b3
    products[i + 1, j + 4] = b4
    products[i + 1, j + 5] = b5


@njit(**OPTIONS)
def _add_inputs(matrix, row, errors, i, j, x, dim):
    """matrix[row] += errors[i:i+2, j] @ x[i:i+2]."""
    g0 = errors[i, j]
    g1 = errors[i + 1, j]
    for d in range(dim):
        matrix[row, d] += g0 * x[i, d] + g1 * x[i + 1, d]


@njit(**OPTIONS)
def _add_four_inputs(matrix, row, errors, i, j, x, dim):
    """matrix[row] += errors[i:i+4, j] @ x[i:i+4]."""
    g0 = errors[i, j]
    g1 = errors[i + 1, j]
    g2 = errors[i + 2, j]
    g3 = errors[i + 3, j]
    for d in range(dim):
        matrix[row, d] += (g0 * x[i, d] + g1 * x[i + 1, d]) + (g2 * x[i + 2, d] + g3 * x[i + 3, d])


class _Work(NamedTuple):
    """What the steps of one thread are computed in.

    Nothing is ever cleared: what an earlier window left beyond the rows in use gets an error of 0,
    and so adds nothing.
    """

    x: Any  # (n_rows, dim) the inputs' vectors
    y: Any  # (n_columns, dim) the outputs' vectors
    errors: Any  # (n_rows, n_columns)
    input_rows: Any  # (n_rows,)
    output_rows: Any  # (n_columns,)


@njit(**OPTIONS)
def _update_window(matrices, work, n_inputs, n_outputs, table, rate):
    """One step for all pairs of a window.

    Gradients are those at the copies, so the order of the additions does not matter, also where a
    word stands twice in a window.
    """
    inputs, outputs, frozen_inputs, frozen_outputs = matrices
    x, y, errors, input_rows, output_rows = work
    dim = inputs.shape[1]
    n_columns = errors.shape[1]
    copy_rows(inputs, input_rows, n_inputs, x, dim)
    copy_rows(outputs, output_rows, n_outputs, y, dim)
    for i in range(0, n_inputs, 2):
        for j in range(0, n_columns, OUTPUT_BLOCK):
            _dot_block(x, y, i, j, dim, errors)
    turn_into_errors(errors, n_inputs, n_outputs, rate, table)
    for i in range(n_inputs):
        if not frozen_inputs[input_rows[i]]:
            for j in range(0, n_columns, OUTPUT_BLOCK):
                add_outputs(inputs, input_rows[i], errors, i, y, j, dim)
    for j in range(n_outputs):
        if frozen_outputs[output_rows[j]]:
            continue
        i = 0
        while i + 2 < n_inputs:
            _add_four_inputs(outputs, output_rows[j], errors, i, j, x, dim)
            i += 4
        if i < n_inputs:
            _add_inputs(outputs, output_rows[j], errors, i, j, x, dim)


@njit(**OPTIONS)
def _train(matrices, sampling, stretch):
    dim = matrices.inputs.shape[1]
    n_columns = (sampling.negative + OUTPUT_BLOCK) // OUTPUT_BLOCK * OUTPUT_BLOCK
    window = sampling.window
    n_rows = 2 * window + 4
    work = _Work(
        np.zeros((n_rows, dim), np.float32),
        np.zeros((n_columns, dim), np.float32),
        np.zeros((n_rows, n_columns), np.float32),
        np.zeros(n_rows, np.int64),
        np.zeros(n_columns, np.int64),
    )
    kept = np.empty(MAX_SEQUENCE, np.int32)
    state = np.empty(1, np.uint64)
    state[0] = stretch.seed | np.uint64(1)
    offsets = cut_documents(stretch.document_offsets)
    n_tokens = offsets[-1] - offsets[0]
    for i in range(offsets.shape[0] - 1):
        part = stretch.tokens[offsets[i] : offsets[i + 1]]
        n_kept = subsample(part, sampling.keep, state, kept)
        share = (offsets[i] - offsets[0]) / n_tokens
        rate = np.float32(stretch.first_rate + (stretch.last_rate - stretch.first_rate) * share)
        for position in range(n_kept):
            _, n_inputs = take_window(kept, n_kept, position, window, state, work.input_rows)
            if n_inputs > 0:
                n_outputs = draw_outputs(kept[position], sampling, state, work.output_rows)
                _update_window(matrices, work, n_inputs, n_outputs, sampling.sigmoid, rate)


@dataclass(frozen=True, slots=True)
class ArraysInPlace:
    """The arrays themselves, in the memory of the CPU; several threads may train them."""

    matrices: Matrices
    sampling: Sampling

    def train(self, stretch: Stretch) -> None:
        """See `grassmeans.kernels.interface`."""
        _train(self.matrices, self.sampling, stretch)

    def read_back(self) -> None:
        """Nothing to do: they are up to date."""


hold_matrices = ArraysInPlace
