"""What every device offers: the functions, one group an idea, and what goes between them.

This package is the contract and the reference of the kernels; it needs NumPy only. All functions
take and give NumPy arrays (C order, of the types named here; read-only memory maps are fine), so
those of different devices can be mixed.
"""

from __future__ import annotations

from typing import Protocol

from grassmeans.arrays import Doubles, Floats, Halves, Indices, Integers
from grassmeans.kernels.interface.attention import AttentionKernels
from grassmeans.kernels.interface.blocks import (
    Advanced,
    BlockKernels,
    HeldContexts,
    Reached,
    RestartSteps,
)
from grassmeans.kernels.interface.labelling import OCCURRENCE_BLOCK, LabellingKernels, SenseTable
from grassmeans.kernels.interface.passages import (
    NORM_FLOOR,
    SIGNED,
    UNSIGNED,
    EncoderLayers,
    PassageKernels,
    check_passages,
)
from grassmeans.kernels.interface.permutations import PermutationKernels, Permuted
from grassmeans.kernels.interface.subspaces import SubspaceKernels, negligible_share
from grassmeans.kernels.interface.text import (
    NOT_KEPT,
    PhraseKernels,
    PhraseTrie,
    TextKernels,
    Windows,
)
from grassmeans.kernels.interface.training import HeldMatrices, Sampling, TrainingKernels

__all__ = [
    "NORM_FLOOR",
    "NOT_KEPT",
    "OCCURRENCE_BLOCK",
    "SIGNED",
    "UNSIGNED",
    "Advanced",
    "AttentionKernels",
    "BlockKernels",
    "Doubles",
    "EncoderLayers",
    "Floats",
    "Halves",
    "HeldContexts",
    "HeldMatrices",
    "Indices",
    "Integers",
    "Kernels",
    "LabellingKernels",
    "PassageKernels",
    "PermutationKernels",
    "Permuted",
    "PhraseKernels",
    "PhraseTrie",
    "Reached",
    "RestartSteps",
    "Sampling",
    "SenseTable",
    "SubspaceKernels",
    "TextKernels",
    "TrainingKernels",
    "Windows",
    "check_passages",
    "negligible_share",
]


class Kernels(
    AttentionKernels,
    PassageKernels,
    TextKernels,
    PermutationKernels,
    PhraseKernels,
    SubspaceKernels,
    LabellingKernels,
    TrainingKernels,
    Protocol,
):
    """Everything that `grassmeans.kernels.get_kernels` gives."""
