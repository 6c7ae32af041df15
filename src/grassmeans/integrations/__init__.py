"""spaCy, scikit-learn, any iterable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grassmeans.lazy import give_names

if TYPE_CHECKING:
    from grassmeans.integrations.iterables import tag_iter as tag_iter
    from grassmeans.integrations.sklearn import SenseInducer as SenseInducer
    from grassmeans.integrations.sklearn import SenseTagger as SenseTagger

__all__, __getattr__, __dir__ = give_names(
    __name__, {"sklearn": ("SenseTagger", "SenseInducer"), "iterables": ("tag_iter",)}
)
