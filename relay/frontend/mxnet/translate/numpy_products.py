"""Translate MXNet's NumPy operators of linear algebra."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from relay import numpy as rnp
from relay.frontend.mxnet.node import MxNode
from relay.frontend.mxnet.registry import mxnet_operator
from relay.frontend.mxnet.translate.numpy_functions import (
    axes_of,
    together,
)
from relay.ir.expr import Expr


@mxnet_operator("_np_dot", "_npi_matmul")
def dot(node: MxNode) -> Expr:
    """Translate `dot` and `matmul`."""
    function = rnp.dot if node.op == "_np_dot" else rnp.matmul
    return function(*together(node.tensor(), node.tensor(1)))


@mxnet_operator("_npi_tensordot", "_npi_tensordot_int_axes")
def tensordot(node: MxNode) -> Expr:
    """Translate `tensordot`."""
    if node.op == "_npi_tensordot_int_axes":
        return rnp.tensordot(node.tensor(), node.tensor(1), node.integer("axes"))
    axes = node.ints("a_axes_summed"), node.ints("b_axes_summed")
    return rnp.tensordot(node.tensor(), node.tensor(1), axes)


@mxnet_operator("_npi_einsum")
def einsum(node: MxNode) -> Expr:
    """Translate `einsum`."""
    node.ignore("optimize")
    return rnp.einsum(node.text("subscripts"), *node.inputs)


@mxnet_operator("_npi_polyval")
def polyval(node: MxNode) -> Expr:
    """Translate `polyval`: the value of a polynomial."""
    return rnp.polyval(node.tensor(), node.tensor(1))


_LINALG: Mapping[str, Callable[..., object]] = {
    "_npi_solve": rnp.linalg.solve, "_npi_tensorsolve": rnp.linalg.tensorsolve,
    "_npi_svd": partial(rnp.linalg.svd, full_matrices=False),
    "_npi_eigvalsh": rnp.linalg.eigvalsh, "_npi_eigh": rnp.linalg.eigh,
    "_npi_pinv": rnp.linalg.pinv, "_npi_pinv_scalar_rcond": rnp.linalg.pinv,
}  # fmt: skip


@mxnet_operator(*_LINALG)
def linear_algebra(node: MxNode) -> "Expr | Sequence[Expr]":
    """Translate functions of `numpy.linalg`."""
    node.ignore("rcond", "hermitian", "UPLO")
    if node.text("UPLO", "L") != "L":
        raise node.wrong("UPLO")
    if node.ints("a_axes", ()):
        raise node.wrong("a_axes")
    found = _LINALG[node.op](*node.inputs)
    return found if isinstance(found, Expr) else list(found)  # pyright: ignore[reportArgumentType, reportUnknownVariableType]


@mxnet_operator("_npi_tensorinv")
def tensorinv(node: MxNode) -> Expr:
    """Translate `tensorinv`."""
    return rnp.linalg.tensorinv(node.tensor(), node.integer("ind", 2))


@mxnet_operator("_npi_norm")
def norm(node: MxNode) -> Expr:
    """Translate `norm`: of all elements, of matrices or of vectors, as `flag` says."""
    x, kind, keep = node.tensor(), node.integer("flag", -1), node.flag("keepdims")
    order, axes = node.number("ord", 2.0), axes_of(node)
    match kind:
        case -2 | 1:
            return rnp.sqrt(rnp.sum(rnp.square(x), axis=axes, keepdims=keep))
        case 2:
            return rnp.linalg.norm(x, "nuc", axis=axes, keepdims=keep)
        case -1 | 0:
            whole = axes[0] if axes is not None and len(axes) == 1 else axes
            return rnp.linalg.norm(x, order, axis=whole, keepdims=keep)
        case _:
            raise node.wrong("flag")
