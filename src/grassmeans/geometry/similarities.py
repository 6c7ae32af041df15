"""How alike two contexts are: the one place for the similarity of bases.

Lines that have ends (``signed``; rank 1) are compared by their cosine, in [-1, 1]. Subspaces are
compared by the cosine of the projections on them, <P, Q> / (|P| |Q|), in [0, 1]: for orthonormal
bases of one rank the mean squared cosine of the principal angles, for lines the squared cosine. A
context of zeros, which says nothing, is 0 alike to any.
"""

from __future__ import annotations

import numpy as np

from grassmeans.arrays import Floats
from grassmeans.vectors.similarity import unit_rows


def compare_all(first: Floats, second: Floats, *, signed: bool = False) -> Floats:
    """Similarities of every context with every other.

    Parameters
    ----------
    first, second : (n, rank, dim), (m, rank, dim) float32
        Orthogonal rows of at most unit length.
    signed : bool
        Whether lines have ends.

    Returns
    -------
    (n, m) float32
    """
    if signed:
        cosines: Floats = unit_rows(first[:, 0]) @ unit_rows(second[:, 0]).T
        return cosines
    rows = [bases.reshape(-1, bases.shape[2]) for bases in (first, second)]
    products = (rows[0] @ rows[1].T).reshape(*first.shape[:2], *second.shape[:2])
    inner = np.square(products).sum(axis=(1, 3))
    return _divide(inner, np.outer(_measure_projections(first), _measure_projections(second)))


def compare_rows(first: Floats, second: Floats, *, signed: bool = False) -> Floats:
    """(n,) similarities of each context with the one at its place; parameters as `compare_all`."""
    if signed:
        rays = unit_rows(first[:, 0]), unit_rows(second[:, 0])
        return np.asarray(np.einsum("nd,nd->n", *rays), np.float32)
    inner = np.square(np.einsum("nid,njd->nij", first, second)).sum(axis=(1, 2))
    return _divide(inner, _measure_projections(first) * _measure_projections(second))


def _measure_projections(bases: Floats) -> Floats:
    """(n,) lengths |P| of the projections on subspaces, as matrices."""
    lengths: Floats = np.linalg.norm(np.square(bases).sum(axis=2), axis=1)
    return lengths


def _divide(inner: Floats, lengths: Floats) -> Floats:
    return np.asarray(inner / np.where(lengths > 0.0, lengths, 1.0), np.float32)
