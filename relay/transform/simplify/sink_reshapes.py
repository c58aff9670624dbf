"""The pass that moves reshapes after other operators, so that they cancel."""

from typing import cast

from relay.ir.dataflow import Found, operators, wildcard
from relay.ir.dims import Dim, Shape, is_static, product, static
from relay.ir.expr import Call, Constant, Expr, Var
from relay.ir.types import TensorType, has_any
from relay.opdef.definition import OperatorDef
from relay.opdef.dim_constraints import Constraint
from relay.ops.broadcasting import BroadcastTo
from relay.ops.families import Broadcast, Elementwise, Reduction
from relay.ops.nn.matmul import Dense
from relay.ops.nn.normalization import LayerNorm
from relay.ops.nn.softmax import LogSoftmax, Softmax
from relay.ops.tensor.reshape import ExpandDims, Reshape, Reshaping, ReverseReshape, Squeeze
from relay.support.node import replace, value
from relay.transform.rewriting import RewritePass, Rule


def _has_known_sizes(expr: Call) -> bool:
    types = [expr.ty, *(arg.ty for arg in expr.args)]
    return all(isinstance(ty, TensorType) and not has_any(ty) for ty in types)


def _constraints(op: Expr, x: Expr) -> frozenset[Constraint]:
    """Return what the reshape `op` of `x` requires of sizes that are known at run time only."""
    return frozenset(cast("OperatorDef", op).typing([x.type]).constraints)


def _is_movable(reshape: Call) -> bool:
    """Whether a reshape to the same shape in normal form requires the same of its sizes.

    `newshape=[-4, 2, -1]` also requires an even size, which is lost if another size is 0.
    """
    if not _has_known_sizes(reshape):
        return False
    (x,), plain = reshape.args, Reshape(_shape(reshape), allowzero=True)
    given = _constraints(reshape.op, x)
    return not given or given <= _constraints(plain, x)


def _is_reducible(reshape: Call) -> bool:
    """Whether a reshape is redundant, follows another one, or is not in normal form."""
    op, x, shape = reshape.op, reshape.args[0], _shape(reshape)
    if not _is_movable(reshape):
        return False
    if isinstance(op, BroadcastTo):
        return op.keeps_order(x.tensor_type)
    is_normal = isinstance(op, Reshape) and op.allowzero and op.newshape == shape
    return not is_normal or _shape(x) == shape or _is_skippable(x) or isinstance(x, Constant)


def _keeps_last(reshape: Expr) -> bool:
    before, after = _shape(_inner(reshape)), _shape(reshape)
    return bool(before) and bool(after) and before[-1] == after[-1]


def _reads_reshape(call: Call) -> bool:
    return any(map(_is_reshape, call.args)) and _has_known_sizes(call)


data = wildcard()
reshaped = operators(Reshaping)(data).where(_is_movable)
rows = reshaped.where(_keeps_last)

reshaping = operators(Reshape, ReverseReshape, ExpandDims, Squeeze, BroadcastTo)(None).where(
    _is_reducible
)
elementwise = operators(Elementwise)(reshaped)
binary = operators(Broadcast)(None).where(_reads_reshape)
along_rows = (
    operators(Reduction, Softmax, LogSoftmax)(rows)
    | operators(Dense)(rows, wildcard())
    | operators(LayerNorm)(rows, wildcard(), wildcard())
).where(_has_known_sizes)


@value
class SinkReshapes(RewritePass):
    """Compute on tensors as they were before a reshape, and reshape the result.

    Reshapes cost nothing, but they separate operators that could be fused into one kernel.

    1. A reshape of a reshape becomes one reshape; one to the same shape is dropped. Operators that
       insert or drop axes of size 1 are reshapes.
    2. `f(reshape(x))` is `reshape(f(x))` for elementwise `f`.
    3. `f(reshape(x), y)` is `reshape(f(x, y'))` for broadcasting `f` if `y` has a suffix of the
       result's shape (none of it: a scalar; all of it: the full shape) and the reshape does not
       regroup these axes with others; or if `y` has one number for each vector along a last axis
       that the reshape keeps. A `y` of full shape must itself be a reshape, a constant or, unless
       `x` is one too, a variable; otherwise the reshape would only move to the other operand.
    4. The same holds for operators along the last axis, if the reshape keeps it: dense layers,
       softmax, layer normalisation, and reductions with `keepdims`.
    """

    def rules(self) -> tuple[Rule, ...]:
        return (
            Rule(reshaping, _merged),
            Rule(elementwise, _after_elementwise),
            Rule(binary, _after_binary),
            Rule(along_rows, _after_rows),
        )


def _merged(found: Found) -> Expr:
    call = found[reshaping]
    return _reshape(call.args[0], _shape(call), call)


def _after_elementwise(found: Found) -> Expr:
    call = found[elementwise]
    return _reshaped_as(call, call.op, (found[data],))


def _after_binary(found: Found) -> Expr | None:
    call = found[binary]
    for x, y in (call.args, call.args[::-1]):
        if _is_reshape(x) and _shape(x) == _shape(call) and not _changes_sides(x, y):
            inner = _inner(x)
            other = _beside(y, x, inner)
            if other is not None:
                args = (inner, other) if x is call.args[0] else (other, inner)
                return _reshaped_as(call, call.op, args)
    return None


def _changes_sides(x: Expr, y: Expr) -> bool:
    """Whether moving the reshape of `x` would only create a reshape of the other operand `y`.

    A variable has no producer from which the new reshape would separate it.
    """
    is_free = isinstance(y, Constant) or (isinstance(y, Var) and isinstance(_inner(x), Call))
    return _shape(y) == _shape(x) and not (_is_skippable(y) or is_free)


def _after_rows(found: Found) -> Expr | None:
    call = found[along_rows]
    op = _along_last(call.op, len(_shape(found[rows])))
    return None if op is None else _reshaped_as(call, op, (found[data], *call.args[1:]))


def _along_last(op: Expr, rank: int) -> Expr | None:
    """Return an operator along the last axis (of `rank`) with axis -1.

    None for any other operator.
    """
    match op:
        case Reduction(keepdims=True) if op.axes(rank) == (rank - 1,):
            return replace(op, axis=-1, exclude=False)
        case Softmax(axis) | LogSoftmax(axis) | LayerNorm(axis) if axis in (-1, rank - 1):
            return replace(op, axis=-1)
        case _:
            return op if isinstance(op, Dense) else None


def _reshaped_as(call: Call, op: Expr, args: tuple[Expr, ...]) -> Expr:
    return _reshape(Call(op, args, span=call.span), _shape(call), call)


def _beside(y: Expr, x: Expr, inner: Expr) -> Expr | None:
    """Return the operand `y` of `x` reshaped to broadcast with `inner`, of which `x` is a reshape.

    The result is None if that is impossible.
    """
    if _shape(y) == (*_shape(x)[:-1], 1) and _keeps_last(x):
        return _reshape(y, (*_shape(inner)[:-1], 1), y)
    suffix = _without_leading_ones(_shape(y))
    if suffix != _shape(x)[len(_shape(x)) - len(suffix) :]:
        return None
    matching = _suffix_of_size(_shape(inner), product(suffix))
    return None if matching is None else _reshape(y, matching, y)


def _without_leading_ones(shape: Shape) -> Shape:
    start = next((i for i, dim in enumerate(shape) if dim != 1), len(shape))
    return shape[start:]


def _suffix_of_size(shape: Shape, size: Dim) -> Shape | None:
    """Return the shortest suffix of a shape with `size` elements; None if there is none."""
    for start in range(len(shape), -1, -1):
        if product(shape[start:]) == size:
            return shape[start:]
    return None


def _reshape(x: Expr, shape: Shape, original: Expr) -> Expr:
    """Return `x` reshaped to `shape`, skipping the reshapes that produced it.

    `original` gives the source location.
    """
    while _is_skippable(x):
        x = _inner(x)
    if _shape(x) == shape:
        return x
    if isinstance(x, Constant) and is_static(shape):
        return Constant(x.array.reshape(static(shape)), span=x.span)
    return Call(Reshape(shape, allowzero=True), (x,), span=original.span)


def _is_reshape(expr: Expr) -> bool:
    """Whether an expression is a reshape that can be moved."""
    is_one = isinstance(expr, Call) and isinstance(expr.op, Reshaping) and len(expr.args) == 1
    return is_one and _is_movable(cast("Call", expr))


def _is_skippable(expr: Expr) -> bool:
    """Whether an expression is a reshape that requires nothing of its sizes."""
    if not _is_reshape(expr):
        return False
    call = cast("Call", expr)
    return not _constraints(call.op, call.args[0])


def _inner(reshape: Expr) -> Expr:
    return cast("Call", reshape).args[0]


def _shape(expr: Expr) -> Shape:
    return expr.tensor_type.shape
