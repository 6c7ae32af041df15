"""What is found in a row of numbers, by vectors: its largest number, sums, and exponentials.

Rows are of whole vectors; two at a time go through the registers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from grassmeans.kernels.cpu.tiles import FEATURES, SINGLE, SIZE, WHOLE, Emitter, find_registers

_LANES, _ = find_registers(FEATURES)
_VECTOR, _WHOLES = ir.VectorType(SINGLE, _LANES), ir.VectorType(WHOLE, _LANES)
_PAIR = (0, 1)

_LOG2_E, _LOG_2 = float(np.float32(np.log2(np.e))), float(np.float32(np.log(2.0)))
_TERMS = [float(np.float32(1.0 / f)) for f in (720.0, 120.0, 24.0, 6.0, 2.0, 1.0, 1.0)]


@intrinsic
def find_largest(typing: Any, row: Any) -> Any:
    """The largest absolute number of a row, (n,) float32; NaN where one is in it."""

    def generate(context, builder, signature, arguments):
        b = Emitter(context, builder, signature, arguments)

        def join(x, y):
            return builder.select(builder.icmp_signed(">", x, y), x, y)

        def step(i, before):
            bits = (builder.bitcast(_load(b, i, h), _WHOLES) for h in _PAIR)
            sizes = (builder.and_(x, _same(0x7FFFFFFF, _WHOLES)) for x in bits)
            return [join(known, size) for known, size in zip(before, sizes, strict=True)]

        # The bits of numbers that are not negative are in their order, and those of NaN the last.
        found = _loop(b, builder, step, _same(0, _WHOLES))
        return builder.bitcast(b.fold(join(*found), join), SINGLE)

    return types.float32(row), generate


def _make_sum(add: Callable[[Emitter, Any, Any], Any]) -> Any:
    """An intrinsic that adds up a row, (n,) float32, by ``add(emitter, number, sum before)``."""

    @intrinsic
    def sum_row(typing, row):
        def generate(context, builder, signature, arguments):
            b = Emitter(context, builder, signature, arguments)

            def step(i, before):
                return [add(b, _load(b, i, h), known) for h, known in enumerate(before)]

            return b.fold(builder.fadd(*_loop(b, builder, step)), builder.fadd)

        return types.float32(row), generate

    return sum_row


sum_squares = _make_sum(lambda b, x, known: b.fma(x, x, known))
sum_numbers = _make_sum(lambda b, x, known: b.builder.fadd(known, x))


@intrinsic
def exponentiate(typing: Any, row: Any) -> Any:
    """Replace the numbers of a row, (n,) float32 from -87 to 88, by their exponentials.

    exp(x) = 2^k exp(y) with a whole k and |y| <= log(2) / 2, where seven terms of the series are
    exact to a single's last bit.
    """

    def generate(context, builder, signature, arguments):
        b = Emitter(context, builder, signature, arguments)
        log2_e, log_2 = (_same(number) for number in (_LOG2_E, -_LOG_2))
        terms = [_same(number) for number in _TERMS]

        def step(i, before):
            for h in _PAIR:
                x = _load(b, i, h)
                k = b.call(f"llvm.rint.v{_LANES}f32", builder.fmul(x, log2_e))
                y = b.fma(k, log_2, x)
                series = terms[0]
                for term in terms[1:]:
                    series = b.fma(series, y, term)
                power = builder.shl(builder.fptosi(k, _WHOLES), _same(23, _WHOLES))
                bits = builder.add(builder.bitcast(series, _WHOLES), power)
                b.store(builder.bitcast(bits, _VECTOR), b.rows_of(0, 1)[0], (i, 8 * _LANES), h)
            return before

        _loop(b, builder, step)
        return context.get_dummy_value()

    return types.void(row), generate


@intrinsic
def turn_row(typing: Any, row: Any, cos: Any, sin: Any, factor: Any, turned: Any) -> Any:
    """Write ``factor`` times a row, (n,) float32, with its two halves turned by n / 2 angles."""

    def generate(context, builder, signature, arguments):
        b = Emitter(context, builder, signature, arguments)
        size = b.shape(1)
        factor = b.spread(arguments[3], _VECTOR)
        halves = builder.mul(size, SIZE(4))
        (low, *_), (target, *_) = b.rows_of(0, 1), b.rows_of(4, 1)
        high, far_target = (builder.gep(row, [halves]) for row in (low, target))

        def step(i, before):
            at = i, 4 * _LANES
            x, y = (builder.fmul(b.load(row, _VECTOR, at), factor) for row in (low, high))
            c, s = (b.load(b.rows_of(which, 1)[0], _VECTOR, at) for which in (1, 2))
            b.store(b.fma(x, c, builder.fneg(builder.fmul(y, s))), target, at=at)
            b.store(b.fma(y, c, builder.fmul(x, s)), far_target, at=at)
            return before

        b.loop(builder.sdiv(size, SIZE(_LANES)), [], step)
        return context.get_dummy_value()

    return types.void(row, cos, sin, types.float32, turned), generate


def _same(number: Any, kind: Any = _VECTOR) -> Any:
    return ir.Constant(kind, [number] * _LANES)


def _load(b: Emitter, i: Any, half: int) -> Any:
    return b.load(b.rows_of(0, 1)[0], _VECTOR, (i, 8 * _LANES), half)


def _loop(b: Emitter, builder: Any, step: Any, start: Any = None) -> Any:
    n = builder.sdiv(b.shape(0), SIZE(2 * _LANES))
    return b.loop(n, [start or _same(0.0)] * 2, step)
