"""Translate the custom operator at the end of models that detect objects."""

import struct
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from relay.frontend.builders.boxes import best_boxes
from relay.frontend.builders.tensors import constant, reshape
from relay.frontend.tflite.node import LiteNode
from relay.frontend.tflite.registry import lite_operator
from relay.frontend.tflite.translate.convolution import dequantised
from relay.ir.expr import Call, Constant, Expr, Tuple, TupleGetItem
from relay.ops.binary import add, divide, multiply, subtract
from relay.ops.cast import Cast
from relay.ops.comparison import less
from relay.ops.selection import where
from relay.ops.tensor.gather import Take
from relay.ops.tensor.join import Concatenate, Split
from relay.ops.tensor.repeat import Repeat
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.sort import TopK
from relay.ops.transcendental import Exp
from relay.support.dtype import float32, int32
from relay.support.error_codes import ErrorCode

flexbuffers: Any = import_module("flatbuffers.flexbuffers")

_MOST = 10_000  # entries of a result

_BROKEN = (ArithmeticError, LookupError, TypeError, ValueError, struct.error)
"""Exceptions of the format's reader for damaged options."""


@lite_operator("custom TFLite_Detection_PostProcess")
def detection(node: LiteNode) -> Sequence[Expr]:
    """Return the best boxes that do not overlap, their classes and scores, and their number.

    The data are offsets of boxes `(1, n, 4)` from anchors `(n, 4)`, and scores `(1, n, classes)`. A
    box takes as many entries as it may have classes; entries that are not used are 0.
    """
    if _option(node, "use_regular_nms", 0):
        raise node.error(ErrorCode.F030, "the selection for each class (regular) is not supported")
    each, count = (_count(node, f"max_{name}") for name in ("classes_per_detection", "detections"))
    boxes = _boxes(node)
    found = Call(TopK(each), (_scores(node),), span=node.span)
    scores, classes = TupleGetItem(found, 0), TupleGetItem(found, 1)
    best = reshape(
        Call(StridedSlice((0,), (1,), axes=(1,)), (scores,)), boxes.tensor_type.shape[:1]
    )
    limits = (
        constant(_option(node, f"nms_{name}_threshold"), float32) for name in ("iou", "score")
    )
    rows, _, number = best_boxes(boxes, best, count, *limits)
    total = multiply(number, constant(each, int32))
    used = less(Constant(np.arange(count * each, dtype=np.int32)), total)
    chosen = Call(Repeat(each, 0), (_rows(boxes, rows),))
    flat = (reshape(_rows(x, rows), (count * each,)) for x in (classes, scores))
    picked = [where(used, Call(Cast(float32), (x,)), constant(0, float32)) for x in flat]
    shown = where(reshape(used, (count * each, 1)), chosen, constant(0, float32))
    size = (1, count * each)
    return [
        reshape(shown, (*size, 4)),
        *(reshape(x, size) for x in picked),
        Call(Cast(float32), (reshape(number, (1,)),)),
    ]


def _option(node: LiteNode, name: str, default: float | None = None) -> float:
    """Return a number among the options, which are a map of flexbuffers (`F026` if damaged)."""
    try:
        found = flexbuffers.GetRoot(bytearray(node.operator.custom_options)).AsMap
        return float(found[name].AsFloat)
    except KeyError:
        if default is not None:
            return default
        raise node.error(ErrorCode.F023, f"the option {name} is missing") from None
    except _BROKEN as error:
        raise node.error(ErrorCode.F026, f"its options are damaged: {error!r}") from None


def _count(node: LiteNode, name: str) -> int:
    """Return a positive integer among the options."""
    found = _option(node, name)
    if not 1 <= found <= _MOST:
        raise node.error(ErrorCode.F026, f"{name} is {found}")
    return int(found)


def _boxes(node: LiteNode) -> Expr:
    """Return the corners `(n, 4)` of boxes from their offsets and anchors, both y, x, h, w."""
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
    """Return the scores `(n, classes)` without the background, which is first if it is there."""
    _, rows, columns = node.type(1).static_shape
    scores = reshape(dequantised(node, 1), (rows, columns))
    begin = columns - _count(node, "num_classes")
    if begin not in (0, 1):
        raise node.error(ErrorCode.F026, f"{columns} scores are not those of its classes")
    return Call(StridedSlice((begin,), (columns,), axes=(1,)), (scores,)) if begin else scores


def _rows(x: Expr, rows: Expr) -> Expr:
    return Call(Take(axis=0, mode="fast"), (x, rows))
