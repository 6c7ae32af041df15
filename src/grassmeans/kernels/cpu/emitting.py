"""What intrinsics are made of: LLVM's instructions on vectors, in loops over Numba's arrays.

Numba has no vectors of its own. Most loops it turns into instructions on vectors by itself; those
that add up or compare it may not, as that changes the order of sums. Here the order is fixed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils
from numba.core.registry import cpu_target

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
        self._context, self._builder = context, builder
        self._signature, self._arguments = signature, arguments

    def _array(self, i: int | tuple[int, int]) -> Any:
        number, *places = (i,) if isinstance(i, int) else i
        kind, value = self._signature.args[number], self._arguments[number]
        for place in places:
            kind, value = kind[place], self._builder.extract_value(value, place)
        return self._context.make_array(kind)(self._context, self._builder, value)

    def shape(self, i: int | tuple[int, int]) -> Any:
        """The length of an argument."""
        return self._builder.extract_value(self._array(i).shape, 0)

    def stride(self, i: int | tuple[int, int]) -> Any:
        """Bytes between the rows of an argument."""
        return self._builder.extract_value(self._array(i).strides, 0)

    def rows_of(self, i: int | tuple[int, int], rows: int) -> list[Any]:
        """Where the first rows of an argument begin."""
        first = self._builder.bitcast(self._array(i).data, BYTE.as_pointer())
        steps = (self._builder.mul(self.stride(i), SIZE(r)) for r in range(rows))
        return [self._builder.gep(first, [step]) for step in steps]

    def _place(self, row: Any, kind: Any, at: Any, half: int) -> Any:
        if at is not None:
            index, width = at
            width = SIZE(width) if isinstance(width, int) else width
            row = self._builder.gep(row, [self._builder.mul(index, width)])
        if half:
            row = self._builder.gep(row, [SIZE(4 * kind.count)])
        return self._builder.bitcast(row, kind.as_pointer())

    def load(self, row: Any, kind: Any, at: Any = None, half: int = 0) -> Any:
        """A number or vector, ``at`` (index, bytes of a step) in a row; one half of a panel."""
        return self._builder.load(self._place(row, kind, at, half), align=4)

    def store(self, vector: Any, row: Any, at: Any = None, half: int = 0) -> None:
        """Write a vector where `load` reads it."""
        self._builder.store(vector, self._place(row, vector.type, at, half), align=4)

    def call(self, name: str, *operands: Any) -> Any:
        """Call a function of LLVM's own, which gives what its first operand is."""
        kind = ir.FunctionType(operands[0].type, [x.type for x in operands])
        function = cgutils.get_or_insert_function(self._builder.module, kind, name)
        return self._builder.call(function, operands)

    def spread(self, number: Any, kind: Any) -> Any:
        """A vector of the same number in all lanes."""
        nothing = ir.Constant(kind, ir.Undefined)
        vector = self._builder.insert_element(nothing, number, WHOLE(0))
        lanes = ir.Constant(ir.VectorType(WHOLE, kind.count), None)
        return self._builder.shuffle_vector(vector, nothing, lanes)

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
            vector = join(*(self._builder.shuffle_vector(vector, vector, part) for part in parts))
        return self._builder.extract_element(vector, WHOLE(0))

    def loop(self, n: Any, values: list[Any], step: Callable[[Any, list[Any]], list[Any]]) -> Any:
        """Replace values by ``step(i, values)`` for i below n, which is at least 1."""
        builder = self._builder
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
