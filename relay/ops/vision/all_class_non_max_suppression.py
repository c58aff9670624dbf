"""The operator `vision.all_class_non_max_suppression`, which selects boxes for each class."""

import numpy as np

from relay.ir.dims import Dim
from relay.ir.expr import Array
from relay.ir.types import TensorType, TupleType
from relay.kernels import te
from relay.kernels.loops import Buffer, Stmt
from relay.kernels.te.hand_written_loops import Cell
from relay.opdef import checks
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.families import FLOATS, extents
from relay.ops.tensor.dim_arithmetic import require_integer
from relay.ops.tensor.heap_kernel import Heap
from relay.ops.tensor.loop_nests import fill
from relay.ops.tensor.nondifferentiable import Discrete
from relay.ops.vision.box_selection import exact_overlap
from relay.ops.vision.chosen_boxes import ChosenBoxes, sides
from relay.support.dtype import int64


@operator("vision.all_class_non_max_suppression")
class AllClassNonMaxSuppression(Discrete):
    """Select boxes for every class of every image, as ONNX does.

    `boxes` is `(batch, n, 4)` with two opposite corners `y, x, y, x`, `scores` is `(batch, classes,
    n)`; the other arguments, numbers of rank 0, are limits of the boxes for each class (below 0: no
    limit), of the overlap and of the score. The result is the rows `(batch, class, box)`, padded
    with -1 to `batch * classes * n` of them, and the number of valid rows, both int64. With the
    `output_format` "tensorflow" it is, for each image, the rows `(class, box)`, their scores
    (padded with 0), and the number of valid rows: `(batch, classes * n, 2)`, `(batch, classes *
    n)`, `(batch,)`.
    """

    output_format: str = "onnx"

    examples = (
        Example(
            "f32[1, 6, 4]", "f32[1, 2, 6]", "i64[]", "f32[]", "f32[]",
            domain=(0.0, 1.0), values={2: 2, 3: 0.3, 4: 0.2},
        ),
        Example(
            "f32[2, 5, 4]", "f32[2, 1, 5]", "i64[]", "f32[]", "f32[]",
            domain=(0.0, 1.0), values={2: -1, 3: 0.0, 4: -1.0},
        ),
        Example(
            "f32[2, 5, 4]", "f32[2, 2, 5]", "i64[]", "f32[]", "f32[]",
            domain=(0.0, 1.0), values={2: 3, 3: 0.1, 4: 0.1}, output_format="tensorflow",
        ),
    )  # fmt: skip

    def __post_init__(self) -> None:
        known = self.output_format in ("onnx", "tensorflow")
        said = f"output_format must be 'onnx' or 'tensorflow', not '{self.output_format}'"
        checks.attribute(self.name, known, said)

    def infer(
        self,
        boxes: TensorType,
        scores: TensorType,
        max_output_boxes_per_class: TensorType,
        iou_threshold: TensorType,
        score_threshold: TensorType,
    ) -> TupleType:
        checks.rank(self.name, "boxes", boxes, 3)
        checks.rank(self.name, "scores", scores, 3)
        checks.same_dtype(self.name, boxes, scores, iou_threshold, score_threshold)
        checks.kind(self.name, "boxes", boxes, *FLOATS)
        require_integer(self.name, "max_output_boxes_per_class", max_output_boxes_per_class)
        for number in (max_output_boxes_per_class, iou_threshold, score_threshold):
            checks.rank(self.name, "a bound", number, 0)
        checks.size(self.name, "batch", boxes.shape[0], scores.shape[0])
        checks.size(self.name, "boxes", boxes.shape[1], scores.shape[2])
        checks.size(self.name, "coordinates", 4, boxes.shape[2])
        batch, classes, n = scores.shape
        if self.output_format == "onnx":
            rows = TensorType((batch * classes * n, 3), int64)
            return TupleType((rows, TensorType((1,), int64)))
        rows = TensorType((batch, classes * n, 2), int64)
        listed = TensorType((batch, classes * n), scores.dtype)
        return TupleType((rows, listed, TensorType((batch,), int64)))

    def compute(self, *inputs: te.Tensor) -> tuple[te.Tensor, ...]:
        batch, classes, n = extents(inputs[1])
        per_image, scored = self.output_format != "onnx", inputs[1].dtype
        kinds = [((batch * classes * n, 3), int64), ((1,), int64)]
        if per_image:
            whole = (batch, classes * n)
            kinds = [((*whole, 2), int64), ((batch,), int64), (whole, scored)]

        def build(read: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
            b = te.LoopBuilder()
            fill(b, outputs[0], -1)
            for scores in outputs[2:]:
                fill(b, scores, 0)
            total = b.cell(0, int64, "total")
            with b.for_(batch, "image") as image:
                if per_image:
                    total.value = 0
                with b.for_(classes, "class") as kind:
                    _choose(b, read, outputs, total, (image, kind, n))
                if per_image:
                    b.store(outputs[1], (image,), total.value)
            if not per_image:
                b.store(outputs[1], (0,), total.value)
            return b.finish()

        found = te.loops(kinds, inputs, build, "non_max_suppression")
        return (found[0], found[2], found[1]) if per_image else found

    def reference(self, *arrays: Array) -> tuple[Array, ...]:
        boxes, scores = (array.astype(np.float64) for array in arrays[:2])
        limit, overlap, least = (float(array) for array in arrays[2:])
        chosen: list[tuple[int, int, int]] = []
        for image, kind in np.ndindex(*scores.shape[:2]):
            found: list[int] = []
            for box in np.argsort(-scores[image, kind], kind="stable").tolist():
                fits = limit < 0 or len(found) < limit
                if (
                    fits
                    and scores[image, kind, box] > least
                    and all(
                        exact_overlap(boxes[image, box], boxes[image, one]) <= overlap
                        for one in found
                    )
                ):
                    found.append(box)
            chosen += [(image, kind, box) for box in found]
        if self.output_format == "tensorflow":
            return _by_image(chosen, arrays[1])
        rows = np.full((scores.size, 3), -1, np.int64)
        rows[: len(chosen)] = np.array(chosen, np.int64).reshape(-1, 3)
        return rows, np.array([len(chosen)], np.int64)


def _by_image(chosen: list[tuple[int, int, int]], scores: Array) -> tuple[Array, ...]:
    """Return the selected rows of each image, their scores, and their number, by NumPy."""
    batch, room = len(scores), scores.shape[1] * scores.shape[2]
    rows, listed = np.full((batch, room, 2), -1, np.int64), np.zeros((batch, room), scores.dtype)
    counts = np.zeros(batch, np.int64)
    for image, kind, box in chosen:
        rows[image, counts[image]] = kind, box
        listed[image, counts[image]] = scores[image, kind, box]
        counts[image] += 1
    return rows, listed, counts


def _choose(
    b: te.LoopBuilder,
    read: tuple[Buffer, ...],
    outputs: tuple[Buffer, ...],
    total: Cell,
    where: tuple[te.Scalar, te.Scalar, Dim],
) -> None:
    """Select boxes of one class, the best first; drop those that overlap a selected one.

    `where` has the image, the class, and the number of boxes; `total` counts the selected boxes.
    """
    (image, kind, n), (boxes, _, limit, overlap, _), rows = where, read, outputs[0]

    def row(place: te.Scalar) -> tuple[te.Scalar, ...]:
        return (image, place) if outputs[2:] else (place,)

    heap, left = _good_boxes(b, read, (image, kind, n))
    chosen = ChosenBoxes(b, n, boxes.dtype)
    count = b.let(te.cast(limit[()], int64), "count")
    with b.while_((left.value > 0) & ((count < 0) | (chosen.count.value < count))):
        score, box = b.let(heap.keys[0], "score"), b.let(heap.places[0], "box")
        heap.pop(left)
        found = sides(b, boxes, (image, box), boxes.dtype)
        with b.if_(~chosen.overlaps(found, overlap[()])):
            chosen.add(found)
            named = (kind, box) if outputs[2:] else (image, kind, box)
            for column, index in enumerate(named):
                b.store(rows, (*row(total.value), column), index)
            for scores in outputs[2:]:
                b.store(scores, (image, total.value), score)
            total.value = total.value + 1


def _good_boxes(
    b: te.LoopBuilder, read: tuple[Buffer, ...], where: tuple[te.Scalar, te.Scalar, Dim]
) -> tuple[Heap, Cell]:
    """Return a heap of the boxes of one class whose score is above the limit, and their number."""
    (image, kind, n), scores, least = where, read[1], read[4]
    keys, places = b.scratch((n,), scores.dtype, "keys"), b.scratch((n,), int64, "places")

    def is_better(a: te.Scalar, c: te.Scalar) -> te.Scalar:
        earlier = te.equal(keys[a], keys[c]) & (places[a] < places[c])
        return (keys[a] > keys[c]) | earlier

    left = b.cell(0, int64, "left")
    with b.for_(n, "t") as t:
        score = b.let(scores[image, kind, t], "score")
        with b.if_(score > least[()]):
            b.store(keys, (left.value,), score)
            b.store(places, (left.value,), t)
            left.value = left.value + 1
    heap = Heap(b, keys, places, is_better)
    heap.make(left.value)
    return heap, left
