"""Where things are computed: PyTorch and its GPU when they are asked for, and BLAS's threads."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import Any

from grassmeans.errors import InputError, import_extra

DEVICES = ("cpu", "cuda")
"""What people choose from."""

TORCH_CPU = "torch-cpu"
"""What a GPU does, done by PyTorch on the CPU: for tests."""


def load_torch(purpose: str, extra: str = "gpu") -> ModuleType:
    """PyTorch; an error that names the extra where it is not installed."""
    torch: ModuleType = import_extra("torch", extra, purpose)
    return torch


def check_device(
    device: str,
    purpose: str | None = None,
    extra: str = "gpu",
    *,
    known: tuple[str, ...] = (*DEVICES, TORCH_CPU),
) -> None:
    """Refuse a device that does not exist, or is not there.

    The message begins with the purpose ("training an encoder"), for which the extra brings PyTorch.
    """
    if not isinstance(device, str) or device not in known:
        raise InputError(f"device must be one of {', '.join(DEVICES)}, got {device!r}")
    if device == "cpu":
        return
    torch = load_torch(purpose or f"device={device!r}", extra)
    if device == "cuda" and not torch.cuda.is_available():
        raise InputError(
            "there is no GPU here that PyTorch can use: take device='cpu', or install a PyTorch "
            "with CUDA"
        )


def is_first_rank() -> bool:
    """Whether this process is the only one, or the first of those that ``torchrun`` started."""
    return os.environ.get("RANK", "0") == "0"


@contextlib.contextmanager
def explain_memory_errors() -> Iterator[None]:
    """Turn PyTorch's error of memory that is not there into Python's own."""
    try:
        yield
    except RuntimeError as error:
        if "allocate memory" in str(error):
            raise MemoryError from error
        raise


@cache
def _find_libraries() -> Any:
    """To look for them takes as long as to group 200 rays."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def one_blas_thread() -> contextlib.AbstractContextManager[Any]:
    """Multiply with one thread inside of this.

    Small products gain nothing by more, and lose much on a busy machine, where threads wait for
    each other; and with several the order of sums, and so the last digits, is left to chance.
    """
    limit: contextlib.AbstractContextManager[Any] = _find_libraries().limit(limits=1)
    return limit
