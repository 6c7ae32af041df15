"""How senses are induced."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from numbers import Integral, Real
from typing import Any

from grassmeans.contexts import DEFAULT_WINDOW
from grassmeans.errors import InputError

AUTO = "auto"
"""In place of a number of senses: as many as the contexts show."""

DEFAULT_MAX_SENSES = 8
DEFAULT_GRANULARITY = 1.0

WEIGHTINGS = ("flat", "singular")
FEWEST_WEIGHTED = 3
"""Words that a context needs where its directions are weighted; the paper's rank."""


@dataclass(frozen=True, slots=True)
class InductionSettings:
    """How senses are induced; the defaults are the paper's.

    Parameters
    ----------
    n_senses : int or "auto"
        K, the number of senses of every word; "auto" gives each word its own (see
        `grassmeans.senses.sense_number`).
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
    max_senses : int
        With "auto", the most senses of a word.
    granularity : float
        With "auto", larger gives more senses, smaller gives fewer.
    """

    n_senses: int | str = 5
    window: int = DEFAULT_WINDOW
    rank: int = 3
    weighting: str = "flat"
    n_init: int = 5
    max_contexts: int = 10_000
    drop_repeats: bool = False
    random_state: int = 0
    max_senses: int = DEFAULT_MAX_SENSES
    granularity: float = DEFAULT_GRANULARITY

    def __post_init__(self) -> None:
        check_sense_number(self.n_senses, self.max_senses, self.granularity)
        for name in ("window", "rank", "n_init", "max_contexts"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} must be 1 or more, got {getattr(self, name)}")
        if self.weighting not in WEIGHTINGS:
            raise InputError(
                f"weighting must be one of {', '.join(WEIGHTINGS)}, got {self.weighting!r}"
            )

    @property
    def fewest_contexts(self) -> int:
        """How many contexts a word needs."""
        return 1 if isinstance(self.n_senses, str) else self.n_senses

    def to_dict(self) -> dict[str, Any]:
        """The settings as plain values, for a manifest."""
        return asdict(self)


def check_sense_number(n_senses: Any, max_senses: Any, granularity: Any) -> None:
    """Refuse what cannot be a number of senses, with what was expected."""
    if n_senses != AUTO:
        _check_count("n_senses", n_senses, ', or "auto"')
    _check_count("max_senses", max_senses)
    if not isinstance(granularity, Real) or not 0.0 < float(granularity) < float("inf"):
        raise InputError(f"granularity must be a number above 0; got {granularity!r}")


def _check_count(name: str, value: Any, otherwise: str = "") -> None:
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
        raise InputError(f"{name} must be a whole number, 1 or more{otherwise}; got {value!r}")


def fewest_words(rank: int, weighting: str) -> int:
    """How many known words a context must have to be told apart from the senses of a word.

    As many as the rank, as in the paper. Where directions weigh by their singular values, the ones
    that few words cannot span weigh nothing, so three words are enough for any rank.
    """
    return min(rank, FEWEST_WEIGHTED) if weighting == "singular" else rank


def change_settings(settings: InductionSettings, changes: Mapping[str, Any]) -> InductionSettings:
    """The settings with some of them changed, by name."""
    known = [field.name for field in fields(InductionSettings)]
    unknown = [name for name in changes if name not in known]
    if unknown:
        raise InputError(f"unknown setting {unknown[0]!r}: expected one of {', '.join(known)}")
    return replace(settings, **changes)
