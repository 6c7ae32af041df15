"""Contexts of a word in several forms: grouped by what they say of its senses, not of its grammar.

Learned contexts tell what could stand in a place, its tense and number too: "draw" and "drew" stand
in different places whatever they mean, and would become senses. So the contexts of each form are
moved to where those of all forms are, before they are grouped. The directions of the senses are
those in which the contexts meet as they are, for so they are found in new text.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Floats, Integers
from grassmeans.clustering.kgrassmeans import KGrassmeans
from grassmeans.clustering.loop import FitOptions
from grassmeans.clustering.sense_number import find_meeting
from grassmeans.senses.samples import EncodedWord, WordSource
from grassmeans.vectors.similarity import unit_rows

_FEW = 10
"""Contexts of a form whose mean is half believed."""


def level_forms(bases: Floats, forms: Integers | NDArray[np.int64]) -> Floats:
    """Lines (n, 1, dim) with ends, moved so that those of each form (n,) have one mean.

    The mean of a few is not much moved: it may be their sense's.
    """
    rows = bases[:, 0].astype(np.float64)
    mean, moved = rows.mean(axis=0), rows.copy()
    for form in np.unique(forms):
        own = forms == form
        n_own = int(own.sum())
        moved[own] -= (rows[own].mean(axis=0) - mean) * (n_own / (n_own + _FEW))
    return unit_rows(moved).astype(np.float32)[:, None]


def level_word(word: str, encoded: EncodedWord, source: WordSource, has_ends: bool) -> Floats:
    """The bases of a word that are to be grouped; as they are, where it has one form."""
    if not has_ends or len(source.forms_of(word)) < 2:
        return encoded.bases
    return level_forms(encoded.bases, source.tokens_at(encoded.positions))


def find_directions(found: KGrassmeans, levelled: Floats, bases: Floats) -> Floats:
    """(n_senses, dim) where the contexts of each group meet as they are, in the groups' order."""
    directions: Floats = found.directions_
    if levelled is bases:
        return directions
    met = directions.copy()
    for k in np.unique(found.labels_):
        own = np.ascontiguousarray(bases[found.labels_ == k])
        met[k] = find_meeting(own, FitOptions(signed=True))
    return met
