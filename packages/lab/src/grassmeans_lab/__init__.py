"""The paper's experiments, the rivals and iterative decoding: nothing in the core knows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grassmeans.lazy import give_names

if TYPE_CHECKING:
    from grassmeans_lab.comparing.comparing import Comparison as Comparison
    from grassmeans_lab.comparing.systems import make_systems as make_systems
    from grassmeans_lab.datasets.lineup import build_lineup as build_lineup
    from grassmeans_lab.datasets.links import LinkSettings as LinkSettings
    from grassmeans_lab.datasets.links import build_links as build_links
    from grassmeans_lab.datasets.pseudowords import build_pseudowords as build_pseudowords
    from grassmeans_lab.evaluation.tasks.lineup.running import LineupTask as LineupTask
    from grassmeans_lab.evaluation.tasks.lineup.running import evaluate_lineup as evaluate_lineup
    from grassmeans_lab.iteration.iterating import IterationSettings as IterationSettings
    from grassmeans_lab.iteration.iterating import iterate as iterate

__all__, __getattr__, __dir__ = give_names(
    __name__,
    {
        "iteration.iterating": ("IterationSettings", "iterate"),
        "datasets.links": ("LinkSettings", "build_links"),
        "datasets.pseudowords": ("build_pseudowords",),
        "datasets.lineup": ("build_lineup",),
        "evaluation.tasks.lineup.running": ("LineupTask", "evaluate_lineup"),
        "comparing.comparing": ("Comparison",),
        "comparing.systems": ("make_systems",),
    },
)
