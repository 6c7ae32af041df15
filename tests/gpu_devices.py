"""Where tests run what is for a GPU: on one, and on the CPU without and with its CUDA kernels."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import cuda_on_host

PLAIN, KERNELS, GPU = "torch-cpu", "torch-cpu with CUDA kernels", "cuda"
TRAINING = (pytest.param(KERNELS, marks=pytest.mark.system), GPU)
"""For parameters of tests: plain tensors do not train."""
DEVICES = (PLAIN, *TRAINING)


@contextmanager
def use_device(name: str) -> Iterator[str]:
    """The name that the package knows a device by; skips with a reason where it is not there."""
    torch = pytest.importorskip("torch", reason="needs PyTorch (the extra gpu)")
    if name == GPU and not torch.cuda.is_available():
        pytest.skip("needs a GPU")
    if name == KERNELS and cuda_on_host.COMPILER is None:
        pytest.skip("needs a C++ compiler, which makes the CUDA kernels run on the CPU")
    with pytest.MonkeyPatch.context() as patch:
        if name == KERNELS:
            from grassmeans.kernels.gpu import launching

            patch.setitem(launching.COMPILERS, "cpu", cuda_on_host.compile_for_host)
        yield GPU if name == GPU else "torch-cpu"
