"""Tiles of matrix products, in LLVM's own words: the sums of a tile never leave the registers.

Numba has no vectors of its own. Most loops it turns into instructions on vectors by itself; those
that add up or compare it may not, as that changes the order of sums. What it is given here, and in
`row_sums`, are intrinsics that emit instructions of LLVM on vectors, in loops over Numba's arrays.

A tile is some rows of the left side times a panel of the right one, two vector registers wide.
There are two: products of 8-bit codes, by an instruction that multiplies four pairs of bytes and
adds them up in 32 bits, and products in single precision. All sums run in the order of the steps,
so a tile gives the same bits whatever stands in its other rows. Loops over the steps are not
unrolled: the compiler would then run out of registers.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import Any, NamedTuple

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.registry import cpu_target
from numba.extending import intrinsic

BYTE, WHOLE, SINGLE, SIZE = ir.IntType(8), ir.IntType(32), ir.FloatType(), ir.IntType(64)

# Numba keeps what it has compiled by the same three: code for one processor never reaches another.
_, _, _features = cpu_target.target_context.codegen().magic_tuple()
FEATURES = frozenset(name[1:] for name in _features.split(",") if name.startswith("+"))
"""Of the processor that Numba compiles for, in LLVM's words."""


class Emitter:
    """Emits the instructions of one intrinsic.

    Arguments are named by their number, parts of tuples by that and their place.
    """

    def __init__(self, context: Any, builder: Any, signature: Any, arguments: Any) -> None:
        self._context, self.builder = context, builder
        self._signature, self._arguments = signature, arguments

    def _array(self, i: int | tuple[int, int]) -> Any:
        number, *places = (i,) if isinstance(i, int) else i
        kind, value = self._signature.args[number], self._arguments[number]
        for place in places:
            kind, value = kind[place], self.builder.extract_value(value, place)
        return self._context.make_array(kind)(self._context, self.builder, value)

    def shape(self, i: int | tuple[int, int]) -> Any:
        """The length of an argument."""
        return self.builder.extract_value(self._array(i).shape, 0)

    def stride(self, i: int | tuple[int, int]) -> Any:
        """Bytes between the rows of an argument."""
        return self.builder.extract_value(self._array(i).strides, 0)

    def rows_of(self, i: int | tuple[int, int], rows: int) -> list[Any]:
        """Where the first rows of an argument begin."""
        first = self.builder.bitcast(self._array(i).data, BYTE.as_pointer())
        steps = (self.builder.mul(self.stride(i), SIZE(r)) for r in range(rows))
        return [self.builder.gep(first, [step]) for step in steps]

    def _place(self, row: Any, kind: Any, at: Any, half: int) -> Any:
        if at is not None:
            index, width = at
            width = SIZE(width) if isinstance(width, int) else width
            row = self.builder.gep(row, [self.builder.mul(index, width)])
        if half:
            row = self.builder.gep(row, [SIZE(4 * kind.count)])
        return self.builder.bitcast(row, kind.as_pointer())

    def load(self, row: Any, kind: Any, at: Any = None, half: int = 0) -> Any:
        """A number or vector, ``at`` (index, bytes of a step) in a row; one half of a panel."""
        return self.builder.load(self._place(row, kind, at, half), align=4)

    def store(self, vector: Any, row: Any, at: Any = None, half: int = 0) -> None:
        """Write a vector where `load` reads it."""
        self.builder.store(vector, self._place(row, vector.type, at, half), align=4)

    def call(self, name: str, *operands: Any) -> Any:
        """Call a function of LLVM's own, which gives what its first operand is."""
        kind = ir.FunctionType(operands[0].type, [x.type for x in operands])
        function = cgutils.get_or_insert_function(self.builder.module, kind, name)
        return self.builder.call(function, operands)

    def spread(self, number: Any, kind: Any) -> Any:
        """A vector of the same number in all lanes."""
        nothing = ir.Constant(kind, ir.Undefined)
        vector = self.builder.insert_element(nothing, number, WHOLE(0))
        lanes = ir.Constant(ir.VectorType(WHOLE, kind.count), None)
        return self.builder.shuffle_vector(vector, nothing, lanes)

    def fma(self, x: Any, y: Any, z: Any) -> Any:
        """``x * y + z``, rounded once."""
        return self.call(f"llvm.fma.v{x.type.count}f32", x, y, z)

    def fold(self, vector: Any, join: Callable[[Any, Any], Any]) -> Any:
        """Join the lanes of a vector, one half with the other until one lane is left."""
        n = vector.type.count
        while n > 1:
            n //= 2
            half = ir.VectorType(WHOLE, n)
            parts = (ir.Constant(half, list(range(at, at + n))) for at in (0, n))
            vector = join(*(self.builder.shuffle_vector(vector, vector, part) for part in parts))
        return self.builder.extract_element(vector, WHOLE(0))

    def loop(self, n: Any, values: list[Any], step: Callable[[Any, list[Any]], list[Any]]) -> Any:
        """Replace values by ``step(i, values)`` for i below n, which is at least 1."""
        builder = self.builder
        before = builder.block
        body, after = builder.append_basic_block("steps"), builder.append_basic_block("done")
        builder.branch(body)
        builder.position_at_end(body)
        i = builder.phi(SIZE)
        i.add_incoming(SIZE(0), before)
        known = [builder.phi(value.type) for value in values]
        for phi, value in zip(known, values, strict=True):
            phi.add_incoming(value, before)
        found = step(i, known)
        for phi, value in zip(known, found, strict=True):
            phi.add_incoming(value, body)
        following = builder.add(i, SIZE(1))
        i.add_incoming(following, body)
        jump = builder.cbranch(builder.icmp_signed("<", following, n), body, after)
        jump.set_metadata("llvm.loop", _forbid_unrolling(builder.module))
        builder.position_at_end(after)
        return found


def _forbid_unrolling(module: ir.Module) -> Any:
    """A loop's metadata; its first part is itself, by which LLVM tells loops apart."""
    rule = module.add_metadata([ir.MetaDataString(module, "llvm.loop.unroll.disable")])
    loop = module.add_metadata([rule, WHOLE(len(module.metadata))])
    loop.operands = (loop, rule)
    return loop


_HALVES = (0, 1)  # of a panel


class ByteProducts(NamedTuple):
    """How a processor multiplies bytes."""

    words: str  # its name for people
    name: str  # that of LLVM's intrinsic
    lanes: int  # numbers of 32 bits in a register
    rows: int  # of a tile: two sums each, two of weights and one of a row are all its registers
    unsigned: bool  # whether the weights' bytes are


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
    operand = whole if products.unsigned else ir.VectorType(BYTE, 4 * lanes)

    @intrinsic
    def add_code_tile(typing, left, right, sums):
        def generate(context, builder, signature, arguments):
            b = Emitter(context, builder, signature, arguments)
            codes, totals, factors = (b.rows_of((0, i), rows) for i in range(3))
            (panel,), (offsets,), (scales,) = (b.rows_of((1, i), 1) for i in range(3))
            target = b.rows_of(2, rows)
            totals = [b.load(total, WHOLE) for total in totals]
            offsets, scales = (
                [b.load(row, single, half=h) for h in _HALVES] for row in (offsets, scales)
            )

            def multiply(known, *sides):
                operands = (builder.bitcast(side, operand) for side in sides)
                return b.call(products.name, known, *operands)

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
