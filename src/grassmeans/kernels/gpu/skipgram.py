"""Skip-gram with negative sampling on a device; the loop is in ``sources/skipgram.cu``."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from grassmeans.kernels.gpu.launching import Launch, load_program
from grassmeans.kernels.gpu.subspaces import send_table
from grassmeans.kernels.interface import Floats, Indices, Integers, Sampling

MAX_SEQUENCE = 10_000
"""Longer documents are trained in stretches of this many tokens, as on the CPU."""

MOST_OUTPUTS = 8
_WARPS_A_BLOCK = 4
_LEAST_STRETCH = 16


class DeviceMatrices(NamedTuple):
    """The two matrices (n_words, filled dim) of skip-gram on a device, and their frozen rows."""

    inputs: Tensor
    outputs: Tensor
    frozen_inputs: Tensor
    frozen_outputs: Tensor


class DeviceSampling(NamedTuple):
    """A `Sampling` on a device."""

    keep: Tensor
    threshold: Tensor
    alias: Tensor
    window: int
    negative: int


def send_matrices(
    inputs: Floats,
    outputs: Floats,
    frozen_inputs: NDArray[np.bool_],
    frozen_outputs: NDArray[np.bool_],
    device: torch.device,
) -> DeviceMatrices:
    """Copies of the matrices on the device."""
    return DeviceMatrices(
        send_table(inputs, device).clone(),
        send_table(outputs, device).clone(),
        *(
            torch.from_numpy(np.asarray(frozen, np.uint8)).to(device)
            for frozen in (frozen_inputs, frozen_outputs)
        ),
    )


def send_sampling(sampling: Sampling, device: torch.device) -> DeviceSampling:
    """What draws need, on the device."""
    arrays = (sampling.keep, sampling.threshold, sampling.alias)
    return DeviceSampling(
        *(torch.from_numpy(np.array(array)).to(device) for array in arrays),
        sampling.window,
        sampling.negative,
    )


def number_texts(document_offsets: Indices) -> NDArray[np.int32]:
    """(n_tokens,) which text each token is in: documents, long ones in parts."""
    offsets = np.asarray(document_offsets) - document_offsets[0]
    sizes = np.diff(offsets)
    places = np.arange(int(offsets[-1])) - np.repeat(offsets[:-1], sizes)
    starts = places % MAX_SEQUENCE == 0
    return (np.cumsum(starts) - 1).astype(np.int32)


def train_on_device(
    tokens: Tensor,
    texts: Tensor,
    matrices: DeviceMatrices,
    sampling: DeviceSampling,
    first_rate: float,
    last_rate: float,
    seed: int,
    n_warps: int,
) -> Tensor:
    """Train on some texts; the number of centre words stays on the device, (1,) int32.

    Parameters
    ----------
    tokens, texts : (n_tokens,) int32
        Word ids, and which text each one is in.
    n_warps : int
        Windows that are trained at the same time: as many do not know of each other's changes.
    """
    device = tokens.device
    generator = torch.Generator(device).manual_seed(seed & (2**63 - 1))
    known = (tokens >= 0) & (tokens < len(sampling.keep))
    chances = torch.rand(len(tokens), device=device, generator=generator)
    known &= chances < sampling.keep[tokens.clamp(0, len(sampling.keep) - 1)]
    kept, places = tokens[known], texts[known]
    centres = torch.zeros(1, dtype=torch.int32, device=device)
    if len(kept) == 0:
        return centres
    stretch = max(_LEAST_STRETCH, -(-len(kept) // n_warps))
    used = -(-len(kept) // stretch)
    outputs = min(MOST_OUTPUTS, sampling.negative + 1)
    program = load_program(
        device, "skipgram", ROW4=matrices.inputs.shape[1] // 4, OUTPUTS=outputs
    )
    program.launch(
        "train_windows",
        Launch(-(-used // _WARPS_A_BLOCK), 32 * _WARPS_A_BLOCK),
        kept,
        places,
        len(kept),
        stretch,
        *matrices,
        sampling.threshold,
        sampling.alias,
        len(sampling.threshold),
        sampling.window,
        sampling.negative,
        first_rate,
        last_rate,
        seed & (2**64 - 1),
        centres,
    )
    return centres


def read_back(matrices: DeviceMatrices, inputs: Floats, outputs: Floats) -> None:
    """Write the matrices into the arrays that they came from."""
    for array, tensor in ((inputs, matrices.inputs), (outputs, matrices.outputs)):
        array[:] = tensor[:, : array.shape[1]].cpu().numpy()


def as_tensors(
    tokens: Integers, document_offsets: Indices, device: torch.device
) -> tuple[Tensor, Tensor]:
    """Documents as `train_on_device` takes them."""
    used = tokens[int(document_offsets[0]) : int(document_offsets[-1])]
    arrays = np.ascontiguousarray(used, np.int32), number_texts(document_offsets)
    first, second = (torch.from_numpy(array).to(device) for array in arrays)
    return first, second
