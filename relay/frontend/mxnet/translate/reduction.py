"""Translate MXNet reductions."""

from collections.abc import Callable, Mapping

import numpy as np

from relay import numpy as rnp
from relay.frontend.builders.tensor_helpers import reshape
from relay.frontend.mxnet.node import MxNode
from relay.frontend.mxnet.registry import mxnet_operator
from relay.ir.expr import Call, Expr
from relay.opdef.definition import OperatorDef
from relay.ops.binary import multiply
from relay.ops.cast import Cast
from relay.ops.elementwise import Abs
from relay.ops.max_min_reductions import ArgMax, ArgMin, Max, Min
from relay.ops.sum_and_mean_reductions import Mean, Prod, Sum
from relay.ops.transcendental import Sqrt

_REDUCTIONS: Mapping[str, Callable[..., OperatorDef]] = {
    "nansum": Sum, "nanprod": Prod, "_square_sum": Sum,
    "sum": Sum, "sum_axis": Sum, "mean": Mean, "max": Max, "max_axis": Max, "min": Min,
    "min_axis": Min, "prod": Prod,
}  # fmt: skip


@mxnet_operator(*_REDUCTIONS)
def reduction(node: MxNode) -> Expr:
    """Translate a reduction over the listed axes, over all others (`exclude`), or over all."""
    axes = node.ints("axis", ()) or None
    op = _REDUCTIONS[node.op](
        axis=axes, keepdims=node.flag("keepdims"), exclude=node.flag("exclude")
    )
    return _with_an_axis(Call(op, (_summed(node),), span=node.span))


def _with_an_axis(x: Expr) -> Expr:
    """Return a result with one axis if it has none, because MXNet has no scalars."""
    return x if x.tensor_type.rank else reshape(x, (1,))


def _summed(node: MxNode) -> Expr:
    """Return the elements that a reduction combines: squares, or a neutral number for each NaN."""
    x = node.tensor()
    if node.op == "_square_sum":
        return multiply(x, x)
    if not node.op.startswith("nan"):
        return x
    neutral = np.asarray(int(node.op == "nanprod"), x.tensor_type.dtype.numpy)
    return rnp.where(rnp.isnan(x), neutral, x)


@mxnet_operator("norm")
def norm(node: MxNode) -> Expr:
    """Translate `norm`: the L1 or the L2 norm."""
    node.ignore("out_dtype")
    x, axes = node.tensor(), node.ints("axis", ()) or None
    if node.integer("ord", 2) == 1:
        op = Sum(axis=axes, keepdims=node.flag("keepdims"))
        return _with_an_axis(Call(op, (Call(Abs(), (x,)),)))
    if node.integer("ord", 2) != 2:
        raise node.wrong("ord")
    squares = Call(Sum(axis=axes, keepdims=node.flag("keepdims")), (multiply(x, x),))
    return _with_an_axis(Call(Sqrt(), (squares,), span=node.span))


@mxnet_operator("argmax", "argmin", "argmax_channel")
def place(node: MxNode) -> Expr:
    """Translate `argmax` and `argmin`: positions of extreme elements, as floats."""
    x = node.tensor()
    axes = (1,) if node.op == "argmax_channel" else node.ints("axis", ())
    if not axes:
        x, axes = reshape(x, (-1,)), (0,)
    op = (ArgMin if node.op == "argmin" else ArgMax)(axis=axes, keepdims=node.flag("keepdims"))
    return _with_an_axis(Call(Cast(x.tensor_type.dtype), (Call(op, (x,), span=node.span),)))
