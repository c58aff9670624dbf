"""NumPy's functions that are no single operator, written with those that are.

A parameter annotated with `Expr` is a tensor (numbers and arrays become one, and those of one call
take one element type), with `Sequence[Expr]` a list of them; what has another type is known before
the program runs.
"""

import math
from collections.abc import Sequence

import numpy as np

from relay.frontend.python.operators import matmul as product
from relay.ir.dims import Dim
from relay.ir.expr import Constant, Expr
from relay.ops.functions import core, nn

Axes = int | Sequence[int] | None
Shape = Dim | Sequence[Dim]


def append(arr: Expr, values: Expr) -> Expr:
    """Return the elements of both in one row."""
    return core.concatenate([ravel(arr), ravel(values)], axis=0)


def arctan2(x1: Expr, x2: Expr) -> Expr:
    """Return the angle of the point at height `x1` and width `x2`."""
    flat = core.atan(x1 / x2)
    behind = core.where(core.less(x1, 0.0), flat - math.pi, flat + math.pi)
    upright = core.sign(x1) * (math.pi / 2)
    return core.where(core.equal(x2, 0.0), upright, core.where(core.less(x2, 0.0), behind, flat))


def array(object: Sequence[Expr]) -> Expr:
    """Return tensors of one shape, such as numbers, along a new first axis."""
    return core.stack(object, axis=0)


def count_nonzero(a: Expr, axis: Axes = None) -> Expr:
    """Return how many elements are not zero."""
    return core.sum(core.cast(core.cast(a, "bool"), "int32"), axis)


def diag(v: Expr) -> Expr:
    """Return the matrix with this diagonal, or the diagonal of a matrix."""
    if v.tensor_type.rank == 1:
        size = v.tensor_type.shape[0]
        return core.matrix_set_diag(core.zeros((size, size), v.tensor_type.dtype), v)
    rows, columns = v.tensor_type.static_shape
    places = np.arange(min(rows, columns), dtype=np.int32) * (columns + 1)
    return core.take(ravel(v), Constant(places), 0)


def dot(a: Expr, b: Expr) -> Expr:
    """Return the matrix product."""
    return matmul(a, b)


def einsum(subscripts: str, *operands: Expr) -> Expr:
    """Return Einstein's summation."""
    return core.einsum(operands, subscripts)


def empty(shape: Shape, dtype: str = "float32") -> Expr:
    """Return zeros: here, nothing is left as it was found in memory."""
    return core.zeros((shape if isinstance(shape, Sequence) else (shape,)), dtype)


def expm1(x: Expr) -> Expr:
    """Return `exp(x) - 1`, exact near zero."""
    power = core.exp(x)
    near = (power - 1.0) * x / core.log(power)
    plain = core.logical_or(core.less(x, -9.0), core.greater(x, 9.0))
    return core.where(core.equal(power, 1.0), x, core.where(plain, power - 1.0, near))


def full(shape: Shape, fill_value: Expr, dtype: str = "") -> Expr:
    """Return a tensor that repeats one number."""
    return core.full(
        fill_value,
        (shape if isinstance(shape, Sequence) else (shape,)),
        dtype or fill_value.tensor_type.dtype,
    )


def hstack(tup: Sequence[Expr]) -> Expr:
    """Return tensors side by side."""
    return core.concatenate(tup, axis=0 if tup[0].tensor_type.rank == 1 else 1)


def hypot(x1: Expr, x2: Expr) -> Expr:
    """Return the length of the long side of a triangle."""
    return core.sqrt(x1 * x1 + x2 * x2)


def inner(a: Expr, b: Expr) -> Expr:
    """Return sums of products over the last axes."""
    return product(a, core.transpose(b), None)


def log1p(x: Expr) -> Expr:
    """Return `log(1 + x)`, exact near zero."""
    more = x + 1.0
    return core.where(core.equal(more, 1.0), x, core.log(more) * x / (more - 1.0))


def logaddexp(x1: Expr, x2: Expr) -> Expr:
    """Return `log(exp(x1) + exp(x2))`."""
    return core.maximum(x1, x2) + log1p(core.exp(-core.abs(x1 - x2)))


def matmul(x1: Expr, x2: Expr) -> Expr:
    """Return the matrix product."""
    return product(x1, x2, None)


def moveaxis(a: Expr, source: int, destination: int) -> Expr:
    """Return the tensor with one axis at another place."""
    rank = a.tensor_type.rank
    axes = [axis for axis in range(rank) if axis != source % rank]
    axes.insert(destination % rank, source % rank)
    return core.transpose(a, axes)


def nan_to_num(x: Expr) -> Expr:
    """Return zero for what is no number, and the largest numbers for infinities."""
    dtype = x.tensor_type.dtype
    largest = Constant(np.asarray(np.finfo(str(dtype)).max, dtype.numpy))
    return core.where(core.isnan(x), 0.0, core.maximum(core.minimum(x, largest), -largest))


def norm(x: Expr, axis: Axes = None, keepdims: bool = False) -> Expr:
    """Return the length of vectors."""
    return core.sqrt(core.sum(x * x, axis, keepdims))


def outer(a: Expr, b: Expr) -> Expr:
    """Return each element of one by each of the other."""
    return core.reshape(a, (-1, 1)) * core.reshape(b, (1, -1))


def pad(array: Expr, pad_width: object, constant_values: float = 0.0) -> Expr:
    """Return the tensor with a border."""
    widths = np.broadcast_to(np.asarray(pad_width, np.int64), (array.tensor_type.rank, 2))
    pairs = [(int(before), int(after)) for before, after in widths]
    return nn.pad(array, pairs, constant_values)


def ravel(a: Expr) -> Expr:
    """Return the elements in one row."""
    return core.reshape(a, (-1,))


def reciprocal(x: Expr) -> Expr:
    """Return `1 / x`."""
    return 1.0 / x


def roll(a: Expr, shift: int, axis: int) -> Expr:
    """Return the tensor moved along an axis; what falls off comes in at the other end."""
    size = a.tensor_type.shape[axis]
    assert isinstance(size, int), "checked by its caller"
    places = Constant(np.roll(np.arange(size, dtype=np.int32), shift))
    return core.take(a, places, axis)


def select(condlist: Sequence[Expr], choicelist: Sequence[Expr], default: Expr) -> Expr:
    """Return from the first choice whose condition holds."""
    found = default
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        found = core.where(condition, choice, found)
    return found


def square(x: Expr) -> Expr:
    """Return `x * x`."""
    return x * x


def std(a: Expr, axis: Axes = None, keepdims: bool = False) -> Expr:
    """Return the standard deviation."""
    return core.std(a, axis, keepdims)


def swapaxes(a: Expr, axis1: int, axis2: int) -> Expr:
    """Return the tensor with two axes in each other's place."""
    axes = list(range(a.tensor_type.rank))
    axes[axis1], axes[axis2] = axes[axis2], axes[axis1]
    return core.transpose(a, axes)


def take_along_axis(arr: Expr, indices: Expr, axis: int) -> Expr:
    """Return the elements with these places along an axis."""
    return core.gather(arr, axis % arr.tensor_type.rank, core.cast(indices, "int32"))


def trace(a: Expr) -> Expr:
    """Return the sum of the diagonal."""
    return core.sum(diag(a))


def take(a: Expr, indices: Expr, axis: int | None = None) -> Expr:
    """Return the slices with these numbers along an axis, or elements of the row of all."""
    return core.take(a, core.cast(indices, "int32"), axis, mode="raise")


def tril(m: Expr, k: int = 0) -> Expr:
    """Return the lower triangle."""
    return core.trilu(m, k, False)


def triu(m: Expr, k: int = 0) -> Expr:
    """Return the upper triangle."""
    return core.trilu(m, k, True)


def var(a: Expr, axis: Axes = None, keepdims: bool = False) -> Expr:
    """Return the mean of squared distances from the mean."""
    return core.variance(a, axis, keepdims)


def vdot(a: Expr, b: Expr) -> Expr:
    """Return the sum of products of all elements."""
    return core.sum(ravel(a) * ravel(b))


def vstack(tup: Sequence[Expr]) -> Expr:
    """Return tensors below each other; rows become matrices of one row."""
    rows = [core.expand_dims(x, 0) if x.tensor_type.rank == 1 else x for x in tup]
    return core.concatenate(rows, axis=0)
