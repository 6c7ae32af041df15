"""Which layers of a transformer the vector of a word is taken from."""

from __future__ import annotations

import re

from grassmeans.errors import InputError

FIRST_SHARE, LAST_SHARE = 7 / 12, 9 / 12
"""Of the layers, where nothing else is said: 7 to 9 of 12 (docs/adr/0022-transformers.md)."""

_RANGE = re.compile(r"(\d+)(?:-(\d+))?")


def choose_layers(asked: str | None, n_layers: int) -> tuple[int, ...]:
    """Numbers of layers, from 1; the mean of these is taken.

    Parameters
    ----------
    asked : str, optional
        "7-9", "8" or "4,7-9"; without it the middle of the second half.
    n_layers : int
        How many the model has.
    """
    if asked is None:
        first = max(round(FIRST_SHARE * n_layers), 1)
        return tuple(range(first, max(round(LAST_SHARE * n_layers), first) + 1))
    found: set[int] = set()
    for part in asked.split(","):
        match = _RANGE.fullmatch(part.strip())
        if match is None:
            raise InputError(f"layers must be numbers such as 7-9 or 4,8; got {asked!r}")
        first, last = int(match[1]), int(match[2] or match[1])
        if not 1 <= first <= last <= n_layers:
            raise InputError(
                f"the model has the layers 1 to {n_layers}, layers={asked!r} are not among them"
            )
        found |= set(range(first, last + 1))
    return tuple(sorted(found))
