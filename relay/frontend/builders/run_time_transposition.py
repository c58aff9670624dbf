"""Transpose a tensor by a permutation that is known only at run time."""

import numpy as np

from relay.frontend.builders.counted_loops import at, size_of
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.ir.expr import Call, Constant, Expr, Tuple
from relay.ops.binary import add, multiply
from relay.ops.functions import core
from relay.ops.tensor.arange import Arange
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.gather import Take
from relay.support.dtype import int64


def transposed_at_run_time(x: Expr, permutation: Expr) -> Expr:
    """Return `x` with its axes in the order `permutation`; all sizes of the result are unknown.

    Element `(i, j, …)` of the result is that of `x`, in row-major order, at the sum of each index
    times the stride of its axis.
    """
    rank, order = x.tensor_type.rank, core.cast(permutation, "int64")
    places: Expr = constant(0, int64)
    sizes, strides = (Call(Take(axis=0), (each, order)) for each in _sizes_and_strides(x))
    for axis in range(rank):
        bounds = constant(0, int64), at(sizes, constant(axis, int64)), constant(1, int64)
        steps = multiply(Call(Arange(), bounds), at(strides, constant(axis, int64)))
        shape = [-1 if each == axis else 1 for each in range(rank)]
        places = add(places, reshape(steps, tuple(shape)))
    return Call(Take(axis=0, mode="fast"), (reshape(x, (-1,)), places), span=x.span)


def _sizes_and_strides(x: Expr) -> tuple[Expr, Expr]:
    """Return the size of each axis, and the number of elements from one index to the next."""
    sizes = [size_of(x, axis) for axis in range(x.tensor_type.rank)]
    strides: list[Expr] = [constant(1, int64)]
    for size in reversed(sizes[1:]):
        strides.insert(0, multiply(strides[0], size))
    return _vector(sizes), _vector(strides)


def _vector(values: list[Expr]) -> Expr:
    rows = tuple(reshape(each, (1,)) for each in values)
    return Call(Concatenate(0), (Tuple(rows),)) if rows else Constant(np.zeros(0, np.int64))
