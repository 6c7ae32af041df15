"""From text to a finished model: all steps one after the other, gone on with when stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grassmeans.lazy import give_names

if TYPE_CHECKING:
    from grassmeans.recipes.about import About as About
    from grassmeans.recipes.about import Source as Source
    from grassmeans.recipes.making import Reading as Reading
    from grassmeans.recipes.making import Recipe as Recipe
    from grassmeans.recipes.making import make_model as make_model

__all__, __getattr__, __dir__ = give_names(
    __name__, {"about": ("About", "Source"), "making": ("Reading", "Recipe", "make_model")}
)
