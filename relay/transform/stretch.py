"""Broadcasting that only a run decides: a size of 1 that types do not tell gives way, too."""

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import pairwise

import numpy as np

from relay.ir.dims import Dim, DimVar, maximum
from relay.ir.expr import Call, Constant, Expr, If
from relay.ir.types import TensorType
from relay.ops.broadcasting import BroadcastTo
from relay.ops.comparison import equal
from relay.ops.families import Pointwise
from relay.ops.logical import LogicalAnd
from relay.ops.tensor.encode import ShapeOf
from relay.ops.tensor.gather import Take
from relay.support.dtype import int64
from relay.support.node import replace


def stretched(call: Call, named: Callable[[Expr], Expr]) -> Call:
    """Return a broadcasting call whose arguments have the common sizes where names leave a doubt.

    A size with a name of its own may be 1 when the program runs. An argument is then copied to the
    common shape; where sizes are equal, as they nearly always are, it is passed as it is. What is
    computed from sizes (`n + 1`) is taken to be equal, and tested. `named` gives names to the sizes
    of a choice.
    """
    if not isinstance(call.op, Pointwise):
        return call
    places = _doubtful(call.args)
    if not places:
        return call
    whole = {axis: _common([_size(arg, axis) for arg in args]) for axis, args in places.items()}
    tests = [
        equal(_at(a, axis), _at(b, axis))
        for axis, args in places.items()
        for a, b in pairwise(args)
    ]
    alike = reduce(lambda a, b: Call(LogicalAnd(), (a, b)), tests)

    def common(arg: Expr) -> Expr:
        shape = arg.tensor_type.shape
        target = [
            size if size == 1 else whole.get(axis, size)
            for axis, size in zip(range(-len(shape), 0), shape, strict=True)
        ]
        if tuple(target) == shape:
            return arg
        repeated = Call(BroadcastTo(tuple(target)), (arg,), span=call.span)
        return named(If(alike, arg, repeated, span=call.span))

    return replace(call, args=tuple(map(common, call.args)), ty=None)


def _doubtful(args: Sequence[Expr]) -> dict[int, list[Expr]]:
    """Return the axes, counted from the right, where sizes differ by name, and who has them."""
    if not all(isinstance(arg.ty, TensorType) for arg in args):
        return {}
    found: dict[int, list[Expr]] = {}
    for axis in range(-max(arg.tensor_type.rank for arg in args), 0):
        there = [arg for arg in args if arg.tensor_type.rank >= -axis and _size(arg, axis) != 1]
        sizes = {_size(arg, axis) for arg in there}
        if len(sizes) > 1 and all(isinstance(size, int | DimVar) for size in sizes):
            found[axis] = there
    return found


def _common(sizes: Sequence[Dim]) -> Dim:
    """Return the size to which others broadcast: a number, or the one that is not 1."""
    known = [size for size in sizes if isinstance(size, int)]
    return known[0] if known else reduce(_larger, dict.fromkeys(sizes))


def _larger(a: Dim, b: Dim) -> Dim:
    """Return the one of two sizes that is not 1, which may be 0: `a * b` by the smaller of both."""
    return a * b // maximum(1, a + b - maximum(a, b))


def _size(arg: Expr, axis: int) -> Dim:
    return arg.tensor_type.shape[axis]


def _at(arg: Expr, axis: int) -> Expr:
    """Return a size as a scalar of int64."""
    size = _size(arg, axis)
    if isinstance(size, int):
        return Constant(np.asarray(size))
    index = Constant(np.asarray(axis % arg.tensor_type.rank))
    return Call(Take(axis=0, mode="fast"), (Call(ShapeOf(int64), (arg,)), index))
