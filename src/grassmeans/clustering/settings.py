"""How senses are induced from contexts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from numbers import Real
from typing import Any

from grassmeans.artifacts.schema import as_plain
from grassmeans.errors import InputError
from grassmeans.geometry.rules import DEFAULT_RULES, MOST_SENSES, check_count

AUTO = "auto"  # in place of a number of senses: as many as the contexts show
DEFAULT_MAX_SENSES = DEFAULT_RULES.max_senses
DEFAULT_GRANULARITY = 1.0
MOST_RESTARTS = 1_000


@dataclass(frozen=True, slots=True)
class InductionSettings:
    """How senses are induced; the defaults are the paper's.

    What a context is made of is not among them: see `grassmeans.geometry.windows.ContextShape`.

    Parameters
    ----------
    n_senses : int or "auto"
        K, the number of senses of every word; "auto" gives each word its own (see
        `grassmeans.clustering.sense_number`).
    n_init : int
        Random restarts of K-Grassmeans.
    max_contexts : int
        A random sample of this many occurrences is used.
    random_state : int
        Of samples and restarts.
    max_senses : int
        With "auto", how many groups of contexts there are before near ones are merged.
    granularity : float
        With "auto", larger gives more senses, smaller gives fewer.
    """

    n_senses: int | str = 5
    n_init: int = 5
    max_contexts: int = 10_000
    random_state: int = 0
    max_senses: int = DEFAULT_MAX_SENSES
    granularity: float = DEFAULT_GRANULARITY

    def __post_init__(self) -> None:
        check_sense_number(self.n_senses, self.granularity)
        check_count("max_senses", self.max_senses, largest=MOST_SENSES)
        check_count("n_init", self.n_init, largest=MOST_RESTARTS)
        check_count("max_contexts", self.max_contexts)
        check_count("random_state", self.random_state, smallest=0)

    @property
    def fewest_contexts(self) -> int:
        """How many contexts a word needs."""
        return 1 if isinstance(self.n_senses, str) else self.n_senses

    def to_dict(self) -> dict[str, Any]:
        """The settings as plain values, for a manifest."""
        return {name: as_plain(value) for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> InductionSettings:
        """Settings from a manifest; what it does not tell is the default, other keys are let be."""
        known = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in values.items() if name in known})


def check_sense_number(n_senses: Any, granularity: Any) -> None:
    """Refuse what cannot be a number of senses, with what was expected."""
    if n_senses != AUTO:
        check_count("n_senses", n_senses, ', or "auto"', largest=MOST_SENSES)
    if not isinstance(granularity, Real) or not 0.0 < float(granularity) < float("inf"):
        raise InputError(f"granularity must be a number above 0; got {granularity!r}")
