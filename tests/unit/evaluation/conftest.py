"""A model small enough to work out its answers by hand."""

from __future__ import annotations

from evaluation_fixtures import small_model, small_task

__all__ = ["small_model", "small_task"]
