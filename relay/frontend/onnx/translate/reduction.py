"""Translate ONNX reductions, `ArgMax` and `ArgMin`."""

from collections.abc import Callable
from typing import TypeAlias

from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import onnx_operator
from relay.frontend.onnx.translate.run_time_tensors import over_axes
from relay.ir.expr import Call, Expr
from relay.opdef.definition import OperatorDef
from relay.ops.binary import Add, Multiply, Subtract
from relay.ops.cast import Cast
from relay.ops.creation import number
from relay.ops.elementwise import Abs, IsFinite
from relay.ops.max_min_reductions import All, Any, ArgMax, ArgMin, Max, Min
from relay.ops.selection import where
from relay.ops.sum_and_mean_reductions import Mean, Prod, Sum
from relay.ops.transcendental import Exp, Log, Sqrt
from relay.support.dtype import bool_, float64, int64

_Axes: TypeAlias = tuple[int, ...] | None
"""The axes to reduce; None for all."""


def _along(node: OnnxNode, reduced: Callable[[_Axes], Expr], since: int = 18) -> Expr:
    """Return the tensor that `reduced` computes for the axes of a node.

    They are an attribute before opset `since`, and an input from then on.
    """
    if node.opset < since:
        axes = node.attribute("axes")
    elif node.has(1) and not node.is_known(1):
        keeps_rank = node.attribute("keepdims", 1) == 1
        rank = node.rank(0)
        return over_axes(node, 1, rank, lambda axes: reduced(axes or None), keeps_rank=keeps_rank)
    else:
        axes = node.ints(1, "the axes") if node.has(1) else None
    return reduced(tuple(axes) if axes else None)


def _reduced(node: OnnxNode, op: type[OperatorDef], x: Expr, axes: _Axes) -> Expr:
    """Return one reduction; empty axes mean all, or none with `noop_with_empty_axes`.

    As in ONNX Runtime, a `keepdims` other than 1 keeps no axes.
    """
    if node.attribute("noop_with_empty_axes", 0) and not axes:
        return x
    keep = node.attribute("keepdims", 1) == 1
    return Call(op(axis=axes, keepdims=keep), (x,), span=node.span)


_PLAIN: dict[str, type[OperatorDef]] = {
    "ReduceMax": Max,
    "ReduceMean": Mean,
    "ReduceMin": Min,
    "ReduceProd": Prod,
}


_TRUTH: dict[str, type[OperatorDef]] = {**_PLAIN, "ReduceMax": Any, "ReduceMin": All}


@onnx_operator(*_PLAIN)
def reduce_node(node: OnnxNode) -> Expr:
    """Translate reductions that Relay has; maxima and minima of booleans are any and all."""
    x = node.expr(0)
    kinds = _TRUTH if x.tensor_type.dtype is bool_ else _PLAIN
    return _along(node, lambda axes: _reduced(node, kinds[node.op], x, axes))


@onnx_operator("ReduceSum")
def reduce_sum(node: OnnxNode) -> Expr:
    """Translate `ReduceSum`, whose axes are an input since opset 13."""
    return _along(node, lambda axes: _reduced(node, Sum, node.expr(0), axes), since=13)


def _square(x: Expr) -> Expr:
    return Call(Multiply(), (x, x))


def _apply(op: type[OperatorDef]) -> Callable[[Expr], Expr]:
    return lambda x: Call(op(), (x,))


def _same(x: Expr) -> Expr:
    return x


_AROUND_SUM: dict[str, tuple[Callable[[Expr], Expr], Callable[[Expr], Expr]]] = {
    "ReduceL1": (_apply(Abs), _same),
    "ReduceL2": (_square, _apply(Sqrt)),
    "ReduceSumSquare": (_square, _same),
    "ReduceLogSum": (_same, _apply(Log)),
}


@onnx_operator(*_AROUND_SUM)
def around_sum(node: OnnxNode) -> Expr:
    """Translate reductions such as L2: map elements, sum, and map the sum."""
    before, after = _AROUND_SUM[node.op]
    x = node.expr(0)
    each = before(_as_float(x))
    return _as_before(after(_along(node, lambda axes: _reduced(node, Sum, each, axes))), x)


def _as_float(x: Expr) -> Expr:
    """Return integers converted to float64, for roots and logarithms; floats unchanged."""
    return x if x.tensor_type.dtype.is_float else Call(Cast(float64), (x,))


def _as_before(result: Expr, x: Expr) -> Expr:
    """Return a result in the element type of `x`; integers are truncated."""
    dtype = x.tensor_type.dtype
    return result if result.tensor_type.dtype is dtype else Call(Cast(dtype), (result,))


@onnx_operator("ReduceLogSumExp")
def reduce_log_sum_exp(node: OnnxNode) -> Expr:
    """Translate `ReduceLogSumExp`; subtracting the maximum first avoids overflow.

    An infinite maximum is not subtracted, because `inf - inf` is NaN.
    """
    x = _as_float(node.expr(0))

    def reduced(axes: _Axes) -> Expr:
        if node.attribute("noop_with_empty_axes", 0) and not axes:
            return x
        top = _finite(Call(Max(axis=axes, keepdims=True), (x,)))
        scaled = Call(Exp(), (Call(Subtract(), (x, top)),))
        total = Call(Log(), (_reduced(node, Sum, scaled, axes),))
        taken_out = _finite(_reduced(node, Max, x, axes))
        return Call(Add(), (total, taken_out), span=node.span)

    return _as_before(_along(node, reduced), node.expr(0))


def _finite(x: Expr) -> Expr:
    """Return `x` with infinities and NaN replaced by 0."""
    return where(Call(IsFinite(), (x,)), x, number(0, x))


@onnx_operator("ArgMax", "ArgMin")
def arg_extreme(node: OnnxNode) -> Expr:
    """Translate `ArgMax` and `ArgMin`, whose results are int64."""
    op = (ArgMax if node.op == "ArgMax" else ArgMin)(
        axis=(node.attribute("axis", 0),),
        keepdims=node.attribute("keepdims", 1) == 1,
        select_last_index=bool(node.attribute("select_last_index", 0)),
    )
    found = Call(op, (node.expr(0),), span=node.span)
    return found if found.tensor_type.dtype is int64 else Call(Cast(int64), (found,))
