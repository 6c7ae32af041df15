"""Where things are computed besides the CPU: PyTorch and its GPU, when they are asked for."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

from grassmeans.errors import InputError, MissingExtraError

DEVICES = ("cpu", "cuda")
"""What people choose from."""

TORCH_CPU = "torch-cpu"
"""What a GPU does, done by PyTorch on the CPU: for tests."""


def load_torch(purpose: str, extra: str = "gpu") -> ModuleType:
    """PyTorch; an error that names the extra where it is not installed."""
    try:
        return import_module("torch")
    except ImportError as error:
        raise MissingExtraError("torch", extra, purpose) from error


def check_device(
    device: str,
    purpose: str | None = None,
    extra: str = "gpu",
    *,
    known: tuple[str, ...] = (*DEVICES, TORCH_CPU),
) -> None:
    """Refuse a device that does not exist, or is not there.

    Parameters
    ----------
    purpose : str, optional
        What it is for, as the message begins: "training an encoder".
    extra : str
        What brings PyTorch for this purpose.
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
