"""Rows of numbers in 4 or 8 bits each, with one scale a row: arrays in, arrays out.

A row whose largest absolute value is ``m`` gets ``2**bits`` levels that lie evenly between ``-m``
and ``m``. They are ``scale`` apart, so no number moves by more than half a scale:

    scale = m / (2**(bits - 1) - 1/2),    value = (code - 2**(bits - 1) + 1/2) * scale

The outermost levels are exactly ``-m`` and ``m``. Rows that were rounded before are therefore
rounded to themselves, and a model can be stored again without further loss.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts import digest_of_bytes
from grassmeans.errors import InputError

BITS = (4, 8)
_BLOCK_ROWS = 8_192


@dataclass(frozen=True, slots=True)
class QuantisedRows:
    """Numbers rounded to ``2**bits`` levels a row.

    Attributes
    ----------
    codes : (n, bytes a row) uint8
        One code a byte; with 4 bits two, the one of the even column in the lower half.
    scales : (n,) float32
    bits : {4, 8}
    dim : int
    """

    codes: NDArray[np.uint8]
    scales: NDArray[np.float32]
    bits: int
    dim: int

    def __post_init__(self) -> None:
        _check_bits(self.bits)
        expected = (len(self.scales), bytes_per_row(self.dim, self.bits))
        if self.codes.shape != expected:
            raise InputError(f"codes must have shape {expected}, got {self.codes.shape}")

    def __len__(self) -> int:
        return len(self.scales)

    @property
    def digest(self) -> str:
        """A short digest of the content."""
        parts = (np.ascontiguousarray(part) for part in (self.codes, self.scales))
        return digest_of_bytes(*(part.view(np.uint8).data if part.size else b"" for part in parts))

    def restore(self) -> NDArray[np.float32]:
        """Give the numbers back, (n, dim) float32."""
        width = 8 // self.bits * self.codes.shape[1]
        levels = _levels_of_bytes(self.bits)
        result = np.empty((len(self), width), np.float32)
        for start in range(0, len(self), _BLOCK_ROWS):
            rows = slice(start, start + _BLOCK_ROWS)
            # One look-up a byte, whatever the number of codes in it.
            found = np.take(levels, self.codes[rows]).view(np.float32)
            np.multiply(found, self.scales[rows, None], out=result[rows])
        return np.ascontiguousarray(result[:, : self.dim])


def quantise_rows(matrix: NDArray[Any], bits: int = 8) -> QuantisedRows:
    """Round every row to ``2**bits`` levels between its largest absolute value and minus that.

    Parameters
    ----------
    matrix : (n, dim)
        Finite numbers.
    bits : {4, 8}
    """
    _check_bits(bits)
    half = 2 ** (bits - 1)
    n, dim = matrix.shape
    codes = np.empty((n, bytes_per_row(dim, bits)), np.uint8)
    scales = np.empty(n, np.float32)
    for start in range(0, n, _BLOCK_ROWS):
        rows = slice(start, start + _BLOCK_ROWS)
        block = np.asarray(matrix[rows], dtype=np.float32)
        largest = np.abs(block).max(axis=1, initial=0.0)
        scales[rows] = largest / np.float32(half - 0.5)
        steps = np.where(scales[rows] > 0, scales[rows], 1).astype(np.float64)[:, None]
        levels = np.floor(block / steps) + half
        # The largest number itself may fall on the level beyond the last by rounding.
        codes[rows] = _pack(np.clip(levels, 0, 2 * half - 1).astype(np.uint8), bits)
    return QuantisedRows(codes, scales, bits, dim)


def bytes_per_row(dim: int, bits: int) -> int:
    """How many bytes the codes of a row take."""
    return -(-dim * bits // 8)


def _pack(codes: NDArray[np.uint8], bits: int) -> NDArray[np.uint8]:
    if bits == 8:
        return codes
    if codes.shape[1] % 2:
        codes = np.pad(codes, ((0, 0), (0, 1)))
    packed: NDArray[np.uint8] = np.bitwise_or(codes[:, 0::2], np.left_shift(codes[:, 1::2], 4))
    return packed


def _levels_of_bytes(bits: int) -> NDArray[Any]:
    """(256,) the levels that a byte stands for: one float32, or two as one item of 8 bytes."""
    numbers = np.arange(256, dtype=np.float32)
    if bits == 8:
        return numbers - np.float32(127.5)
    pair = np.stack([numbers % 16, numbers // 16], axis=1) - np.float32(7.5)
    return np.ascontiguousarray(pair, dtype=np.float32).view(np.int64)[:, 0]


def _check_bits(bits: int) -> None:
    if bits not in BITS:
        raise InputError(f"bits must be {' or '.join(map(str, BITS))}, got {bits!r}")
