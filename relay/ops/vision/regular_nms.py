"""The operator `vision.regular_non_max_suppression`, the non-maximum suppression of TFLite."""

import numpy as np

from relay.ir.expr import Array
from relay.ir.types import TensorType, TupleType
from relay.kernels import te
from relay.kernels.loops import Buffer, Stmt
from relay.opdef import checks
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.families import FLOATS, extents
from relay.ops.tensor.loop_nests import fill
from relay.ops.tensor.sort_kernel import sort_line
from relay.ops.vision.box_selection import exact_overlap
from relay.ops.vision.chosen_boxes import ChosenBoxes, at_least_float32, sides
from relay.support.dtype import int32, int64
from relay.support.node import set_field


@operator("vision.regular_non_max_suppression")
class RegularNonMaxSuppression(OperatorDef):
    """Keep the best boxes of each class, and of these the `max_detections` with the best scores.

    `boxes` is `(N, n, 4)` with opposite corners, `scores` is `(N, n, classes)`, of which the last
    `num_classes` count. Boxes of one class that overlap by more than `iou_threshold` of their
    union, boxes whose score is below `score_threshold`, and boxes after the first
    `max_detections_per_class` are dropped. Returns the boxes, their classes and their scores,
    padded with zeros, and their number, int32 of `(N,)`. Takes floats.
    """

    max_detections_per_class: int
    max_detections: int
    num_classes: int
    iou_threshold: float
    score_threshold: float

    undifferentiable = "which boxes it keeps depends on scores"
    examples = (
        Example(
            "f32[2, 5, 4]", "f32[2, 5, 3]", domain=(0.0, 1.0), max_detections_per_class=3,
            max_detections=4, num_classes=2, iou_threshold=0.2, score_threshold=0.3,
        ),
    )  # fmt: skip

    def __post_init__(self) -> None:
        for name in ("max_detections_per_class", "max_detections", "num_classes"):
            set_field(self, name, int(getattr(self, name)))
            positive = getattr(self, name) > 0
            checks.attribute(self.name, positive, f"{name} must be positive")
        for name in ("iou_threshold", "score_threshold"):
            set_field(self, name, float(getattr(self, name)))

    def infer(self, boxes: TensorType, scores: TensorType) -> TupleType:
        for name, ty in (("boxes", boxes), ("scores", scores)):
            checks.rank(self.name, name, ty, 3)
        checks.kind(self.name, "boxes", boxes, *FLOATS)
        checks.same_dtype(self.name, boxes, scores)
        checks.size(self.name, "batch", boxes.shape[0], scores.shape[0])
        checks.size(self.name, "boxes", boxes.shape[1], scores.shape[1])
        checks.size(self.name, "coordinates", 4, boxes.shape[2])
        said = "data has {size} classes, but {index} are requested"
        checks.enough(self.name, scores.shape[2], self.num_classes, said)
        kept = TensorType((boxes.shape[0], self.max_detections), boxes.dtype)
        rows = TensorType((*kept.shape, 4), boxes.dtype)
        return TupleType((rows, kept, kept, TensorType(boxes.shape[:1], int32)))

    def compute(self, boxes: te.Tensor, scores: te.Tensor) -> tuple[te.Tensor, ...]:
        batch, count, classes = extents(scores)
        room = (batch, self.max_detections)
        most, wide = count * self.num_classes, at_least_float32(boxes.dtype)
        limit = te.const(self.iou_threshold, wide)

        def build(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
            b, (box, score) = te.LoopBuilder(), inputs
            for out in outputs[:3]:
                fill(b, out, 0)
            with b.for_(batch, "image") as n:
                found = b.scratch((most,), score.dtype, "found")
                names = b.scratch((most, 2), int64, "names")
                total = b.cell(0, int64, "total")
                with b.for_(self.num_classes, "class") as kind:
                    column = kind + (classes - self.num_classes)
                    line = sort_line(
                        b, lambda t: score[n, t, column], count, score.dtype, ascending=False
                    )
                    chosen = ChosenBoxes(b, count, wide)
                    with b.for_(count, "t") as t:
                        place = b.let(line.place(t), "place")
                        room_left = chosen.count.value < self.max_detections_per_class
                        good = line.key(t) >= te.const(self.score_threshold, score.dtype)
                        each = sides(b, box, (n, place), wide)
                        with b.if_(room_left & good), b.if_(~chosen.overlaps(each, limit)):
                            chosen.add(each)
                            b.store(found, (total.value,), line.key(t))
                            b.store(names, (total.value, 0), place)
                            b.store(names, (total.value, 1), kind)
                            total.value = total.value + 1
                self._best(b, box, outputs, n, found, names, total.value)
            return b.finish()

        dtype = boxes.dtype
        kinds = [((*room, 4), dtype), (room, dtype), (room, dtype), ((batch,), int32)]
        return te.loops(kinds, [boxes, scores], build, "regular_non_max_suppression")

    def _best(
        self, b: te.LoopBuilder, box: Buffer, outputs: tuple[Buffer, ...], n: te.Scalar,
        found: Buffer, names: Buffer, total: te.Scalar,
    ) -> None:  # fmt: skip
        """Store the detections of image `n` with the best scores of all classes.

        `found` has the scores of the `total` candidates, and `names` their boxes and classes.
        """
        size = found.shape[0]
        low = te.const(-np.inf, found.dtype)
        line = sort_line(
            b, lambda t: te.select(t < total, found[t], low), size, found.dtype, ascending=False
        )
        count = b.let(te.minimum(total, self.max_detections), "count")
        with b.for_(count, "t") as t:
            place = b.let(line.place(t), "place")
            with b.for_(4, "k") as k:
                b.store(outputs[0], (n, t, k), box[n, names[place, 0], k])
            b.store(outputs[1], (n, t), te.cast(names[place, 1], found.dtype))
            b.store(outputs[2], (n, t), line.key(t))
        b.store(outputs[3], (n,), te.cast(count, int32))

    def reference(self, boxes: Array, scores: Array) -> tuple[Array, ...]:
        room = (len(boxes), self.max_detections)
        rows, counts = np.zeros((*room, 4), boxes.dtype), np.zeros(len(boxes), np.int32)
        kinds, listed = np.zeros(room, boxes.dtype), np.zeros(room, boxes.dtype)
        for n, image in enumerate(scores):
            found: list[tuple[float, int, int]] = []
            for kind, column in enumerate(image[:, -self.num_classes :].T):
                kept: list[int] = []
                for box in np.argsort(-column, kind="stable").tolist():
                    shared = [exact_overlap(boxes[n, box], boxes[n, one]) for one in kept]
                    good = column[box] >= np.asarray(self.score_threshold, column.dtype)
                    clear = max(shared, default=-1.0) <= self.iou_threshold
                    if good and clear and len(kept) < self.max_detections_per_class:
                        kept.append(box)
                found += [(column[box], box, kind) for box in kept]
            best = sorted(found, key=lambda each: -each[0])[: self.max_detections]
            counts[n] = len(best)
            for t, (score, box, kind) in enumerate(best):
                rows[n, t], kinds[n, t], listed[n, t] = boxes[n, box], kind, score
        return rows, kinds, listed, counts
