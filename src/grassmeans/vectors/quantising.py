"""Rows of numbers in 4, 6 or 8 bits each.

Every row has one scale. A row whose largest absolute value is ``m`` gets ``2**bits`` levels that
lie evenly between ``-m`` and ``m``. They are ``scale`` apart, so no number moves by more than half
a scale:

    scale = m / (2**(bits - 1) - 1/2),    value = (code - 2**(bits - 1) + 1/2) * scale

The outermost levels are exactly ``-m`` and ``m``. Rows that were rounded before are therefore
rounded to themselves, and a model can be stored again without further loss.

Rounded rows are restored where they are looked at: ``rows[5:9]``, ``rows[numbers]``, or all of them
with ``np.asarray(rows)``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Floats
from grassmeans.artifacts.writing import digest_of_bytes
from grassmeans.errors import InputError

BITS = (4, 6, 8)
_AT_ONCE = {4: 2, 6: 4, 8: 1}  # codes that fill whole bytes
_BLOCK_ROWS = 8_192
_RESTORED_ROWS = 1_024  # blocks that stay in the cache
_HALVES = np.stack([np.arange(256) % 16, np.arange(256) // 16], axis=1) - 7.5
_PAIRS = _HALVES.astype(np.float32).view(np.int64)[:, 0]
"""(256,) the two levels that a byte of two codes stands for, as one item of 8 bytes."""


@dataclass(frozen=True, slots=True)
class QuantisedRows:
    """Numbers rounded to ``2**bits`` levels a row.

    Codes are (n, bytes a row), one after the other, each from the lowest bit that is free: with 4
    bits two a byte, with 6 bits four in three bytes. Rows of ``unit`` length, which rounding
    changes by a few percent, are given back so; zeros stay zeros.
    """

    codes: NDArray[np.uint8]
    scales: Floats
    bits: int
    dim: int
    unit: bool = False

    def __post_init__(self) -> None:
        _check_bits(self.bits)
        expected = (len(self.scales), bytes_per_row(self.dim, self.bits))
        if self.codes.shape != expected:
            raise InputError(f"codes must have shape {expected}, got {self.codes.shape}")

    def __len__(self) -> int:
        return len(self.scales)

    def __getitem__(self, rows: slice | NDArray[Any]) -> Floats:
        """Restore some of the rows, (n, dim) float32."""
        codes, scales = self.codes[rows], self.scales[rows]
        return QuantisedRows(codes, scales, self.bits, self.dim, self.unit).restore()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Restore all rows, so that they can stand where an array is expected."""
        return self.restore().astype(dtype or np.float32, copy=False)

    @property
    def shape(self) -> tuple[int, int]:
        """(n, dim), that of the restored rows."""
        return len(self), self.dim

    @property
    def digest(self) -> str:
        """A short digest of the content."""
        parts = (np.ascontiguousarray(part) for part in (self.codes, self.scales))
        return digest_of_bytes(*(part.view(np.uint8).data if part.size else b"" for part in parts))

    def restore(self) -> Floats:
        """Give the numbers back, (n, dim) float32."""
        width = -(-self.dim // _AT_ONCE[self.bits]) * _AT_ONCE[self.bits]
        result = np.empty((len(self), width), np.float32)
        for start in range(0, len(self), _RESTORED_ROWS):
            rows = slice(start, start + _RESTORED_ROWS)
            if self.bits == 8:
                np.subtract(self.codes[rows], np.float32(127.5), out=result[rows])
            elif self.bits == 6:
                np.subtract(_unpack_fours(self.codes[rows]), np.float32(31.5), out=result[rows])
            else:
                # One look-up a byte for two codes.
                result[rows] = np.take(_PAIRS, self.codes[rows]).view(np.float32)
            if self.unit:
                result[rows, self.dim :] = 0.0  # what fills the last byte is no part of the length
                lengths = np.sqrt(np.einsum("ij,ij->i", result[rows], result[rows]))
                lengths[~(self.scales[rows] > 0)] = np.inf
                result[rows] /= lengths[:, None]
            else:
                result[rows] *= self.scales[rows, None]
        return np.ascontiguousarray(result[:, : self.dim])


def quantise_rows(matrix: NDArray[Any], bits: int = 8) -> QuantisedRows:
    """Round every row (n, dim) to levels between its largest absolute value and minus that."""
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
    n_bytes = bytes_per_row(codes.shape[1], bits)
    codes = np.pad(codes, ((0, 0), (0, -codes.shape[1] % _AT_ONCE[bits])))
    if bits == 4:
        return np.bitwise_or(codes[:, 0::2], np.left_shift(codes[:, 1::2], 4))
    a, b, c, d = (codes[:, i::4] for i in range(4))
    packed = np.stack([a | b << 6, b >> 2 | c << 4, c >> 4 | d << 2], axis=2)
    return packed.reshape(len(codes), -1)[:, :n_bytes]


def _unpack_fours(packed: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """(n, bytes) -> (n, a multiple of 4) codes of 6 bits."""
    packed = np.pad(packed, ((0, 0), (0, -packed.shape[1] % 3)))
    x, y, z = (packed[:, i::3] for i in range(3))
    codes = np.stack([x & 63, x >> 6 | (y & 15) << 2, y >> 4 | (z & 3) << 4, z >> 2], axis=2)
    return codes.reshape(len(packed), -1)


def _check_bits(bits: int) -> None:
    if bits not in BITS:
        raise InputError(f"bits must be one of {', '.join(map(str, BITS))}, got {bits!r}")


Rows: TypeAlias = Floats | QuantisedRows
"""Rows of float32, as they are or rounded: both give ``rows[numbers]`` and ``rows.shape``."""
