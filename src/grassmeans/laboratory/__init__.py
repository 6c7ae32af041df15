"""The paper's experiments, the rivals and iterative decoding: nothing in the core knows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grassmeans.lazy import give_names

if TYPE_CHECKING:
    from grassmeans.laboratory.comparing.comparing import Comparison as Comparison
    from grassmeans.laboratory.comparing.systems import make_systems as make_systems
    from grassmeans.laboratory.datasets.lineup import build_lineup as build_lineup
    from grassmeans.laboratory.datasets.links import LinkSettings as LinkSettings
    from grassmeans.laboratory.datasets.links import build_links as build_links
    from grassmeans.laboratory.datasets.pseudowords import build_pseudowords as build_pseudowords
    from grassmeans.laboratory.iteration.iterating import IterationSettings as IterationSettings
    from grassmeans.laboratory.iteration.iterating import iterate as iterate
    from grassmeans.laboratory.lineup.running import LineupTask as LineupTask
    from grassmeans.laboratory.lineup.running import evaluate_lineup as evaluate_lineup

__all__, __getattr__, __dir__ = give_names(
    __name__,
    {
        "iteration.iterating": ("IterationSettings", "iterate"),
        "datasets.links": ("LinkSettings", "build_links"),
        "datasets.pseudowords": ("build_pseudowords",),
        "datasets.lineup": ("build_lineup",),
        "lineup.running": ("LineupTask", "evaluate_lineup"),
        "comparing.comparing": ("Comparison",),
        "comparing.systems": ("make_systems",),
    },
)
