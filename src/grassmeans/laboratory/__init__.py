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

_PUBLIC = {
    "IterationSettings": "grassmeans.laboratory.iteration.iterating",
    "iterate": "grassmeans.laboratory.iteration.iterating",
    "LinkSettings": "grassmeans.laboratory.datasets.links",
    "build_links": "grassmeans.laboratory.datasets.links",
    "build_pseudowords": "grassmeans.laboratory.datasets.pseudowords",
    "build_lineup": "grassmeans.laboratory.datasets.lineup",
    "LineupTask": "grassmeans.laboratory.lineup.running",
    "evaluate_lineup": "grassmeans.laboratory.lineup.running",
    "Comparison": "grassmeans.laboratory.comparing.comparing",
    "make_systems": "grassmeans.laboratory.comparing.systems",
}

__all__ = [*_PUBLIC]  # noqa: PLE0604

__getattr__ = give_names(__name__, _PUBLIC)


def __dir__() -> list[str]:
    return sorted(__all__)
