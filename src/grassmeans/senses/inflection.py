"""Contexts of a word in several forms: grouped by what they say of its senses, not of its grammar.

Learned contexts tell what could stand in a place, its tense and number too: "draw" and "drew" stand
in different places whatever they mean, and would become senses. So the contexts of each form are
moved to where those of all forms are, before they are grouped. The directions of the senses are
those in which the contexts meet as they are, for so they are found in new text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Floats, Integers
from grassmeans.clustering.loop import FitOptions
from grassmeans.clustering.sense_number import find_meeting
from grassmeans.senses.samples import EncodedWord, WordSource
from grassmeans.vectors.similarity import unit_rows

if TYPE_CHECKING:
    from grassmeans.clustering.kgrassmeans import KGrassmeans

_FEW = 10
"""Contexts of a form whose mean is half believed."""


def level_forms(bases: Floats, forms: Integers | NDArray[np.int64]) -> Floats:
    """Lines (n, 1, dim) with ends, moved so that those of each form (n,) have one mean.

    The mean of a few is not much moved: it may be their sense's.
    """
    rows = bases[:, 0]
    moved = rows.copy()
    for form in np.unique(forms):
        own = np.flatnonzero(forms == form)
        moved[own] -= (rows[own].mean(axis=0) - rows.mean(axis=0)) * (len(own) / (len(own) + _FEW))
    return unit_rows(moved)[:, None]


def level_word(word: str, encoded: EncodedWord, source: WordSource, has_ends: bool) -> Floats:
    """The bases of a word that are to be grouped; as they are, where it has one form."""
    if not has_ends or len(source.forms_of(word)) < 2:
        return encoded.bases
    return level_forms(encoded.bases, source.tokens_at(encoded.positions))


class Groups(NamedTuple):
    """Contexts of a word that were grouped, levelled or not."""

    directions: Floats  # (n_senses, dim)
    labels: Integers | None  # (n_contexts,) of levelled ones; None of contexts as they are

    @classmethod
    def of(cls, found: KGrassmeans, is_levelled: bool) -> Groups:
        """What is needed of a fitted estimator."""
        return cls(found.directions_, found.labels_ if is_levelled else None)

    def meet(self, bases: Floats) -> Floats:
        """(n_senses, dim) where the contexts of each group meet as they are."""
        if self.labels is None:
            return self.directions
        met = self.directions.copy()
        for k in np.unique(self.labels):
            own = np.ascontiguousarray(bases[self.labels == k])
            met[k] = find_meeting(own, FitOptions(signed=True))
        return met
