"""The operator `vision.roi_pool`, which takes the maximum of each bin of regions of images."""

import numpy as np

from relay.ir.dims import product
from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType
from relay.kernels import te
from relay.kernels.loops import Buffer, Stmt
from relay.opdef import checks
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.comparison import less
from relay.ops.creation import number
from relay.ops.families import extents
from relay.ops.nn.separable_gradient import in_layout
from relay.ops.selection import where
from relay.ops.tensor.gather import Take
from relay.ops.tensor.loop_nests import fill, nest
from relay.ops.tensor.nondifferentiable import Discrete
from relay.ops.tensor.reshape import Reshape
from relay.ops.vision.roi_align import RegionPool, channels_last, exact_image, image_of
from relay.support.dtype import int64

_ROIS = [[0, 0.6, 0.7, 7.3, 5.2], [1, 2.1, 1.3, 4.4, 9.6], [0, -2.2, 3.1, -1.3, 4.0]]


@operator("vision.roi_pool_places")
class RoiPoolPlaces(Discrete, RegionPool):
    """Return the row-major positions (int64) of the maxima of `vision.roi_pool` in the data.

    The position is -1 for a bin without elements. See `RegionPool`; the data is `(N, C, H, W)`.
    """

    examples = (
        Example(
            "f32[2, 3, 7, 8]", "f32[3, 5]", pooled_size=(3, 2), spatial_scale=0.9,
            values={1: _ROIS},
        ),
    )  # fmt: skip

    def infer(self, data: TensorType, rois: TensorType) -> TensorType:
        return TensorType(self.pooled(data, rois).shape, int64)

    def compute(self, data: te.Tensor, rois: te.Tensor) -> te.Tensor:
        count, channels, height, width = extents(data)
        result = [extents(rois)[0], channels, *self.pooled_size]

        def build(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
            b, (image, region) = te.LoopBuilder(), inputs
            with nest(b, [result[0], *self.pooled_size]) as (n, py, px):
                which = b.let(image_of(region[n, 0], count), "which")
                (y0, y1), (x0, x1) = (
                    self._bounds(b, region[n, 2 - axis], region[n, 4 - axis], at, axis, size)
                    for axis, (at, size) in enumerate(((py, height), (px, width)))
                )
                best = b.scratch((channels,), data.dtype, "best")
                places = b.scratch((channels,), int64, "places")
                fill(b, best, -np.inf)
                fill(b, places, -1)
                with (
                    b.for_(y1 - y0, "y", start=y0) as y,
                    b.for_(x1 - x0, "x", start=x0) as x,
                    b.for_(channels, "c") as c,
                ):
                    found = b.let(image[which, y, x, c], "found")
                    place = ((which * channels + c) * height + y) * width + x
                    first = (places[c] < 0) | (te.isnan(found) & ~te.isnan(best[c]))
                    better = b.let((found > best[c]) | first, "better")
                    b.store(places, (c,), te.select(better, place, places[c]))
                    b.store(best, (c,), te.select(better, found, best[c]))
                with b.for_(channels, "c") as c:
                    b.store(outputs[0], (n, c, py, px), places[c])
            return b.finish()

        return te.loops([(result, int64)], [channels_last(data), rois], build, "roi_pool")[0]

    def _bounds(
        self, b: te.LoopBuilder, low: te.Scalar, high: te.Scalar, at: te.Scalar, axis: int,
        size: te.Dim,
    ) -> tuple[te.Scalar, te.Scalar]:  # fmt: skip
        """Return the begin and the end of a bin along an axis, limited to the image."""
        first = b.let(te.round(low * self.spatial_scale), "first")
        extent = te.maximum(te.round(high * self.spatial_scale) - first + 1.0, 1.0)
        part = b.let(extent / float(self.pooled_size[axis]), "bin")
        place = te.cast(at, low.dtype)
        begin, end = te.floor(place * part) + first, te.ceil((place + 1.0) * part) + first
        limited = (te.maximum(te.minimum(te.cast(each, int64), size), 0) for each in (begin, end))
        start, stop = (b.let(each, "bound") for each in limited)
        return start, b.let(te.maximum(stop, start), "stop")

    def reference(self, data: Array, rois: Array) -> Array:
        result = np.full((len(rois), data.shape[1], *self.pooled_size), -1, np.int64)
        for n, c, py, px in np.ndindex(*result.shape):
            which = exact_image(rois[n, 0], len(data))
            bounds = [
                _exact_bounds(rois[n, 2 - axis : 6 - axis : 2], self, at, axis, size)
                for axis, (at, size) in enumerate(((py, data.shape[2]), (px, data.shape[3])))
            ]
            (y0, y1), (x0, x1) = bounds
            part = data[which, c, y0:y1, x0:x1]
            if part.size:
                y, x = np.unravel_index(part.argmax(), part.shape)
                place = (which, c, int(y) + y0, int(x) + x0)
                result[n, c, py, px] = np.ravel_multi_index(place, data.shape)
        return result


def _exact_bounds(limits: Array, op: RegionPool, at: int, axis: int, size: int) -> tuple[int, int]:
    scale = limits.dtype.type(op.spatial_scale)
    first, last = (float(_half_away(each * scale)) for each in limits)
    part = limits.dtype.type(max(last - first + 1, 1)) / limits.dtype.type(op.pooled_size[axis])
    begin, end = np.floor(at * part) + first, np.ceil((at + 1) * part) + first
    return max(min(int(begin), size), 0), max(min(int(end), size), 0)


def _half_away(x: float) -> float:
    return np.sign(x) * np.floor(abs(x) + 0.5)


@operator("vision.roi_pool")
class RoiPool(RegionPool):
    """Return the maximum of each of `pooled_size` bins of regions `(n, 5)` of images.

    A region is `(image, x1, y1, x2, y2)`; its coordinates times `spatial_scale` are rounded to
    elements, and its last row and column are included. Bins without elements are 0. Images are `(N,
    C, H, W)`, or have the layout NHWC; floating-point.
    """

    layout: str = "NCHW"

    examples = (
        Example(
            "f32[2, 3, 7, 8]", "f32[3, 5]", pooled_size=(3, 2), spatial_scale=0.9,
            values={1: _ROIS},
        ),
        Example(
            "f32[2, 4, 5, 2]", "f32[3, 5]", pooled_size=2, spatial_scale=0.5, layout="NHWC",
            values={1: _ROIS},
        ),
    )  # fmt: skip

    def __post_init__(self) -> None:
        super(RoiPool, self).__post_init__()
        said = f"layout must be NCHW or NHWC, not '{self.layout}'"
        checks.attribute(self.name, self.layout in ("NCHW", "NHWC"), said)

    def infer(self, data: TensorType, rois: TensorType) -> TensorType:
        checks.rank(self.name, "data", data, 4)
        order = ["NCHW".index(c) for c in self.layout]
        plain = TensorType(tuple(data.shape[self.layout.index(c)] for c in "NCHW"), data.dtype)
        shape = self.pooled(plain, rois).shape
        return TensorType(tuple(shape[axis] for axis in order), data.dtype)

    def decompose(self, data: Expr, rois: Expr) -> Expr:
        """Return the data at the positions of the maxima."""
        plain = in_layout(data, self.layout, "NCHW")
        places = Call(RoiPoolPlaces(self.pooled_size, self.spatial_scale), (plain, rois))
        flat = Call(Reshape((product(plain.tensor_type.shape),), allowzero=True), (plain,))
        found = Call(Take(axis=0, mode="clip"), (flat, places))
        empty = less(places, number(0, places))
        return in_layout(where(empty, number(0, found), found), "NCHW", self.layout)

    def reference(self, data: Array, rois: Array) -> Array:
        plain = data.transpose([self.layout.index(c) for c in "NCHW"])
        places = RoiPoolPlaces(self.pooled_size, self.spatial_scale).reference(plain, rois)
        found = np.where(places < 0, 0, plain.reshape(-1)[places]).astype(data.dtype)
        return found.transpose(["NCHW".index(c) for c in self.layout])
