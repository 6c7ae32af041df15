"""Arrays as tensors, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

_STAGE_BYTES = 1 << 26


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


def copy_back(tensor: Tensor, array: NDArray[Any]) -> None:
    """Write a tensor into an array of its shape and type.

    A GPU reaches memory that stays in its place several times as fast as other memory: parts go
    there first, and all cores bring one part to the array while the next one comes.
    """
    target = torch.from_numpy(array)
    if tensor.device.type == "cpu" or tensor.numel() == 0:
        target.copy_(tensor)
        return
    rows = min(len(tensor), max(1, _STAGE_BYTES // tensor[0].nbytes))
    shape = (rows, *tensor.shape[1:])
    stages = [torch.empty(shape, dtype=tensor.dtype, pin_memory=True) for _ in range(2)]
    arrived = [torch.cuda.Event() for _ in stages]
    starts = range(0, len(tensor), rows)
    for number in range(len(starts) + 1):
        if number < len(starts):
            part = tensor[starts[number] : starts[number] + rows]
            stages[number % 2][: len(part)].copy_(part, non_blocking=True)
            arrived[number % 2].record()
        if number > 0:
            before = number - 1
            arrived[before % 2].synchronize()
            place = target[starts[before] : starts[before] + rows]
            place.copy_(stages[before % 2][: len(place)])
