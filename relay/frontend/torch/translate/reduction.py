"""Translate PyTorch reductions, arg-reductions, variances and norms."""

from collections.abc import Mapping, Sequence

import numpy as np

from relay.frontend.builders.complex_tensor import parts_of
from relay.frontend.builders.tensor_helpers import constant, converted, reshape
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.arithmetic import extreme_of
from relay.frontend.torch.translate.elementwise import truth
from relay.frontend.torch.translate.type_promotion import floating, operands
from relay.ir.dims import Dim, product
from relay.ir.expr import Call, Constant, Expr
from relay.opdef.definition import OperatorDef
from relay.ops.binary import Maximum, Minimum, add, divide, multiply, subtract
from relay.ops.comparison import NotEqual
from relay.ops.complex_numbers.operators import Real
from relay.ops.creation import number
from relay.ops.derivatives_at_zero import absolute, power_of_nonnegative, root_of_squares
from relay.ops.elementwise import IsFinite
from relay.ops.max_min_reductions import All, Any, ArgMax, ArgMin, Max, Min
from relay.ops.selection import where
from relay.ops.sum_and_mean_reductions import Mean, Prod, Sum
from relay.ops.tensor.gather import Take
from relay.ops.transcendental import Exp, Log
from relay.support.dtype import bool_, int64

_TOTALS: Mapping[str, type[OperatorDef]] = {"sum": Sum, "prod": Prod}


@torch_operator(*_TOTALS)
def total(node: TorchNode) -> Expr:
    """Translate `sum` and `prod`; integers become int64 unless a type is given."""
    x = node.tensor("self")
    dtype = node.dtype() or (x.tensor_type.dtype if x.tensor_type.dtype.has_derivatives else int64)
    op = _TOTALS[node.operator](axis=_axes(node), keepdims=node.flag("keepdim"))
    return reduced(op, converted(x, dtype), node)


@torch_operator("nansum")
def nansum(node: TorchNode) -> Expr:
    """Translate `nansum`, which ignores NaN."""
    x = node.tensor("self")
    dtype = node.dtype() or (x.tensor_type.dtype if x.tensor_type.dtype.has_derivatives else int64)
    x = converted(x, dtype)
    known = where(Call(NotEqual(), (x, x)), constant(0, dtype), x)
    return reduced(Sum(axis=_axes(node), keepdims=node.flag("keepdim")), known, node)


@torch_operator("mean")
def mean(node: TorchNode) -> Expr:
    """Translate `mean`."""
    x = node.tensor("self")
    x = converted(x, node.dtype() or x.tensor_type.dtype)
    return reduced(Mean(axis=_axes(node), keepdims=node.flag("keepdim")), x, node)


def _axes(node: TorchNode) -> tuple[int, ...] | None:
    """Return the axes to reduce, or None for all."""
    return node.axes("dim")


def reduced(op: OperatorDef, x: Expr, node: TorchNode) -> Expr:
    """Return a reduction; a scalar tensor is reduced along an additional axis."""
    if x.tensor_type.rank or getattr(op, "axis", None) is None:
        return Call(op, (x,), span=node.span)
    row = reshape(x, (1,))
    return reshape(Call(type(op)(axis=(0,)), (row,), span=node.span), ())


@torch_operator("amax", "amin")
def extreme(node: TorchNode) -> Expr:
    """Translate `amax` and `amin` along axes."""
    x = node.tensor("self")
    return _extreme(node, x, node.operator == "amax", _axes(node), node.flag("keepdim"))


def _extreme(
    node: TorchNode,
    x: Expr,
    largest: bool,
    axes: tuple[int, ...] | None,
    keep: bool,
    ties: str = "share",
) -> Expr:
    if x.tensor_type.dtype is bool_:
        return reduced((Any if largest else All)(axis=axes, keepdims=keep), x, node)
    return reduced((Max if largest else Min)(axis=axes, keepdims=keep, ties=ties), x, node)


@torch_operator("aminmax")
def aminmax(node: TorchNode) -> Sequence[Expr]:
    """Translate `aminmax`: the minimum and the maximum."""
    x, keep = node.tensor("self"), node.flag("keepdim")
    axes = None if node.value("dim") is None else (node.integer("dim"),)
    return [_extreme(node, x, largest, axes, keep) for largest in (False, True)]


@torch_operator("max", "min")
def extreme_and_place(node: TorchNode) -> object:
    """Translate `max` and `min`: of all elements, or along an axis with indices."""
    x, largest = node.tensor("self"), node.operator == "max"
    if "other" in node:
        sides = operands(node, x, node.tensor("other"))
        return extreme_of(Maximum if largest else Minimum, *sides)
    if node.value("dim") is None:
        return _extreme(node, x, largest, None, keep=False)
    axes, keep = (node.integer("dim"),), node.flag("keepdim")
    values = _extreme(node, x, largest, axes, keep, ties="first")
    return [values, _place(node, x, largest, axes, keep)]


@torch_operator("argmax", "argmin")
def place(node: TorchNode) -> Expr:
    """Translate `argmax` and `argmin`; without an axis, in the flattened tensor."""
    x, keep = node.tensor("self"), node.flag("keepdim")
    if node.value("dim") is not None:
        return _place(node, x, node.operator == "argmax", (node.integer("dim"),), keep)
    shape = x.tensor_type.shape
    found = _place(node, reshape(x, (product(shape),)), node.operator == "argmax", (0,), keep=False)
    return reshape(found, (1,) * len(shape)) if keep else found


def _place(node: TorchNode, x: Expr, largest: bool, axes: tuple[int, ...], keep: bool) -> Expr:
    if x.tensor_type.dtype is bool_:
        x = converted(x, int64)
    op = ArgMax if largest else ArgMin
    return converted(reduced(op(axis=axes, keepdims=keep), x, node), int64)


@torch_operator("any", "all")
def quantifier(node: TorchNode) -> Expr:
    """Translate `any` and `all`; nonzero elements are true."""
    op = (Any if node.operator == "any" else All)(axis=_axes(node), keepdims=node.flag("keepdim"))
    return reduced(op, truth(node.tensor("self")), node)


@torch_operator("var", "std", "var_mean", "std_mean")
def spread(node: TorchNode) -> object:
    """Translate variances and standard deviations, and the mean if requested.

    The divisor is `n - correction`.
    """
    x, keep = node.tensor("self"), node.flag("keepdim")
    rank = x.tensor_type.rank
    axes = _axes(node) or tuple(range(rank))
    axes = tuple(axis % max(rank, 1) for axis in axes) if rank else ()
    average = Call(Mean(axis=axes, keepdims=True), (x,)) if rank else x
    total_ = _squares_of_lengths(subtract(x, average))
    total_ = Call(Sum(axis=axes, keepdims=keep), (total_,), span=node.span) if rank else total_
    result = divide(total_, _degrees_of_freedom(node, x, axes))
    result = root_of_squares(result) if node.operator.startswith("std") else result
    if not node.operator.endswith("mean"):
        return result
    shown = Call(Mean(axis=axes, keepdims=keep), (x,)) if rank else x
    return [result, shown]


def _squares_of_lengths(x: Expr) -> Expr:
    """Return the squares of numbers; of complex numbers, those of their absolute values."""
    if not x.tensor_type.dtype.is_complex:
        return multiply(x, x)
    return add(*(multiply(part, part) for part in parts_of(x).parts))


def _degrees_of_freedom(node: TorchNode, x: Expr, axes: Sequence[int]) -> Expr:
    """Return the divisor of a variance: the element count minus the correction, at least 0."""
    count: Dim = product([x.tensor_type.shape[axis] for axis in axes])
    correction = 1.0 if node.value("unbiased") is not False else 0.0
    if node.value("correction") is not None:
        correction = node.number("correction")
    dtype = x.tensor_type.dtype.part
    if isinstance(count, int):
        return constant(max(0.0, count - correction), dtype)
    return subtract(converted(node.place.size(count), dtype), constant(correction, dtype))


@torch_operator("logsumexp")
def logsumexp(node: TorchNode) -> Expr:
    """Translate `logsumexp` over axes."""
    x, axes = floating(node.tensor("self")), _axes(node)
    if not x.tensor_type.rank:
        node.ignore("keepdim")
        return x
    return log_of_sum(x, axes, keep=node.flag("keepdim"))


def log_of_sum(x: Expr, axes: tuple[int, ...] | None, *, keep: bool) -> Expr:
    """Return `log(sum(exp(x)))`; subtracting the maximum first avoids overflow."""
    top = _largest(x, axes, keep=True)
    scaled = Call(Exp(), (subtract(x, top),), span=x.span)
    sums = Call(Log(), (Call(Sum(axis=axes, keepdims=keep), (scaled,)),))
    return add(sums, _largest(x, axes, keep=keep))


def _largest(x: Expr, axes: tuple[int, ...] | None, *, keep: bool) -> Expr:
    """Return the largest real parts, in the type of `x`; 0 instead of those that are infinite."""
    real = Call(Real(), (x,)) if x.tensor_type.dtype.is_complex else x
    return converted(_finite(Call(Max(axis=axes, keepdims=keep), (real,))), x.tensor_type.dtype)


def _finite(x: Expr) -> Expr:
    return where(Call(IsFinite(), (x,)), x, number(0, x))


@torch_operator("linalg_vector_norm", "norm")
def vector_norm(node: TorchNode) -> Expr:
    """Translate vector norms along axes."""
    x = node.tensor("self")
    order = node.value("ord") if "ord" in node else node.value("p")
    order = 2.0 if order is None else float(order)
    x = floating(x)
    x = converted(x, node.dtype() or x.tensor_type.dtype)
    return norm(node, x, order, _axes(node), keep=node.flag("keepdim"))


@torch_operator("_cdist_forward")
def distances(node: TorchNode) -> Expr:
    """Translate `cdist`: the norms of the differences of all pairs of rows."""
    x, y = node.tensor("x1"), node.tensor("x2")
    node.ignore("compute_mode")
    *lead, rows, size = x.tensor_type.shape
    *other_lead, columns, _ = y.tensor_type.shape
    left, right = reshape(x, (*lead, rows, 1, size)), reshape(y, (*other_lead, 1, columns, size))
    return _distance(node, subtract(left, right))


@torch_operator("pdist", "_pdist_forward")
def distances_of_pairs(node: TorchNode) -> Expr:
    """Translate `pdist`: the norms of the differences of each row and the rows after it."""
    x = node.tensor("self")
    count = x.tensor_type.shape[0]
    if not isinstance(count, int):
        raise node.dynamic("the number of rows", count)
    left, right = (Constant(np.asarray(each)) for each in np.triu_indices(count, 1))
    differences = subtract(*(Call(Take(axis=0), (x, each)) for each in (left, right)))
    return _distance(node, differences)


def _distance(node: TorchNode, differences: Expr) -> Expr:
    """Return norms along the last axis; of equal largest elements, each gets the derivative."""
    order = node.number("p")
    if order == np.inf:
        return _extreme(node, absolute(differences), True, (-1,), keep=False, ties="each")
    return norm(node, differences, order, (-1,), keep=False)


def norm(
    node: TorchNode, x: Expr, order: float, axes: tuple[int, ...] | None, *, keep: bool
) -> Expr:
    """Return the p-norm along axes, with p = `order`."""
    size = absolute(x)
    dtype = size.tensor_type.dtype
    if order in (np.inf, -np.inf):
        return _extreme(node, size, order > 0, axes, keep)
    if order in (0, 1):
        each = converted(truth(x), dtype) if order == 0 else size
        return reduced(Sum(axis=axes, keepdims=keep), each, node)
    if order == 2:
        squares = reduced(Sum(axis=axes, keepdims=keep), _squares_of_lengths(x), node)
        return root_of_squares(squares)
    sums = reduced(Sum(axis=axes, keepdims=keep), power_of_nonnegative(size, order), node)
    return power_of_nonnegative(sums, 1 / order)


@torch_operator("count_nonzero")
def count_nonzero(node: TorchNode) -> Expr:
    """Translate `count_nonzero`."""
    some = converted(truth(node.tensor("self")), int64)
    return reduced(Sum(axis=_axes(node)), some, node)
