"""Affine grids of positions (`image.affine_grid`), and sampling at them (`image.grid_sample`).

Positions range from -1 to 1 along each axis; the first coordinate of a position is along the last
axis of the image.
"""

from itertools import product as combinations

import numpy as np

from relay.ir.dims import Dim, product
from relay.ir.expr import Array, Call, Constant, Expr
from relay.ir.types import TensorType
from relay.opdef import checks
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.binary import add, multiply, scaled, subtract
from relay.ops.cast import cast_like
from relay.ops.creation import number
from relay.ops.elementwise import Floor
from relay.ops.families import FLOATS
from relay.ops.image.sampling import (
    Neighbour,
    channels_last,
    clamped,
    combined,
    cubic_weights,
    last_of,
    linear,
    nearest,
    neighbour_at,
    reflected,
    size_of,
    weighted_sum,
)
from relay.ops.image.sampling_reference import sample
from relay.ops.nn.matmul import BatchMatmul
from relay.ops.tensor.dim_arithmetic import ints
from relay.ops.tensor.gather import Take
from relay.ops.tensor.reshape import Reshape
from relay.ops.tensor.transpose import Transpose
from relay.support.node import set_field

METHODS = ("nearest", "bilinear", "bicubic")
PADDINGS = ("zeros", "border", "reflection")


@operator("image.affine_grid")
class AffineGrid(OperatorDef):
    """Return the positions `(N, 2, H, W)` of an image transformed by affine maps `(N, 2, 3)`.

    `target_shape` is `(H, W)`; the corners of the image are at -1 and 1. Takes floats.
    """

    target_shape: tuple[int, ...] | None = None

    examples = (
        Example("f32[2, 2, 3]", target_shape=(3, 4)),
        Example("f64[1, 2, 3]", target_shape=(1, 5)),
    )

    def __post_init__(self) -> None:
        set_field(self, "target_shape", ints(self.target_shape or ()))
        fits = len(self._size) == 2 and min(self._size) > 0
        checks.attribute(self.name, fits, f"target_shape must be (height, width), not {self._size}")

    @property
    def _size(self) -> tuple[int, ...]:
        return self.target_shape or ()

    def infer(self, data: TensorType) -> TensorType:
        checks.rank(self.name, "data", data, 3)
        checks.kind(self.name, "data", data, *FLOATS)
        for axis, size in ((1, 2), (2, 3)):
            checks.size(self.name, f"axis {axis} of the maps", size, data.shape[axis])
        return TensorType((data.shape[0], 2, *self._size), data.dtype)

    def _points(self) -> Array:
        height, width = self._size
        y, x = np.meshgrid(np.linspace(-1, 1, height), np.linspace(-1, 1, width), indexing="ij")
        return np.stack([x.reshape(-1), y.reshape(-1), np.ones(x.size)])

    def decompose(self, data: Expr) -> Expr:
        """Return the product of the maps with the coordinates of all points."""
        points = Constant(self._points().astype(data.tensor_type.dtype.numpy))
        moved = Call(BatchMatmul(), (data, points))
        return Call(Reshape(self.infer(data.tensor_type).shape, allowzero=True), (moved,))

    def reference(self, data: Array) -> Array:
        moved = np.einsum("nij,jp->nip", data.astype(np.float64), self._points())
        return moved.reshape(len(data), 2, *self._size).astype(data.dtype)


@operator("image.grid_sample")
class GridSample(OperatorDef):
    """Read images `(N, C, H, W)` at positions `(N, 2, …)`, or `(N, C, D, H, W)` at `(N, 3, …)`.

    The result is `(N, C, …)`. `method` is `nearest` (halves go to even), `bilinear` or `bicubic`
    (4-D only). Positions outside give 0 (`padding_mode="zeros"`), the nearest element (`border`) or
    the mirrored one (`reflection`). -1 and 1 are the centres of the outermost elements, or without
    `align_corners` the edges of the image. Takes floats.
    """

    method: str = "bilinear"
    layout: str = "NCHW"
    padding_mode: str = "zeros"
    align_corners: bool = True

    examples = (
        Example("f32[2, 3, 4, 5]", "f32[2, 2, 3, 2]", domain=(-1.3, 1.3)),
        Example(
            "f32[1, 2, 4, 5]", "f32[1, 2, 3, 3]", padding_mode="reflection", align_corners=False
        ),
        Example("f32[1, 2, 4, 3]", "f32[1, 2, 2, 3]", method="bicubic", padding_mode="border"),
        Example("f32[1, 2, 3, 3, 4]", "f32[1, 3, 2, 2, 2]", layout="NCDHW", domain=(-1, 1)),
        Example("f32[1, 1, 4, 4]", "f32[1, 2, 3, 3]", method="nearest"),
        Example("f32[2, 0, 4, 5]", "f32[2, 2, 3, 2]"),
        Example(
            "f32[1, 1, 3, 3]", "f32[1, 2, 1, 4]", padding_mode="reflection", differentiable=False,
            values={1: [[[[float("nan"), float("inf"), 9e3, 0]], [[0, 1, 0, -7]]]]},
        ),
    )  # fmt: skip

    def __post_init__(self) -> None:
        set_field(self, "align_corners", bool(self.align_corners))
        cubic = self.method == "bicubic"
        for known, problem in (
            (
                self.method in METHODS,
                f"method must be one of {', '.join(METHODS)}, not '{self.method}'",
            ),
            (
                self.layout in ("NCHW", "NCDHW"),
                f"layout must be NCHW or NCDHW, not '{self.layout}'",
            ),
            (
                self.padding_mode in PADDINGS,
                f"padding_mode must be one of {', '.join(PADDINGS)}, not '{self.padding_mode}'",
            ),
            (
                not cubic or self.layout == "NCHW",
                "the method bicubic is not supported for 3-D images (layout NCDHW)",
            ),
        ):
            checks.attribute(self.name, known, problem)

    def infer(self, data: TensorType, grid: TensorType) -> TensorType:
        checks.rank(self.name, "data", data, len(self.layout))
        checks.kind(self.name, "data", data, *FLOATS)
        checks.kind(self.name, "grid", grid, *FLOATS)
        checks.attribute(
            self.name,
            grid.rank >= 2,
            f"grid must have the axes (batch, number of coordinates, …), not {grid!r}",
        )
        checks.size(self.name, "batch", data.shape[0], grid.shape[0])
        checks.size(
            self.name, "number of coordinates of a position in grid", data.rank - 2, grid.shape[1]
        )
        for axis, size in enumerate(data.shape[2:], 2):
            checks.enough(
                self.name, size, 1, f"axis {axis} of data needs at least one element, not {{size}}"
            )
        return TensorType((*data.shape[:2], *grid.shape[2:]), data.dtype)

    def decompose(self, data: Expr, grid: Expr) -> Expr:
        """Return the sum of the neighbours of each position, multiplied by their weights."""
        batch, channels, *sizes = data.tensor_type.shape
        points: list[Dim] = [*grid.tensor_type.shape[2:]]
        moved = Call(Transpose(channels_last(data.tensor_type)), (data,))
        rows = Call(Reshape((batch, product(sizes), channels), allowzero=True), (moved,))
        flat = Call(
            Reshape((batch, len(sizes), product(points)), allowzero=True), (cast_like(grid, data),)
        )
        counts = [size_of(data, 2 + axis, data) for axis in range(len(sizes))]
        along = [self._taps(flat, axis, size, len(sizes)) for axis, size in enumerate(counts)]
        fill = number(0, data) if self.padding_mode == "zeros" else None
        found = weighted_sum(rows, combined(along, counts), Take(axis=1, batch_dims=1), fill)
        turned = Call(Transpose((0, 2, 1)), (found,))
        return Call(Reshape((batch, channels, *points), allowzero=True), (turned,))

    def _taps(self, grid: Expr, axis: int, size: Expr, rank: int) -> list[Neighbour]:
        column = Constant(np.asarray(rank - 1 - axis))
        given = Call(Take(axis=1), (grid, column))
        span = last_of(size) if self.align_corners else size
        pixels = scaled(add(multiply(given, span), last_of(size)), 0.5)
        if self.method == "bicubic":
            below = Call(Floor(), (pixels,))
            weights = enumerate(cubic_weights(subtract(pixels, below)))
            steps = ((add(below, number(k - 1.0, below)), weight) for k, weight in weights)
            return [neighbour_at(self._bounded(x, size), weight, size) for x, weight in steps]
        neighbours = nearest if self.method == "nearest" else linear
        return neighbours(self._bounded(pixels, size), size)

    def _bounded(self, x: Expr, size: Expr) -> Expr:
        """Return positions moved into the image, except if samples outside of it are zero."""
        match self.padding_mode:
            case "border":
                return clamped(x, size)
            case "reflection":
                return reflected(x, size, at_centres=self.align_corners)
            case _:
                return x

    def reference(self, data: Array, grid: Array) -> Array:
        """Return the result by NumPy, position by position."""
        batch, channels, *sizes = data.shape
        result = np.zeros((batch, channels, *grid.shape[2:]))
        for place in combinations(range(batch), *map(range, grid.shape[2:])):
            position = grid[(place[0], slice(None), *place[1:])][::-1].astype(np.float64)
            spans = np.array(sizes) - 1 if self.align_corners else np.array(sizes)
            pixels = (position * spans + np.array(sizes) - 1) / 2
            image = data[place[0]].astype(np.float64)
            result[(place[0], slice(None), *place[1:])] = sample(
                image, pixels, self.method, self.padding_mode, self.align_corners
            )
        return result.astype(data.dtype)
