"""Selection of boxes by score: `vision.get_valid_counts`, `vision.non_max_suppression`.

A box is a row of numbers: a score, four coordinates, and optionally a class. Attributes determine
their positions in the row.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from relay.ir.expr import Array
from relay.ir.types import TensorType, TupleType, Type
from relay.kernels import te
from relay.kernels.loops import Buffer, Stmt
from relay.kernels.te.hand_written_loops import Cell
from relay.opdef import checks
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.families import FLOATS, extents
from relay.ops.tensor.dim_arithmetic import require_integer
from relay.ops.tensor.loop_nests import fill
from relay.ops.tensor.sort_kernel import sort_line
from relay.ops.vision.chosen_boxes import at_least_float32, overlap, sides
from relay.support.dtype import int32, int64
from relay.support.node import set_field

_SELECTION = "which rows it keeps depends on scores"


def _require_column(operator_: str, name: str, index: int, data: TensorType, low: int) -> None:
    """Require rows of `data` to have the column `index`, which must be at least `low`.

    If sizes are symbolic, this is checked at run time. `name` is the attribute with the index.
    """
    checks.attribute(operator_, low <= index, f"{name} is {index}, but must be at least {low}")
    said = f"{name} is {index}, but a row of data has only {{size}} columns"
    checks.enough(operator_, data.shape[2], index + 1, said)


@operator("vision.get_valid_counts")
class GetValidCounts(OperatorDef):
    """Move the rows of `(N, n, k)` whose score is above `score_threshold` to the front.

    A row also needs a nonnegative class, unless `id_index` is -1. Returns the number of rows of
    each image, int32 of `(N,)`, the rows followed by -1, and the index of each row, int32 of `(N,
    n)`, followed by -1. The threshold has rank 0. Takes floats.
    """

    id_index: int = 0
    score_index: int = 1

    undifferentiable = _SELECTION
    examples = (
        Example("f32[2, 5, 6]", "f32[]", values={1: 0.1}),
        Example("f64[1, 4, 5]", "f64[]", id_index=-1, score_index=0, values={1: 0.0}),
    )

    def infer(self, data: TensorType, score_threshold: TensorType) -> TupleType:
        checks.rank(self.name, "data", data, 3)
        checks.rank(self.name, "score_threshold", score_threshold, 0)
        checks.kind(self.name, "data", data, *FLOATS)
        checks.same_dtype(self.name, data, score_threshold)
        _require_column(self.name, "id_index", self.id_index, data, -1)
        _require_column(self.name, "score_index", self.score_index, data, 0)
        counts = TensorType(data.shape[:1], int32)
        return TupleType((counts, data, TensorType(data.shape[:2], int32)))

    def compute(self, data: te.Tensor, score_threshold: te.Tensor) -> tuple[te.Tensor, ...]:
        batch, count, width = extents(data)

        def build(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
            b, (rows, least), (counts, out, places) = te.LoopBuilder(), inputs, outputs
            fill(b, out, -1)
            fill(b, places, -1)
            with b.for_(batch, "n") as n:
                kept = b.cell(0, int64, "kept")
                with b.for_(count, "i") as i:
                    valid = rows[n, i, self.score_index] > least[()]
                    if self.id_index >= 0:
                        valid = valid & (rows[n, i, self.id_index] >= 0.0)
                    with b.if_(valid):
                        with b.for_(width, "k") as k:
                            b.store(out, (n, kept.value, k), rows[n, i, k])
                        b.store(places, (n, kept.value), te.cast(i, int32))
                        kept.value = kept.value + 1
                b.store(counts, (n,), te.cast(kept.value, int32))
            return b.finish()

        kinds = [((batch,), int32), (data.shape, data.dtype), ((batch, count), int32)]
        return te.loops(kinds, [data, score_threshold], build, "get_valid_counts")

    def reference(self, data: Array, score_threshold: Array) -> tuple[Array, ...]:
        valid = data[..., self.score_index] > score_threshold
        if self.id_index >= 0:
            valid &= data[..., self.id_index] >= 0
        rows, places = np.full_like(data, -1), np.full(data.shape[:2], -1, np.int32)
        for n, keep in enumerate(valid):
            found = np.flatnonzero(keep)
            rows[n, : len(found)] = data[n, found]
            places[n, : len(found)] = found
        return valid.sum(1).astype(np.int32), rows, places


def _nms_example(limit: int, iou: float, **attributes: Any) -> Example:
    values: dict[int, Any] = {1: [6, 4], 2: [[*range(6)]] * 2, 3: limit, 4: iou}
    types = ("f32[2, 6, 6]", "i32[2]", "i32[2, 6]", "i32[]", "f32[]")
    return Example(*types, domain=(0.0, 1.0), values=values, **attributes)


@operator("vision.non_max_suppression")
class NonMaxSuppression(OperatorDef):
    """Keep the best boxes of each image: those that no better box overlaps.

    Only the first `valid_count` of the rows `(N, n, k)` of each image are used, in the order of
    their scores, and of these at most `top_k`. A row is dropped if its intersection with a better
    row that is kept is at least `iou_threshold` of their union, and both have the same class (any
    class, if `id_index` is -1 or with `force_suppress`). Rows after the first `max_output_size`
    kept ones (-1: no limit) are dropped, too. With a threshold of 0 or below, no rows overlap, and
    rows keep their order.

    With `return_indices`, returns the indices of the kept rows, taken from `indices`: int32 of `(N,
    n)`, followed by -1, and their number, int32 of `(N, 1)`. Otherwise returns the rows in that
    order, with -1 in dropped rows, which `invalid_to_bottom` moves to the end. Floating-point;
    `valid_count` and `indices` are int32 of `(N,)` and `(N, n)`; the limits have rank 0.
    """

    force_suppress: bool = False
    top_k: int = -1
    coord_start: int = 2
    score_index: int = 1
    id_index: int = 0
    return_indices: bool = True
    invalid_to_bottom: bool = False

    undifferentiable = _SELECTION
    examples = (
        _nms_example(-1, 0.1, force_suppress=True),
        _nms_example(2, 0.3, return_indices=False, top_k=5, id_index=-1),
        _nms_example(3, 0.2, return_indices=False, invalid_to_bottom=True, id_index=-1),
        _nms_example(-1, 0.0, return_indices=False),
    )

    def __post_init__(self) -> None:
        for name in ("force_suppress", "return_indices", "invalid_to_bottom"):
            set_field(self, name, bool(getattr(self, name)))

    def infer(
        self,
        data: TensorType,
        valid_count: TensorType,
        indices: TensorType,
        max_output_size: TensorType,
        iou_threshold: TensorType,
    ) -> Type:
        checks.rank(self.name, "data", data, 3)
        checks.kind(self.name, "data", data, *FLOATS)
        checks.same_dtype(self.name, data, iou_threshold)
        listed = ("valid_count", valid_count, 1), ("indices", indices, 2)
        for name, ty, rank in (*listed, ("max_output_size", max_output_size, 0)):
            checks.rank(self.name, name, ty, rank)
            require_integer(self.name, name, ty)
        checks.rank(self.name, "iou_threshold", iou_threshold, 0)
        for name, ty, _ in listed:
            for expected, found in zip(data.shape, ty.shape, strict=False):
                checks.size(self.name, name, expected, found)
        _require_column(self.name, "id_index", self.id_index, data, -1)
        _require_column(self.name, "score_index", self.score_index, data, 0)
        _require_column(self.name, "coord_start", self.coord_start, data, 0)
        _require_column(self.name, "the last coordinate", self.coord_start + 3, data, 0)
        if not self.return_indices:
            return data
        counts = TensorType((data.shape[0], 1), int32)
        return TupleType((TensorType(data.shape[:2], int32), counts))

    def compute(self, *inputs: te.Tensor) -> te.Tensor | tuple[te.Tensor, ...]:
        batch, count, width = extents(inputs[0])
        kinds = [((batch, count, width), inputs[0].dtype)]
        if self.return_indices:
            kinds = [((batch, count), int32), ((batch, 1), int32)]

        def build(read: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
            b = te.LoopBuilder()
            fill(b, outputs[0], -1)
            with b.for_(batch, "n") as n:
                order = self._order(b, read, n)
                kept = b.scratch((count,), int64, "kept")
                total = b.cell(0, int64, "total")
                with b.for_(count, "t") as t:
                    b.store(kept, (t,), -1)
                with b.for_(order[1], "t") as t:
                    self._choose(b, read, n, order[0], kept, total, t)
                self._write(b, read, outputs, n, order, kept, total.value)
            return b.finish()

        found = te.loops(kinds, inputs, build, "non_max_suppression")
        return found if self.return_indices else found[0]

    def _order(
        self, b: te.LoopBuilder, read: tuple[Buffer, ...], n: te.Scalar
    ) -> tuple[Buffer, te.Scalar]:
        """Return an image's row indices in order of score, and the number of valid rows."""
        rows, counts = read[:2]
        size = rows.shape[1]
        limit = te.maximum(te.minimum(te.cast(counts[n], int64), size), 0)
        valid = b.let(limit, "valid")

        def score(t: te.Scalar) -> te.Scalar:
            least = te.const(-np.inf, rows.dtype)
            return te.select(t < valid, rows[n, te.minimum(t, size - 1), self.score_index], least)

        line = sort_line(b, score, size, rows.dtype, ascending=False)
        places = b.scratch((size,), int64, "places")
        overlaps = read[4][()] > 0.0
        with b.for_(size, "t") as t:
            b.store(places, (t,), te.select(overlaps, line.place(t), t))
        most = te.minimum(valid, self.top_k) if self.top_k > 0 else valid
        return places, b.let(te.select(overlaps, most, valid), "most")

    def _choose(
        self, b: te.LoopBuilder, read: tuple[Buffer, ...], n: te.Scalar, places: Buffer,
        kept: Buffer, total: Cell, t: te.Scalar,
    ) -> None:  # fmt: skip
        """Keep the row at position `t` of the order, unless a better kept row overlaps it.

        `n` is the image. `places` has the rows in order; `kept` gets the numbers of kept rows, and
        `total` is their count.
        """
        rows, _, _, limit, iou = read
        row = b.let(places[t], "row")
        most = te.cast(limit[()], int64)
        keep = b.cell(te.cast((most < 0) | (total.value < most), int64), int64, "keep")
        tested = te.equal(keep.value, 1) & (iou[()] > 0.0)
        wide = at_least_float32(rows.dtype)
        box = sides(b, rows, (n, row), wide, self.coord_start)
        with b.if_(tested), b.for_(t, "other") as other, b.if_(kept[other] >= 0):
            better = b.let(places[other], "better")
            rival = sides(b, rows, (n, better), wide, self.coord_start)
            hit = overlap(box, rival) >= te.cast(iou[()], wide)
            if not self.force_suppress and self.id_index >= 0:
                hit = hit & te.equal(rows[n, row, self.id_index], rows[n, better, self.id_index])
            with b.if_(hit):
                keep.value = 0
        with b.if_(te.equal(keep.value, 1)):
            b.store(kept, (t,), total.value)
            total.value = total.value + 1

    def _write(
        self, b: te.LoopBuilder, read: tuple[Buffer, ...], outputs: tuple[Buffer, ...],
        n: te.Scalar, order: tuple[Buffer, te.Scalar], kept: Buffer, total: te.Scalar,
    ) -> None:  # fmt: skip
        rows, names = read[0], read[2]
        with b.for_(order[1], "t") as t, b.if_(kept[t] >= 0):
            row = b.let(order[0][t], "row")
            if self.return_indices:
                b.store(outputs[0], (n, kept[t]), te.cast(names[n, row], int32))
            else:
                place = kept[t] if self.invalid_to_bottom else t
                with b.for_(rows.shape[2], "k") as k:
                    b.store(outputs[0], (n, place, k), rows[n, row, k])
        if self.return_indices:
            b.store(outputs[1], (n, 0), te.cast(total, int32))

    def reference(
        self, data: Array, valid_count: Array, indices: Array, max_output_size: Array,
        iou_threshold: Array,
    ) -> Array | tuple[Array, ...]:  # fmt: skip
        places = np.full(data.shape[:2], -1, np.int32)
        counts, rows = np.zeros((len(data), 1), np.int32), np.full_like(data, -1)
        for n, boxes in enumerate(data):
            valid = min(max(int(valid_count[n]), 0), len(boxes))
            order = np.arange(valid)
            if iou_threshold > 0:
                order = np.argsort(-boxes[:valid, self.score_index], kind="stable")
                order = order[: self.top_k] if self.top_k > 0 else order
            kept = self._kept(boxes, order.tolist(), int(max_output_size), float(iou_threshold))
            counts[n] = len(kept)
            for number, (t, row) in enumerate(kept):
                places[n, number] = indices[n, row]
                rows[n, number if self.invalid_to_bottom else t] = boxes[row]
        return (places, counts) if self.return_indices else rows

    def _kept(
        self, boxes: Array, order: Sequence[int], limit: int, iou: float
    ) -> list[tuple[int, int]]:
        kept: list[tuple[int, int]] = []
        for t, row in enumerate(order):
            if 0 <= limit <= len(kept):
                break
            rivals = [
                other for _, other in kept
                if self.force_suppress or self.id_index < 0
                or boxes[other, self.id_index] == boxes[row, self.id_index]
            ]  # fmt: skip
            part = slice(self.coord_start, self.coord_start + 4)
            shared = [exact_overlap(boxes[row, part], boxes[other, part]) for other in rivals]
            if iou <= 0 or max(shared, default=-1.0) < iou:
                kept.append((t, row))
        return kept


def exact_overlap(a: Array, c: Array) -> float:
    """Return the intersection over union of two boxes by NumPy; 0 for empty boxes."""
    a, c = (each.astype(np.float32) if each.itemsize < 4 else each for each in (a, c))
    low = np.maximum(np.minimum(a[:2], a[2:]), np.minimum(c[:2], c[2:]))
    high = np.minimum(np.maximum(a[:2], a[2:]), np.maximum(c[:2], c[2:]))
    shared = float(np.prod(np.maximum(high - low, 0)))
    union = float(np.prod(np.abs(a[2:] - a[:2])) + np.prod(np.abs(c[2:] - c[:2]))) - shared
    return shared / union if union > 0 else 0.0
