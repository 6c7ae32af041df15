"""How far two labellings of the same occurrences agree, whatever numbers they give to senses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from grassmeans.errors import InputError


@dataclass(frozen=True, slots=True)
class SenseMatching:
    """The best one-to-one matching of two labellings of one word.

    Attributes
    ----------
    renumbering : (n_senses + 1,) int64
        For each number of the second labelling the number that the first one uses for it; 0, "I
        don't know", stays 0. Senses without a partner get the numbers that are left.
    n_agreeing, n_occurrences : int
        Occurrences with the same label after renumbering, and all of them.
    """

    renumbering: NDArray[np.int64]
    n_agreeing: int
    n_occurrences: int

    @property
    def agreement(self) -> float:
        """Share of the occurrences with the same label; 1 where there are none."""
        return self.n_agreeing / self.n_occurrences if self.n_occurrences else 1.0


def match_senses(
    previous: NDArray[np.integer], current: NDArray[np.integer], n_senses: int
) -> SenseMatching:
    """Match the senses of two labellings so that most occurrences agree (Hungarian assignment).

    Parameters
    ----------
    previous, current : (n,) integers
        0 for "I don't know", 1 to ``n_senses`` for senses.
    n_senses : int
        The largest number in either.
    """
    if previous.shape != current.shape:
        raise InputError(
            f"both labellings must be of the same occurrences, got {previous.shape} and "
            f"{current.shape}"
        )
    for labels in (previous, current):
        if labels.size and (labels.min() < 0 or labels.max() > n_senses):
            raise InputError(
                f"labels must lie between 0 and {n_senses}, found {labels.min()} to {labels.max()}"
            )
    size = n_senses + 1
    pairs = np.bincount(previous.astype(np.int64) * size + current, minlength=size * size)
    return match_table(pairs.reshape(size, size))


def match_table(table: NDArray[np.integer]) -> SenseMatching:
    """As `match_senses`, from counts.

    Parameters
    ----------
    table : (n_senses + 1, n_senses + 1)
        How many occurrences have each label in the first (row) and second (column) labelling; 0 is
        "I don't know", which is never matched with a sense.
    """
    old, new = linear_sum_assignment(table[1:, 1:], maximize=True)
    renumbering = np.zeros(len(table), np.int64)
    renumbering[new + 1] = old + 1
    n_agreeing = int(table[0, 0] + table[1:, 1:][old, new].sum())
    return SenseMatching(renumbering, n_agreeing, int(table.sum()))


def mean_entropy(probabilities: NDArray[np.floating]) -> float:
    """Mean entropy of soft labels in [0, 1]: 0 for certainty, 1 for senses equally likely.

    Parameters
    ----------
    probabilities : (n, n_senses)
        Rows sum to 1; entropies are taken to the base ``n_senses``.
    """
    n, n_senses = probabilities.shape
    if n == 0 or n_senses == 1:
        return 0.0
    logs = np.log(probabilities, out=np.zeros_like(probabilities), where=probabilities > 0.0)
    return float(-(probabilities * logs).sum(axis=1).mean() / np.log(n_senses)) + 0.0
