"""How far people agree: Krippendorff's alpha and Cohen's kappa.

- Alpha = 1 - D_o / D_e: the disagreement that is observed against that which chance would give.
  Let o_ck be how often values c and k stand together in a unit (each pair of a unit's m values
  counts 1 / (m - 1)), n_c = sum_k o_ck and n = sum_c n_c. Then alpha is
  1 - (n - 1) sum_ck o_ck d_ck / sum_ck n_c n_k d_ck. The difference d of two values is 0 or 1 where
  they are names, and (sum_{g=c..k} n_g - (n_c + n_k) / 2)^2 where they are ranks. Missing values
  are no matter (Krippendorff 2011).
- Kappa = (p_o - p_e) / (1 - p_e), of two people, with the share of units on which they agree and
  that which their own frequencies would give (Cohen 1960).

Both are None where nothing could be disagreed about: no unit with two values, or one value alone.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

import numpy as np

from grassmeans.arrays import Doubles
from grassmeans.errors import check_choice

LEVELS = ("nominal", "ordinal")
Value = TypeVar("Value", bound=Hashable)


def measure_alpha(units: Iterable[Sequence[Value]], level: str = LEVELS[0]) -> float | None:
    """Krippendorff's alpha of units, each with the values that people gave it.

    Ranks (``level="ordinal"``) have to be values that can be sorted.
    """
    check_choice("level", level, LEVELS)
    pairable = [list(values) for values in units if len(values) > 1]
    distinct = {value for values in pairable for value in values}
    ordered = sorted(distinct) if level == "ordinal" else list(distinct)  # type: ignore[type-var]
    numbers = {value: number for number, value in enumerate(ordered)}
    together = np.zeros((len(ordered), len(ordered)))
    for values in pairable:
        counts = np.bincount([numbers[value] for value in values], minlength=len(ordered))
        pairs = np.outer(counts, counts) - np.diag(counts)
        together += pairs / (len(values) - 1)
    totals = together.sum(axis=1)
    differences = _rank_differences(totals) if level == "ordinal" else 1.0 - np.eye(len(ordered))
    expected = float((np.outer(totals, totals) * differences).sum())
    if expected == 0.0:
        return None
    observed = float((together * differences).sum())
    return 1.0 - (float(totals.sum()) - 1.0) * observed / expected


def _rank_differences(totals: Doubles) -> Doubles:
    """(n, n) squared differences of ranks, by how many values lie between them."""
    ends = np.cumsum(totals)
    # From the middle of one value's block to the middle of the other's.
    middles = ends - totals / 2.0
    differences: Doubles = (middles[:, None] - middles[None, :]) ** 2
    return differences


def measure_kappa(first: Sequence[Value], second: Sequence[Value]) -> float | None:
    """Cohen's kappa of the values that two people gave to the same units."""
    n = len(first)
    if n == 0 or len(second) != n:
        return None
    agreed = sum(one == other for one, other in zip(first, second, strict=True)) / n
    values = set(first) | set(second)
    chance = sum(
        (sum(v == value for v in first) / n) * (sum(v == value for v in second) / n)
        for value in values
    )
    return None if chance >= 1.0 else (agreed - chance) / (1.0 - chance)
