"""Rotations of pairs of rows or columns, and the order and signs of vectors (Jacobi's methods)."""

from collections.abc import Callable, Generator
from contextlib import contextmanager

from relay.kernels import te
from relay.kernels.loops import Buffer
from relay.kernels.scalar import lift
from relay.kernels.te.hand_written_loops import Cell
from relay.support.dtype import float64, int64

EPSILON = 2.0**-52
"""The distance of float64 numbers near 1."""

_SWEEPS = 40  # far more than the six to ten that a matrix needs


@contextmanager
def sweeps(b: te.LoopBuilder, size: te.Dim) -> Generator[tuple[te.Scalar, te.Scalar, Cell]]:
    """Repeat the `with` block for all pairs `p < q < size` until a sweep changes nothing.

    The block gets `p`, `q` and a cell, which it sets to 1 where it changes something.
    """
    changed, sweep = b.cell(1, int64, "changed"), b.cell(0, int64, "sweep")
    with b.while_(te.equal(changed.value, 1) & (sweep.value < _SWEEPS)):
        changed.value = 0
        sweep.value = sweep.value + 1
        with (
            b.for_(size, "p") as p,
            b.for_(lift(size) - (p + 1), "q", start=p + 1) as q,
        ):
            yield p, q, changed


def diagonalizing_rotation(
    b: te.LoopBuilder, a: te.Scalar, d: te.Scalar, off_diagonal: te.Scalar
) -> tuple[te.Scalar, te.Scalar]:
    """Return cosine and sine of the rotation that diagonalises `[[a, off], [off, d]]`."""
    ratio = b.let((d - a) / (off_diagonal * 2.0), "ratio")
    size = te.abs(ratio) + te.sqrt(ratio * ratio + 1.0)
    tangent = b.let(te.select(ratio < 0.0, -1.0 / size, 1.0 / size), "tangent")
    cosine = b.let(1.0 / te.sqrt(tangent * tangent + 1.0), "cosine")
    return cosine, b.let(cosine * tangent, "sine")


def rotate(
    b: te.LoopBuilder, matrix: Buffer, p: te.Scalar, q: te.Scalar,
    cosine_and_sine: tuple[te.Scalar, te.Scalar], *, rows: bool = False,
) -> None:  # fmt: skip
    """Rotate columns `p` and `q` of a matrix in place, or with `rows` its rows `p` and `q`."""
    cosine, sine = cosine_and_sine
    with b.for_(matrix.shape[1 if rows else 0], "i") as i:
        places = [(each, i) if rows else (i, each) for each in (p, q)]
        x, y = (b.let(matrix[place]) for place in places)
        b.store(matrix, places[0], cosine * x - sine * y)
        b.store(matrix, places[1], sine * x + cosine * y)


def sort_columns(
    b: te.LoopBuilder, keys: Buffer, comes_first: Callable[[te.Scalar, te.Scalar], te.Scalar],
    *matrices: Buffer,
) -> None:  # fmt: skip
    """Sort `keys` in place, and permute the columns of the matrices in the same way."""
    size = lift(keys.shape[0])
    with b.for_(size, "at") as at:
        best = b.cell(at, int64, "best")
        with (
            b.for_(size - (at + 1), "i", start=at + 1) as i,
            b.if_(comes_first(keys[i], keys[best.value])),
        ):
            best.value = i
        chosen = b.let(best.value, "chosen")
        _exchange(b, keys, (at,), (chosen,))
        for matrix in matrices:
            with b.for_(matrix.shape[0], "row") as row:
                _exchange(b, matrix, (row, at), (row, chosen))


def _exchange(
    b: te.LoopBuilder, x: Buffer, one: tuple[te.Scalar, ...], other: tuple[te.Scalar, ...]
) -> None:
    kept = b.let(x[one], "kept")
    b.store(x, one, x[other])
    b.store(x, other, kept)


def fix_signs(b: te.LoopBuilder, leading: Buffer, *others: Buffer) -> None:
    """Negate the columns of `leading` whose largest element is negative, and those of `others`."""
    height, width = leading.shape
    with b.for_(width, "c") as c:
        largest = b.cell(0.0, float64, "largest")
        with b.for_(height, "r") as r, b.if_(te.abs(leading[r, c]) > te.abs(largest.value)):
            largest.value = leading[r, c]
        sign = te.select(largest.value < 0.0, te.const(-1.0, float64), te.const(1.0, float64))
        factor = b.let(sign, "factor")
        for matrix in (leading, *others):
            with b.for_(matrix.shape[0], "r") as r:
                b.store(matrix, (r, c), matrix[r, c] * factor)
