"""Broadcasting that only a run decides: a size of 1 that types do not tell gives way, too."""

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import pairwise

import numpy as np

from relay.ir.dims import Dim, may_be_one, unless_one
from relay.ir.expr import Call, Constant, Expr, If
from relay.ir.types import TensorType
from relay.opdef.definition import OperatorDef
from relay.ops.broadcasting import BroadcastTo
from relay.ops.comparison import equal
from relay.ops.logical import LogicalAnd
from relay.ops.tensor.encode import ShapeOf
from relay.ops.tensor.gather import Take
from relay.support.dtype import int64
from relay.support.node import replace


def stretched(call: Call, named: Callable[[Expr], Expr]) -> Call:
    """Return a broadcasting call whose arguments are repeated where a size turns out to be 1.

    1. Sizes that are one object are equal: nothing is asked.
    2. Sizes of which none can be 1 are taken to be equal, and tested.
    3. Of others the program looks whether they are equal, as they nearly always are: then arguments
       are passed as they are. Else those of size 1 are copied to the size that they meet.

    `named` gives names to the sizes of a choice. That they are equal in the end is tested, too.
    """
    if not isinstance(call.op, OperatorDef) or call.op.unbroadcast is None:
        return call
    places = _doubtful(call.args, call.op.unbroadcast)
    if not places:
        return call
    tests = [
        equal(_at(a, axis), _at(b, axis))
        for axis, args in places.items()
        for a, b in pairwise(args)
    ]
    alike = reduce(lambda a, b: Call(LogicalAnd(), (a, b)), tests)

    def common(arg: Expr) -> Expr:
        shape = arg.tensor_type.shape
        target = tuple(
            _met(size, [_size(other, axis) for other in places.get(axis, ())])
            for axis, size in zip(range(-len(shape), 0), shape, strict=True)
        )
        if target == shape:
            return arg
        repeated = Call(BroadcastTo(target), (arg,), span=call.span)
        return named(If(alike, arg, repeated, span=call.span))

    return replace(call, args=tuple(map(common, call.args)), ty=None)


def _doubtful(args: Sequence[Expr], last: int) -> dict[int, list[Expr]]:
    """Return the axes of case 3, counted from the right, and the arguments that are not 1 there.

    The last axes, so many, do not broadcast.
    """
    if not all(isinstance(arg.ty, TensorType) for arg in args):
        return {}
    found: dict[int, list[Expr]] = {}
    for axis in range(-max(arg.tensor_type.rank for arg in args), -last):
        there = [arg for arg in args if arg.tensor_type.rank >= -axis and _size(arg, axis) != 1]
        sizes = {_size(arg, axis) for arg in there}
        if len(sizes) > 1 and any(map(may_be_one, sizes)):
            found[axis] = there
    return found


def _met(size: Dim, beside: Sequence[Dim]) -> Dim:
    """Return what a size becomes beside others: the first that is not 1, or the size itself."""
    for other in dict.fromkeys(beside):
        size = size if other is size or size == 1 else unless_one(size, other)
    return size


def _size(arg: Expr, axis: int) -> Dim:
    return arg.tensor_type.shape[axis]


def _at(arg: Expr, axis: int) -> Expr:
    """Return a size as a scalar of int64."""
    size = _size(arg, axis)
    if isinstance(size, int):
        return Constant(np.asarray(size))
    index = Constant(np.asarray(axis % arg.tensor_type.rank))
    return Call(Take(axis=0, mode="fast"), (Call(ShapeOf(int64), (arg,)), index))
