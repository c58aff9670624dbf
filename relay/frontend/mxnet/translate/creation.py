"""Translate MXNet operators that make tensors: ranges, identity matrices, shapes."""

import numpy as np

from relay.frontend.mxnet.node import MxNode
from relay.frontend.mxnet.registry import mxnet_operator
from relay.ir.expr import Array, Call, Constant, Expr
from relay.ops.tensor.one_hot_and_shape_of import NdarraySize, ShapeOf
from relay.ops.tensor.reshape import Reshape
from relay.support.dtype import int64
from relay.support.error_codes import ErrorCode

LONGEST = 1 << 26
"""The most elements of a tensor that a file may ask for, in place of storing it."""


def made(node: MxNode, values: Array) -> Expr:
    """Return a constant of the element type of a node."""
    node.ignore("ctx")
    return Constant(values.astype(node.dtype().numpy), span=node.span)


def bounded(node: MxNode, count: float) -> int:
    """Return a number of elements; raises `F026` if it is negative or too large."""
    if not 0 <= count <= LONGEST:
        raise node.error(
            ErrorCode.F026, f"a tensor must have from 0 to {LONGEST} elements, not {count:g}"
        )
    return int(count)


@mxnet_operator("_arange", "_npi_arange")
def arange(node: MxNode) -> Expr:
    """Translate `arange`: a range from `start` to `stop`, each number `repeat` times."""
    node.ignore("infer_range", "stop")
    start, step = node.number("start", 0.0), node.number("step", 1.0)
    if "stop" not in node:
        start, stop = 0.0, start
    else:
        stop = node.number("stop")
    repeat = node.integer("repeat", 1)
    count = bounded(node, np.ceil((stop - start) / step) * repeat)
    return made(node, start + step * (np.arange(count) // repeat))


@mxnet_operator("_linspace", "_npi_logspace", "_npi_linspace")
def linspace(node: MxNode) -> Expr:
    """Translate `linspace` and `logspace`: numbers at equal distances, or their powers."""
    node.ignore("stop", "repeat", "infer_range")
    count = bounded(node, node.integer("num" if "num" in node else "step"))
    ends = node.number("start"), node.number("stop")
    numbers = np.linspace(*ends, count, endpoint=node.flag("endpoint", default=True))
    is_power = node.op == "_npi_logspace"
    return made(node, node.number("base", 10.0) ** numbers if is_power else numbers)


@mxnet_operator("_eye", "_npi_eye", "_npi_identity")
def eye(node: MxNode) -> Expr:
    """Translate `eye` and `identity`: ones on a diagonal."""
    if node.op == "_npi_identity":
        rows, *_ = columns, *_ = node.ints("shape")
    else:
        rows, columns = node.integer("N"), node.integer("M", 0) if "M" in node else 0
    node.ignore("M")
    bounded(node, rows * max(columns, rows))
    return made(node, np.eye(rows, columns or rows, node.integer("k", 0)))


_WINDOWS = {"blackman": np.blackman, "hamming": np.hamming, "hanning": np.hanning}


@mxnet_operator(*(f"_npi_{name}" for name in _WINDOWS))
def window(node: MxNode) -> Expr:
    """Translate windows of signals."""
    count = bounded(node, node.integer("M") if "M" in node else 0)
    return made(node, _WINDOWS[node.op.removeprefix("_npi_")](count))


@mxnet_operator("_npi_indices")
def indices(node: MxNode) -> Expr:
    """Translate `indices`: the coordinates of the elements of a tensor."""
    shape = node.ints("dimensions")
    bounded(node, float(np.prod(shape, dtype=float)) * len(shape))
    return made(node, np.indices(shape))


@mxnet_operator("_npi_zeros", "_npi_ones", "_zeros_without_dtype", "_npi_full")
def filled(node: MxNode) -> Expr:
    """Translate `zeros`, `ones` and `full` of NumPy: a size of 0 means 0, not unknown."""
    shape = node.ints("shape", ())
    bounded(node, float(np.prod(shape, dtype=float)))
    numbers = {"_npi_ones": 1.0, "_npi_full": node.number("value", 0.0)}
    if node.op == "_zeros_without_dtype" and node.text("dtype", "-1") == "-1":
        return Constant(np.zeros(shape, np.float32), span=node.span)
    return made(node, np.full(shape, numbers.get(node.op, 0.0)))


@mxnet_operator("shape_array", "size_array")
def sizes(node: MxNode) -> Expr:
    """Translate `shape_array` and `size_array`: the shape of a tensor, or how many elements."""
    if node.op == "shape_array":
        return Call(ShapeOf(int64), (node.tensor(),), span=node.span)
    return Call(Reshape((1,)), (Call(NdarraySize(int64), (node.tensor(),), span=node.span),))
