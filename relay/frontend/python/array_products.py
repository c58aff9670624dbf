"""NumPy's products of matrices and vectors."""

import math
from collections.abc import Sequence

import numpy as np

from relay.frontend.python.operators import matmul as product
from relay.frontend.python.tensor_arguments import axes_of, known_shape
from relay.ir.expr import Constant, Expr
from relay.ops.functions import core


def convolve(a: Expr, v: Expr, mode: str = "full") -> Expr:
    """Return the convolution of two vectors, at all places where they meet."""
    (n,), (m,) = known_shape(a), known_shape(v)
    if n < m:
        a, v, n, m = v, a, m, n
    padded = core.concatenate([core.zeros((m - 1,), a.tensor_type.dtype), a], 0)
    padded = core.concatenate([padded, core.zeros((m - 1,), a.tensor_type.dtype)], 0)
    places = np.arange(n + m - 1)[:, None] + np.arange(m)[::-1]
    found = core.sum(core.take(padded, Constant(places.astype(np.int32)), 0) * v, 1)
    cut = {"full": 0, "same": (m - 1) // 2, "valid": m - 1}[mode]
    size = {"full": n + m - 1, "same": n, "valid": n - m + 1}[mode]
    return core.strided_slice(found, (cut,), (cut + size,))


def cross(a: Expr, b: Expr) -> Expr:
    """Return the vectors that stand upright on two others, along the last axis, of size 3."""

    def part(x: Expr, shift: int) -> Expr:
        places = Constant(np.roll(np.arange(3, dtype=np.int32), shift))
        return core.take(x, places, x.tensor_type.rank - 1)

    return part(a, -1) * part(b, -2) - part(a, -2) * part(b, -1)


def dot(a: Expr, b: Expr) -> Expr:
    """Return the matrix product; a scalar multiplies each element."""
    ranks = a.tensor_type.rank, b.tensor_type.rank
    if 0 in ranks:
        return a * b
    return product(a, b, None) if max(ranks) < 3 else tensordot(a, b, (-1, -min(2, ranks[1])))


def einsum(subscripts: str, *operands: Expr) -> Expr:
    """Return Einstein's summation."""
    return core.einsum(operands, subscripts)


def inner(a: Expr, b: Expr) -> Expr:
    """Return sums of products over the last axes."""
    if not (a.tensor_type.rank and b.tensor_type.rank):
        return a * b
    return tensordot(a, b, (-1, -1))


def kron(a: Expr, b: Expr) -> Expr:
    """Return each element of one multiplied by all of the other, side by side."""
    rank = max(a.tensor_type.rank, b.tensor_type.rank)
    first = (1,) * (rank - a.tensor_type.rank) + known_shape(a)
    second = (1,) * (rank - b.tensor_type.rank) + known_shape(b)
    wide = [n for size in first for n in (size, 1)], [n for size in second for n in (1, size)]
    whole = core.reshape(a, wide[0]) * core.reshape(b, wide[1])
    return core.reshape(whole, [n * m for n, m in zip(first, second, strict=True)])


def matmul(x1: Expr, x2: Expr) -> Expr:
    """Return the matrix product."""
    return product(x1, x2, None)


def outer(a: Expr, b: Expr) -> Expr:
    """Return each element of one by each of the other."""
    return core.reshape(a, (-1, 1)) * core.reshape(b, (1, -1))


def tensordot(a: Expr, b: Expr, axes: int | Sequence[int | Sequence[int]] = 2) -> Expr:
    """Return sums of products over some axes of both: the last and the first ones, or those."""
    ranks = a.tensor_type.rank, b.tensor_type.rank
    if isinstance(axes, int):
        ours, theirs = tuple(range(ranks[0] - axes, ranks[0])), tuple(range(axes))
    else:
        ours, theirs = (axes_of(each, rank) for each, rank in zip(axes, ranks, strict=True))
    kept = [
        [i for i in range(rank) if i not in gone]
        for rank, gone in ((ranks[0], ours), (ranks[1], theirs))
    ]
    shared = math.prod(known_shape(a)[i] for i in ours)
    left = core.reshape(core.transpose(a, (*kept[0], *ours)), (-1, shared))
    right = core.reshape(core.transpose(b, (*theirs, *kept[1])), (shared, -1))
    shape = [
        x.tensor_type.shape[i] for x, axes_kept in ((a, kept[0]), (b, kept[1])) for i in axes_kept
    ]
    return core.reshape(product(left, right, None), shape)


def vdot(a: Expr, b: Expr) -> Expr:
    """Return the sum of products of all elements."""
    return core.sum(core.reshape(a, (-1,)) * core.reshape(b, (-1,)))
