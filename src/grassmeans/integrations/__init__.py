"""spaCy, scikit-learn, any iterable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grassmeans.lazy import give_names

if TYPE_CHECKING:
    from grassmeans.integrations.iterables import tag_iter as tag_iter
    from grassmeans.integrations.sklearn import SenseTagger as SenseTagger

_PUBLIC = {
    "SenseTagger": "grassmeans.integrations.sklearn",
    "tag_iter": "grassmeans.integrations.iterables",
}

__all__ = [*_PUBLIC]  # noqa: PLE0604

__getattr__ = give_names(__name__, _PUBLIC)


def __dir__() -> list[str]:
    return sorted(__all__)
