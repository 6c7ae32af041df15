"""The agreement of annotators in a project: of all, of each pair, and of each label."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

from grassmeans.results import ColumnTypes, Tabular, types_of
from grassmeans_explorer.annotation.agreement import measure_alpha, measure_kappa
from grassmeans_explorer.annotation.project import RELATEDNESS, UNDECIDED, AnnotationProject

_DIGITS = 4


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Two annotators."""

    first: str
    second: str
    n_items: int
    """That both have decided."""
    agreed: float | None
    """The share on which they say the same."""
    kappa: float | None
    """Cohen's."""
    alpha: float | None
    """Krippendorff's: of ranks, where labels are."""


@dataclass(frozen=True, slots=True)
class LabelAgreement:
    """A label against all others."""

    label: str
    name: str
    count: int
    """How often it was given."""
    alpha: float | None
    """Krippendorff's, of "this or another"."""


@dataclass(frozen=True, slots=True)
class Agreement(Tabular):
    """How far annotators agree; as a table, their pairs."""

    task: str
    n_items: int
    n_judged: Mapping[str, int]
    """Items that each annotator has judged, those without a decision too."""
    n_shared: int
    """Items that two or more have decided."""
    alpha_nominal: float | None
    alpha_ordinal: float | None
    """None where labels are no ranks."""
    pairs: tuple[PairAgreement, ...]
    labels: tuple[LabelAgreement, ...]

    def __repr__(self) -> str:
        return f"Agreement(alpha={self.alpha_nominal}, {self.n_shared:,} items)"

    def rows(self) -> list[dict[str, Any]]:
        """A pair of annotators a row."""
        return [asdict(pair) for pair in self.pairs]

    def column_types(self) -> ColumnTypes:
        """The columns of such rows."""
        return types_of(PairAgreement)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return asdict(self) | {"n_judged": dict(self.n_judged)}


def measure_agreement(project: AnnotationProject) -> Agreement:
    """Compare what annotators say; items on which somebody cannot decide miss that judgment."""
    given = {name: project.judgments_of(name) for name in project.annotators}
    decided = {
        name: {item: one.label for item, one in own.items() if one.label != UNDECIDED}
        for name, own in given.items()
    }
    units = [[own[item] for own in decided.values() if item in own] for item in project.items]
    is_ranked = project.task == RELATEDNESS
    return Agreement(
        task=project.task,
        n_items=len(project.items),
        n_judged={name: len(own) for name, own in given.items()},
        n_shared=sum(len(values) > 1 for values in units),
        alpha_nominal=_round(measure_alpha(units)),
        alpha_ordinal=_round(measure_alpha(_as_ranks(units), "ordinal")) if is_ranked else None,
        pairs=tuple(
            _compare(first, second, decided, is_ranked)
            for first, second in combinations(decided, 2)
        ),
        labels=tuple(
            LabelAgreement(
                label,
                name,
                sum(values.count(label) for values in units),
                _round(measure_alpha([[v == label for v in values] for values in units])),
            )
            for label, name in project.labels.items()
            if label != UNDECIDED
        ),
    )


def _as_ranks(units: list[list[str]]) -> list[list[int]]:
    return [[int(value) for value in values] for values in units]


def _compare(
    first: str, second: str, decided: Mapping[str, Mapping[str, str]], is_ranked: bool
) -> PairAgreement:
    one, other = decided[first], decided[second]
    shared = [item for item in one if item in other]
    values = [one[item] for item in shared], [other[item] for item in shared]
    same = sum(one[item] == other[item] for item in shared)
    agreed = round(same / len(shared), _DIGITS) if shared else None
    kappa = measure_kappa(*values)
    units = [[one[item], other[item]] for item in shared]
    alpha = measure_alpha(_as_ranks(units), "ordinal") if is_ranked else measure_alpha(units)
    return PairAgreement(first, second, len(shared), agreed, _round(kappa), _round(alpha))


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)
