"""How senses are induced from contexts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from grassmeans.artifacts.schema import as_plain, check_fields, expect, number, whole
from grassmeans.geometry.rules import DEFAULT_RULES, MOST_SENSES

AUTO = "auto"  # in place of a number of senses: as many as the contexts show
DEFAULT_MAX_SENSES = DEFAULT_RULES.max_senses
DEFAULT_GRANULARITY = 1.0
SENSE_RULES = {
    "n_senses": expect(
        f'a whole number from 1 to {MOST_SENSES:,}, or "auto"',
        lambda value: value == AUTO or whole(1, MOST_SENSES)(value) is None,
    ),
    "n_init": whole(1, 1_000),
    "granularity": expect("a number above 0", lambda value: not number(0.0)(value) and value > 0),
}
"""What a number of senses, of restarts and a granularity may be."""


@dataclass(frozen=True, slots=True)
class InductionSettings:
    """How senses are induced; the defaults are the paper's, but for the number of senses.

    What a context is made of is not among them: see `grassmeans.geometry.windows.ContextShape`.

    Parameters
    ----------
    n_senses : int or "auto"
        K, the number of senses of every word (the paper's is 5); "auto", the default, gives each
        word its own (see `grassmeans.clustering.sense_number`).
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

    n_senses: int | str = AUTO
    n_init: int = 5
    max_contexts: int = 10_000
    random_state: int = 0
    max_senses: int = DEFAULT_MAX_SENSES
    granularity: float = DEFAULT_GRANULARITY

    def __post_init__(self) -> None:
        more = {"max_senses": whole(1, MOST_SENSES), "max_contexts": whole(1)}
        check_fields(self, **SENSE_RULES, **more, random_state=whole())

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
