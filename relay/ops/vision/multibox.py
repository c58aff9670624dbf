"""Anchors and boxes of SSD: `vision.multibox_prior`, `vision.multibox_transform_loc`."""

from collections.abc import Sequence
from math import sqrt

import numpy as np

from relay.ir.dims import maximum, multiply
from relay.ir.expr import Array
from relay.ir.types import TensorType, TupleType
from relay.kernels import te
from relay.kernels.loops import Buffer, Stmt
from relay.kernels.scalar import lift
from relay.opdef import checks
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.families import FLOATS, extents
from relay.ops.tensor.loop_nests import fill
from relay.ops.tensor.nondifferentiable import Discrete
from relay.support.dtype import int32, int64
from relay.support.node import set_field


def floats(values: "float | Sequence[float]") -> tuple[float, ...]:
    """Return one or several numbers as a tuple of floats."""
    return tuple(map(float, values)) if isinstance(values, Sequence) else (float(values),)


@operator("vision.multibox_prior")
class MultiboxPrior(Discrete, OperatorDef):
    """Return boxes around every element of `(N, C, H, W)`: `(1, H · W · k, 4)` with corners.

    For each element there are k boxes: squares of each of `sizes` (heights as fractions of the
    image), and boxes of the first size with each of `ratios` (width by height) except the first.
    Centres are at `(i + offset) · step`, for `offsets` and `steps` in y and x; steps below 0 mean
    `1 / H` and `1 / W`. With `clip`, corners are limited to 0 and 1. The elements of the data are
    not read. Takes floats.
    """

    sizes: tuple[float, ...] = (1.0,)
    ratios: tuple[float, ...] = (1.0,)
    steps: tuple[float, ...] = (-1.0, -1.0)
    offsets: tuple[float, ...] = (0.5, 0.5)
    clip: bool = False

    examples = (
        Example("f32[1, 3, 3, 4]", sizes=(0.5, 0.25), ratios=(1.0, 2.0, 0.5)),
        Example("f64[2, 1, 2, 2]", sizes=0.9, steps=(0.6, 0.7), offsets=(0.2, 0.4), clip=True),
    )

    def __post_init__(self) -> None:
        for name in ("sizes", "ratios", "steps", "offsets"):
            set_field(self, name, floats(getattr(self, name)))
        set_field(self, "clip", bool(self.clip))
        fits = len(self.steps) == len(self.offsets) == 2
        checks.attribute(
            self.name, fits, "steps and offsets must have two numbers each, for y and x"
        )
        positive = bool(self.sizes and self.ratios) and min(self.ratios) > 0
        checks.attribute(
            self.name,
            positive,
            "sizes must have at least one size, and ratios at least one positive ratio",
        )

    def infer(self, data: TensorType) -> TensorType:
        checks.rank(self.name, "data", data, 4)
        checks.kind(self.name, "data", data, *FLOATS)
        count = multiply(multiply(data.shape[2], data.shape[3]), len(self._shapes))
        return TensorType((1, count, 4), data.dtype)

    @property
    def _shapes(self) -> list[tuple[float, float]]:
        """Return half the height and half the width of each box, in heights of the image."""
        same = [(size / 2, size / 2) for size in self.sizes]
        first, roots = self.sizes[0] / 2, map(sqrt, self.ratios[1:])
        return [*same, *((first / root, first * root) for root in roots)]

    def compute(self, data: te.Tensor) -> te.Tensor:
        height, width = extents(data)[2:]
        shapes, dtype = self._shapes, data.dtype
        tall, wide = (lift(maximum(size, 1), dtype) for size in (height, width))
        steps = [
            te.const(step, dtype) if step > 0 else 1.0 / size
            for step, size in zip(self.steps, (tall, wide), strict=True)
        ]

        def element(_: te.Scalar, box: te.Scalar, corner: te.Scalar) -> te.Scalar:
            which, at = box % len(shapes), box // len(shapes)
            half_y, half_x = (te.const(shapes[0][k], dtype) for k in (0, 1))
            for number, (y, x) in enumerate(shapes[1:], 1):
                half_y = te.select(te.equal(which, number), te.const(y, dtype), half_y)
                half_x = te.select(te.equal(which, number), te.const(x, dtype), half_x)
            y = (te.cast(at // maximum(width, 1), dtype) + self.offsets[0]) * steps[0]
            x = (te.cast(at % maximum(width, 1), dtype) + self.offsets[1]) * steps[1]
            is_x = te.equal(corner % 2, 0)
            centre = te.select(is_x, x, y)
            half = te.select(is_x, half_x * tall / wide, half_y)
            found = te.select(corner < 2, centre - half, centre + half)
            return te.maximum(te.minimum(found, 1.0), 0.0) if self.clip else found

        count = multiply(multiply(height, width), len(shapes))
        return te.compute((1, count, 4), element, name=self.name)

    def reference(self, data: Array) -> Array:
        height, width = data.shape[2:]
        down, right = (
            step if step > 0 else 1 / max(size, 1)
            for step, size in zip(self.steps, (height, width), strict=True)
        )
        rows: list[tuple[float, ...]] = []
        for i, j in np.ndindex(height, width):
            y, x = (i + self.offsets[0]) * down, (j + self.offsets[1]) * right
            for tall, wide in self._shapes:
                half = wide * height / width
                rows.append((x - half, y - tall, x + half, y + tall))
        found = np.array(rows).reshape(1, -1, 4)
        return (np.clip(found, 0, 1) if self.clip else found).astype(data.dtype)


@operator("vision.multibox_transform_loc")
class MultiboxTransformLoc(OperatorDef):
    """Convert predictions of SSD to rows `(class, score, x1, y1, x2, y2)` for the best class.

    `cls_prob` is `(N, classes, n)`, `loc_pred` is `(N, 4n)`, `anchor` is `(1, n, 4)`. Class 0 is
    the background: its rows, and rows with a score below `threshold`, are dropped, and the other
    classes are numbered from 0; with `keep_background` it is an ordinary class. Returns `(N, n, 6)`
    with the rows first, followed by -1, and the number of rows, int32 of `(N,)`. `variances` scale
    the predictions; with `clip`, corners are between 0 and 1. Takes floats.
    """

    clip: bool = True
    threshold: float = 0.01
    variances: tuple[float, ...] = (0.1, 0.1, 0.2, 0.2)
    keep_background: bool = False

    undifferentiable = "which rows it keeps depends on scores"
    examples = (
        Example("f32[2, 3, 5]", "f32[2, 20]", "f32[1, 5, 4]", domain=(0, 1), threshold=0.5),
        Example(
            "f32[1, 2, 3]", "f32[1, 12]", "f32[1, 3, 4]", domain=(0, 1), keep_background=True,
            clip=False,
        ),
    )  # fmt: skip

    def __post_init__(self) -> None:
        for name in ("clip", "keep_background"):
            set_field(self, name, bool(getattr(self, name)))
        set_field(self, "threshold", float(self.threshold))
        set_field(self, "variances", floats(self.variances))
        checks.attribute(self.name, len(self.variances) == 4, "variances must have four numbers")

    def infer(self, cls_prob: TensorType, loc_pred: TensorType, anchor: TensorType) -> TupleType:
        for name, ty, rank in (("cls_prob", cls_prob, 3), ("loc_pred", loc_pred, 2)):
            checks.rank(self.name, name, ty, rank)
        checks.rank(self.name, "anchor", anchor, 3)
        checks.same_dtype(self.name, cls_prob, loc_pred, anchor)
        checks.kind(self.name, "cls_prob", cls_prob, *FLOATS)
        batch, _, count = cls_prob.shape
        checks.size(self.name, "batch of loc_pred", batch, loc_pred.shape[0])
        checks.size(self.name, "length of loc_pred", multiply(count, 4), loc_pred.shape[1])
        for what, expected, found in zip(
            ("batch", "boxes", "corners"), (1, count, 4), anchor.shape, strict=True
        ):
            checks.size(self.name, f"{what} of anchor", expected, found)
        rows = TensorType((batch, count, 6), cls_prob.dtype)
        return TupleType((rows, TensorType((batch,), int32)))

    def compute(
        self, cls_prob: te.Tensor, loc_pred: te.Tensor, anchor: te.Tensor
    ) -> tuple[te.Tensor, ...]:
        batch, classes, count = extents(cls_prob)
        first = 0 if self.keep_background else 1

        def build(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
            b, (prob, loc, box), (rows, counts) = te.LoopBuilder(), inputs, outputs
            fill(b, rows, -1)
            with b.for_(batch, "n") as n:
                kept = b.cell(0, int64, "kept")
                with b.for_(count, "i") as i:
                    score = b.cell(te.const(-1, prob.dtype), prob.dtype, "score")
                    best = b.cell(-1, int64, "best")
                    classes_ = b.for_(lift(classes) - first, "j", start=first)
                    with classes_ as j, b.if_(prob[n, j, i] > score.value):
                        score.value = prob[n, j, i]
                        best.value = j - first
                    good = score.value >= te.const(self.threshold, prob.dtype)
                    with b.if_((best.value >= 0) & good):
                        head = te.cast(best.value, prob.dtype), score.value
                        corners = self._box(
                            [loc[n, i * 4 + k] for k in range(4)], [box[0, i, k] for k in range(4)]
                        )
                        for column, number in enumerate((*head, *corners)):
                            b.store(rows, (n, kept.value, column), number)
                        kept.value = kept.value + 1
                b.store(counts, (n,), te.cast(kept.value, int32))
            return b.finish()

        kinds = [((batch, count, 6), cls_prob.dtype), ((batch,), int32)]
        return te.loops(kinds, [cls_prob, loc_pred, anchor], build, "multibox_transform")

    def _box(self, loc: Sequence[te.Scalar], anchor: Sequence[te.Scalar]) -> list[te.Scalar]:
        """Return the corners of a box: its anchor, moved by the prediction."""
        low: list[te.Scalar] = []
        high: list[te.Scalar] = []
        for axis in (0, 1):
            size = anchor[axis + 2] - anchor[axis]
            middle = (anchor[axis + 2] + anchor[axis]) * 0.5
            centre = loc[axis] * self.variances[axis] * size + middle
            half = te.exp(loc[axis + 2] * self.variances[axis + 2]) * size * 0.5
            low.append(centre - half)
            high.append(centre + half)
        corners = [*low, *high]
        if self.clip:
            corners = [te.maximum(te.minimum(each, 1.0), 0.0) for each in corners]
        return corners

    def reference(self, cls_prob: Array, loc_pred: Array, anchor: Array) -> tuple[Array, Array]:
        first = 0 if self.keep_background else 1
        batch, _, count = cls_prob.shape
        rows = np.full((batch, count, 6), -1.0)
        counts = np.zeros(batch, np.int32)
        scales = np.array(self.variances)
        for n, i in np.ndindex(batch, count):
            scores = cls_prob[n, first:, i]
            if not len(scores) or scores.max() < self.threshold:
                continue
            a, p = anchor[0, i].astype(np.float64), loc_pred[n, i * 4 : i * 4 + 4] * scales
            size = a[2:] - a[:2]
            centre, half = p[:2] * size + (a[:2] + a[2:]) / 2, np.exp(p[2:]) * size / 2
            corners = np.concatenate([centre - half, centre + half])
            corners = np.clip(corners, 0, 1) if self.clip else corners
            rows[n, counts[n]] = [scores.argmax(), scores.max(), *corners]
            counts[n] += 1
        return rows.astype(cls_prob.dtype), counts
