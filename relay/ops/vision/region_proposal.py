"""The operator `vision.proposal`, which selects regions of a region proposal network."""

from collections.abc import Sequence
from math import floor, sqrt

import numpy as np

from relay.ir.dims import multiply
from relay.ir.expr import Array
from relay.ir.types import TensorType
from relay.kernels import te
from relay.kernels.loops import Buffer, Stmt
from relay.opdef import checks
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.families import FLOATS, extents
from relay.ops.tensor.sort_kernel import SortedLine, sort_line
from relay.ops.vision.multibox import floats
from relay.support.dtype import int64
from relay.support.node import set_field

Corners = tuple[te.Scalar, te.Scalar, te.Scalar, te.Scalar]

_DROPPED = -1.0
"""The score of boxes that are outside of the image or too small."""


@operator("vision.proposal")
class Proposal(OperatorDef):
    """Return the best boxes of a region proposal network: rows `(image, x1, y1, x2, y2)`.

    `cls_prob` is `(N, 2A, H, W)`: for A anchors the scores of background, then of objects;
    `bbox_pred` is `(N, 4A, H, W)`, and `im_info` has height, width and scale of each image, `(N,
    3)`. The A anchors have each of `scales` for each of `ratios` (height by width), in steps of
    `feature_stride`. Boxes are moved by the predictions (added to corners with `iou_loss`,
    otherwise relative to the centre and the size), clipped to the image, and ordered by score,
    where boxes below `rpn_min_size` come last. Of the first `rpn_pre_nms_top_n` (all, if it is not
    positive), those are dropped that overlap a better one by more than `threshold` of their union.
    Returns `rpn_post_nms_top_n` rows for each image; if fewer are left, they repeat. Takes floats.
    """

    scales: tuple[float, ...] = (4.0, 8.0, 16.0, 32.0)
    ratios: tuple[float, ...] = (0.5, 1.0, 2.0)
    feature_stride: int = 16
    threshold: float = 0.7
    rpn_pre_nms_top_n: int = 6000
    rpn_post_nms_top_n: int = 300
    rpn_min_size: int = 16
    iou_loss: bool = False

    undifferentiable = "which boxes it keeps depends on scores"
    examples = (
        Example(
            "f32[2, 4, 3, 4]", "f32[2, 8, 3, 4]", "f32[2, 3]", domain=(-0.5, 0.5),
            values={2: [[40, 60, 1], [30, 64, 2]]}, scales=(1, 2), ratios=1, threshold=0.3,
            rpn_pre_nms_top_n=12, rpn_post_nms_top_n=6, rpn_min_size=4,
        ),
        Example(
            "f64[1, 4, 2, 3]", "f64[1, 8, 2, 3]", "f64[1, 3]", domain=(-2.0, 2.0),
            values={2: [[20, 30, 1]]}, scales=1, ratios=(0.5, 2), feature_stride=8, iou_loss=True,
            rpn_pre_nms_top_n=0, rpn_post_nms_top_n=20, rpn_min_size=2,
        ),
    )  # fmt: skip

    def __post_init__(self) -> None:
        for name in ("scales", "ratios"):
            set_field(self, name, floats(getattr(self, name)))
        for name in ("feature_stride", "rpn_pre_nms_top_n", "rpn_post_nms_top_n", "rpn_min_size"):
            set_field(self, name, int(getattr(self, name)))
        set_field(self, "threshold", float(self.threshold))
        set_field(self, "iou_loss", bool(self.iou_loss))
        positive = bool(self.scales and self.ratios) and min(*self.scales, *self.ratios) > 0
        checks.attribute(
            self.name, positive, ("at least one positive scale and one positive ratio are needed")
        )
        for name in ("feature_stride", "rpn_post_nms_top_n"):
            checks.attribute(self.name, getattr(self, name) > 0, f"{name} must be positive")

    def infer(self, cls_prob: TensorType, bbox_pred: TensorType, im_info: TensorType) -> TensorType:
        given = (("cls_prob", cls_prob, 4), ("bbox_pred", bbox_pred, 4), ("im_info", im_info, 2))
        for name, ty, rank in given:
            checks.rank(self.name, name, ty, rank)
        checks.kind(self.name, "cls_prob", cls_prob, *FLOATS)
        checks.same_dtype(self.name, cls_prob, bbox_pred, im_info)
        batch, channels, height, width = cls_prob.shape
        anchors = len(self.scales) * len(self.ratios)
        checks.size(self.name, "channels of cls_prob", 2 * anchors, channels)
        wanted = (batch, 4 * anchors, height, width)
        for what, expected, found in zip(
            ("batch", "channels", "height", "width"), wanted, bbox_pred.shape, strict=True
        ):
            checks.size(self.name, f"{what} of bbox_pred", expected, found)
        for what, expected, found in zip(
            ("batch", "numbers"), (batch, 3), im_info.shape, strict=True
        ):
            checks.size(self.name, f"{what} of im_info", expected, found)
        rows = multiply(batch, self.rpn_post_nms_top_n)
        return TensorType((rows, 5), cls_prob.dtype)

    @property
    def anchors(self) -> list[tuple[float, float, float, float]]:
        """Return the corners of the anchors at the first position, in pixels."""
        base = float(self.feature_stride)
        centre = (base - 1) / 2
        found: list[tuple[float, float, float, float]] = []
        for ratio in self.ratios:
            width = floor(sqrt(floor(base * base / ratio)) + 0.5)
            height = floor(width * ratio + 0.5)
            for scale in self.scales:
                x, y = (width * scale - 1) / 2, (height * scale - 1) / 2
                found.append((centre - x, centre - y, centre + x, centre + y))
        return found

    def compute(self, cls_prob: te.Tensor, bbox_pred: te.Tensor, im_info: te.Tensor) -> te.Tensor:
        batch, _, height, width = extents(cls_prob)
        anchors, dtype = self.anchors, cls_prob.dtype
        count = multiply(multiply(height, width), len(anchors))

        def build(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
            b, (prob, moves, info), (rows,) = te.LoopBuilder(), inputs, outputs
            table = b.scratch((len(anchors), 4), dtype, "anchors")
            for k, corners in enumerate(anchors):
                for j, corner in enumerate(corners):
                    b.store(table, (k, j), te.const(corner, dtype))
            with b.for_(batch, "n") as n:
                boxes = b.scratch((count, 4), dtype, "boxes")
                scores = b.scratch((count,), dtype, "scores")
                with (
                    b.for_(height, "y") as y,
                    b.for_(width, "x") as x,
                    b.for_(len(anchors), "k") as k,
                ):
                    at = b.let((y * width + x) * len(anchors) + k, "at")
                    box, score = self._moved(b, (prob, moves, info, table), (n, y, x, k))
                    for j, corner in enumerate(box):
                        b.store(boxes, (at, j), corner)
                    b.store(scores, (at,), score)
                line = sort_line(b, lambda t: scores[t], count, dtype, ascending=False)
                self._keep(b, boxes, line, rows, n)
            return b.finish()

        kinds = [((multiply(batch, self.rpn_post_nms_top_n), 5), dtype)]
        return te.loops(kinds, [cls_prob, bbox_pred, im_info], build, "proposal")[0]

    def _moved(
        self, b: te.LoopBuilder, read: Sequence[Buffer], place: Sequence[te.Scalar]
    ) -> tuple[Corners, te.Scalar]:
        """Return the box of an anchor at a position, moved by the prediction, and its score."""
        (prob, moves, info, table), (n, y, x, k) = read, place
        dtype, stride = prob.dtype, self.feature_stride
        offsets = [te.cast(at * stride, dtype) for at in (x, y, x, y)]
        anchor = [b.let(table[k, j] + offset) for j, offset in enumerate(offsets)]
        delta = [moves[n, k * 4 + j, y, x] for j in range(4)]
        low, high = list[te.Scalar](), list[te.Scalar]()
        for axis in (0, 1):
            start, end = self._side(anchor[axis], anchor[axis + 2], delta[axis], delta[axis + 2])
            last = info[n, 1 - axis] - 1.0
            low.append(b.let(te.maximum(te.minimum(start, last), 0.0)))
            high.append(b.let(te.maximum(te.minimum(end, last), 0.0)))
        least = b.let(info[n, 2] * float(self.rpn_min_size), "least")
        inside = (te.cast(y, dtype) < te.floor(info[n, 0] / float(stride))) & (
            te.cast(x, dtype) < te.floor(info[n, 1] / float(stride))
        )
        sides = [end - start + 1.0 for start, end in zip(low, high, strict=True)]
        small = b.let((sides[0] < least) | (sides[1] < least), "small")
        half = te.select(small, least * 0.5, te.const(0.0, dtype))
        dropped = te.const(_DROPPED, dtype)
        score = te.select(inside & ~small, prob[n, len(self.anchors) + k, y, x], dropped)
        return (low[0] - half, low[1] - half, high[0] + half, high[1] + half), score

    def _side(
        self, low: te.Scalar, high: te.Scalar, first: te.Scalar, second: te.Scalar
    ) -> tuple[te.Scalar, te.Scalar]:
        """Return both ends of a box along one axis: `low` and `high`, moved by two predictions."""
        if self.iou_loss:
            return low + first, high + second
        size = high - low + 1.0
        centre = first * size + (low + (size - 1.0) * 0.5)
        half = (te.exp(second) * size - 1.0) * 0.5
        return centre - half, centre + half

    def _keep(
        self, b: te.LoopBuilder, boxes: Buffer, line: SortedLine, rows: Buffer, n: te.Scalar
    ) -> None:
        """Store, for image `n`, the best boxes that no better one overlaps.

        `line` has the order of `boxes` by score, and `rows` gets the result; if there are too few
        boxes, they repeat.
        """
        room, count = self.rpn_post_nms_top_n, boxes.shape[0]
        most = count if self.rpn_pre_nms_top_n <= 0 else te.minimum(count, self.rpn_pre_nms_top_n)
        kept = b.scratch((room,), int64, "kept")
        b.store(kept, (0,), 0)
        total = b.cell(0, int64, "total")
        with b.for_(most, "t") as t, b.if_(total.value < room):
            box = b.let(line.place(t), "box")
            keep = b.cell(1, int64, "keep")
            with b.for_(total.value, "other") as other:
                shared = _overlap(boxes, box, b.let(kept[other], "better"))
                with b.if_(shared > te.const(self.threshold, boxes.dtype)):
                    keep.value = 0
            with b.if_(te.equal(keep.value, 1)):
                b.store(kept, (total.value,), box)
                total.value = total.value + 1
        with b.for_(room, "t") as t:
            row = n * room + t
            source = b.let(kept[t % te.maximum(total.value, 1)], "source")
            b.store(rows, (row, 0), te.cast(n, rows.dtype))
            with b.for_(4, "j") as j:
                zero = te.const(0.0, rows.dtype)
                b.store(rows, (row, j + 1), te.select(total.value > 0, boxes[source, j], zero))

    def reference(self, cls_prob: Array, bbox_pred: Array, im_info: Array) -> Array:
        anchors, stride = np.array(self.anchors), self.feature_stride
        batch, _, height, width = cls_prob.shape
        y, x = np.mgrid[:height, :width]
        grid = np.stack([x, y, x, y], -1)[:, :, None] * stride + anchors
        result = np.zeros((batch, self.rpn_post_nms_top_n, 5))
        result[:, :, 0] = np.arange(batch)[:, None]
        for n in range(batch):
            tall, wide, scale = (float(each) for each in im_info[n])
            moves = bbox_pred[n].reshape(-1, 4, height, width).transpose(2, 3, 0, 1)
            boxes = self._predicted(grid, moves).clip(0, np.array([wide - 1, tall - 1] * 2))
            scores = cls_prob[n, len(anchors) :].transpose(1, 2, 0).astype(np.float64)
            least = self.rpn_min_size * scale
            sides = boxes[..., 2:] - boxes[..., :2] + 1
            small: Array = np.min(sides, -1, keepdims=True) < least
            boxes = boxes + small * np.array([-1, -1, 1, 1]) * least / 2
            outside: Array = (y >= tall // stride) | (x >= wide // stride)
            scores[small[..., 0] | np.expand_dims(outside, -1)] = _DROPPED
            kept = self._kept(boxes.reshape(-1, 4), scores.reshape(-1))
            if kept:
                chosen = [kept[t % len(kept)] for t in range(self.rpn_post_nms_top_n)]
                result[n, :, 1:] = boxes.reshape(-1, 4)[chosen]
        return result.reshape(-1, 5).astype(cls_prob.dtype)

    def _predicted(self, grid: Array, moves: Array) -> Array:
        """Return the anchors, moved by the predictions, by NumPy."""
        if self.iou_loss:
            return grid + moves
        size = grid[..., 2:] - grid[..., :2] + 1
        centre = moves[..., :2] * size + grid[..., :2] + (size - 1) / 2
        half = (np.exp(moves[..., 2:].astype(np.float64)) * size - 1) / 2
        return np.concatenate([centre - half, centre + half], -1)

    def _kept(self, boxes: Array, scores: Array) -> list[int]:
        """Return the indices of the boxes that no better one overlaps, the best first, by NumPy."""
        order = np.argsort(-scores, kind="stable").tolist()
        if self.rpn_pre_nms_top_n > 0:
            order = order[: self.rpn_pre_nms_top_n]
        kept: list[int] = []
        for place in order:
            rivals = boxes[kept]
            low = np.maximum(rivals[:, :2], boxes[place, :2])
            high = np.minimum(rivals[:, 2:], boxes[place, 2:])
            shared = np.prod(np.maximum(high - low + 1, 0), -1)
            union = _areas(rivals) + _areas(boxes[[place]]) - shared
            clear = bool(np.all(shared / union <= self.threshold))
            if clear and len(kept) < self.rpn_post_nms_top_n:
                kept.append(place)
        return kept


def _areas(boxes: Array) -> Array:
    return np.prod(boxes[:, 2:] - boxes[:, :2] + 1, -1)


def _overlap(boxes: Buffer, a: te.Scalar, c: te.Scalar) -> te.Scalar:
    """Return the intersection over union of two boxes that consist of whole pixels."""
    shared, one, other = (te.const(1.0, boxes.dtype) for _ in range(3))
    for axis in (0, 1):
        low = te.maximum(boxes[a, axis], boxes[c, axis])
        high = te.minimum(boxes[a, axis + 2], boxes[c, axis + 2])
        shared = shared * te.maximum(high - low + 1.0, 0.0)
        one = one * (boxes[a, axis + 2] - boxes[a, axis] + 1.0)
        other = other * (boxes[c, axis + 2] - boxes[c, axis] + 1.0)
    return shared / (one + other - shared)
