"""How senses are induced."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from grassmeans.contexts import DEFAULT_WINDOW
from grassmeans.errors import InputError

WEIGHTINGS = ("flat", "singular")


@dataclass(frozen=True, slots=True)
class InductionSettings:
    """How senses are induced; the defaults are the paper's.

    Parameters
    ----------
    n_senses : int
        K, the number of senses of every word.
    window : int
        Kept words a side of a context.
    rank : int
        N, the dimension of a context's subspace; contexts with fewer words are left out.
    weighting : {"flat", "singular"}
        Whether all directions of a subspace count alike, or by their singular values.
    n_init : int
        Random restarts of K-Grassmeans.
    max_contexts : int
        A random sample of this many occurrences is used.
    drop_repeats : bool
        Leave out other occurrences of the target inside its context.
    random_state : int
    """

    n_senses: int = 5
    window: int = DEFAULT_WINDOW
    rank: int = 3
    weighting: str = "flat"
    n_init: int = 5
    max_contexts: int = 10_000
    drop_repeats: bool = False
    random_state: int = 0

    def __post_init__(self) -> None:
        for name in ("n_senses", "window", "rank", "n_init", "max_contexts"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} must be 1 or more, got {getattr(self, name)}")
        if self.weighting not in WEIGHTINGS:
            raise InputError(
                f"weighting must be one of {', '.join(WEIGHTINGS)}, got {self.weighting!r}"
            )

    def to_dict(self) -> dict[str, Any]:
        """The settings as plain values, for a manifest."""
        return asdict(self)


def change_settings(settings: InductionSettings, changes: Mapping[str, Any]) -> InductionSettings:
    """The settings with some of them changed, by name."""
    known = [field.name for field in fields(InductionSettings)]
    unknown = [name for name in changes if name not in known]
    if unknown:
        raise InputError(f"unknown setting {unknown[0]!r}: expected one of {', '.join(known)}")
    return replace(settings, **changes)
