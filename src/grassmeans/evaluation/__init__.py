"""Scores, test sets, and whatever answers them: a model or a rival."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grassmeans.lazy import give_names

if TYPE_CHECKING:
    from grassmeans.evaluation.loading import open_task as open_task
    from grassmeans.evaluation.running import evaluate as evaluate
    from grassmeans.evaluation.systems import ModelSystem as ModelSystem

__all__, __getattr__, __dir__ = give_names(
    __name__, {"systems": ("ModelSystem",), "running": ("evaluate",), "loading": ("open_task",)}
)
