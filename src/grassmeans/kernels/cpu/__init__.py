"""The kernels on the CPU, compiled by Numba."""

from grassmeans.kernels.cpu.grassmeans import (
    apply_groups,
    assign_contexts,
    multiply_bases,
    square_projections,
)
from grassmeans.kernels.cpu.subspaces import solve_subspaces

__all__ = [
    "apply_groups",
    "assign_contexts",
    "multiply_bases",
    "solve_subspaces",
    "square_projections",
]
