"""The kernels of the core and those that only rivals use, asked for in the same way."""

from __future__ import annotations

from typing import cast

from grassmeans.kernels import MODULES, find_device
from grassmeans_lab.kernels.interface import (
    NO_ATOM,
    PASSED_OVER,
    RivalKernels,
    SenseRule,
    SparseCodes,
)

__all__ = ["NO_ATOM", "PASSED_OVER", "RivalKernels", "SenseRule", "SparseCodes", "get_kernels"]

_MODULES = {name: ("grassmeans_lab.kernels.cpu", *core) for name, core in MODULES.items()}


def get_kernels(device: str = "cpu") -> RivalKernels:
    """The kernels of a device; those that only rivals use are the CPU's on all of them."""
    return cast(RivalKernels, find_device(device, RivalKernels, _MODULES))
