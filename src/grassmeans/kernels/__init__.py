"""Arrays in, arrays out: what the algorithms are made of, one implementation per device.

`get_kernels` is the one place where a device is chosen, and `interface` says what it gives; the
algorithms above are written once. A new device is a folder beside ``cpu`` and a line in `MODULES`.
It may have only some of the functions: those that it lacks are the CPU's. As all of them take and
give NumPy arrays, a device with two fast functions is useful at once, and no caller asks which.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any, cast

from grassmeans.errors import InputError
from grassmeans.kernels.devices import TORCH_CPU, check_device
from grassmeans.kernels.interface import (
    OCCURRENCE_BLOCK,
    Advanced,
    BlockKernels,
    EncoderLayers,
    HeldContexts,
    HeldMatrices,
    Kernels,
    Permuted,
    PhraseTrie,
    Reached,
    Sampling,
    SenseTable,
    Windows,
)

__all__ = [
    "DEVICES",
    "MODULES",
    "OCCURRENCE_BLOCK",
    "Advanced",
    "BlockKernels",
    "EncoderLayers",
    "HeldContexts",
    "HeldMatrices",
    "Kernels",
    "Permuted",
    "PhraseTrie",
    "Reached",
    "Sampling",
    "SenseTable",
    "Windows",
    "find_device",
    "get_block_kernels",
    "get_kernels",
]

MODULES = {
    "cpu": ("grassmeans.kernels.cpu",),
    "numpy": ("grassmeans.kernels.plain", "grassmeans.kernels.cpu"),
    "cuda": ("grassmeans.kernels.gpu.functions:on_gpu", "grassmeans.kernels.cpu"),
    TORCH_CPU: ("grassmeans.kernels.gpu.functions:on_cpu", "grassmeans.kernels.cpu"),
}
"""Device -> where its functions are looked for, in this order: modules, or objects in them."""

_BLOCK_MODULES = {name: places for name, places in MODULES.items() if name in ("cuda", TORCH_CPU)}

DEVICES = tuple(MODULES)


class _Device:
    """Finds each function when it is first asked for: Numba is not loaded before it is needed."""

    def __init__(self, interface: type, modules: tuple[str, ...]) -> None:
        self._interface = interface
        self._modules = modules

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(self._interface, name):
            raise AttributeError(f"there is no kernel named {name!r}")
        loaded = map(_load_place, self._modules)
        kernel = next(getattr(place, name) for place in loaded if hasattr(place, name))
        setattr(self, name, kernel)
        return kernel


def _load_place(place: str) -> Any:
    module, _, name = place.partition(":")
    loaded = import_module(module)
    return getattr(loaded, name) if name else loaded


@cache
def _open_device(interface: type, modules: tuple[str, ...]) -> _Device:
    return _Device(interface, modules)


def find_device(device: str, interface: type, modules: Mapping[str, tuple[str, ...]]) -> Any:
    """The kernels of an interface on a device.

    Parameters
    ----------
    device : str
    interface : type
        The protocol that says which functions there are.
    modules : mapping
        As `MODULES`.

    Raises
    ------
    InputError
        If there is no such device, or none here.
    """
    if not isinstance(device, str) or device not in modules:
        known = [name for name in modules if name != TORCH_CPU]
        raise InputError(f"device must be one of {', '.join(map(repr, known))}, got {device!r}")
    if device in _BLOCK_MODULES:
        check_device(device)
    return _open_device(interface, modules[device])


def get_kernels(device: str = "cpu") -> Kernels:
    """The kernels of a device.

    Parameters
    ----------
    device : {"cpu", "numpy", "cuda"}
        ``"cpu"`` is compiled by Numba; ``"numpy"`` has nothing to load or to compile, and suits the
        few contexts of a sentence; ``"cuda"`` is a GPU, which suits many contexts at once.
    """
    return cast(Kernels, find_device(device, Kernels, MODULES))


def get_block_kernels(device: str) -> BlockKernels | None:
    """What groups the contexts of many words at once; None where words take turns (the CPU)."""
    if device not in _BLOCK_MODULES:
        return None
    return cast(BlockKernels, find_device(device, BlockKernels, _BLOCK_MODULES))
