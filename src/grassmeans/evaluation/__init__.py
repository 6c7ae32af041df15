"""Scores, test sets, and whatever answers them: a model or a rival."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grassmeans.lazy import give_names

if TYPE_CHECKING:
    from grassmeans.evaluation.running import evaluate as evaluate
    from grassmeans.evaluation.systems import ModelSystem as ModelSystem
    from grassmeans.evaluation.tasks.loading import open_task as open_task

_PUBLIC = {
    "ModelSystem": "grassmeans.evaluation.systems",
    "evaluate": "grassmeans.evaluation.running",
    "open_task": "grassmeans.evaluation.tasks.loading",
}

__all__ = [*_PUBLIC]  # noqa: PLE0604

__getattr__ = give_names(__name__, _PUBLIC)


def __dir__() -> list[str]:
    return sorted(__all__)
