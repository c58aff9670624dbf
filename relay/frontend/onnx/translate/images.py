"""Translate ONNX image operators: depth to space, affine grids, grid sampling, norm pooling."""

import numpy as np

from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.node_errors import static_size
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import MICROSOFT, onnx_operator
from relay.frontend.onnx.translate.convolution import pooled_average, window_size
from relay.frontend.onnx.translate.run_time_tensors import numbers, part, scalar
from relay.ir.dims import elements
from relay.ir.expr import Call, Constant, Expr
from relay.opdef.table import OPERATORS
from relay.ops.binary import Maximum, add, divide, multiply, subtract
from relay.ops.cast import Cast
from relay.ops.elementwise import Abs
from relay.ops.image.grid_sample import GridSample
from relay.ops.nn.matmul import BatchMatmul
from relay.ops.nn.space_to_depth_and_batch import DepthToSpace, SpaceToDepth
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.arange import Arange
from relay.ops.tensor.reshape import Reshape
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.transpose import Transpose
from relay.support.dtype import DType, int64

_ORDERS = ("DCR", "CRD")


@onnx_operator("DepthToSpace")
def depth_to_space(node: OnnxNode) -> Expr:
    """Translate `DepthToSpace`: move blocks of channels to spatial positions."""
    op = DepthToSpace(node.required("blocksize"), mode=node.choice("mode", _ORDERS, "DCR"))
    return Call(op, (node.expr(0),), span=node.span)


@onnx_operator("SpaceToDepth")
def space_to_depth(node: OnnxNode) -> Expr:
    """Translate `SpaceToDepth`: move blocks of spatial positions to channels."""
    return Call(
        SpaceToDepth(node.required("blocksize"), mode=node.choice("mode", _ORDERS, "DCR")),
        (node.expr(0),),
        span=node.span,
    )


@onnx_operator("LpPool")
def lp_pool(node: OnnxNode) -> Expr:
    """Translate `LpPool`: the p-norm of each window."""
    x, p = node.expr(0), node.attribute("p", 2)
    powers = _power(Call(Abs(), (x,)), p)
    average = pooled_average(node, powers, whole=True)
    size = constant(elements(window_size(node)), x.tensor_type.dtype)
    return _power(multiply(average, size), 1.0 / p)


@onnx_operator("GlobalLpPool")
def global_lp_pool(node: OnnxNode) -> Expr:
    """Translate `GlobalLpPool`: the p-norm over all spatial axes."""
    x, p = node.expr(0), node.attribute("p", 2)
    axes = tuple(range(2, x.tensor_type.rank))
    total = Call(Sum(axis=axes, keepdims=True), (_power(Call(Abs(), (x,)), p),))
    return _power(total, 1.0 / p)


def _power(x: Expr, exponent: float) -> Expr:
    if exponent == 1:
        return x
    return Call(OPERATORS.find("power")(), (x, constant(exponent, x.tensor_type.dtype)))


@onnx_operator("AffineGrid")
def affine_grid(node: OnnxNode) -> Expr:
    """Translate `AffineGrid`: the positions, from -1 to 1, to which affine maps move pixels."""
    theta = node.expr(0)
    aligned = bool(node.attribute("align_corners", 0))
    if not node.is_known(1):
        return _grid_of_run_time(node, theta, aligned)
    size = node.ints(1, "the size")
    lines = [_line(count, aligned) for count in size[2:]]
    meshes = np.meshgrid(*lines, indexing="ij")
    points = np.stack([*reversed(meshes), np.ones(size[2:])], -1).reshape(1, -1, len(size) - 1)
    fixed = Constant(points.astype(theta.tensor_type.dtype.numpy))
    # BatchMatmul multiplies (batch, m, k) by (batch, k, n).
    grid = Call(BatchMatmul(), (fixed, Call(Transpose((0, 2, 1)), (theta,))))
    return reshape(grid, (size[0], *size[2:], len(size) - 2))


def _line(count: int, aligned: bool) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    if aligned:
        return np.linspace(-1.0, 1.0, count)
    return (2.0 * np.arange(count) + 1.0) / count - 1.0


def _grid_of_run_time(node: OnnxNode, theta: Expr, aligned: bool) -> Expr:
    """Return the affine grid for run-time sizes: sum the map's columns times coordinates."""
    batch, axes = theta.tensor_type.shape[0], static_size(theta.tensor_type.shape[1])
    sizes = numbers(node, 1, axes + 2)
    columns = [
        reshape(
            Call(StridedSlice((i,), (i + 1,), axes=(2,)), (theta,)), (batch, *(1,) * axes, axes)
        )
        for i in range(axes + 1)
    ]
    grid = columns[-1]
    for axis in range(axes):
        count = part(sizes, 2 + axis, 3 + axis)
        line = _line_of_run_time(scalar(count), aligned, theta.tensor_type.dtype)
        shape = tuple(-1 if i == axis + 1 else 1 for i in range(axes + 2))
        along = Call(Reshape(shape), (line,))
        grid = add(grid, multiply(along, columns[axes - 1 - axis]))
    return grid


def _line_of_run_time(count: Expr, aligned: bool, element: DType) -> Expr:
    """Return `count` evenly spaced numbers from -1 to 1.

    If `aligned`, these include both ends; otherwise they are centres of `count` cells.
    """
    zero, one = (constant(each, int64) for each in (0, 1))
    places = Call(Cast(element), (Call(Arange(), (zero, count, one)),))
    parts = subtract(count, one) if aligned else count
    apart = Call(Cast(element), (Call(Maximum(), (parts, one)),))
    doubled = multiply(places, constant(2, element))
    shifted = doubled if aligned else add(doubled, constant(1, element))
    return subtract(divide(shifted, apart), constant(1, element))


_MODES = {
    "linear": "bilinear",
    "cubic": "bicubic",
    "nearest": "nearest",
    "bilinear": "bilinear",
    "bicubic": "bicubic",
}
"""The methods of `GridSample`, of which some have a newer and an older name."""


@onnx_operator("GridSample")
@onnx_operator("GridSample", domain=MICROSOFT)
def grid_sample(node: OnnxNode) -> Expr:
    """Translate `GridSample`: sample an image at the positions of a grid.

    The last axis of the grid contains the coordinates.
    """
    x, grid = node.expr(0), node.expr(1)
    rank = grid.tensor_type.rank
    op = GridSample(
        _MODES[node.choice("mode", _MODES, "linear")],
        "NCHW" if rank == _GRID_2D else "NCDHW",
        node.choice("padding_mode", ("zeros", "border", "reflection"), "zeros"),
        bool(node.attribute("align_corners", 0)),
    )
    first = Call(Transpose((0, rank - 1, *range(1, rank - 1))), (grid,))
    return Call(op, (x, first), span=node.span)


_GRID_2D = 4  # batch, height, width, coordinates
