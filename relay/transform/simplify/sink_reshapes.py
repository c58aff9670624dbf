"""Move reshapes behind the operators that do not mind them, where they meet and cancel."""

from typing import cast

from relay.ir.dims import Dim, Shape, product
from relay.ir.expr import Call, Constant, Expr, Function
from relay.ir.types import TensorType, has_any
from relay.ir.walk import rewrite
from relay.opdef.definition import OperatorDef
from relay.ops.broadcasting import BroadcastTo
from relay.ops.families import Broadcast, Elementwise, Reduction
from relay.ops.nn.matmul import Dense
from relay.ops.nn.norm import LayerNorm
from relay.ops.nn.softmax import LogSoftmax, Softmax
from relay.ops.tensor.reshape import ExpandDims, Reshape, Reshaping, Squeeze
from relay.support.node import replace, value
from relay.transform.pipeline import FunctionPass


@value
class SinkReshapes(FunctionPass):
    """Compute on tensors as they were before a reshape, and reshape the result.

    Reshapes cost nothing, but they stand between operators that could be one kernel.

    1. A reshape of a reshape is one reshape; one to the same shape is none. Inserted and dropped
       axes of size 1 are reshapes.
    2. `f(reshape(x))` is `reshape(f(x))` for elementwise `f`.
    3. `f(reshape(x), y)` is `reshape(f(x, y'))` for broadcasting `f` where `y` has the last axes of
       the result (none: a scalar; all: its shape) and the reshape groups these by themselves; or
       where it has one number for each vector along a last axis that the reshape keeps.
    4. The same for operators along the last axis, if the reshape keeps it: dense layers, softmax,
       layer normalisation, reductions that keep an axis of size 1.
    """

    def run(self, function: Function) -> Function:
        """Rewrite from the leaves up: a reshape sinks as far as it can in one walk."""
        return cast("Function", rewrite(function, _sink))


def _sink(expr: Expr) -> Expr:
    if not (isinstance(expr, Call) and _has_known_sizes(expr)):
        return expr
    match expr:
        case Call(Reshape() | ExpandDims() | Squeeze(), (x,)):  # case 1
            return _reshape(x, expr.tensor_type.shape, expr)
        case Call(BroadcastTo() as op, (x,)) if op.keeps_order(x.tensor_type):  # case 1
            return _reshape(x, expr.tensor_type.shape, expr)
        case Call(Elementwise() as op, (x,)) if _is_reshape(x):  # case 2
            return _reshape(_sink(Call(op, (_inner(x),), span=expr.span)), _shape(expr), expr)
        case Call(Broadcast() as op, (a, b)):  # case 3
            return _sink_binary(expr, op, a, b)
        case Call(Reduction() as op, (x,)) if _is_reshape(x) and _keeps_last(x):  # case 4
            inner = _inner(x)
            if op.keepdims and op.axes(len(_shape(x))) == (len(_shape(x)) - 1,):
                last = replace(op, axis=(len(_shape(inner)) - 1,), exclude=False)
                return _reshape(Call(last, (inner,), span=expr.span), _shape(expr), expr)
        case Call(Dense() | Softmax() | LogSoftmax() | LayerNorm() as op, (x, *rest)):  # case 4
            if _is_reshape(x) and _keeps_last(x) and _is_last(op, x):
                result = Call(_along_last(op), (_inner(x), *rest), span=expr.span)
                return _reshape(result, _shape(expr), expr)
        case _:
            pass
    return expr


def _sink_binary(expr: Call, op: OperatorDef, a: Expr, b: Expr) -> Expr:
    for x, y, is_left in ((a, b, True), (b, a, False)):
        if not _is_reshape(x) or _shape(x) != _shape(expr):
            continue
        inner = _inner(x)
        other = _beside(y, x, inner)
        if other is not None:
            args = (inner, other) if is_left else (other, inner)
            return _reshape(Call(op, args, span=expr.span), _shape(expr), expr)
    return expr


def _beside(y: Expr, x: Expr, inner: Expr) -> Expr | None:
    """Return what stands for an operand when the other is taken as it was before its reshape."""
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
    """Return the last dimensions that hold so many elements together, if they end on a border."""
    for start in range(len(shape), -1, -1):
        if product(shape[start:]) == size:
            return shape[start:]
    return None


def _reshape(x: Expr, shape: Shape, original: Expr) -> Expr:
    """Return `x` in another shape, through whatever reshapes it comes from."""
    while _is_reshape(x):
        x = _inner(x)
    if _shape(x) == shape:
        return x
    if isinstance(x, Constant):
        return Constant(x.data.reshape([int(str(dim)) for dim in shape]), span=x.span)
    return Call(Reshape(shape, allowzero=True), (x,), span=original.span)


def _is_reshape(expr: Expr) -> bool:
    return isinstance(expr, Call) and isinstance(expr.op, Reshaping) and len(expr.args) == 1


def _inner(reshape: Expr) -> Expr:
    return cast("Call", reshape).args[0]


def _shape(expr: Expr) -> Shape:
    return expr.tensor_type.shape


def _keeps_last(reshape: Expr) -> bool:
    before, after = _shape(_inner(reshape)), _shape(reshape)
    return bool(before) and bool(after) and before[-1] == after[-1]


def _along_last(op: OperatorDef) -> OperatorDef:
    """Return the operator with its axis counted from the end: the rank is about to change."""
    return op if isinstance(op, Dense) else replace(op, axis=-1)


def _is_last(op: OperatorDef, x: Expr) -> bool:
    axis = getattr(op, "axis", -1)
    return axis in (-1, len(_shape(x)) - 1)


def _has_known_sizes(expr: Call) -> bool:
    """Whether all sizes are numbers or have names, so that equal ones can be told."""
    types = [expr.ty, *(arg.ty for arg in expr.args)]
    return all(isinstance(ty, TensorType) and not has_any(ty) for ty in types)
