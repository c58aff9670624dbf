"""Broadcasting between dynamic sizes: a dimension that equals 1 at run time is repeated."""

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import pairwise
from typing import TypeAlias, cast

import numpy as np

from relay.ir.dims import Shape, broadcast, may_be_one
from relay.ir.expr import Call, Constant, Expr, If, Tuple, TupleGetItem
from relay.ir.types import TensorType, TupleType, Type
from relay.opdef.broadcast_axes import BroadcastAxes
from relay.opdef.definition import OperatorDef
from relay.opdef.dim_constraints import Relation
from relay.ops.broadcasting import BroadcastTo, CollapseSumLike
from relay.ops.comparison import equal
from relay.ops.logical import LogicalAnd
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.gather import Take
from relay.ops.tensor.one_hot_and_shape_of import ShapeOf
from relay.ops.tensor.shape_assertion import with_size
from relay.support.dtype import int64
from relay.support.node import replace

Naming: TypeAlias = Callable[[Expr], Expr]
"""A function that gives fresh names to the unknown sizes in a branch's type."""


def with_dynamic_broadcast(call: Call, named: Naming) -> Call:
    """Return a broadcasting call whose arguments are repeated where a dynamic size equals 1.

    1. Identical dimensions are equal: no code is generated.
    2. If none of the sizes can be 1, they must be equal, and this is checked.
    3. Otherwise the program tests whether the sizes are equal, which is the common case: arguments
       are then passed unchanged. If they differ, arguments of size 1 are broadcast to the common
       size. The resulting sizes are checked to be equal, and become one dimension.

    A sum that reverses a broadcast determines its reduction axes in the same way.
    """
    match call:
        case Call(OperatorDef() as op, (Expr(ty=TupleType(types)) as arg,)):
            uncertain = _uncertain_axes(op, types)
            args = (
                (Tuple(_common(call, _fields(arg), uncertain, named)),) if uncertain else call.args
            )
        case Call(OperatorDef() as op, args):
            uncertain = _uncertain_axes(op, [arg.type for arg in args])
            give = _summed if isinstance(op, CollapseSumLike) else _common
            args = give(call, args, uncertain, named) if uncertain else args
        case _:
            return call
    return replace(call, args=args, ty=None) if uncertain else call


def _fields(arg: Expr) -> tuple[Expr, ...]:
    if isinstance(arg, Tuple):
        return arg.fields
    count = len(cast("TupleType", arg.type).fields)
    return tuple(TupleGetItem(arg, index) for index in range(count))


def _uncertain_axes(op: OperatorDef, types: Sequence[Type]) -> list[BroadcastAxes]:
    """Return the groups of broadcast axes of which some sizes may be 1 at run time.

    Each group maps the position of a tensor to its axis; tensors whose size there is statically 1
    are omitted.
    """
    shapes = [ty.shape for ty in types if isinstance(ty, TensorType)]
    if len(shapes) < len(types) or len(shapes) < 2:
        return []
    found: list[BroadcastAxes] = []
    for group in op.broadcast_axes(cast("Sequence[TensorType]", types)):
        sizes = {at: shapes[at][axis] for at, axis in group.items() if shapes[at][axis] != 1}
        if len(set(sizes.values())) > 1 and any(map(may_be_one, sizes.values())):
            found.append({at: group[at] for at in sizes})
    return found


def _common(
    call: Call, tensors: Sequence[Expr], uncertain: Sequence[BroadcastAxes], named: Naming
) -> tuple[Expr, ...]:
    """Return a call's tensors, broadcast at run time if sizes in `uncertain` groups differ."""
    tests = [
        equal(_at(tensors[a], group[a]), _at(tensors[b], group[b]))
        for group in uncertain
        for a, b in pairwise(group)
    ]
    alike = reduce(lambda a, b: Call(LogicalAnd(), (a, b)), tests)

    def whole(tensor: Expr, shape: Shape) -> Expr:
        if shape == tensor.tensor_type.shape:
            return tensor
        repeated = Call(BroadcastTo(shape), (tensor,), span=call.span)
        return named(If(alike, tensor, repeated, span=call.span))

    wholes = tuple(map(whole, tensors, _whole_shapes(tensors, uncertain)))
    return _with_common_sizes(call, wholes, uncertain)


def _with_common_sizes(
    call: Call, tensors: Sequence[Expr], groups: Sequence[BroadcastAxes]
) -> tuple[Expr, ...]:
    """Return tensors with one common dimension for each group of broadcast axes.

    This is the first dimension that cannot be 1, if there is one.
    """
    found = [*tensors]
    for group in groups:
        sizes = {at: found[at].tensor_type.shape[axis] for at, axis in group.items()}
        first, *_ = sizes.values()
        common = next((size for size in sizes.values() if not may_be_one(size)), first)
        for at, axis in group.items():
            if sizes[at] is not common:
                what = f"axis {axis - found[at].tensor_type.rank}"
                said = f"{cast('OperatorDef', call.op).name}: {what}: {Relation.BROADCAST.value}"
                found[at] = with_size(found[at], axis, common, said, call.span)
    return tuple(found)


def _whole_shapes(tensors: Sequence[Expr], uncertain: Sequence[BroadcastAxes]) -> list[Shape]:
    """Return the shape to which each tensor is broadcast if sizes in `uncertain` groups differ."""
    shapes = [list(tensor.tensor_type.shape) for tensor in tensors]
    for group in uncertain:
        sizes = [tensors[at].tensor_type.shape[axis] for at, axis in group.items()]
        for at, axis in group.items():
            shapes[at][axis] = broadcast(shapes[at][axis], *sizes)
    return [tuple(shape) for shape in shapes]


def _summed(
    call: Call, args: Sequence[Expr], uncertain: Sequence[BroadcastAxes], named: Naming
) -> tuple[Expr, ...]:
    """Return the arguments of a sum that reverses a broadcast (`collapse_sum_like`).

    The data is reduced over the axes where the target shape is 1 at run time.
    """
    data, like = args
    for axis, other in (tuple(group.values()) for group in uncertain):
        if may_be_one(like.tensor_type.shape[other]):
            alike = equal(_at(data, axis), _at(like, other))
            total = Call(Sum(axis=(axis,), keepdims=True), (data,), span=call.span)
            data = named(If(alike, data, total, span=call.span))
    return data, like


def _at(tensor: Expr, axis: int) -> Expr:
    """Return the size of a tensor along an axis as an expression, a scalar of type int64."""
    size = tensor.tensor_type.shape[axis]
    if isinstance(size, int):
        return Constant(np.asarray(size))
    index = Constant(np.asarray(axis))
    return Call(Take(axis=0, mode="fast"), (Call(ShapeOf(int64), (tensor,)), index))
