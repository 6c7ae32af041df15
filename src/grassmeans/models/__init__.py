"""Models: where they are, and how they are opened, built, fitted and made small."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grassmeans.lazy import give_names

if TYPE_CHECKING:
    from grassmeans.models.compacting import CompactSettings as CompactSettings
    from grassmeans.models.compacting import compact_model as compact_model

__all__, __getattr__, __dir__ = give_names(
    __name__, {"compacting": ("CompactSettings", "compact_model")}
)
