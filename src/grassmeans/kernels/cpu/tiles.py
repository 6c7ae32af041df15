"""Tiles of matrix products, in LLVM's own words: the sums of a tile never leave the registers.

A tile is some rows of the left side times a panel of the right one, two vector registers wide.
Numba has no vectors of its own, so what it is given here are intrinsics that emit instructions of
LLVM. There are two: products of 8-bit codes, by an instruction that multiplies four pairs of bytes
and adds them up in 32 bits, and products in single precision. All sums run in the order of the
steps, so a tile gives the same bits whatever stands in its other rows.

Loops over the steps are not unrolled: the compiler would then run out of registers.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import Any, NamedTuple

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from grassmeans.kernels.cpu.emitting import BYTE, SINGLE, WHOLE, Emitter

_HALVES = (0, 1)  # of a panel


class ByteProducts(NamedTuple):
    """How a processor multiplies bytes.

    Attributes
    ----------
    words : str
        Its name for people.
    name : str
        That of LLVM's intrinsic.
    lanes : int
        Numbers of 32 bits in a register.
    rows : int
        Of a tile: two sums each, two registers of weights and one of a row are those there are.
    unsigned : bool
        Whether the weights' bytes are unsigned.
    """

    words: str
    name: str
    lanes: int
    rows: int
    unsigned: bool


WIDE = ByteProducts("AVX-512 VNNI", "llvm.x86.avx512.vpdpbusd.512", 16, 12, True)
NARROW = ByteProducts("AVX-VNNI", "llvm.x86.avx512.vpdpbusd.256", 8, 6, True)
ARM = ByteProducts("NEON dot products", "llvm.aarch64.neon.sdot.v4i32.v16i8", 4, 12, False)


def find_byte_products(features: Set[str]) -> ByteProducts | None:
    """How a processor of such features (LLVM's names) multiplies bytes; None where it is slow."""
    if "avx512vnni" in features:
        return WIDE
    if "avxvnni" in features:
        return NARROW
    return ARM if "dotprod" in features else None


def find_registers(features: Set[str]) -> tuple[int, int]:
    """Single-precision numbers in a register of such a processor, and the rows of a tile."""
    if "avx512f" in features:
        return 16, 12
    return (8, 6) if "avx2" in features else (4, 6)


def make_code_tile(products: ByteProducts, rows: int) -> Any:
    """An intrinsic that adds a tile's products of codes to sums in single precision.

    Its arguments are arrays that begin where the tile does. On the left ``codes`` (rows, n) int8,
    ``totals`` (rows,) int32, which are the sums of the codes, and ``factors`` (rows,) float32; on
    the right a ``panel`` (n / 4, 2 lanes, 4) uint8, ``offsets`` and ``scales`` (2 lanes,) float32;
    and ``sums`` (rows, 2 lanes) float32. With c for the panel's codes and q for those of the rows:

        sums[r, j] += (sum_i (c_ji - 127.5) q_ri + offsets[j]) * factors[r] * scales[j]
    """
    lanes = products.lanes
    whole, single = ir.VectorType(WHOLE, lanes), ir.VectorType(SINGLE, lanes)

    @intrinsic
    def add_code_tile(typing, left, right, sums):
        def generate(context, builder, signature, arguments):
            b = Emitter(context, builder, signature, arguments)
            codes, totals, factors = (b.rows_of((0, i), rows) for i in range(3))
            (panel,), (offsets,), (scales,) = (b.rows_of((1, i), 1) for i in range(3))
            target = b.rows_of(2, rows)
            multiply = _declare_products(b, builder, products)
            totals = [b.load(total, WHOLE) for total in totals]
            offsets, scales = (
                [b.load(row, single, half=h) for h in _HALVES] for row in (offsets, scales)
            )

            def step(i, before):
                weights = [b.load(panel, whole, (i, 8 * lanes), h) for h in _HALVES]
                after = []
                for r in range(rows):
                    four = b.spread(b.load(codes[r], WHOLE, (i, 4)), whole)
                    after += [multiply(before[2 * r + h], weights[h], four) for h in _HALVES]
                return after

            # The instruction takes c for c - 128 where bytes are unsigned.
            too_much = WHOLE(-128 if products.unsigned else 0)
            starts = [b.spread(builder.mul(total, too_much), whole) for total in totals]
            found = b.loop(b.shape((1, 0)), [start for start in starts for _ in _HALVES], step)
            for r in range(rows):
                half = builder.fmul(builder.sitofp(totals[r], SINGLE), SINGLE(0.5))
                half = b.spread(half, single)
                factor = b.spread(b.load(factors[r], SINGLE), single)
                for h in _HALVES:
                    product = builder.sitofp(found[2 * r + h], single)
                    product = builder.fadd(product, builder.fadd(half, offsets[h]))
                    both = builder.fmul(factor, scales[h])
                    known = b.load(target[r], single, half=h)
                    b.store(b.fma(product, both, known), target[r], half=h)
            return context.get_dummy_value()

        return types.void(left, right, sums), generate

    return add_code_tile


def make_single_tile(lanes: int, rows: int) -> Any:
    """An intrinsic that writes a tile of ``left @ right`` in single precision.

    Its arguments are arrays that begin where the tile does, ``left`` (rows, n), ``right``
    (n, 2 lanes) and ``found`` (rows, 2 lanes), and n, which is at least 1.
    """
    single = ir.VectorType(SINGLE, lanes)

    @intrinsic
    def write_tile(typing, left, right, n, found):
        def generate(context, builder, signature, arguments):
            b = Emitter(context, builder, signature, arguments)
            rows_left, target = b.rows_of(0, rows), b.rows_of(3, rows)
            (first,), stride = b.rows_of(1, 1), b.stride(1)

            def step(i, before):
                across = [b.load(first, single, (i, stride), h) for h in _HALVES]
                after = []
                for r in range(rows):
                    number = b.spread(b.load(rows_left[r], SINGLE, (i, 4)), single)
                    after += [b.fma(number, across[h], before[2 * r + h]) for h in _HALVES]
                return after

            zero = ir.Constant(single, None)
            sums = b.loop(arguments[2], [zero] * (2 * rows), step)
            for r in range(rows):
                for h in _HALVES:
                    b.store(sums[2 * r + h], target[r], half=h)
            return context.get_dummy_value()

        return types.void(left, right, types.intp, found), generate

    return write_tile


def _declare_products(b: Emitter, builder: Any, products: ByteProducts) -> Callable[..., Any]:
    """A function of sums, weights and codes that emits the products' instruction."""
    sums = ir.VectorType(WHOLE, products.lanes)
    sides = sums if products.unsigned else ir.VectorType(BYTE, 4 * products.lanes)

    def multiply(known: Any, weights: Any, codes: Any) -> Any:
        operands = (builder.bitcast(side, sides) for side in (weights, codes))
        return b.call(products.name, known, *operands)

    return multiply
