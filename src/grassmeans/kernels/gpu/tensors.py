"""Arrays as tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


class _Readable:
    """An array that says it may be written: PyTorch warns of any other, and nothing writes here."""

    def __init__(self, array: NDArray[np.generic]) -> None:
        self._array = array  # its memory must stay
        about = dict(array.__array_interface__)
        about["data"] = (about["data"][0], False)
        self.__array_interface__ = about


def to_tensor(array: NDArray[np.generic], device: torch.device, dtype: Any = None) -> Tensor:
    """An array of any kind, a read-only memory map too, on a device; it is read only."""
    plain = np.ascontiguousarray(array, dtype)
    if not plain.flags.writeable:
        plain = np.asarray(_Readable(plain))
    return torch.from_numpy(plain).to(device)
