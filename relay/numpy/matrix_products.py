"""Products of matrices and vectors, and convolutions of vectors."""

import math
from collections.abc import Sequence

import numpy as np

from relay.ir.expr import Call, Constant, Expr
from relay.numpy.argument_conversion import axes_of, known_shape, known_size, numpy_function
from relay.numpy.arithmetic import multiply
from relay.numpy.errors import mistake
from relay.numpy.shapes import moveaxis, reshaped
from relay.ops.functions import core
from relay.ops.nn.matmul import BatchMatmul, Matmul
from relay.support.error_codes import ErrorCode


@numpy_function
def matmul(x1: Expr, x2: Expr) -> Expr:
    """Return the matrix product of vectors, matrices and batches of matrices."""
    ranks = x1.tensor_type.rank, x2.tensor_type.rank
    if 0 in ranks:
        shown = f"{x1.ty!r} @ {x2.ty!r}"
        raise mistake(
            ErrorCode.F112,
            f"the matrix product needs two tensors with matching sizes, not {shown}",
            None,
            "check the shapes; to multiply with a scalar, write *",
        )
    if max(ranks) > 2 and 1 in ranks:
        return _with_vector(x1, x2)
    if max(ranks) > 3:
        return _batched_product(x1, x2)
    if ranks == (1, 1):
        return core.sum(core.multiply(x1, x2))
    if 1 not in ranks:  # a matrix with a batch: the operators broadcast it
        return Call(BatchMatmul() if ranks[1] == 3 else Matmul(), (x1, x2))
    axis = 0 if ranks[0] == 1 else 1
    wide = [core.expand_dims(x, axis) if x.tensor_type.rank == 1 else x for x in (x1, x2)]
    return core.squeeze(Call(Matmul(), tuple(wide)), (axis,))


def _with_vector(a: Expr, b: Expr) -> Expr:
    """Return the product of many matrices and a vector."""
    if a.tensor_type.rank == 1:
        return core.sum(core.multiply(core.expand_dims(a, 1), b), -2)
    return core.sum(core.multiply(a, b), -1)


def _batched_product(a: Expr, b: Expr) -> Expr:
    """Return products of batches of matrices with several batch axes, which are merged into one."""
    if a.tensor_type.shape[:-2] == b.tensor_type.shape[:-2]:
        return Call(BatchMatmul(), (a, b))
    batch = np.broadcast_shapes(known_shape(a)[:-2], known_shape(b)[:-2])
    count = math.prod(batch)
    rows: list[Expr] = []
    for each in (a, b):
        shape = (*batch, *known_shape(each)[-2:])
        rows.append(reshaped(core.broadcast_to(each, shape), (count, *shape[-2:])))
    found = Call(BatchMatmul(), (rows[0], rows[1]))
    return reshaped(found, (*batch, *known_shape(found)[-2:]))


@numpy_function
def dot(a: Expr, b: Expr) -> Expr:
    """Return the matrix product; a scalar multiplies each element."""
    ranks = a.tensor_type.rank, b.tensor_type.rank
    if 0 in ranks:
        return multiply(a, b)
    return matmul(a, b) if max(ranks) < 3 else tensordot(a, b, (-1, -min(2, ranks[1])))


@numpy_function
def vdot(a: Expr, b: Expr) -> Expr:
    """Return the dot product of the flattened tensors."""
    return core.sum(core.multiply(core.reshape(a, (-1,)), core.reshape(b, (-1,))))


@numpy_function
def vecdot(x1: Expr, x2: Expr, *, axis: int = -1) -> Expr:
    """Return dot products along an axis."""
    first, second = moveaxis(x1, axis, -1), moveaxis(x2, axis, -1)
    return core.sum(core.multiply(first, second), -1)


@numpy_function
def matvec(x1: Expr, x2: Expr) -> Expr:
    """Return matrix-vector products; vectors are along the last axis."""
    return core.sum(core.multiply(x1, core.expand_dims(x2, x2.tensor_type.rank - 1)), -1)


@numpy_function
def vecmat(x1: Expr, x2: Expr) -> Expr:
    """Return vector-matrix products; vectors are along the last axis."""
    return core.sum(core.multiply(core.expand_dims(x1, x1.tensor_type.rank), x2), -2)


@numpy_function
def inner(a: Expr, b: Expr) -> Expr:
    """Return dot products over the last axes."""
    if not (a.tensor_type.rank and b.tensor_type.rank):
        return multiply(a, b)
    return tensordot(a, b, (-1, -1))


@numpy_function
def outer(a: Expr, b: Expr) -> Expr:
    """Return the outer product of the flattened tensors."""
    return multiply(core.reshape(a, (-1, 1)), core.reshape(b, (1, -1)))


@numpy_function
def kron(a: Expr, b: Expr) -> Expr:
    """Return the Kronecker product."""
    rank = max(a.tensor_type.rank, b.tensor_type.rank)
    first = (1,) * (rank - a.tensor_type.rank) + known_shape(a)
    second = (1,) * (rank - b.tensor_type.rank) + known_shape(b)
    wide = [n for size in first for n in (size, 1)], [n for size in second for n in (1, size)]
    whole = multiply(reshaped(a, wide[0]), reshaped(b, wide[1]))
    return reshaped(whole, [n * m for n, m in zip(first, second, strict=True)])


@numpy_function
def tensordot(a: Expr, b: Expr, axes: int | Sequence[int | Sequence[int]] = 2) -> Expr:
    """Return the contraction over the last and the first axes, or over the given axes."""
    ranks = a.tensor_type.rank, b.tensor_type.rank
    if isinstance(axes, int):
        ours, theirs = tuple(range(ranks[0] - axes, ranks[0])), tuple(range(axes))
    else:
        ours, theirs = (axes_of(each, rank) for each, rank in zip(axes, ranks, strict=True))
    kept = [
        [i for i in range(rank) if i not in gone]
        for rank, gone in ((ranks[0], ours), (ranks[1], theirs))
    ]
    shared = math.prod(known_size(a, i) for i in ours)
    left = core.transpose(a, (*kept[0], *ours))
    right = core.transpose(b, (*theirs, *kept[1]))
    parts = ((a, kept[0]), (b, kept[1]))
    shape = [x.tensor_type.shape[i] for x, axes_kept in parts for i in axes_kept]
    rows, columns = (
        math.prod(known_shape(x)[i] for i in axes_kept) if 0 in x.tensor_type.shape else -1
        for x, axes_kept in parts
    )
    left, right = reshaped(left, (rows, shared)), reshaped(right, (shared, columns))
    return reshaped(matmul(left, right), shape)


@numpy_function
def einsum(subscripts: str, *operands: Expr) -> Expr:
    """Return Einstein's summation."""
    return core.einsum(operands, subscripts)


@numpy_function
def cross(a: Expr, b: Expr, axisa: int = -1, axisb: int = -1, axisc: int = -1) -> Expr:
    """Return the cross products of vectors of size 3."""
    first, second = moveaxis(a, axisa, -1), moveaxis(b, axisb, -1)
    sizes = first.tensor_type.shape[-1], second.tensor_type.shape[-1]
    if sizes != (3, 3):
        what = f"np.cross needs vectors of three elements, but these have {sizes[0]} and {sizes[1]}"
        raise mistake(
            ErrorCode.F112, what, None, "pass vectors of three elements, or add a third element 0"
        )

    def part(x: Expr, shift: int) -> Expr:
        places = Constant(np.roll(np.arange(3, dtype=np.int32), shift))
        return core.take(x, places, x.tensor_type.rank - 1)

    plus = core.multiply(part(first, -1), part(second, -2))
    minus = core.multiply(part(first, -2), part(second, -1))
    return moveaxis(core.subtract(plus, minus), -1, axisc)


def _window_products(a: Expr, v: Expr, mode: str) -> Expr:
    """Return the dot products of a vector with each window of a longer one."""
    (n,), (m,) = known_shape(a), known_shape(v)
    border = core.zeros((m - 1,), a.tensor_type.dtype)
    padded = core.concatenate([border, a, border], 0)
    places = np.arange(n + m - 1)[:, None] + np.arange(m)
    found = core.sum(core.multiply(core.take(padded, Constant(places.astype(np.int32)), 0), v), 1)
    if mode not in ("full", "same", "valid"):
        raise mistake(
            ErrorCode.F120,
            f"np.convolve and np.correlate do not support the mode {mode}",
            None,
            'use mode="full", "same" or "valid"',
        )
    cut = {"full": 0, "same": (m - 1) // 2, "valid": m - 1}[mode]
    size = {"full": n + m - 1, "same": n, "valid": n - m + 1}[mode]
    return core.strided_slice(found, (cut,), (cut + size,))


@numpy_function
def convolve(a: Expr, v: Expr, mode: str = "full") -> Expr:
    """Return the convolution of two vectors: by default, at all positions where they overlap."""
    if known_shape(a) < known_shape(v):
        a, v = v, a
    return _window_products(a, core.reverse(v, 0), mode)


@numpy_function
def correlate(a: Expr, v: Expr, mode: str = "valid") -> Expr:
    """Return the correlation of two vectors: by default, where the shorter is inside the longer."""
    if known_shape(a) >= known_shape(v):
        return _window_products(a, v, mode)
    return core.reverse(_window_products(v, a, mode), 0)
