"""Leading eigenpairs of many small Gram matrices at once.

A Gram matrix of twenty words is too small for a vectorised solver and there are millions of them,
so the matrices of a batch lie side by side ("lanes", the last axis) and every step of the solver is
an inner loop over lanes: Householder tridiagonalisation, bisection on Sturm counts for the leading
eigenvalues only, inverse iteration for their vectors (Golub & Van Loan, Matrix Computations, 8.3,
8.4 and 7.6; LAPACK's dsytrd, dstebz and dstein). For matrices of 20 x 20 this is about ten times as
fast as LAPACK's solver called matrix by matrix.

Everything is in double precision and branch-free per lane. A lane reads no other lane; but all of
them go on until the last one is done, so the others change a lane's result, by rounding only.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from grassmeans.arrays import Doubles

LANES = 64
"""Matrices per batch that suit the cache: 20 x 20 x 64 doubles are 200 KB."""

_CONTRACT = {"contract", "nsz"}
_BISECTION_LIMIT = 60
_BISECTION_WIDTH = 2.0**-30  # of the eigenvalue; inverse iteration takes it from there
_NEGLIGIBLE = 2.0**-46  # of the trace: smaller eigenvalues are rounding
_SMALLEST_PIVOT = 2.0**-52  # of the trace
_N_INVERSE_ITERATIONS = 3


@njit(cache=True, error_model="numpy", fastmath=_CONTRACT)
def _reduce_to_tridiagonal(grams: Doubles, diagonal: Doubles, off: Doubles, tau: Doubles) -> None:
    """Householder reduction in place; reflector k is left in ``grams[k + 2 :, k]``.

    Each step is A := H A H with H = I - tau v v' orthogonal, which keeps the eigenvalues; v has a 1
    in row k + 1 that is not stored. Zero rows and columns stay zero: padding costs no accuracy.
    """
    m, lanes = grams.shape[0], grams.shape[2]
    v = np.zeros((m, lanes))
    w = np.zeros((m, lanes))
    s = np.zeros(lanes)
    for k in range(m - 2):
        for lane in range(lanes):
            s[lane] = 0.0
        for i in range(k + 2, m):
            for lane in range(lanes):
                s[lane] += grams[i, k, lane] * grams[i, k, lane]
        for lane in range(lanes):
            alpha = grams[k + 1, k, lane]
            norm = np.sqrt(alpha * alpha + s[lane])
            reflects = s[lane] > 0.0
            beta = -norm if alpha > 0.0 else norm  # the sign that cancels no digits
            beta = beta if reflects else 1.0
            off[k, lane] = beta if reflects else alpha
            tau[k, lane] = (beta - alpha) / beta if reflects else 0.0
            s[lane] = 1.0 / (alpha - beta) if reflects else 0.0
            v[k + 1, lane] = 1.0
        for i in range(k + 2, m):
            for lane in range(lanes):
                v[i, lane] = grams[i, k, lane] * s[lane]
            for lane in range(lanes):
                grams[i, k, lane] = v[i, lane]
        # w = tau (A v - (tau v'Av / 2) v), then A -= v w' + w v', on the lower triangle.
        for i in range(k + 1, m):
            for lane in range(lanes):
                w[i, lane] = grams[i, i, lane] * v[i, lane]
        for i in range(k + 2, m):
            for j in range(k + 1, i):
                for lane in range(lanes):
                    w[i, lane] += grams[i, j, lane] * v[j, lane]
                for lane in range(lanes):
                    w[j, lane] += grams[i, j, lane] * v[i, lane]
        for lane in range(lanes):
            s[lane] = 0.0
        for i in range(k + 1, m):
            for lane in range(lanes):
                s[lane] += w[i, lane] * v[i, lane]
        for i in range(k + 1, m):
            for lane in range(lanes):
                t = tau[k, lane]
                w[i, lane] = t * (w[i, lane] - 0.5 * t * s[lane] * v[i, lane])
        for i in range(k + 1, m):
            for j in range(k + 1, i + 1):
                for lane in range(lanes):
                    grams[i, j, lane] -= v[i, lane] * w[j, lane] + w[i, lane] * v[j, lane]
    for lane in range(lanes):
        for i in range(m):
            diagonal[i, lane] = grams[i, i, lane]
        if m > 1:
            off[m - 2, lane] = grams[m - 1, m - 2, lane]


@njit(cache=True, error_model="numpy", fastmath=_CONTRACT)
def _bisect_eigenvalues(diagonal: Doubles, off: Doubles, trace: Doubles, values: Doubles) -> None:
    """The ``values.shape[0]`` largest eigenvalues, by bisection on Sturm counts.

    The pivots of T - x I = L D L' have as many positive signs as T has eigenvalues above x
    (Sylvester's law of inertia). So n + 1 eigenvalues or more are never below ``low``, and at most
    n above ``high``: value n stays between them.
    """
    m, lanes = diagonal.shape
    low = np.empty(lanes)
    high = np.empty(lanes)
    middle = np.empty(lanes)
    q = np.empty(lanes)
    n_above = np.empty(lanes)
    for n in range(values.shape[0]):
        for lane in range(lanes):
            low[lane] = 0.0
            # n + 1 eigenvalues of a non-negative matrix are at least as large as this one.
            high[lane] = trace[lane] / (n + 1) * (1.0 + 2.0**-40)
        for _ in range(_BISECTION_LIMIT):
            widest = 0.0
            for lane in range(lanes):
                middle[lane] = 0.5 * (low[lane] + high[lane])
                q[lane] = 1.0
                n_above[lane] = 0.0
                bound = _BISECTION_WIDTH * low[lane] + _NEGLIGIBLE * trace[lane]
                widest = max(widest, high[lane] - low[lane] - bound)
            if widest <= 0.0:
                break
            for i in range(m):
                for lane in range(lanes):
                    e = off[i - 1, lane] if i > 0 else 0.0
                    pivot = diagonal[i, lane] - middle[lane] - e * e / q[lane]
                    floor = _SMALLEST_PIVOT * trace[lane] + 1e-300
                    # As if T had been changed by less than its rounding; no division by 0.
                    pivot = -floor if abs(pivot) < floor else pivot
                    q[lane] = pivot
                    n_above[lane] += 1.0 if pivot > 0.0 else 0.0
            for lane in range(lanes):
                above = n_above[lane] > n
                low[lane] = middle[lane] if above else low[lane]
                high[lane] = high[lane] if above else middle[lane]
        for lane in range(lanes):
            values[n, lane] = 0.5 * (low[lane] + high[lane])


@njit(cache=True, error_model="numpy", fastmath=_CONTRACT)
def _factorise_shifted(
    diagonal: Doubles, off: Doubles, shift: Doubles, trace: Doubles, factors: Doubles
) -> None:
    """LU factors, with row exchanges, of T - shift I: multiplier, swap, 1/pivot, two rows above."""
    m, lanes = diagonal.shape
    p = np.empty(lanes)
    q = np.empty(lanes)
    for lane in range(lanes):
        p[lane] = diagonal[0, lane] - shift[lane]
        q[lane] = off[0, lane]
    for i in range(m - 1):
        for lane in range(lanes):
            e = off[i, lane]
            d = diagonal[i + 1, lane] - shift[lane]
            following = off[i + 1, lane]
            floor = _SMALLEST_PIVOT * trace[lane] + 1e-300
            swap = abs(e) > abs(p[lane])
            pivot = e if swap else p[lane]
            pivot = floor if abs(pivot) < floor else pivot
            multiplier = (p[lane] if swap else e) / pivot
            factors[0, i, lane] = multiplier
            factors[1, i, lane] = 1.0 if swap else 0.0
            factors[2, i, lane] = 1.0 / pivot
            factors[3, i, lane] = d if swap else q[lane]
            factors[4, i, lane] = following if swap else 0.0
            p[lane] = (q[lane] - multiplier * d) if swap else (d - multiplier * q[lane])
            q[lane] = -multiplier * following if swap else following
    for lane in range(lanes):
        floor = _SMALLEST_PIVOT * trace[lane] + 1e-300
        factors[2, m - 1, lane] = 1.0 / (floor if abs(p[lane]) < floor else p[lane])


@njit(cache=True, error_model="numpy", fastmath=_CONTRACT)
def _solve_factorised(factors: Doubles, x: Doubles) -> None:
    """Solve (T - shift I) y = x in place."""
    m, lanes = x.shape
    for i in range(m - 1):
        for lane in range(lanes):
            swap = factors[1, i, lane] > 0.0
            first = x[i + 1, lane] if swap else x[i, lane]
            second = x[i, lane] if swap else x[i + 1, lane]
            x[i, lane] = first
            x[i + 1, lane] = second - factors[0, i, lane] * first
    for lane in range(lanes):
        x[m - 1, lane] *= factors[2, m - 1, lane]
    if m > 1:
        for lane in range(lanes):
            above = x[m - 2, lane] - factors[3, m - 2, lane] * x[m - 1, lane]
            x[m - 2, lane] = above * factors[2, m - 2, lane]
    for i in range(m - 3, -1, -1):
        for lane in range(lanes):
            above = x[i, lane] - factors[3, i, lane] * x[i + 1, lane]
            above -= factors[4, i, lane] * x[i + 2, lane]
            x[i, lane] = above * factors[2, i, lane]


@njit(cache=True, error_model="numpy", fastmath=_CONTRACT)
def _orthonormalise_last(vectors: Doubles, n: int) -> None:
    """Take vectors 0..n-1 out of vector n and scale it to unit length."""
    m, lanes = vectors.shape[1], vectors.shape[2]
    s = np.empty(lanes)
    # Scaling first keeps the squares finite: a solve may return values near 1e16.
    for lane in range(lanes):
        s[lane] = 1e-300
    for i in range(m):
        for lane in range(lanes):
            s[lane] = max(s[lane], abs(vectors[n, i, lane]))
    for i in range(m):
        for lane in range(lanes):
            vectors[n, i, lane] /= s[lane]
    for earlier in range(n):
        for lane in range(lanes):
            s[lane] = 0.0
        for i in range(m):
            for lane in range(lanes):
                s[lane] += vectors[earlier, i, lane] * vectors[n, i, lane]
        for i in range(m):
            for lane in range(lanes):
                vectors[n, i, lane] -= s[lane] * vectors[earlier, i, lane]
    for lane in range(lanes):
        s[lane] = 1e-300
    for i in range(m):
        for lane in range(lanes):
            s[lane] += vectors[n, i, lane] * vectors[n, i, lane]
    for lane in range(lanes):
        s[lane] = 1.0 / np.sqrt(s[lane])
    for i in range(m):
        for lane in range(lanes):
            vectors[n, i, lane] *= s[lane]


@njit(cache=True, error_model="numpy", fastmath=_CONTRACT)
def _set_rayleigh_quotient(diagonal: Doubles, off: Doubles, x: Doubles, value: Doubles) -> None:
    """The eigenvalue that belongs to x, good to the square of x's error."""
    m, lanes = x.shape
    for lane in range(lanes):
        value[lane] = 0.0
    for i in range(m):
        for lane in range(lanes):
            value[lane] += diagonal[i, lane] * x[i, lane] * x[i, lane]
    for i in range(m - 1):
        for lane in range(lanes):
            value[lane] += 2.0 * off[i, lane] * x[i, lane] * x[i + 1, lane]
    for lane in range(lanes):
        value[lane] = max(value[lane], 0.0)


@njit(cache=True, error_model="numpy", fastmath=_CONTRACT)
def _apply_reflectors(grams: Doubles, tau: Doubles, x: Doubles) -> None:
    """Turn an eigenvector of the tridiagonal matrix into one of the Gram matrix, in place."""
    m, lanes = x.shape
    s = np.empty(lanes)
    for k in range(m - 3, -1, -1):
        for lane in range(lanes):
            s[lane] = x[k + 1, lane]
        for i in range(k + 2, m):
            for lane in range(lanes):
                s[lane] += grams[i, k, lane] * x[i, lane]
        for lane in range(lanes):
            s[lane] *= tau[k, lane]
            x[k + 1, lane] -= s[lane]
        for i in range(k + 2, m):
            for lane in range(lanes):
                x[i, lane] -= s[lane] * grams[i, k, lane]


@njit(cache=True, nogil=True, error_model="numpy", fastmath=_CONTRACT)
def leading_eigenpairs(grams: Doubles, rank: int) -> tuple[Doubles, Doubles]:
    """Leading eigenvalues (rank, lanes) and eigenvectors (rank, m, lanes) of Gram matrices.

    Of ``grams`` (m, m, lanes), positive semi-definite, the lower triangles are read and all is
    overwritten; rows and columns of zeros are padding, and get zero coefficients. Values fall, and
    are never negative. Vectors are orthonormal for each lane, of arbitrary sign; where a value is
    zero, or equals the one after the last, the vector is one choice of many.
    """
    m, lanes = grams.shape[0], grams.shape[2]
    trace = np.zeros(lanes)
    for i in range(m):
        for lane in range(lanes):
            trace[lane] += grams[i, i, lane]
    diagonal = np.empty((m, lanes))
    off = np.zeros((m, lanes))
    tau = np.zeros((m, lanes))
    values = np.empty((rank, lanes))
    vectors = np.empty((rank, m, lanes))
    factors = np.empty((5, m, lanes))
    _reduce_to_tridiagonal(grams, diagonal, off, tau)
    _bisect_eigenvalues(diagonal, off, trace, values)
    for n in range(rank):
        _factorise_shifted(diagonal, off, values[n], trace, factors)
        for i in range(m):
            # Any fixed start that favours no direction; different for each vector.
            start = ((i + 1) * (n + 1) * 0.6180339887498949 + 0.25 * n) % 1.0 - 0.4142
            for lane in range(lanes):
                vectors[n, i, lane] = start
        # Each solve multiplies the part along eigenvector i by 1 / (value i - shift): with a shift
        # this near to one of them, a few are enough, and the error of so nearly singular a solve
        # lies along the vector that is wanted (Peters & Wilkinson 1979). Equal values would all
        # end at the same vector: earlier ones are taken out after every solve.
        for _ in range(_N_INVERSE_ITERATIONS):
            _solve_factorised(factors, vectors[n])
            _orthonormalise_last(vectors, n)
        _set_rayleigh_quotient(diagonal, off, vectors[n], values[n])
    for n in range(rank):
        _apply_reflectors(grams, tau, vectors[n])
    return values, vectors
