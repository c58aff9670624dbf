"""Translate sums and other reductions over the rows of segments, given by segment numbers."""

import numpy as np

from relay.frontend.builders.tensors import constant, reshape
from relay.frontend.tflite.node import LiteNode
from relay.frontend.tflite.registry import lite_operator
from relay.ir.expr import Call, Constant, Expr
from relay.ops.comparison import less
from relay.ops.creation import Full
from relay.ops.selection import where
from relay.ops.tensor.scatter import ScatterND
from relay.ops.tensor.slice import StridedSlice
from relay.support.dtype import DType

_MODES = {"SUM": "add", "PROD": "mul", "MAX": "max", "MIN": "min"}


@lite_operator("SEGMENT_SUM")
def segment_sum(node: LiteNode) -> Expr:
    """Sum rows of a tensor whose segments are numbered in order."""
    ids = node.ints(1, "the segments")
    return _joined(node, node.expr(1), ids[-1] + 1 if ids else 0, "SUM")


@lite_operator(*(f"UNSORTED_SEGMENT_{name}" for name in _MODES))
def unsorted_segments(node: LiteNode) -> Expr:
    """Combine the rows of segments numbered in any order; negative numbers are ignored."""
    count = node.integer(2, "the number of segments")
    ids = node.expr(1)
    zero, last = (constant(each, ids.tensor_type.dtype) for each in (0, count))
    kept = where(less(ids, zero), last, ids)
    found = _joined(node, kept, count + 1, node.op.rpartition("_")[2])
    return Call(StridedSlice((0,), (count,), axes=(0,)), (found,))


def _joined(node: LiteNode, ids: Expr, count: int, kind: str) -> Expr:
    """Return `count` rows, each combined from its segment; empty ones are the neutral element."""
    x, ty = node.expr(0), ids.tensor_type
    dtype = x.tensor_type.dtype
    first = Constant(np.asarray(_neutral(kind, dtype), dtype.numpy))
    rows = Call(Full((count, *x.tensor_type.shape[ty.rank :])), (first,))
    operands = (rows, reshape(ids, (1, *ty.shape)), x)
    return Call(ScatterND(_MODES[kind]), operands, span=node.span)


def _neutral(kind: str, dtype: DType) -> float:
    if kind in ("SUM", "PROD"):
        return int(kind == "PROD")
    if dtype.is_integer:
        return dtype.limits[kind == "MIN"]
    largest = float(np.finfo(np.float32).max)
    return largest if kind == "MIN" else -largest
