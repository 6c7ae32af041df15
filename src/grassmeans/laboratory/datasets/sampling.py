"""Which occurrences of a word go into a test set, and into which part of it."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grassmeans.errors import InputError

Positions = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Sampling:
    """How occurrences are drawn; the draw of a word does not depend on the other words.

    Parameters
    ----------
    max_per_sense : int, optional
        At most so many occurrences a sense, drawn at random.
    balance : bool
        As many occurrences of every sense of a word: as its rarest sense has.
    test_share : float, optional
        Put this share of every sense into a part for tests and the rest into one for training;
        without it there is one part.
    random_state : int
        Of the draws.
    """

    max_per_sense: int | None = None
    balance: bool = False
    test_share: float | None = None
    random_state: int = 0

    def __post_init__(self) -> None:
        if self.max_per_sense is not None and self.max_per_sense < 1:
            raise InputError(f"max_per_sense must be 1 or more, got {self.max_per_sense}")
        if self.test_share is not None and not 0 < self.test_share < 1:
            raise InputError(f"test_share must lie between 0 and 1, got {self.test_share}")
        if self.test_share is not None and self.max_per_sense == 1:
            raise InputError("a sense of one instance cannot be split: let max_per_sense be 2+")

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of the parts."""
        return ("instances",) if self.test_share is None else ("train", "test")


def sample_senses(
    word: str, senses: Mapping[str, Positions], sampling: Sampling
) -> dict[str, dict[str, Positions]]:
    """Draw the occurrences of a word's senses.

    Parameters
    ----------
    senses : mapping
        Label -> positions of its occurrences, in order.

    Returns
    -------
    dict
        Part -> label -> positions, in order. With a split, every sense of two occurrences or more
        has at least one in either part.
    """
    seeds = np.random.SeedSequence([sampling.random_state, zlib.crc32(word.encode())])
    rng = np.random.default_rng(seeds)
    limit = max((len(positions) for positions in senses.values()), default=0)
    if sampling.max_per_sense is not None:
        limit = min(limit, sampling.max_per_sense)
    if sampling.balance:
        limit = min([limit, *(len(positions) for positions in senses.values())])
    chosen: dict[str, dict[str, Positions]] = {part: {} for part in sampling.parts}
    for label, positions in senses.items():
        drawn = rng.permutation(positions)[:limit]
        for part, some in _split(drawn, sampling).items():
            chosen[part][label] = np.sort(some)
    return chosen


def _split(drawn: Positions, sampling: Sampling) -> dict[str, Positions]:
    if sampling.test_share is None:
        return {sampling.parts[0]: drawn}
    n_test = round(sampling.test_share * len(drawn))
    if len(drawn) > 1:
        n_test = min(max(n_test, 1), len(drawn) - 1)
    return {"train": drawn[n_test:], "test": drawn[:n_test]}
