"""Sparse coding: vectors as sums of few atoms, and atoms that suit such sums better.

Orthogonal matching pursuit in its batch form (Rubinstein et al. 2008): with A the atoms, G = A A^T
and p = A x, the products of the atoms with what is still missing from x are p - G[:, S] c, where S
are the atoms chosen so far and c their coefficients, G[S, S] c = p[S]. So the vector itself is
needed once, in a product of large matrices, and its remainder never.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from grassmeans.arrays import Floats, Indices, Integers
from grassmeans.kernels.cpu.products import FAST_SUMS
from grassmeans.kernels.cpu.threads import run_in_blocks
from grassmeans_lab.kernels.interface import NO_ATOM, SparseCodes

_SIGNALS_AT_ONCE = 8192
_BLOCK = 64
# Relative to the first product: below it, nothing but rounding is left of a signal.
_NOTHING_LEFT = 1e-5
# An atom whose squared distance to the span of those chosen is smaller is one of their sums.
_DEPENDENT = 1e-6


def code_signals(signals: Floats, atoms: Floats, sparsity: int) -> SparseCodes:
    """See `grassmeans_lab.kernels.interface`."""
    n_chosen = min(sparsity, len(atoms))
    ids = np.full((len(signals), n_chosen), NO_ATOM, np.int32)
    coefficients = np.zeros(ids.shape, np.float32)
    gram = atoms @ atoms.T
    for first in range(0, len(signals), _SIGNALS_AT_ONCE):
        part = slice(first, first + _SIGNALS_AT_ONCE)
        products = signals[part] @ atoms.T
        part_ids, part_coefficients = ids[part], coefficients[part]

        def pursue(
            start: int,
            stop: int,
            products: Floats = products,
            ids: Integers = part_ids,
            coefficients: Floats = part_coefficients,
        ) -> None:
            _pursue(products[start:stop], gram, ids[start:stop], coefficients[start:stop])

        run_in_blocks(pursue, len(products), _BLOCK)
    return SparseCodes(ids, coefficients)


def find_residuals(signals: Floats, atoms: Floats, codes: SparseCodes) -> Floats:
    """See `grassmeans_lab.kernels.interface`."""
    residuals = np.array(signals, np.float32, order="C")

    def subtract(start: int, stop: int) -> None:
        part = slice(start, stop)
        _subtract_codes(atoms, codes.ids[part], codes.coefficients[part], residuals[part])

    run_in_blocks(subtract, len(residuals), _BLOCK)
    return residuals


def improve_atoms(residuals: Floats, atoms: Floats, codes: SparseCodes) -> Indices:
    """See `grassmeans_lab.kernels.interface`."""
    flat = codes.ids.reshape(-1)
    places = np.argsort(flat, kind="stable")
    offsets = np.searchsorted(flat[places], np.arange(len(atoms) + 1))
    _improve_atoms(residuals, atoms, codes.coefficients, places, offsets)
    return np.diff(offsets)


@njit(cache=True, nogil=True, error_model="numpy")
def _find_largest(scores):
    best = 0
    largest = np.float32(-1.0)
    for j in range(scores.shape[0]):
        size = abs(scores[j])
        if size > largest:
            largest = size
            best = j
    return best, largest


@njit(cache=True, nogil=True, error_model="numpy")
def _pursue(products, gram, ids, coefficients):
    """Choose atoms greedily; all their coefficients are solved again after each choice.

    ``factor`` is the Cholesky factor L of G[S, S]; a new atom adds one row to it, whose diagonal is
    the atom's distance to the span of the others. What is missing is orthogonal to every atom
    chosen, so none is chosen twice but by rounding, which that distance finds. The work arrays need
    no clearing: step n reads what steps 0 to n of the same signal wrote.
    """
    n_chosen = ids.shape[1]
    factor = np.zeros((n_chosen, n_chosen))
    half = np.zeros(n_chosen)  # L half = p[S]
    solved = np.zeros(n_chosen)  # L^T solved = half
    scores = np.empty(products.shape[1], np.float32)
    for i in range(products.shape[0]):
        scores[:] = products[i]
        _, first_score = _find_largest(scores)
        for step in range(n_chosen):
            best, score = _find_largest(scores)
            if not score > _NOTHING_LEFT * first_score:
                break
            remainder = 1.0
            for row in range(step):
                value = np.float64(gram[ids[i, row], best])
                for column in range(row):
                    value -= factor[row, column] * factor[step, column]
                value /= factor[row, row]
                factor[step, row] = value
                remainder -= value * value
            if remainder < _DEPENDENT:
                break
            factor[step, step] = np.sqrt(remainder)
            ids[i, step] = best
            value = np.float64(products[i, best])
            for column in range(step):
                value -= factor[step, column] * half[column]
            half[step] = value / factor[step, step]
            for row in range(step, -1, -1):
                value = half[row]
                for below in range(row + 1, step + 1):
                    value -= factor[below, row] * solved[below]
                solved[row] = value / factor[row, row]
            for row in range(step + 1):
                coefficients[i, row] = solved[row]
            if step + 1 < n_chosen:
                scores[:] = products[i]
                for row in range(step + 1):
                    weight = np.float32(solved[row])
                    atom = gram[ids[i, row]]
                    for j in range(scores.shape[0]):
                        scores[j] -= weight * atom[j]


@njit(cache=True, nogil=True)
def _subtract_codes(atoms, ids, coefficients, residuals):
    for i in range(ids.shape[0]):
        for k in range(ids.shape[1]):
            if ids[i, k] >= 0:
                weight = coefficients[i, k]
                atom = atoms[ids[i, k]]
                for d in range(residuals.shape[1]):
                    residuals[i, d] -= weight * atom[d]


@njit(cache=True, nogil=True, error_model="numpy", fastmath=FAST_SUMS)
def _improve_atoms(residuals, atoms, coefficients, places, offsets):
    """``places[offsets[j]:offsets[j + 1]]`` are the flat places of atom j in the codes.

    With E the users' residuals without atom j, and g their coefficients of it, the best atom for g
    is E' g, and the best coefficients for an atom d are E d: one step of a power iteration, in
    place of K-SVD's decomposition of E (Aharon et al. 2006; Rubinstein et al. 2008). Neither half
    can make |E - g d'| larger. E itself is never formed: E' g = residuals' g + (g . g) d.
    """
    sparsity = coefficients.shape[1]
    dim = atoms.shape[1]
    improved = np.empty(dim, np.float32)
    for j in range(atoms.shape[0]):
        users = places[offsets[j] : offsets[j + 1]]
        old = atoms[j]
        energy = np.float32(0.0)
        improved[:] = 0.0
        for place in users:
            signal, k = place // sparsity, place % sparsity
            weight = coefficients[signal, k]
            energy += weight * weight
            for d in range(dim):
                improved[d] += weight * residuals[signal, d]
        total = np.float32(0.0)
        for d in range(dim):
            improved[d] += energy * old[d]
            total += improved[d] * improved[d]
        if not total > 0.0:
            continue
        scale = np.float32(1.0) / np.sqrt(total)
        for d in range(dim):
            improved[d] *= scale
        for place in users:
            signal, k = place // sparsity, place % sparsity
            weight = coefficients[signal, k]
            fitted = np.float32(0.0)
            for d in range(dim):
                residuals[signal, d] += weight * old[d]
                fitted += residuals[signal, d] * improved[d]
            for d in range(dim):
                residuals[signal, d] -= fitted * improved[d]
            coefficients[signal, k] = fitted
        old[:] = improved
