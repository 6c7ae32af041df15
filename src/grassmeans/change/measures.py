"""How far two groups of occurrences of a word are apart: by their senses, and by their contexts.

Three measures, all in [0, 1] or nearly so, 0 for no change:

- Jensen-Shannon distance of the distributions over senses;
- average pairwise distance (APD): 1 less the mean cosine of a context of one group with one of the
  other;
- distance of prototypes (PRT): 1 less the cosine of the two groups' mean contexts.

Contexts are compared by what they say about the word. A learned line, or a subspace, also says what
a text is about and how it is written, which differs between any two groups of texts whatever the
word means there. So a context stands for the mean of the words that would fit into it and are like
the word itself: of all words, those that it asks for most, where being like the word counts half as
much as fitting in.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

from grassmeans.contexts.interface import ContextEncoder
from grassmeans.vectors.similarity import unit_rows

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

N_FITTING = 20
"""Words that stand for a context; of a small vocabulary a twentieth."""

LIKENESS = 0.5
"""What a cosine with the word counts beside a cosine with the context."""

_AT_ONCE = 256


def jensen_shannon(first: Doubles, second: Doubles) -> Doubles:
    """(...,) distances of distributions (..., n_senses): the root of the divergence in bits.

    Counts may be given in place of shares. NaN where one side has no occurrence, and nowhere else:
    SciPy's takes the root of what rounding makes negative.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = [x / x.sum(axis=-1, keepdims=True) for x in (first, second)]
    mean = (shares[0] + shares[1]) / 2
    bits = [entr(x).sum(axis=-1) / np.log(2) for x in (mean, *shares)]
    divergence = bits[0] - (bits[1] + bits[2]) / 2
    # Equal distributions may differ by rounding, whose root would not be small.
    found: Doubles = np.sqrt(np.where(divergence < 1e-12, divergence * 0.0, divergence))
    return np.minimum(found, 1.0)


def average_pairwise_distance(first: Floats, second: Floats) -> float:
    """1 less the mean cosine of (n, dim) with (m, dim) unit rows; NaN where a side has none.

    The mean over all pairs is the product of the means: no pair is looked at.
    """
    if not len(first) or not len(second):
        return float("nan")
    return 1.0 - float(_mean(first) @ _mean(second))


def prototype_distance(first: Floats, second: Floats) -> float:
    """1 less the cosine of the mean rows of (n, dim) and (m, dim); NaN where a side has none."""
    if not len(first) or not len(second):
        return float("nan")
    means = _mean(first), _mean(second)
    lengths = float(np.linalg.norm(means[0]) * np.linalg.norm(means[1]))
    return 1.0 - float(means[0] @ means[1]) / lengths if lengths > 0.0 else float("nan")


def _mean(rows: Floats) -> Doubles:
    found: Doubles = rows.mean(axis=0, dtype=np.float64)
    return found


def describe_contexts(word: str, bases: Floats, encoder: ContextEncoder) -> Floats:
    """What contexts say about a word: the mean of the words that fit into each and are like it.

    ``bases`` (n, rank, dim) give unit rows (n, dim), zeros where a context says nothing. A word
    that has no vector stands where its contexts point to.
    """
    vectors = unit_rows(np.asarray(encoder.vectors.vectors, np.float32))
    row = int(encoder.vectors.ids_of([word])[0])
    known = vectors[row] if row >= 0 else _find_place(bases, encoder.lines_have_ends)
    bonus = LIKENESS * (vectors @ known)
    n_others = len(vectors) - (row >= 0)
    n_fitting = min(N_FITTING, max(n_others // N_FITTING, 1), n_others)
    found = np.zeros((len(bases), vectors.shape[1]), np.float32)
    if n_fitting < 1:
        return found
    for start in range(0, len(bases), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        scores = _fit_words(bases[part], vectors, encoder.lines_have_ends) + bonus
        if row >= 0:
            scores[:, row] = -np.inf
        best = np.argpartition(-scores, n_fitting - 1, axis=1)[:, :n_fitting]
        found[part] = unit_rows(vectors[best].mean(axis=1))
    found[~bases.any(axis=(1, 2))] = 0.0
    return found


def _find_place(bases: Floats, signed: bool) -> Floats:
    """(dim,) where contexts meet: their mean line, or the main axis of their subspaces."""
    if signed:
        place: Floats = unit_rows(bases[:, 0].mean(axis=0, keepdims=True))[0]
        return place
    rows = bases.reshape(-1, bases.shape[2]).astype(np.float64)
    axis: Floats = np.linalg.eigh(rows.T @ rows)[1][:, -1].astype(np.float32)
    return axis if axis @ bases.sum(axis=(0, 1)) >= 0.0 else -axis


def _fit_words(bases: Floats, vectors: Floats, signed: bool) -> Floats:
    """(n, n_words) how much of each word lies inside each context: a cosine."""
    if signed:
        inside: Floats = bases[:, 0] @ vectors.T
        return inside
    squares = np.zeros((len(bases), len(vectors)), np.float32)
    for axis in range(bases.shape[1]):
        squares += np.square(bases[:, axis] @ vectors.T)
    return np.sqrt(squares, out=squares)
