"""Arrays in, arrays out: what the algorithms are made of, one implementation per device.

`get_kernels` is the one place where a device is chosen. A new device is a sibling of ``cpu`` with
the functions of `Kernels`; the algorithms above are written once.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from grassmeans.errors import InputError

DEVICES = ("cpu", "numpy")


class Kernels(Protocol):
    """The functions that every device has; the CPU's docstrings say what they do."""

    def solve_subspaces(
        self,
        context_ids: NDArray[np.int32],
        vectors: NDArray[np.float32],
        rank: int,
        with_bases: bool = True,
    ) -> tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.float64]]:
        """Bases, squared singular values and total energies of every context."""
        ...

    def assign_contexts(
        self, bases: NDArray[np.float32], directions: NDArray[np.float32]
    ) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.float64]]:
        """Nearest directions of every restart, their squared projections, and group products."""
        ...

    def apply_groups(
        self,
        bases: NDArray[np.float32],
        labels: NDArray[np.int32],
        directions: NDArray[np.float32],
    ) -> NDArray[np.float64]:
        """Products of the groups' matrices with one vector each."""
        ...

    def square_projections(
        self, bases: NDArray[np.float32], directions: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Squared projections of directions on context subspaces."""
        ...

    def multiply_bases(self, bases: NDArray[np.float32]) -> NDArray[np.float32]:
        """Inner products of each basis's rows."""
        ...


def get_kernels(device: str = "cpu") -> Kernels:
    """The kernels of a device.

    Raises
    ------
    InputError
        If there is no such device.
    """
    if device == "cpu":
        from grassmeans.kernels import cpu

        return cpu
    if device == "numpy":
        from grassmeans.kernels import plain

        return plain
    raise InputError(f"device must be one of {', '.join(map(repr, DEVICES))}, got {device!r}")
