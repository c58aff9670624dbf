"""Translate MXNet's NumPy operators that join or move elements."""

from collections.abc import Mapping, Sequence

from relay import numpy as rnp
from relay.frontend.mxnet.node import MxNode
from relay.frontend.mxnet.registry import mxnet_operator
from relay.frontend.mxnet.translate.numpy_functions import (
    Function,
    as_type,
    axes_of,
)
from relay.frontend.node_errors import static_size
from relay.ir.expr import Expr

_JOINS: Mapping[str, Function] = {
    "_npi_column_stack": rnp.column_stack, "_npi_hstack": rnp.hstack, "_npi_vstack": rnp.vstack,
    "_npi_dstack": rnp.dstack,
}  # fmt: skip


@mxnet_operator(*_JOINS)
def join(node: MxNode) -> Expr:
    """Translate functions that join tensors along a fixed axis."""
    node.ignore("dim")
    return _JOINS[node.op](list(node.inputs))


@mxnet_operator("_npi_concatenate", "_npi_stack")
def concatenate(node: MxNode) -> Expr:
    """Translate `concatenate` and `stack`."""
    if node.op == "_npi_stack":
        return rnp.stack(list(node.inputs), axis=node.integer("axis", 0))
    node.ignore("axis", "dim")
    if node.text("axis", "0") == "None":
        return rnp.concatenate([rnp.reshape(each, (-1,)) for each in node.inputs])
    default = node.integer("dim", 1)
    return rnp.concatenate(list(node.inputs), axis=node.integer("axis", default))


@mxnet_operator("_np_atleast_1d", "_np_atleast_2d", "_np_atleast_3d")
def at_least(node: MxNode) -> Sequence[Expr]:
    """Translate `atleast_1d` and others: add axes until there are as many."""
    function: Function = getattr(rnp, node.op.removeprefix("_np_"))
    return [function(each) for each in node.inputs]


@mxnet_operator("_np_reshape", "_npi_reshape")
def reshape(node: MxNode) -> Expr:
    """Translate `reshape`."""
    if node.text("order", "C") != "C":
        raise node.wrong("order")
    return rnp.reshape(node.tensor(), node.ints("newshape"))


@mxnet_operator("_np_transpose")
def transpose(node: MxNode) -> Expr:
    """Translate `transpose`; without axes, their order is reversed."""
    return rnp.transpose(node.tensor(), axes_of(node, "axes") or None)


@mxnet_operator("_np_moveaxis")
def moveaxis(node: MxNode) -> Expr:
    """Translate `moveaxis`."""
    return rnp.moveaxis(node.tensor(), node.ints("source"), node.ints("destination"))


@mxnet_operator("_np_squeeze")
def squeeze(node: MxNode) -> Expr:
    """Translate `squeeze`."""
    return rnp.squeeze(node.tensor(), axis=axes_of(node))


@mxnet_operator("_np_roll")
def roll(node: MxNode) -> Expr:
    """Translate `roll`: move elements along axes, from the end of an axis to its beginning."""
    shift, axes = node.ints("shift"), axes_of(node)
    if axes is None:
        return rnp.roll(node.tensor(), shift[0])
    return rnp.roll(node.tensor(), shift * len(axes) if len(shift) == 1 else shift, axes)


@mxnet_operator("_npi_flip")
def flip(node: MxNode) -> Expr:
    """Translate `flip`: reverse the order along axes."""
    return rnp.flip(node.tensor(), axis=node.ints("axis"))


@mxnet_operator("_npi_rot90")
def rot90(node: MxNode) -> Expr:
    """Translate `rot90`."""
    return rnp.rot90(node.tensor(), node.integer("k", 1), axes_of(node, "axes") or (0, 1))


@mxnet_operator("_np_diag", "_np_diagflat")
def diag(node: MxNode) -> Expr:
    """Translate `diag` and `diagflat`."""
    function = rnp.diag if node.op == "_np_diag" else rnp.diagflat
    return function(node.tensor(), node.integer("k", 0))


@mxnet_operator("_np_diagonal", "_np_trace")
def diagonal(node: MxNode) -> Expr:
    """Translate `diagonal`, and `trace`, its sum."""
    axes = node.integer("axis1", 0), node.integer("axis2", 1)
    found = rnp.diagonal(node.tensor(), node.integer("offset", 0), *axes)
    return as_type(rnp.sum(found, axis=-1), node.type().dtype) if node.op == "_np_trace" else found


@mxnet_operator("_npi_tril", "_npi_triu")
def triangle(node: MxNode) -> Expr:
    """Translate `tril` and `triu`."""
    function = rnp.tril if node.op == "_npi_tril" else rnp.triu
    return function(node.tensor(), node.integer("k", 0))


@mxnet_operator("_npi_broadcast_to")
def broadcast_to(node: MxNode) -> Expr:
    """Translate `broadcast_to`; a size of -2 means unchanged."""
    wanted, old = node.ints("shape"), node.type().shape
    behind = len(wanted) - len(old)
    sizes = [old[axis - behind] if size == -2 else size for axis, size in enumerate(wanted)]
    return rnp.broadcast_to(node.tensor(), tuple(sizes))


@mxnet_operator("_npx_reshape")
def reshape_with_codes(node: MxNode) -> Expr:
    """Translate `npx.reshape`, with the codes -1 to -6 for sizes of the tensor."""
    if node.text("order", "C") != "C" or node.flag("reverse"):
        raise node.wrong("order" if node.text("order", "C") != "C" else "reverse")
    old, codes = list(node.type().shape), list(node.ints("newshape"))
    sizes: list[object] = []
    while codes:
        match codes.pop(0):
            case -2:  # the same size
                sizes.append(old.pop(0))
            case -3:  # an axis of size 1 disappears
                old.pop(0)
            case -4:  # all others
                sizes, old = [*sizes, *old], []
            case -5:  # two axes become one
                sizes.append(old.pop(0) * old.pop(0))
            case -6:  # an axis becomes two
                whole, parts = old.pop(0), [codes.pop(0), codes.pop(0)]
                sizes += [static_size(whole) // -(parts[0] * parts[1]) if e == -1 else e
                          for e in parts]  # fmt: skip
            case size:
                sizes.append(size)
                if old:
                    old.pop(0)
    return rnp.reshape(node.tensor(), tuple(sizes))
