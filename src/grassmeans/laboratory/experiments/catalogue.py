"""All experiments by name, in the paper's order."""

from __future__ import annotations

from collections.abc import Sequence

from grassmeans.errors import InputError
from grassmeans.laboratory.experiments.ablations import Ablations
from grassmeans.laboratory.experiments.artificial_polysemy import ArtificialPolysemy
from grassmeans.laboratory.experiments.columbia import InductionExample
from grassmeans.laboratory.experiments.granularity import Granularity
from grassmeans.laboratory.experiments.intersection import Intersection
from grassmeans.laboratory.experiments.isotropy import Isotropy
from grassmeans.laboratory.experiments.linearity import Linearity
from grassmeans.laboratory.experiments.lineup_curve import LineupCurve
from grassmeans.laboratory.experiments.low_rank import LowRank
from grassmeans.laboratory.experiments.monosemous import MonosemousDirections
from grassmeans.laboratory.experiments.polysemy import Polysemy
from grassmeans.laboratory.experiments.scws_table import ContextualSimilarity
from grassmeans.laboratory.experiments.setup import Experiment
from grassmeans.laboratory.experiments.wsi_table import SenseInductionTable

EXPERIMENTS: tuple[type[Experiment], ...] = (
    LowRank,
    Intersection,
    Polysemy,
    InductionExample,
    ArtificialPolysemy,
    MonosemousDirections,
    Isotropy,
    SenseInductionTable,
    ContextualSimilarity,
    LineupCurve,
    Linearity,
    Ablations,
    Granularity,
)


def choose_experiments(names: Sequence[str], *, quick: bool = False) -> list[Experiment]:
    """The experiments of these names; ``all``, or none, means every one.

    Raises
    ------
    InputError
        For a name that there is not.
    """
    known = {experiment.name: experiment for experiment in EXPERIMENTS}
    wanted = list(known) if not names or "all" in names else list(dict.fromkeys(names))
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise InputError(
            f"there is no experiment {unknown[0]!r}: choose from {', '.join(known)}, or all"
        )
    return [known[name].quick() if quick else known[name]() for name in wanted]
