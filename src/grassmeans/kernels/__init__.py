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
from grassmeans.kernels.blocks import BlockKernels
from grassmeans.kernels.devices import TORCH_CPU, check_device
from grassmeans.kernels.interface import Kernels

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
        for place in self._modules:
            module, _, owner = place.partition(":")
            loaded = import_module(module)
            loaded = getattr(loaded, owner) if owner else loaded
            if hasattr(loaded, name):
                break
        kernel = getattr(loaded, name)
        setattr(self, name, kernel)
        return kernel


_open_device = cache(_Device)


def find_device(device: str, interface: type, modules: Mapping[str, tuple[str, ...]]) -> Any:
    """The kernels of an interface on a device; `InputError` if there is none, or none here.

    The interface is the protocol that says which functions there are; modules are as `MODULES`.
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
