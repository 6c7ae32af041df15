"""How surely, and how exclusively, two things stand together.

- The log-likelihood ratio (Dunning 1993), G2 = 2 sum O ln(O / E) over the four cells "near or not"
  by "this word or another": how surely the word is near more often than by chance.
- logDice (Rychlý 2008), 14 + log2(2 f_xy / (f_x + f_y)): how exclusively the two belong together,
  whatever the size of the corpus. Its highest value is 14.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from grassmeans.arrays import Doubles

_HIGHEST_DICE = 14.0


def measure_log_dice(together: ArrayLike, first: ArrayLike, second: ArrayLike) -> Doubles:
    """The logDice of two things, from how often they are together and each is; -inf for never."""
    both = np.asarray(together, np.float64)
    each = np.asarray(first, np.float64) + np.asarray(second, np.float64)
    share = np.divide(2.0 * both, each, out=np.zeros_like(both * each), where=each > 0.0)
    with np.errstate(divide="ignore"):
        return _HIGHEST_DICE + np.log2(share)


def measure_log_likelihood(
    observed: ArrayLike, row: ArrayLike, column: ArrayLike, total: ArrayLike
) -> Doubles:
    """The log-likelihood ratio of a table of four cells; negative for fewer than expected.

    Of the first cell and the sums of its row, of its column and of the table, all of one shape.
    """
    o, r, c, n = np.broadcast_arrays(
        *(np.asarray(value, np.float64) for value in (observed, row, column, total))
    )
    # Windows may overlap, so that a word is near more often than it occurs: no cell is below 0.
    cells = [o, r - o, c - o, n - r - c + o]
    sums = [r * c, r * (n - c), (n - r) * c, (n - r) * (n - c)]
    score = np.zeros(o.shape)
    for count, product in zip(cells, sums, strict=True):
        some = (count > 0.0) & (product > 0.0)
        ratio = np.divide(count * n, product, out=np.ones(o.shape), where=some)
        score += np.where(some, count * np.log(ratio), 0.0)
    signed: Doubles = np.sign(o * n - r * c) * np.maximum(2.0 * score, 0.0)
    return signed
