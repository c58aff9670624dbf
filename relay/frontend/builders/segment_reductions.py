"""Segment reductions: combine the rows of a tensor that have the same segment number."""

from typing import Any, TypeAlias, cast

import ml_dtypes
import numpy as np

from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.ir.dims import Dim
from relay.ir.expr import Call, Constant, Expr
from relay.ops.comparison import less
from relay.ops.creation import Full, Zeros
from relay.ops.selection import where
from relay.ops.tensor.one_hot_and_shape_of import NdarraySize
from relay.ops.tensor.scatter import ScatterND
from relay.ops.tensor.slice import StridedSlice
from relay.support.dtype import DType, bool_

Mode: TypeAlias = str
"""How rows are combined, as for `scatter_nd`."""


def segments(x: Expr, ids: Expr, count: Dim, mode: Mode) -> Expr:
    """Return `count` rows; row i combines by `mode` the rows of `x` whose number in `ids` is i.

    A segment without rows is the neutral element; rows with negative numbers are ignored.
    """
    zero = constant(0, ids.tensor_type.dtype)
    if isinstance(ids, Constant) and not (ids.array < 0).any():
        return _joined(x, ids, count, mode)
    last = _number(count, ids.tensor_type.dtype)
    found = _joined(x, where(less(ids, zero), last, ids), count + 1, mode)
    return Call(StridedSlice((0,), (count,), axes=(0,)), (found,))


def _joined(x: Expr, ids: Expr, count: Dim, mode: Mode) -> Expr:
    ty, dtype = ids.tensor_type, x.tensor_type.dtype
    first = Constant(np.asarray(neutral(mode, dtype), dtype.numpy))
    rows = Call(Full((count, *x.tensor_type.shape[ty.rank :])), (first,))
    return Call(ScatterND(mode), (rows, reshape(ids, (1, *ty.shape)), x), span=x.span)


def _number(count: Dim, dtype: DType) -> Expr:
    if isinstance(count, int):
        return constant(count, dtype)
    return Call(NdarraySize(dtype), (Call(Zeros((count,), bool_), ()),))


def neutral(mode: Mode, dtype: DType) -> float:
    """Return the element that does not change others: 0, 1, or an end of the range of a type."""
    if mode in ("add", "mul"):
        return int(mode == "mul")
    if dtype.is_integer:
        return dtype.limits[mode == "min"]
    limits = cast("Any", ml_dtypes.finfo)(dtype.numpy)
    largest = float(limits.max)
    return largest if mode == "min" else -largest
