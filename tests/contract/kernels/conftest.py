"""The tests of this folder run on every device that has functions of its own for them.

A module's ``KERNEL`` names one of the functions that it tests. The laboratory's kernels are those
of the core and more.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import gpu_devices
from grassmeans_lab.kernels import RivalKernels, get_kernels

ON_GPU = {
    "solve_subspaces": gpu_devices.DEVICES,
    "hold_matrices": gpu_devices.TRAINING,
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "kernels" in metafunc.fixturenames:
        name = metafunc.module.KERNEL
        cpus, plain = (getattr(get_kernels(device), name) for device in ("cpu", "numpy"))
        # What a device lacks is the CPU's, which is tested already.
        devices = ["cpu"] if plain is cpus else ["cpu", "numpy"]
        devices += ON_GPU.get(name, ())
        metafunc.parametrize("kernels", devices, indirect=True, scope="module")


@pytest.fixture(scope="module")
def kernels(request: pytest.FixtureRequest) -> Iterator[RivalKernels]:
    """Those of one device."""
    if request.param not in ("cpu", "numpy"):
        with gpu_devices.use_device(request.param) as device:
            yield get_kernels(device)
    else:
        yield get_kernels(request.param)
