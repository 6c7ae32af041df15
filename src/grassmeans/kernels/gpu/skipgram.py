"""Skip-gram with negative sampling on a device; the loop is in ``sources/skipgram.cu``."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from grassmeans.kernels.gpu.launching import Launch, load_program
from grassmeans.kernels.gpu.subspaces import send_table
from grassmeans.kernels.gpu.tensors import to_tensor
from grassmeans.kernels.interface import Floats, Indices, Integers, Sampling

MAX_SEQUENCE = 10_000
"""Longer documents are trained in stretches of this many tokens, as on the CPU."""

MOST_OUTPUTS = 8
_WARPS_A_BLOCK = 4
_WARPS_A_PROCESSOR = 8
_LEAST_STRETCH = 128
"""Words that a warp trains one after the other, at least: in a small corpus fewer at a time."""


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


class DeviceTraining:
    """The matrices of skip-gram on a device, and copies in memory that are brought up to date.

    Parameters
    ----------
    inputs, outputs, frozen_inputs, frozen_outputs, sampling
        As for `grassmeans.kernels.interface.TrainingKernels.hold_matrices`.
    n_warps : int, optional
        Windows that are trained at the same time: as many do not know of each other's changes.
    """

    def __init__(
        self,
        inputs: Floats,
        outputs: Floats,
        frozen_inputs: NDArray[np.bool_],
        frozen_outputs: NDArray[np.bool_],
        sampling: Sampling,
        device: torch.device,
        n_warps: int | None = None,
    ) -> None:
        self._arrays = inputs, outputs
        self._matrices = DeviceMatrices(
            send_table(inputs, device).clone(),
            send_table(outputs, device).clone(),
            *(to_tensor(x, device, np.uint8) for x in (frozen_inputs, frozen_outputs)),
        )
        self._sampling = DeviceSampling(
            to_tensor(sampling.keep, device),
            to_tensor(sampling.threshold, device),
            to_tensor(sampling.alias, device),
            sampling.window,
            sampling.negative,
        )
        self._device = device
        self._n_warps = n_warps or _WARPS_A_PROCESSOR * _count_processors(device)
        self._centres = torch.zeros(1, dtype=torch.int32, device=device)

    def train(
        self,
        tokens: Integers,
        document_offsets: Indices,
        first_rate: float,
        last_rate: float,
        seed: np.uint64,
    ) -> None:
        """See `grassmeans.kernels.interface.HeldMatrices`; several calls wait on the device."""
        used = tokens[int(document_offsets[0]) : int(document_offsets[-1])]
        kept, texts = self._subsample(
            to_tensor(used, self._device, np.int32),
            to_tensor(number_texts(document_offsets), self._device),
            int(seed),
        )
        if len(kept):
            self._launch(kept, texts, first_rate, last_rate, int(seed))

    def _subsample(self, tokens: Tensor, texts: Tensor, seed: int) -> tuple[Tensor, Tensor]:
        """Known words that are kept (n_kept,) int32, and which text each one is in."""
        keep = self._sampling.keep
        generator = torch.Generator(self._device).manual_seed(seed & (2**63 - 1))
        known = (tokens >= 0) & (tokens < len(keep))
        chances = torch.rand(len(tokens), device=self._device, generator=generator)
        known &= chances < keep[tokens.clamp(0, len(keep) - 1)]
        return tokens[known], texts[known]

    def _launch(
        self, kept: Tensor, texts: Tensor, first_rate: float, last_rate: float, seed: int
    ) -> None:
        sampling, matrices = self._sampling, self._matrices
        stretch = max(_LEAST_STRETCH, -(-len(kept) // self._n_warps))
        used = -(-len(kept) // stretch)
        outputs = min(MOST_OUTPUTS, sampling.negative + 1)
        program = load_program(
            self._device, "skipgram", ROW4=matrices.inputs.shape[1] // 4, OUTPUTS=outputs
        )
        program.launch(
            "train_windows",
            Launch(-(-used // _WARPS_A_BLOCK), 32 * _WARPS_A_BLOCK),
            kept,
            texts,
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
            seed,
            self._centres,
        )

    def read_back(self) -> None:
        """Write the matrices into the arrays that they came from."""
        for array, tensor in zip(self._arrays, self._matrices[:2], strict=True):
            array[:] = tensor[:, : array.shape[1]].cpu().numpy()

    def count_centres(self) -> int:
        """Centre words since the beginning; of a long training, modulo 2^32."""
        return int(self._centres.item())


def number_texts(document_offsets: Indices) -> NDArray[np.int32]:
    """(n_tokens,) which text each token is in: documents, long ones in parts."""
    offsets = np.asarray(document_offsets) - document_offsets[0]
    sizes = np.diff(offsets)
    places = np.arange(int(offsets[-1])) - np.repeat(offsets[:-1], sizes)
    starts = places % MAX_SEQUENCE == 0
    return (np.cumsum(starts) - 1).astype(np.int32)


def _count_processors(device: torch.device) -> int:
    if device.type != "cuda":
        return 1
    return int(torch.cuda.get_device_properties(device).multi_processor_count)
