"""One sense for one meaning: groups of contexts matched to the classes that these belong to."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from grassmeans.arrays import Indices

UNMATCHED = -1
"""Of a group that stands for no class."""


def pair_all(table: NDArray[np.integer]) -> tuple[Indices, Indices]:
    """Groups, rising, and the class of each: one to one, as many as there are, so that most agree.

    Of a ``table`` as `match_groups` has it; a pair may have no member in common.
    """
    groups, classes = linear_sum_assignment(table, maximize=True)
    return groups, classes


def match_groups(table: NDArray[np.integer]) -> Indices:
    """Match groups to classes one to one, so that most members agree.

    Parameters
    ----------
    table : (n_groups, n_classes)
        How many members of a group belong to a class.

    Returns
    -------
    (n_groups,) int64
        The class of each group; `UNMATCHED` where it has none, or no member in common with it.
    """
    rows, columns = pair_all(table)
    found = np.full(len(table), UNMATCHED, np.int64)
    shared = table[rows, columns] > 0
    found[rows[shared]] = columns[shared]
    return found
