"""Splits sums with strided taps, as in transposed convolutions, into one sum per phase.

If an element is read only by the taps `k` with `(y - d · k) mod s = 0`, these taps are `k = s · j +
phase(y)`: the sum runs over `j` and needs no test.
"""

from math import gcd

from relay.kernels.passes.affine_arithmetic import Affine, Arithmetic
from relay.kernels.passes.tighten_loop_bounds import conjunction, conjuncts
from relay.kernels.scalar import Binary, Compare, Const, Op, Order, Scalar
from relay.kernels.schedule.iteration_state import rounded_up
from relay.kernels.te.tensor import Axis, Computed, Reduce
from relay.kernels.traverse_scalars import substitute
from relay.support.dtype import int64
from relay.support.node import node, replace
from relay.targets.cpu.schedules.access_strides import arithmetic_over


@node
class Stepped:
    """The condition that `rest + factor * axis` is a multiple of `step`, for an axis of a sum."""

    axis: Axis
    factor: int
    rest: Affine
    step: int


def in_phases(sums: Computed) -> Computed:
    """Return a reduction over only the window positions for which its condition can hold.

    In a transposed convolution with stride `s`, for example, an element is read at every `s`-th
    position of the window only. The axis of the reduction then enumerates these positions.
    """
    body = sums.body
    assert isinstance(body, Reduce)
    arithmetic = arithmetic_over([*sums.axes, *body.axes])
    tests: list[Scalar] = []
    axes = {axis: axis for axis in body.axes}
    values: dict[Scalar, Scalar] = {}
    for test in conjuncts(body.where):
        found = _stepped(test, body.axes, arithmetic)
        if found is None or found.axis in values:
            tests.append(test)
            continue
        tap = found.axis
        few = axes[tap] = Axis(tap.name, int64, rounded_up(tap.extent, found.step))
        values[tap] = few * found.step + _phase(found, arithmetic)
        if tap.extent % found.step != 0:
            tests.append(tap < tap.extent)
    if not values:
        return sums
    inner, where = (substitute(part, values) for part in (body.body, conjunction(tests)))
    return replace(sums, body=Reduce(body.combiner, inner, tuple(axes.values()), where, body.dtype))


def _phase(found: Stepped, arithmetic: Arithmetic) -> Scalar:
    """Return the unique number below the step for which the condition `found` holds."""
    inverse = pow(-found.factor, -1, found.step)
    return arithmetic.index(arithmetic.scalar(found.rest) * inverse % found.step)


def _stepped(test: Scalar, axes: tuple[Axis, ...], arithmetic: Arithmetic) -> Stepped | None:
    """Return a test as `Stepped`; None unless it selects every `step`-th value of an axis."""
    match test:
        case Compare(
            order=Order.EQ,
            a=Binary(op=Op.FLOORMOD, a=number, b=Const(value=int() as step)),
            b=Const(value=0),
        ) if step > 1:
            total = arithmetic.affine(number)
            for axis in axes:
                factor = total.terms.get(axis, 0)
                rest = total.plus(Affine({axis: 1}, 0), -factor)
                if gcd(factor, step) == 1 and not set(axes) & set(rest.terms):
                    return Stepped(axis, factor, rest, step)
        case _:
            pass
    return None
