"""The operator `vision.roi_align`, which pools regions of images from interpolated samples."""

from collections.abc import Callable, Sequence
from functools import reduce

import numpy as np

from relay.ir.dims import Dim
from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType
from relay.kernels import te
from relay.kernels.loops import Buffer, Stmt
from relay.kernels.scalar import lift
from relay.kernels.te.hand_written_loops import Cell
from relay.opdef import checks
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.families import FLOATS, extents
from relay.ops.nn.separable_gradient import in_layout
from relay.ops.tensor.dim_arithmetic import ints, require_same_shape
from relay.ops.tensor.loop_nests import fill, nest
from relay.ops.transcendental import at_least_single
from relay.support.dtype import int64
from relay.support.node import set_field, value

_HUGE = [[0, -np.inf, 0, np.inf, 4], [0, -3e9, -2, 2.9e9, 3], [0, np.nan, 1, 3, 4]]
_ROIS = [[0, 0.6, 0.7, 7.3, 5.2], [1, 2.1, 1.3, 4.4, 9.5], [0, -2.2, 3.1, 3.3, 4.0]]

_MODES = ("avg", "max", "weighted_max")

Visit = Callable[[te.Scalar, te.Scalar, te.Scalar], None]
"""A function that is called with a sample's row and column, and the bin's number of samples."""


@value
class RegionPool(OperatorDef):
    """The base of poolings of regions `(n, 5)` of images `(N, C, H, W)` to `(n, C, *pooled_size)`.

    A region is `(image, x1, y1, x2, y2)`; its coordinates times `spatial_scale` are in elements of
    the image. The number of the image is clamped.
    """

    pooled_size: tuple[int, ...]
    spatial_scale: float

    not_differentiated_by = ("rois",)

    def __post_init__(self) -> None:
        sizes = ints(self.pooled_size)
        set_field(self, "pooled_size", sizes * 2 if len(sizes) == 1 else sizes)
        set_field(self, "spatial_scale", float(self.spatial_scale))
        fits = len(self.pooled_size) == 2 and min(self.pooled_size) > 0
        checks.attribute(self.name, fits, f"pooled_size must be (height, width), not {sizes}")

    def pooled(self, data: TensorType, rois: TensorType) -> TensorType:
        """Return the type of the pooled regions of images in the layout NCHW."""
        checks.rank(self.name, "data", data, 4)
        checks.rank(self.name, "rois", rois, 2)
        checks.kind(self.name, "data", data, *FLOATS)
        checks.same_dtype(self.name, data, rois)
        checks.size(self.name, "number of columns of rois", 5, rois.shape[1])
        checks.enough(
            self.name, data.shape[0], 1, "data has {size} images, but at least one is needed"
        )
        for axis in (2, 3):
            checks.enough(
                self.name,
                data.shape[axis],
                1,
                f"axis {axis} of data has {{size}} elements, but at least one is needed",
            )
        return TensorType((rois.shape[0], data.shape[1], *self.pooled_size), data.dtype)


@value
class Aligning(RegionPool):
    """The base of `vision.roi_align` and its derivative, which generates their samples.

    A bin is the part of a region for one element of the result. It has `sample_ratio` samples along
    each axis or, if that is not positive, one for each element of the image that it covers. A
    sample more than one element outside of the image is 0.
    """

    sample_ratio: int = -1

    def each_sample(
        self, b: te.LoopBuilder, roi: Callable[[int], te.Scalar], sizes: Sequence[Dim],
        at: Sequence[te.Scalar], visit: Visit, *, aligned: bool,
    ) -> None:  # fmt: skip
        """Generate loops that call `visit(y, x, count)` for the `count` samples of a bin.

        `roi` returns the number of the region at an index, `sizes` are those of the image, and `at`
        is the position of the bin. Only samples near the image are visited, because a region
        may be arbitrarily large.
        """
        lines: list[_Line] = []
        for axis, pooled in enumerate(self.pooled_size):
            low, high = (b.let(self._corner(roi, 1 - axis + k, aligned), "end") for k in (0, 2))
            extent = high - low if aligned else te.maximum(high - low, 1.0)
            part = b.let(extent / float(pooled), "bin")
            lines.append(_Line(b, low, part, at[axis], self._count(part)))
        near = [self._near(line, size) for line, size in zip(lines, sizes, strict=True)]
        count = b.let(te.maximum(lines[0].many * lines[1].many, 1.0), "all")
        (top, tall), (left, wide) = near
        with b.for_(tall, "iy") as iy, b.for_(wide, "ix") as ix:
            y = b.let(lines[0].sample(top + iy), "y")
            x = b.let(lines[1].sample(left + ix), "x")
            with b.if_(_is_near(y, sizes[0]) & _is_near(x, sizes[1])):
                visit(y, x, count)

    def _corner(self, roi: Callable[[int], te.Scalar], end: int, aligned: bool) -> te.Scalar:
        scaled = roi(1 + end) * self.spatial_scale
        return scaled - 0.5 if aligned else scaled

    def _count(self, part: te.Scalar) -> te.Scalar:
        """Return the number of samples of a bin along an axis, given the bin's size."""
        return (
            te.cast(te.ceil(part), int64) if self.sample_ratio <= 0 else te.const(self.sample_ratio)
        )

    def _near(self, line: "_Line", size: Dim) -> tuple[te.Scalar, te.Scalar]:
        """Return the index of the first sample near the image, and the most that may be near it."""
        if self.sample_ratio > 0:
            return te.const(0), line.count
        begin = te.maximum(te.cast(te.floor(line.number(te.const(-1.0, line.low.dtype))), int64), 1)
        end = te.minimum(
            te.cast(te.ceil(line.number(lift(size, line.low.dtype))), int64), line.count
        )
        first = begin - 1  # allow for a rounding error of one
        return first, te.maximum(te.minimum(end + 2, line.count) - first, 0)


class _Line:
    """The samples of a bin along one axis: `count` of them from `low` on; `part` is its size."""

    def __init__(
        self, b: te.LoopBuilder, low: te.Scalar, part: te.Scalar, at: te.Scalar, count: te.Scalar
    ) -> None:
        self.low, self.part = low, part
        self.at = te.cast(at, low.dtype)
        self.count = b.let(count, "count")
        self.many = te.cast(self.count, low.dtype)

    def sample(self, i: te.Scalar) -> te.Scalar:
        """Return the position of the sample with the index `i`."""
        return self.low + self.part * (self.at + (te.cast(i, self.low.dtype) + 0.5) / self.many)

    def number(self, position: te.Scalar) -> te.Scalar:
        """Return the index, which may be fractional, of the sample at a position."""
        return ((position - self.low) / self.part - self.at) * self.many - 0.5


def channels_last(data: te.Tensor) -> te.Tensor:
    """Return images in the layout NHWC, so that loops over channels can be vectorised."""
    n, c, h, w = extents(data)
    return te.compute((n, h, w, c), lambda *i: data[i[0], i[3], i[1], i[2]], name="channels_last")


def image_of(number: te.Scalar, count: Dim) -> te.Scalar:
    """Return the number of a region's image, clamped to the number of images."""
    return te.maximum(te.minimum(te.cast(number, int64), count - 1), 0)


def exact_image(number: float, count: int) -> int:
    """Return the number of a region's image, clamped to the number of images, in Python."""
    return 0 if np.isnan(number) else int(max(min(float(number), count - 1), 0))


def _is_near(x: te.Scalar, size: Dim) -> te.Scalar:
    return (x >= -1.0) & (x <= lift(size, x.dtype))


Neighbour = tuple[te.Scalar, te.Scalar, te.Scalar]
"""An element near a sample: its row, its column, and its weight."""


def neighbours(
    b: te.LoopBuilder, y: te.Scalar, x: te.Scalar, sizes: Sequence[Dim]
) -> list[Neighbour]:
    """Return the four elements around a sample, with their weights."""
    sides: list[list[tuple[te.Scalar, te.Scalar]]] = []
    for at, size in ((y, sizes[0]), (x, sizes[1])):
        clamped = b.let(te.maximum(te.minimum(at, lift(size - 1, at.dtype)), 0.0), "at")
        low = b.let(te.cast(te.floor(clamped), int64), "low")
        high = b.let(te.minimum(low + 1, size - 1), "high")
        above = b.let(clamped - te.cast(low, at.dtype), "above")
        sides.append([(low, 1.0 - above), (high, above)])
    return [
        (row, column, b.let(up * left, "weight"))
        for row, up in sides[0]
        for column, left in sides[1]
    ]


@operator("vision.roi_align")
class RoiAlign(Aligning):
    """Pool regions `(n, 5)` of images to `pooled_size`, from samples between their elements.

    A region is `(image, x1, y1, x2, y2)`; its coordinates times `spatial_scale` are in elements. It
    is at least one element wide and high. If `aligned`, element centres are at half-integers, and
    regions may be smaller. `mode` takes the average (`avg`) of the samples of each bin, their
    `max`, or the largest of the four weighted elements around each (`weighted_max`, as in ONNX).
    Each bin has `sample_ratio` samples along each axis, or as many as elements if that is not
    positive. Images are `(N, C, H, W)` or in the layout NHWC; floating-point. Only the average has
    a derivative, by the images.
    """

    layout: str = "NCHW"
    mode: str = "avg"
    aligned: bool = False

    examples = (
        Example(
            "f32[2, 3, 7, 8]", "f32[3, 5]", pooled_size=(3, 2), spatial_scale=0.9,
            values={1: _ROIS},
        ),
        Example(
            "f32[2, 5, 6, 2]", "f32[3, 5]", pooled_size=2, spatial_scale=0.5, sample_ratio=2,
            layout="NHWC", values={1: _ROIS},
        ),
        Example(
            "f32[2, 2, 5, 6]", "f32[3, 5]", pooled_size=2, spatial_scale=0.5, mode="max",
            values={1: _ROIS}, differentiable=False,
        ),
        Example(
            "f32[2, 2, 5, 6]", "f32[3, 5]", pooled_size=2, spatial_scale=0.5, mode="weighted_max",
            aligned=True, values={1: _ROIS}, differentiable=False,
        ),
        Example(
            "f32[1, 2, 5, 6]", "f32[3, 5]", pooled_size=2, spatial_scale=1.0,
            values={1: _HUGE}, differentiable=False,
        ),
        Example(
            "f32[2, 2, 5, 6]", "f32[3, 5]", pooled_size=3, spatial_scale=0.5, aligned=True,
            values={1: _ROIS},
        ),
        Example(
            "f32[1, 1, 5, 6]", "f32[1, 5]", pooled_size=3, spatial_scale=0.3, aligned=True,
            values={1: [[0, -3, 0, 7, 4]]},
        ),
    )  # fmt: skip

    def __post_init__(self) -> None:
        super(RoiAlign, self).__post_init__()
        for known, problem in (
            (self.layout in ("NCHW", "NHWC"), f"layout must be NCHW or NHWC, not '{self.layout}'"),
            (self.mode in _MODES, f"mode must be one of {', '.join(_MODES)}, not '{self.mode}'"),
        ):
            checks.attribute(self.name, known, problem)

    def infer(self, data: TensorType, rois: TensorType) -> TensorType:
        checks.rank(self.name, "data", data, 4)
        plain = TensorType(tuple(data.shape[a] for a in self._order), data.dtype)
        n, c, h, w = self.pooled(plain, rois).shape
        return TensorType((n, c, h, w) if self.layout == "NCHW" else (n, h, w, c), data.dtype)

    @property
    def _order(self) -> tuple[int, ...]:
        return (0, 1, 2, 3) if self.layout == "NCHW" else (0, 3, 1, 2)

    def _placed(self, n: te.Scalar, c: te.Scalar, y: te.Scalar, x: te.Scalar) -> list[te.Scalar]:
        return [n, c, y, x] if self.layout == "NCHW" else [n, y, x, c]

    def compute(self, data: te.Tensor, rois: te.Tensor) -> te.Tensor:
        shape = [extents(data)[axis] for axis in self._order]
        count = extents(rois)[0]
        images, is_last = data, self.layout == "NHWC"
        if not is_last and self._reads_much(count, shape):
            images, is_last = channels_last(data), True

        def build(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
            b, (image, region) = te.LoopBuilder(), inputs
            with nest(b, [count, *self.pooled_size]) as (n, py, px):
                which = b.let(image_of(region[n, 0], shape[0]), "which")

                def element(c: te.Scalar, r: te.Scalar, k: te.Scalar) -> te.Scalar:
                    return image[which, r, k, c] if is_last else image[which, c, r, k]

                totals, found = self._pooled_bin(b, shape, region, (n, py, px), element)
                with b.for_(shape[1], "c") as c:
                    value_ = totals[c]
                    if self.mode != "avg":
                        value_ = te.select(found.value > 0, value_, te.const(0, data.dtype))
                    b.store(outputs[0], self._placed(n, c, py, px), value_)
            return b.finish()

        result = [count, shape[1], *self.pooled_size]
        sizes = result if self.layout == "NCHW" else [result[0], *result[2:], result[1]]
        return te.loops([(sizes, data.dtype)], [images, rois], build, "roi_align")[0]

    def _reads_much(self, count: Dim, shape: Sequence[Dim]) -> bool:
        """Whether regions have so many samples that images are first copied to the layout NHWC.

        `count` is the number of regions, `shape` that of the images.
        """
        known = [each for each in (count, *shape[2:]) if isinstance(each, int)]
        if len(known) < 3:
            return True
        tall, wide = self.pooled_size
        return known[0] * tall * wide * max(self.sample_ratio, 1) ** 2 * 4 >= known[1] * known[2]

    def _pooled_bin(
        self, b: te.LoopBuilder, shape: Sequence[Dim], region: Buffer,
        at: tuple[te.Scalar, te.Scalar, te.Scalar], element: Callable[..., te.Scalar],
    ) -> tuple[Buffer, Cell]:  # fmt: skip
        """Return a bin's value for each channel, and the number of its samples near the image.

        `at` is the number of the region and the position of the bin in it.
        """
        n, *place = at
        totals = b.scratch((shape[1],), region.dtype, "totals")
        fill(b, totals, 0.0 if self.mode == "avg" else -np.inf)
        found = b.cell(0, int64, "found")

        def visit(y: te.Scalar, x: te.Scalar, count: te.Scalar) -> None:
            near = neighbours(b, y, x, shape[2:])
            found.value = found.value + 1
            with b.for_(shape[1], "c") as c:
                shares = [element(c, r, k) * weight for r, k, weight in near]
                b.store(totals, (c,), self._joined(totals[c], shares, count))

        self.each_sample(b, lambda k: region[n, k], shape[2:], place, visit, aligned=self.aligned)
        return totals, found

    def _joined(self, total: te.Scalar, shares: Sequence[te.Scalar], count: te.Scalar) -> te.Scalar:
        """Return a bin's value `total` after one more sample; `shares` are its weighted pixels."""
        if self.mode == "weighted_max":
            return reduce(te.maximum, shares, total)
        sample = reduce(lambda a, c: a + c, shares)
        return total + sample / count if self.mode == "avg" else te.maximum(total, sample)

    def reference(self, data: Array, rois: Array) -> Array:
        images = data.transpose(self._order).astype(np.float64)
        result = np.zeros((len(rois), images.shape[1], *self.pooled_size))
        for n, py, px in np.ndindex(len(rois), *self.pooled_size):
            image = images[exact_image(rois[n, 0], len(images))]
            sizes = image.shape[1:]
            positions, count = samples(self, rois[n], (py, px), sizes, aligned=self.aligned)
            values: list[Array] = []
            for y, x in positions:
                parts = np.array([w * image[:, r, k] for r, k, w in around(y, x, image.shape)])
                values.append(parts.max(0) if self.mode == "weighted_max" else parts.sum(0))
            if values:
                found = np.array(values)
                mean = found.sum(0) / count
                result[n, :, py, px] = mean if self.mode == "avg" else found.max(0)
        result = result if self.layout == "NCHW" else result.transpose(0, 2, 3, 1)
        return result.astype(data.dtype)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative by the images: each sample's share is added to its neighbours."""
        checks.attribute(
            self.name, self.mode == "avg", "mode 'max' has no derivative; mode 'avg' has one"
        )
        data, rois = call.args
        plain = in_layout(data, self.layout, "NCHW")
        given = in_layout(d_out, self.layout, "NCHW")
        op = RoiAlignGrad(self.pooled_size, self.spatial_scale, self.sample_ratio, self.aligned)
        return in_layout(Call(op, (given, rois, plain)), "NCHW", self.layout), None


@operator("vision.roi_align_grad")
class RoiAlignGrad(Aligning):
    """The derivative of `vision.roi_align` by images like `like`; mode `avg`, layout NCHW."""

    aligned: bool = False

    examples = (
        Example(
            "f32[3, 2, 3, 2]", "f32[3, 5]", "f32[2, 2, 7, 8]", pooled_size=(3, 2),
            spatial_scale=0.9, values={1: _ROIS},
        ),
    )  # fmt: skip

    def infer(self, d: TensorType, rois: TensorType, like: TensorType) -> TensorType:
        require_same_shape(self.name, "d", self.pooled(like, rois).shape, d.shape)
        checks.same_dtype(self.name, d, like)
        return like

    def compute(self, d: te.Tensor, rois: te.Tensor, like: te.Tensor) -> te.Tensor:
        shape = extents(like)

        def build(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
            b, (given, region), (out,) = te.LoopBuilder(), inputs, outputs
            fill(b, out, 0)
            with nest(b, d.shape) as (n, c, py, px):
                which = b.let(image_of(region[n, 0], shape[0]), "which")
                whole = b.let(given[n, c, py, px], "d")

                def visit(y: te.Scalar, x: te.Scalar, count: te.Scalar) -> None:
                    share = b.let(whole / count, "share")

                    for r, k, w in neighbours(b, y, x, shape[2:]):
                        b.store(out, (which, c, r, k), out[which, c, r, k] + share * w)

                self.each_sample(
                    b, lambda k: region[n, k], shape[2:], (py, px), visit, aligned=self.aligned
                )
            return b.finish()

        return te.loops([(shape, d.dtype)], [d, rois], build, "roi_align_grad")[0]

    def reference(self, d: Array, rois: Array, like: Array) -> Array:
        result = np.zeros(like.shape)
        for n, py, px in np.ndindex(len(rois), *self.pooled_size):
            image = result[exact_image(rois[n, 0], len(result))]
            sizes = image.shape[1:]
            positions, count = samples(self, rois[n], (py, px), sizes, aligned=self.aligned)
            for y, x in positions:
                for r, k, w in around(y, x, image.shape):
                    image[:, r, k] += d[n, :, py, px] * w / count
        return result.astype(like.dtype)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative by `d`: the regions of `d_out`, pooled."""
        op = RoiAlign(self.pooled_size, self.spatial_scale, self.sample_ratio, aligned=self.aligned)
        return Call(op, (d_out, call.args[1])), None, None


def samples(
    op: Aligning, roi: Array, at: tuple[int, int], sizes: Sequence[int], *, aligned: bool
) -> tuple[list[tuple[float, float]], float]:
    """Return the positions of a bin's samples near the image, and the number of all its samples.

    The size of a bin has the precision of `roi`, because it decides on the number of samples.
    """
    roi = at_least_single(roi)
    lines: list[list[float]] = []
    total = 1.0
    for axis, (place, pooled, size) in enumerate(zip(at, op.pooled_size, sizes, strict=True)):
        low, high = (roi[end - axis] * op.spatial_scale - 0.5 * aligned for end in (2, 4))
        part = (high - low if aligned else max(high - low, 1.0)) / pooled
        count = float(op.sample_ratio) if op.sample_ratio > 0 else float(np.ceil(part))
        total *= count
        first, step = float(low), float(part)
        lines.append(_near_positions(first + step * place, step, count, size))
    return [(y, x) for y in lines[0] for x in lines[1]], max(total, 1.0)


def _near_positions(low: float, part: float, count: float, size: int) -> list[float]:
    """Return the positions of those of `count` samples along one axis that are near the image."""
    if not (np.isfinite(low) and 0 <= part < np.inf and count > 0):
        return []
    step = part / count
    ends = [0, int(count)]
    if step > 0:
        ends = [int(np.clip((end - low) / step, -2, count + 2)) for end in (-1, size)]
    numbers = np.arange(max(ends[0] - 2, 0), min(ends[1] + 2, int(count)))
    positions = low + (numbers + 0.5) * step
    return positions[(positions >= -1) & (positions <= size)].tolist()


def around(y: float, x: float, shape: Sequence[int]) -> list[tuple[int, int, float]]:
    """Return the elements around a position in an image `(C, H, W)`, with their weights."""
    sides: list[list[tuple[int, float]]] = []
    for at, size in ((y, shape[1]), (x, shape[2])):
        inside = max(min(at, size - 1), 0.0)
        low = int(np.floor(inside))
        sides.append([(low, 1 - (inside - low)), (min(low + 1, size - 1), inside - low)])
    return [(r, k, up * left) for r, up in sides[0] for k, left in sides[1]]
