"""The tests of this folder run on every device that has functions of its own for them.

A module's ``KERNEL`` names one of the functions that it tests. The laboratory's
kernels are those of the core and more.
"""

from __future__ import annotations

import pytest

from grassmeans.kernels import DEVICES
from grassmeans.laboratory.kernels import get_kernels


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "kernels" in metafunc.fixturenames:
        name = metafunc.module.KERNEL
        cpus = getattr(get_kernels("cpu"), name)
        # What a device lacks is the CPU's, which is tested already.
        devices = [d for d in DEVICES if d == "cpu" or getattr(get_kernels(d), name) is not cpus]
        metafunc.parametrize("kernels", [get_kernels(d) for d in devices], ids=devices)
