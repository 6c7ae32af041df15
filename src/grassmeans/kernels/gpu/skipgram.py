"""Skip-gram with negative sampling on a device; the loop is in ``sources/skipgram.cu``."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from grassmeans.arrays import Indices, Integers
from grassmeans.kernels.arguments import Matrices, Sampling, Stretch
from grassmeans.kernels.gpu.launching import Launch, load_program, send_table, to_tensor

MAX_SEQUENCE = 10_000
"""Longer documents are trained in stretches of this many tokens, as on the CPU."""

MOST_OUTPUTS = 8
_WARPS_A_BLOCK = 4
_WARPS_A_PROCESSOR = 8
_LEAST_STRETCH = 128
"""Words that a warp trains one after the other, at least: in a small corpus fewer at a time."""


class DeviceTraining:
    """The matrices of skip-gram on a device, and copies in memory that are brought up to date."""

    def __init__(self, matrices: Matrices, sampling: Sampling, device: torch.device) -> None:
        self._arrays = matrices[:2]
        self._matrices = (
            *(send_table(x, device).clone() for x in matrices[:2]),
            *(to_tensor(x, device, np.uint8) for x in matrices[2:]),
        )
        self._keep, self._threshold, self._alias = (to_tensor(x, device) for x in sampling[:3])
        self._window, self._negative = sampling.window, sampling.negative
        self._device = device
        # Windows that are trained at the same time: as many do not know of each other's changes.
        self._n_warps = _WARPS_A_PROCESSOR * _count_processors(device)

    def train(self, stretch: Stretch) -> None:
        """See `grassmeans.kernels.interface.HeldMatrices`; several calls wait on the device."""
        offsets = stretch.document_offsets
        kept, texts = self._subsample(
            to_tensor(stretch.tokens[int(offsets[0]) : int(offsets[-1])], self._device, np.int32),
            to_tensor(number_texts(offsets), self._device),
            int(stretch.seed),
        )
        if len(kept):
            self._launch(kept, texts, stretch)

    def _subsample(self, tokens: Tensor, texts: Tensor, seed: int) -> tuple[Tensor, Tensor]:
        """Known words that are kept (n_kept,) int32, and which text each one is in."""
        keep = self._keep
        generator = torch.Generator(self._device).manual_seed(seed & (2**63 - 1))
        known = (tokens >= 0) & (tokens < len(keep))
        chances = torch.rand(len(tokens), device=self._device, generator=generator)
        known &= chances < keep[tokens.clamp(0, len(keep) - 1)]
        return tokens[known], texts[known]

    def _launch(self, kept: Tensor, texts: Tensor, stretch: Stretch) -> None:
        each = max(_LEAST_STRETCH, -(-len(kept) // self._n_warps))
        used = -(-len(kept) // each)
        outputs = min(MOST_OUTPUTS, self._negative + 1)
        row4 = self._matrices[0].shape[1] // 4
        load_program(self._device, "skipgram", ROW4=row4, OUTPUTS=outputs).launch(
            "train_windows",
            Launch(-(-used // _WARPS_A_BLOCK), 32 * _WARPS_A_BLOCK),
            *(kept, texts, len(kept), each),
            *self._matrices,
            *(self._threshold, self._alias, len(self._threshold)),
            *(self._window, self._negative),
            *(stretch.first_rate, stretch.last_rate, int(stretch.seed)),
        )

    def read_back(self) -> None:
        """Write the matrices into the arrays that they came from."""
        for array, tensor in zip(self._arrays, self._matrices[:2], strict=True):
            array[:] = tensor[:, : array.shape[1]].cpu().numpy()


def number_texts(document_offsets: Indices) -> Integers:
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
