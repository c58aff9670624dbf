"""Translate `TFLite_Detection_PostProcess`, the custom operator of object detectors."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from relay.frontend.builders.non_max_suppression import best_boxes
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.tflite.node import LiteNode
from relay.frontend.tflite.registry import lite_operator
from relay.frontend.tflite.translate.convolution import dequantised
from relay.ir.expr import Call, Constant, Expr, Tuple, TupleGetItem
from relay.ops.binary import Maximum, Minimum, add, divide, multiply, subtract
from relay.ops.cast import Cast
from relay.ops.comparison import less
from relay.ops.selection import where
from relay.ops.tensor.concat_and_split import Concatenate, Split
from relay.ops.tensor.gather import Take
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.sort import TopK
from relay.ops.tensor.tile_and_repeat import Repeat
from relay.ops.tensor.transpose import Transpose
from relay.ops.transcendental import Exp
from relay.ops.vision.all_class_non_max_suppression import AllClassNonMaxSuppression
from relay.support.dtype import float32, int32, int64
from relay.support.error_codes import ErrorCode

flexbuffers: Any = import_module("flatbuffers.flexbuffers")

_MOST = 10_000  # the number of entries of a result

_BROKEN = (ArithmeticError, LookupError, TypeError, ValueError, struct.error)
"""Exceptions of the format's reader for damaged options."""


@lite_operator("custom TFLite_Detection_PostProcess")
def detection(node: LiteNode) -> Sequence[Expr]:
    """Translate the operator: boxes, classes and scores of detections, and their number.

    The inputs are offsets of boxes `(1, n, 4)` from anchors `(n, 4)`, and scores `(1, n, classes)`.
    A box has as many result entries as the maximal number of classes per detection; unused entries
    are 0.
    """
    select = _best_of_each_class if _option(node, "use_regular_nms", 0) else _best
    chosen = select(node, _boxes(node), _scores(node))
    (entries,) = chosen.classes.tensor_type.static_shape
    used = less(Constant(np.arange(entries, dtype=np.int32)), chosen.used)
    zero = constant(0, float32)
    picked = [where(used, _real(x), zero) for x in (chosen.classes, chosen.scores)]
    return [
        reshape(where(reshape(used, (entries, 1)), chosen.boxes, zero), (1, entries, 4)),
        *(reshape(x, (1, entries)) for x in picked),
        _real(reshape(chosen.number, (1,))),
    ]


@dataclass(frozen=True)
class _Chosen:
    """The detected boxes, their classes and scores, which entries are used, and their number."""

    boxes: Expr
    classes: Expr
    scores: Expr
    used: Expr
    number: Expr


def _best(node: LiteNode, boxes: Expr, scores: Expr) -> _Chosen:
    """Select boxes by their highest score; each has entries for several classes."""
    each, count = (_count(node, f"max_{name}") for name in ("classes_per_detection", "detections"))
    found = Call(TopK(each), (scores,), span=node.span)
    highest = Call(StridedSlice((0,), (1,), axes=(1,)), (TupleGetItem(found, 0),))
    best = reshape(highest, boxes.tensor_type.shape[:1])
    rows, _, number = best_boxes(boxes, best, count, *_limits(node))
    classes, kept = (
        reshape(_rows(TupleGetItem(found, index), rows), (count * each,)) for index in (1, 0)
    )
    repeated = Call(Repeat(each, 0), (_rows(boxes, rows),))
    return _Chosen(repeated, classes, kept, multiply(number, constant(each, int32)), number)


def _best_of_each_class(node: LiteNode, boxes: Expr, scores: Expr) -> _Chosen:
    """Select boxes for each class separately, then the best of all classes."""
    count, (size, classes) = _count(node, "max_detections"), scores.tensor_type.static_shape
    if count > size * classes:
        message = (
            f"max_detections is {count}, but there are only {size * classes} detections of "
            f"{size} boxes in {classes} classes"
        )
        help_ = "export the model with a smaller max_detections"
        raise node.error(ErrorCode.F030, message, help=help_)
    operands = (
        reshape(boxes, (1, size, 4)),
        reshape(Call(Transpose((1, 0)), (scores,)), (1, classes, size)),
        constant(_option(node, "detections_per_class", 100), int64),
        *_limits(node),
    )
    found = Call(AllClassNonMaxSuppression("tensorflow"), operands, span=node.span)
    rows, kept, number = (TupleGetItem(found, index) for index in range(3))
    total = Call(Cast(int32), (reshape(number, ()),))
    is_row = less(Constant(np.arange(size * classes, dtype=np.int32)), total)
    ranked = where(is_row, reshape(kept, (size * classes,)), constant(-np.inf, float32))
    top = Call(TopK(count), (ranked,))
    pairs = _rows(reshape(rows, (size * classes, 2)), TupleGetItem(top, 1))
    columns = Call(Split(2, 1), (Call(Maximum(), (pairs, constant(0, int64))),))
    kind, box = (reshape(TupleGetItem(columns, index), (count,)) for index in range(2))
    used = Call(Minimum(), (total, constant(count, int32)))
    return _Chosen(_rows(boxes, box), kind, TupleGetItem(top, 0), used, used)


def _limits(node: LiteNode) -> tuple[Expr, ...]:
    """Return the overlap above which boxes are suppressed, and the minimal score."""
    return tuple(constant(_option(node, f"nms_{e}_threshold"), float32) for e in ("iou", "score"))


def _real(x: Expr) -> Expr:
    return x if x.tensor_type.dtype is float32 else Call(Cast(float32), (x,))


def _option(node: LiteNode, name: str, default: float | None = None) -> float:
    """Return a number from the options, a flexbuffer map; raises `F026` if damaged."""
    try:
        found = flexbuffers.GetRoot(bytearray(node.operator.custom_options)).AsMap
        return float(found[name].AsFloat)
    except KeyError:
        if default is not None:
            return default
        raise node.error(ErrorCode.F023, f"the option {name} of the operator is missing") from None
    except _BROKEN as error:
        raise node.error(
            ErrorCode.F026,
            f"the options of the operator are damaged ({type(error).__name__}: {error})",
        ) from None


def _count(node: LiteNode, name: str) -> int:
    """Return a positive integer from the options."""
    found = _option(node, name)
    if not 1 <= found <= _MOST:
        raise node.error(
            ErrorCode.F026, f"the option {name} must be a positive integer, not {found}"
        )
    return int(found)


def _boxes(node: LiteNode) -> Expr:
    """Return the corners `(n, 4)` of boxes, from offsets and anchors (both y, x, h, w)."""
    shape = node.type(2).shape
    offsets = _columns(reshape(dequantised(node, 0), shape))
    anchors = _columns(dequantised(node, 2))
    scales = [constant(_option(node, f"{name}_scale"), float32) for name in "yxhw"]
    y, x, h, w = (divide(offset, scale) for offset, scale in zip(offsets, scales, strict=True))
    centres = [
        add(multiply(offset, size), place)
        for offset, size, place in zip((y, x), anchors[2:], anchors[:2], strict=True)
    ]
    halves = [
        multiply(multiply(Call(Exp(), (offset,)), size), constant(0.5, float32))
        for offset, size in zip((h, w), anchors[2:], strict=True)
    ]
    corners = [op(c, s) for op in (subtract, add) for c, s in zip(centres, halves, strict=True)]
    return Call(Concatenate(1), (Tuple(tuple(corners)),))


def _columns(x: Expr) -> list[Expr]:
    parts = Call(Split(4, 1), (x,))
    return [TupleGetItem(parts, index) for index in range(4)]


def _scores(node: LiteNode) -> Expr:
    """Return the scores `(n, classes)` without the background class, which is first if present."""
    _, rows, columns = node.type(1).static_shape
    scores = reshape(dequantised(node, 1), (rows, columns))
    begin = columns - _count(node, "num_classes")
    if begin not in (0, 1):
        raise node.error(
            ErrorCode.F026,
            (
                f"each box has {columns} scores, which do not match num_classes, "
                f"{_count(node, 'num_classes')}"
            ),
        )
    return Call(StridedSlice((begin,), (columns,), axes=(1,)), (scores,)) if begin else scores


def _rows(x: Expr, rows: Expr) -> Expr:
    return Call(Take(axis=0, mode="fast"), (x, rows))
