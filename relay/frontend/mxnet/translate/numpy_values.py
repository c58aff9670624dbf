"""Translate MXNet's NumPy operators that choose, count or replace elements."""

import ast
from collections.abc import Sequence

import numpy as np

from relay import numpy as rnp
from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.mxnet.node import MxNode
from relay.frontend.mxnet.registry import mxnet_operator
from relay.frontend.mxnet.translate.numpy_functions import (
    as_type,
    axes_of,
    dtype_of,
    floating,
    together,
)
from relay.ir.expr import Constant, Expr
from relay.support.dtype import float32, int64
from relay.support.error_codes import ErrorCode


@mxnet_operator("_npi_where", "_npi_where_lscalar", "_npi_where_rscalar", "_npi_where_scalar2")
def where(node: MxNode) -> Expr:
    """Translate `where`, of tensors and numbers."""
    condition = node.tensor()
    match node.op:
        case "_npi_where":
            return rnp.where(condition, *together(node.tensor(1), node.tensor(2)))
        case "_npi_where_lscalar":
            return rnp.where(condition, _number(node, "scalar", 1), node.tensor(1))
        case "_npi_where_rscalar":
            return rnp.where(condition, node.tensor(1), _number(node, "scalar", 1))
        case _:
            pair = [constant(node.number(name, 0.0), float32) for name in ("x", "y")]
            return rnp.where(condition, *pair)


def _number(node: MxNode, name: str, beside: int) -> Expr:
    """Return an attribute as a scalar with the element type of an input."""
    return constant(node.number(name, 0.0), node.type(beside).dtype)


@mxnet_operator("_npi_around")
def around(node: MxNode) -> Expr:
    """Translate `around`: round to decimals."""
    return rnp.around(node.tensor(), node.integer("decimals", 0))


@mxnet_operator("_npi_nan_to_num")
def nan_to_num(node: MxNode) -> Expr:
    """Translate `nan_to_num`: replace NaN and infinities."""
    node.ignore("copy", "posinf", "neginf")
    ends = {each: node.number(each) for each in ("posinf", "neginf") if each in node}
    return rnp.nan_to_num(node.tensor(), nan=node.number("nan", 0.0), **ends)


@mxnet_operator("_npi_full_like")
def full_like(node: MxNode) -> Expr:
    """Translate `full_like`: one number in the shape of a tensor."""
    node.ignore("ctx")
    to = dtype_of(node) or node.type().dtype
    return rnp.full_like(node.tensor(), node.number("fill_value"), dtype=to.numpy)


@mxnet_operator("_npi_diff")
def diff(node: MxNode) -> Expr:
    """Translate `diff`: differences of neighbours, `n` times."""
    return rnp.diff(node.tensor(), node.integer("n", 1), node.integer("axis", -1))


@mxnet_operator("_npi_ediff1d")
def ediff1d(node: MxNode) -> Expr:
    """Translate `ediff1d`: differences of neighbours, with numbers before and after them."""
    rest, ends = list(node.inputs[1:]), dict[str, object]()
    for name in ("to_begin", "to_end"):
        node.ignore(f"{name}_scalar")
        if node.flag(f"{name}_arr_given"):
            ends[name] = rest.pop(0)
        elif f"{name}_scalar" in node:
            ends[name] = _number(node, f"{name}_scalar", 0)
    return rnp.ediff1d(node.tensor(), **ends)


@mxnet_operator("_npi_pad")
def pad(node: MxNode) -> Expr:
    """Translate `pad` with a constant, the edge, or a reflection."""
    mode = node.text("mode", "constant")
    if mode not in ("constant", "edge", "reflect", "symmetric"):
        raise node.wrong("mode")
    if node.text("reflect_type", "even") != "even":
        raise node.wrong("reflect_type")
    widths = ast.literal_eval(node.text("pad_width"))
    fill = node.number("constant_value", 0.0)
    if mode != "constant":
        return rnp.pad(node.tensor(), widths, mode)
    return rnp.pad(node.tensor(), widths, constant_values=_number(node, "constant_value", 0)
                   if fill else 0)  # fmt: skip


@mxnet_operator("_npi_percentile")
def percentile(node: MxNode) -> Expr:
    """Translate `percentile` at one number, or at several constant ones."""
    node.ignore("q_scalar")
    q = np.asarray(node.number("q_scalar")) if "q_scalar" in node else node.tensor(1)
    q = q.array if isinstance(q, Constant) else q
    method = node.text("interpolation", "linear")
    x, axes = floating(node.tensor()), axes_of(node)
    found = rnp.percentile(x, q, axis=axes, method=method, keepdims=node.flag("keepdims"))
    return as_type(found, x.tensor_type.dtype)


@mxnet_operator("_npi_bincount")
def bincount(node: MxNode) -> Expr:
    """Translate `bincount`: count each number from 0 on, or sum its weights."""
    least = node.integer("minlength", 0)
    if node.flag("has_weights"):
        return rnp.bincount(node.tensor(), node.tensor(1), least)
    return as_type(rnp.bincount(node.tensor(), minlength=least), int64)


@mxnet_operator("_npi_diag_indices_from")
def diagonal_places(node: MxNode) -> Expr:
    """Translate `diag_indices_from`: the coordinates of the elements on the diagonal, in rows."""
    shape = node.type().shape
    if not isinstance(shape[0], int):
        raise node.error(ErrorCode.F032, "the sizes of the tensor must be known")
    return Constant(np.tile(np.arange(shape[0]), (len(shape), 1)))


@mxnet_operator("_npx_nonzero")
def nonzero(node: MxNode) -> Expr:
    """Translate `nonzero`: the coordinates of the elements that are not zero, in rows."""
    return as_type(rnp.argwhere(node.tensor()), int64)


@mxnet_operator("_npi_unique")
def unique(node: MxNode) -> Sequence[Expr]:
    """Translate `unique` of all elements; indices and counts follow if they are requested."""
    node.ignore("axis")
    if "axis" in node:
        raise node.wrong("axis")
    flags = {name: node.flag(name) for name in
             ("return_index", "return_inverse", "return_counts")}  # fmt: skip
    found = rnp.unique(node.tensor(), **flags)
    if not any(flags.values()):
        return [found]
    values, *others = found
    return [values, *(as_type(each, int64) for each in others)]


@mxnet_operator("_npi_boolean_mask_assign_scalar", "_npi_boolean_mask_assign_tensor")
def masked_assign(node: MxNode) -> Expr:
    """Translate `x[mask] = value`, of a number, or of a tensor of one element."""
    x, mask, start = node.tensor(), node.tensor(1), node.integer("start_axis", 0)
    if node.op.endswith("scalar"):
        value: Expr = _number(node, "value", 0)
    else:
        value = node.tensor(2)
        if any(size != 1 for size in value.tensor_type.shape):
            raise node.wrong("value")
        value = rnp.reshape(value, ())
    behind = x.tensor_type.rank - start - mask.tensor_type.rank
    shape = ((1,) * start, mask.tensor_type.shape, (1,) * behind)
    wide = rnp.reshape(mask, tuple(size for part in shape for size in part))
    return rnp.where(rnp.not_equal(wide, constant(0, mask.tensor_type.dtype)), value, x)


@mxnet_operator("_npx_constraint_check", "_npi_share_memory")
def always_true(node: MxNode) -> Expr:
    """Translate `constraint_check` to whether all elements are true."""
    if node.op == "_npi_share_memory":
        return Constant(np.array([False]), span=node.span)
    node.ignore("msg")
    return rnp.all(node.tensor())
