"""Operators on images: blocks to depth, affine grids, sampling at a grid, pooling by a norm."""

import numpy as np

from relay.frontend.builders.tensors import constant, reshape
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import onnx_operator
from relay.frontend.onnx.translate.convolution import pooled_average, window_size
from relay.frontend.onnx.translate.run_time import numbers, part, scalar
from relay.ir.dims import ANY, elements, is_static, product
from relay.ir.expr import Call, Constant, Expr
from relay.opdef.table import OPERATORS
from relay.ops.binary import FloorMod, Maximum, Minimum, add, divide, multiply, subtract
from relay.ops.cast import Cast
from relay.ops.comparison import GreaterEqual, LessEqual
from relay.ops.elementwise import Abs, Clip, Floor, Rint
from relay.ops.logical import LogicalAnd
from relay.ops.nn.matmul import BatchMatmul
from relay.ops.nn.rearrange import DepthToSpace, SpaceToDepth
from relay.ops.reduction import Sum
from relay.ops.selection import where
from relay.ops.tensor.gather import Take
from relay.ops.tensor.ranges import Arange
from relay.ops.tensor.reshape import Reshape, ReshapeLike
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.transpose import Transpose
from relay.support.dtype import DType, int64


@onnx_operator("DepthToSpace")
def depth_to_space(node: OnnxNode) -> Expr:
    """Move blocks of channels into space."""
    op = DepthToSpace(node.required("blocksize"), mode=node.attribute("mode", "DCR"))
    return Call(op, (node.expr(0),), span=node.span)


@onnx_operator("SpaceToDepth")
def space_to_depth(node: OnnxNode) -> Expr:
    """Move blocks of space into channels."""
    return Call(
        SpaceToDepth(node.required("blocksize"), mode=node.attribute("mode", "DCR")),
        (node.expr(0),),
        span=node.span,
    )


@onnx_operator("LpPool")
def lp_pool(node: OnnxNode) -> Expr:
    """Return the p-norm of each window: the root of its average times its size."""
    x, p = node.expr(0), node.attribute("p", 2)
    powers = _power(Call(Abs(), (x,)), p)
    average = pooled_average(node, powers, whole=True)
    size = constant(elements(window_size(node)), x.tensor_type.dtype)
    return _power(multiply(average, size), 1.0 / p)


@onnx_operator("GlobalLpPool")
def global_lp_pool(node: OnnxNode) -> Expr:
    """Return the p-norm over all spatial axes."""
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
    """Return the positions that affine maps give to the points of an image, from -1 to 1."""
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
    """Return the grid for sizes that are computed: the map's columns times lines, added up."""
    batch, axes = theta.tensor_type.shape[0], int(str(theta.tensor_type.shape[1]))
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
    """Return numbers from -1 to 1, at their ends or in the middle of as many parts."""
    zero, one = (constant(each, int64) for each in (0, 1))
    places = Call(Cast(element), (Call(Arange(), (zero, count, one)),))
    parts = subtract(count, one) if aligned else count
    apart = Call(Cast(element), (Call(Maximum(), (parts, one)),))
    doubled = multiply(places, constant(2, element))
    shifted = doubled if aligned else add(doubled, constant(1, element))
    return subtract(divide(shifted, apart), constant(1, element))


_MODES = {"bilinear": "linear", "bicubic": "cubic", "linear": "linear", "cubic": "cubic",
          "nearest": "nearest"}  # fmt: skip


@onnx_operator("GridSample")
def grid_sample(node: OnnxNode) -> Expr:
    """Read an image of known sizes (`F032`) at the positions of a grid, interpolating."""
    x, grid = node.expr(0), node.expr(1)
    shape = x.tensor_type.shape
    if not is_static(shape[2:]):
        raise node.error("F032", "sampling needs an image whose sizes are known")
    return _Sampling(node, x, grid).result()


class _Sampling:
    """A `GridSample`: the image as rows of channels, and positions along each axis in pixels."""

    def __init__(self, node: OnnxNode, x: Expr, grid: Expr) -> None:
        self.mode = _MODES[node.attribute("mode", "linear")]
        self.padding = node.attribute("padding_mode", "zeros")
        self.aligned = bool(node.attribute("align_corners", 0))
        self.sizes = [int(str(size)) for size in x.tensor_type.shape[2:]]
        self.batch, self.channels = x.tensor_type.shape[:2]
        self.element: DType = x.tensor_type.dtype
        self.grid = grid
        rows = reshape(x, (self.batch, self.channels, product(self.sizes)))
        self.rows = Call(Transpose((0, 2, 1)), (rows,))

    def result(self) -> Expr:
        """Add up the neighbours of each point with their weights."""
        rank = len(self.sizes)
        taps = [self._taps(self._pixels(axis), self.sizes[axis]) for axis in range(rank)]
        choices: list[tuple[Expr | None, Expr | None, Expr | None]] = [(None, None, None)]
        for axis, along in enumerate(taps):
            size = constant(self.sizes[axis], int64)
            choices = [
                (
                    place if at is None else add(multiply(at, size), place),
                    factor if weight is None or factor is None else multiply(weight, factor),
                    inside if ok is None else Call(LogicalAnd(), (ok, inside)),
                )
                for at, weight, ok in choices
                for place, factor, inside in along
            ]
        terms = [self._read(*choice) for choice in choices]
        total = terms[0]
        for term in terms[1:]:
            total = add(total, term)
        points = self.grid.tensor_type.shape[1:-1]
        order = (0, rank + 1, *range(1, rank + 1))
        if ANY in points:  # they lie in the row as in the grid
            total = Call(ReshapeLike(1, 2, 1, rank + 1), (total, self.grid))
        else:
            total = reshape(total, (self.batch, *points, self.channels))
        return Call(Transpose(order), (total,))

    def _pixels(self, axis: int) -> Expr:
        """Return the coordinates along an axis; the grid has the last axis first."""
        rank = len(self.sizes)
        column = constant(rank - 1 - axis, int64)
        given = Call(Take(axis=rank + 1), (self.grid, column))
        flat = reshape(given, (self.batch, product(self.grid.tensor_type.shape[1:-1])))
        flat = flat if flat.tensor_type.dtype is self.element else Call(Cast(self.element), (flat,))
        size = self.sizes[axis]
        scale, shift = (
            ((size - 1) / 2, (size - 1) / 2) if self.aligned else (size / 2, (size - 1) / 2)
        )
        pixels = add(multiply(flat, self._number(scale)), self._number(shift))
        return self._bounded(pixels, size) if self.mode != "cubic" else pixels

    def _bounded(self, x: Expr, size: int) -> Expr:
        """Bring positions outside into the image, unless they are zero there."""
        if self.padding == "border":
            return Call(Clip(0.0, size - 1.0), (x,))
        if self.padding != "reflection":
            return x
        low, high = (0.0, size - 1.0) if self.aligned else (-0.5, size - 0.5)
        span = high - low
        if span == 0:
            return multiply(x, self._number(0.0))
        turns = Call(FloorMod(), (subtract(x, self._number(low)), self._number(2 * span)))
        back = Call(Minimum(), (turns, subtract(self._number(2 * span), turns)))
        return Call(Clip(0.0, size - 1.0), (add(back, self._number(low)),))

    def _taps(self, x: Expr, size: int) -> list[tuple[Expr, Expr | None, Expr]]:
        """Return the places along an axis that a point reads, their weights, and which exist."""
        if self.mode == "nearest":
            return [self._tap(Call(Rint(), (x,)), None, size)]
        below = Call(Floor(), (x,))
        t = subtract(x, below)
        if self.mode == "linear":
            weights = [subtract(self._number(1.0), t), t]
            return [
                self._tap(add(below, self._number(float(k))), w, size)
                for k, w in enumerate(weights)
            ]
        return [
            self._tap(self._bounded(add(below, self._number(k - 1.0)), size), w, size)
            for k, w in enumerate(self._cubic(t))
        ]

    def _cubic(self, t: Expr) -> list[Expr]:
        """Return the weights of the four neighbours by Keys' formula with a = -0.75."""
        a, one = -0.75, self._number(1.0)
        far, near = self._outer(add(t, one), a), self._inner(t, a)
        rest = subtract(one, t)
        return [far, near, self._inner(rest, a), self._outer(add(rest, one), a)]

    def _inner(self, t: Expr, a: float) -> Expr:
        cube = subtract(multiply(t, self._number(a + 2)), self._number(a + 3))
        return add(multiply(multiply(cube, t), t), self._number(1.0))

    def _outer(self, t: Expr, a: float) -> Expr:
        square = subtract(multiply(t, self._number(a)), self._number(5 * a))
        line = add(multiply(square, t), self._number(8 * a))
        return subtract(multiply(line, t), self._number(4 * a))

    def _tap(self, x: Expr, weight: Expr | None, size: int) -> tuple[Expr, Expr | None, Expr]:
        low = Call(GreaterEqual(), (x, self._number(0.0)))
        high = Call(LessEqual(), (x, self._number(size - 1.0)))
        place = Call(Cast(int64), (Call(Clip(0.0, size - 1.0), (x,)),))
        return place, weight, Call(LogicalAnd(), (low, high))

    def _read(self, place: Expr | None, weight: Expr | None, inside: Expr | None) -> Expr:
        assert place is not None
        assert inside is not None
        values = Call(Take(axis=1, batch_dims=1), (self.rows, place))
        column = (*place.tensor_type.shape, 1)
        if self.padding == "zeros":
            values = where(reshape(inside, column), values, self._number(0.0))
        return values if weight is None else multiply(values, reshape(weight, column))

    def _number(self, of: float) -> Expr:
        return constant(of, self.element)
