"""Build loops with a step counter, as recursive local functions."""

from collections.abc import Callable, Sequence

import numpy as np

from relay.frontend.builders.tensor_helpers import constant
from relay.ir.expr import Call, Constant, Expr, Function, If, Let, Tuple, TupleGetItem, Var
from relay.ir.types import FuncType, TupleType, Type, scalar_type
from relay.ops.binary import Subtract, add
from relay.ops.comparison import Less
from relay.ops.tensor.gather import Take
from relay.ops.tensor.one_hot_and_shape_of import ShapeOf
from relay.support.dtype import int64

Step = Callable[[Expr, Sequence[Expr]], tuple[Sequence[Expr], Expr | None]]
"""Maps the step number and the state to the next state, and whether to continue (None: yes)."""


def loop(
    count: Expr,
    go_on: Expr | None,
    state: Sequence[Expr],
    types: Sequence[Type],
    step: Step,
) -> list[Expr]:
    """Return the state after at most `count` steps of a loop; a step may end the loop early.

    The result is `let f = fn(t, go_on, state…) { if (t < count && go_on) { f(t + 1, …) } else {
    state } }; f(0, …)`, or the state itself if the count is a constant 0. `types` are the types of
    the state, with `Any` for sizes that change.
    """
    if isinstance(count, Constant) and int(count.array) <= 0:
        return list(state)
    time = Var("t", scalar_type(int64))
    variables = [Var(f"s{i}", ty) for i, ty in enumerate(types)]
    following, again = step(time, variables)
    first = [] if again is None or go_on is None else [go_on]
    flags = [Var("go_on", each.tensor_type) for each in first]
    params = (time, *flags, *variables)
    result = TupleType(tuple(types))
    f = Var("f", FuncType(tuple(each.type for each in params), result))
    condition: Expr = Call(Less(), (time, count))
    for flag in flags:
        condition = If(condition, flag, constant(0, flag.tensor_type.dtype))
    one = constant(1, int64)
    go = Call(f, (add(time, one), *([again] if again is not None else []), *following))
    body = If(condition, go, Tuple(tuple(variables)))
    start = Call(f, (constant(0, int64), *first, *state))
    whole = Let(f, Function(params, body, result), start)
    return [TupleGetItem(whole, index) for index in range(len(types))]


def size_of(x: Expr, axis: int) -> Expr:
    """Return the size of an axis as an int64 scalar: a constant if the size is static."""
    size = x.tensor_type.shape[axis]
    if isinstance(size, int):
        return constant(size, int64)
    index = constant(axis % x.tensor_type.rank, int64)
    return Call(Take(axis=0), (Call(ShapeOf(int64), (x,)), index))


def at(x: Expr, index: Expr, axis: int = 0) -> Expr:
    """Return the slice of `x` at one index of an axis; the axis is removed."""
    if isinstance(x, Constant) and isinstance(index, Constant):
        return Constant(np.take(x.array, int(index.array), axis), span=x.span)
    return Call(Take(axis=axis), (x, index))


def mirrored(index: Expr, count: Expr) -> Expr:
    """Return `count - 1 - index`, the index counted from the end."""
    return Call(Subtract(), (Call(Subtract(), (count, constant(1, int64))), index))
