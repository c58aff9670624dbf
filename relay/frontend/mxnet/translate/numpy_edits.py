"""Translate MXNet's `np.delete` and `np.insert`."""

from math import prod

import numpy as np

from relay import numpy as rnp
from relay.frontend.mxnet.node import MxNode
from relay.frontend.mxnet.registry import mxnet_operator
from relay.ir.expr import Array, Constant, Expr
from relay.support.error_codes import ErrorCode


@mxnet_operator("_npi_delete")
def delete(node: MxNode) -> Expr:
    """Translate `delete`: a tensor without some places of an axis, or of all elements."""
    return rnp.delete(node.tensor(), _places(node, 1), _optional(node, "axis"))


@mxnet_operator("_npi_insert_scalar", "_npi_insert_slice", "_npi_insert_tensor")
def insert(node: MxNode) -> Expr:
    """Translate `insert`: values before some places of an axis, or of all elements."""
    is_number = _text(node, "val") is not None
    values = node.number("val") if is_number else node.tensor(1)
    places, axis = _places(node, 1 if is_number else 2), _optional(node, "axis")
    if isinstance(places, int):
        return rnp.insert(node.tensor(), places, values, axis)
    return _inserted(rnp.ravel(node.tensor()) if axis is None else node.tensor(), places, values,
                     axis or 0)  # fmt: skip


def _inserted(x: Expr, places: Array, values: "Expr | float", axis: int) -> Expr:
    """Return `x` with one slice of `values` before each place of an axis."""
    shape = list(x.tensor_type.static_shape)
    order = np.insert(np.arange(shape[axis]), places, shape[axis] + np.arange(len(places)))
    shape[axis] = len(places)
    more = rnp.astype(rnp.broadcast_to(values, shape), x.tensor_type.dtype.numpy)
    return rnp.take(rnp.concatenate([x, more], axis), order, axis=axis)


def _places(node: MxNode, index: int) -> "int | Array":
    """Return an index, or the indices of a slice or in a constant input."""
    place = _optional(node, "int_ind")
    if place is not None:
        return place
    if len(node.inputs) <= index:
        part = slice(*(_optional(node, name) for name in ("start", "stop", "step")))
        return np.arange(_extent(node))[part]
    found = node.tensor(index)
    if not isinstance(found, Constant):
        help_ = "store the indices as a weight of the network"
        raise node.error(ErrorCode.F022, "the indices must be constants", help_)
    return found.array


def _extent(node: MxNode) -> int:
    """Return the size of the axis to edit, or the number of all elements."""
    sizes, axis = node.type().static_shape, _optional(node, "axis")
    return prod(sizes) if axis is None else sizes[axis]


def _optional(node: MxNode, name: str) -> int | None:
    return None if _text(node, name) is None else node.integer(name)


def _text(node: MxNode, name: str) -> str | None:
    """Return an attribute; None if it is missing, or says so."""
    found = node.text(name, "None")
    return None if found == "None" else found
