"""Translate medians, and the k-th smallest elements of PyTorch tensors."""

from relay.frontend.builders.tensor_helpers import constant, converted
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.elementwise import truth
from relay.frontend.torch.translate.shapes import reshaped
from relay.ir.dims import ANY
from relay.ir.expr import Call, Expr
from relay.ops.binary import FloorDivide, Maximum, divide, subtract
from relay.ops.comparison import equal
from relay.ops.elementwise import IsNan
from relay.ops.identity_operators import StopGradient, with_derivatives_of
from relay.ops.logical import LogicalAnd, LogicalOr
from relay.ops.max_min_reductions import ArgMax, Max
from relay.ops.selection import where
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.gather import Gather
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.sort import Argsort
from relay.support.dtype import int64


@torch_operator("kthvalue", "median", "nanmedian")
def kth_value(node: TorchNode) -> object:
    """Translate `kthvalue` and medians: the k-th smallest element and its index.

    The median is the lower of the two middle elements. For `median` it is NaN if there is one;
    `nanmedian` ignores NaN.
    """
    x, keep, along = node.tensor("self"), node.flag("keepdim"), "dim" in node
    x = x if x.tensor_type.rank and (along or node.operator == "kthvalue") else reshaped(x, (-1,))
    axis = node.integer("dim") if along else -1
    size = x.tensor_type.shape[axis]
    if size is ANY:
        raise node.dynamic("the size of the axis", size)
    order = Call(Argsort(axis, is_ascend=True, dtype=int64), (x,))
    k = node.integer("k") if node.operator == "kthvalue" else (size + 1) // 2
    place: Expr = Call(StridedSlice((k - 1,), (k,), axes=(axis,)), (order,))
    if node.operator != "kthvalue" and x.tensor_type.dtype.is_float:
        place = _median_place(x, order, place, axis, skips=node.operator == "nanmedian")
    value = Call(Gather(axis), (x, place), span=node.span)
    if not along and node.operator != "kthvalue":
        return _with_shared_derivative(reshaped(value, ()), x)
    shape = list(value.tensor_type.shape)
    if not keep or not node.type("self").rank:
        del shape[axis]
    return [reshaped(value, shape), reshaped(place, shape)]


def _with_shared_derivative(value: Expr, x: Expr) -> Expr:
    """Return `value`, an element of the vector `x`, whose equal elements share the derivative."""
    if not x.tensor_type.dtype.is_float:
        return value
    kept = Call(StopGradient(), (value,))
    both_nan = Call(LogicalAnd(), (Call(IsNan(), (x,)), Call(IsNan(), (kept,))))
    same = Call(LogicalOr(), (equal(x, kept), both_nan))
    total = Call(Sum(), (where(same, x, constant(0, x.tensor_type.dtype)),))
    count = Call(Sum(), (converted(same, x.tensor_type.dtype),))
    return with_derivatives_of(divide(total, count), value)


def _median_place(x: Expr, order: Expr, place: Expr, axis: int, *, skips: bool) -> Expr:
    """Return the index of the median along an axis that may contain NaN, which sorts last."""
    is_nan = converted(Call(IsNan(), (x,)), int64)
    if skips:
        numbers = Call(Sum(axis=(axis,), keepdims=True), (subtract(constant(1, int64), is_nan),))
        middle = Call(FloorDivide(), (subtract(numbers, constant(1, int64)), constant(2, int64)))
        at_least = Call(Maximum(), (middle, constant(0, int64)))
        return Call(Gather(axis), (order, at_least))
    first = converted(Call(ArgMax(axis=(axis,), keepdims=True), (is_nan,)), int64)
    some = truth(Call(Max(axis=(axis,), keepdims=True), (is_nan,)))
    return where(some, first, place)
