"""Arrays in, arrays out: what the algorithms are made of, one implementation per device.

`get_kernels` is the one place where a device is chosen, and `interface` says what it gives; the
algorithms above are written once. A new device is a folder beside ``cpu`` and a line in `_MODULES`.
It may have only some of the functions: those that it lacks are the CPU's. As all of them take and
give NumPy arrays, a device with two fast functions is useful at once, and no caller asks which.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, cast

from grassmeans.errors import InputError
from grassmeans.kernels.interface import (
    NO_ATOM,
    OCCURRENCE_BLOCK,
    Kernels,
    Sampling,
    SenseTable,
    SparseCodes,
    Windows,
)

__all__ = [
    "DEVICES",
    "NO_ATOM",
    "OCCURRENCE_BLOCK",
    "Kernels",
    "Sampling",
    "SenseTable",
    "SparseCodes",
    "Windows",
    "get_kernels",
]

_MODULES = {
    "cpu": "grassmeans.kernels.cpu",
    "numpy": "grassmeans.kernels.plain",
}
DEVICES = tuple(_MODULES)
_NAMES = frozenset(name for name in dir(Kernels) if not name.startswith("_"))


class _Device:
    """Finds each function when it is first asked for: Numba is not loaded before it is needed."""

    def __init__(self, device: str) -> None:
        self.device = device

    def __getattr__(self, name: str) -> Any:
        if name not in _NAMES:
            raise AttributeError(f"there is no kernel named {name!r}")
        module = import_module(_MODULES[self.device])
        kernel = getattr(module if hasattr(module, name) else get_kernels("cpu"), name)
        setattr(self, name, kernel)
        return kernel


_KERNELS = {device: _Device(device) for device in DEVICES}


def get_kernels(device: str = "cpu") -> Kernels:
    """The kernels of a device.

    Parameters
    ----------
    device : {"cpu", "numpy"}
        ``"cpu"`` is compiled by Numba; ``"numpy"`` has nothing to load or to compile, and suits the
        few contexts of a sentence.

    Raises
    ------
    InputError
        If there is no such device.
    """
    if device not in _KERNELS:
        raise InputError(f"device must be one of {', '.join(map(repr, DEVICES))}, got {device!r}")
    return cast(Kernels, _KERNELS[device])
