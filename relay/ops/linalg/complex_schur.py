"""The QR algorithm for complex matrices (Francis, 1961): the Schur form `A = Q T Qᴴ`.

Rotations of neighbouring rows and columns first remove the elements below the subdiagonal, and then
those of the subdiagonal, from the last row upwards. A step of the second phase starts from a shift,
an eigenvalue of the last two rows, and moves the element that its first rotation creates down and
out of the matrix.
"""

from dataclasses import dataclass

import numpy as np

from relay.ir.expr import Array
from relay.kernels import te
from relay.kernels.loops import Buffer
from relay.kernels.scalar import lift
from relay.ops.linalg.jacobi_rotations import EPSILON
from relay.ops.tensor.loop_nests import nest
from relay.support.dtype import float64, int64

_STEPS = 40  # for each eigenvalue; most need two or three
_UNUSUAL = 10  # steps after which a shift is chosen differently, as it may repeat itself


@dataclass(frozen=True)
class Complex:
    """A complex number in a kernel."""

    re: te.Scalar
    im: te.Scalar

    def __add__(self, other: "Complex") -> "Complex":
        return Complex(self.re + other.re, self.im + other.im)

    def __sub__(self, other: "Complex") -> "Complex":
        return Complex(self.re - other.re, self.im - other.im)

    def __mul__(self, other: "Complex") -> "Complex":
        re = self.re * other.re - self.im * other.im
        return Complex(re, self.re * other.im + self.im * other.re)

    @property
    def conjugate(self) -> "Complex":
        """Return the complex conjugate."""
        return Complex(self.re, -self.im)

    @property
    def square(self) -> te.Scalar:
        """Return the squared absolute value."""
        return self.re * self.re + self.im * self.im

    def times(self, factor: te.Scalar) -> "Complex":
        """Return a real multiple."""
        return Complex(self.re * factor, self.im * factor)


class Kernel:
    """Code for complex matrices, which are buffers of float64 with a last axis of size 2."""

    def __init__(self, b: te.LoopBuilder, size: te.Dim) -> None:
        self.b, self.size = b, lift(size)

    def let(self, x: Complex) -> Complex:
        """Return a number that is computed once."""
        return Complex(self.b.let(x.re), self.b.let(x.im))

    def read(self, of: Buffer, *place: te.Scalar) -> Complex:
        """Return an element."""
        return self.let(Complex(of[(*place, lift(0))], of[(*place, lift(1))]))

    def write(self, to: Buffer, *place: te.Scalar, x: Complex) -> None:
        """Store an element."""
        self.b.store(to, (*place, lift(0)), te.cast(x.re, to.dtype))
        self.b.store(to, (*place, lift(1)), te.cast(x.im, to.dtype))

    def quotient(self, x: Complex, y: Complex) -> Complex:
        """Return `x / y`."""
        return self.let((x * y.conjugate).times(1.0 / y.square))

    def zero(self) -> Complex:
        """Return zero."""
        return Complex(te.const(0.0, float64), te.const(0.0, float64))

    def triangularize(self, t: Buffer, q: Buffer) -> None:
        """Replace the matrix `t` by its Schur form, and write the unitary matrix to `q`.

        Both are NaN if the algorithm does not converge.
        """
        b, n = self.b, self.size
        with nest(b, (n, n)) as (r, c):
            unit = te.cast(te.equal(r, c), float64)
            self.write(q, r, c, x=Complex(unit, te.const(0.0, float64)))
        with b.for_(n, "c") as c, b.for_(n - c, "up") as up, b.if_(up < n - c - 2):
            below = b.let(n - 1 - up, "below")
            self._eliminate(t, q, below, c)
        last, steps = b.cell(n - 1, int64, "last"), b.cell(0, int64, "steps")
        with b.while_((last.value > 0) & (steps.value < n * _STEPS)):
            first = b.let(self._block(t, last.value), "first")
            with b.if_(te.equal(first, last.value)):
                last.value = last.value - 1
            with b.else_():
                steps.value = steps.value + 1
                self._step(t, q, (first, last.value), steps.value)
        with b.if_(last.value > 0), nest(b, (n, n)) as (r, c):
            nan = te.const(float("nan"), float64)
            for each in (t, q):
                self.write(each, r, c, x=Complex(nan, nan))

    def _block(self, t: Buffer, last: te.Scalar) -> te.Scalar:
        """Return the first row of the block that ends at row `last`; clear the element before."""
        b = self.b
        first, goes_on = b.cell(last, int64, "first"), b.cell(1, int64, "goes_on")
        with b.while_((first.value > 0) & te.equal(goes_on.value, 1)):
            at = b.let(first.value, "at")
            size = te.sqrt(self.read(t, at, at).square) + te.sqrt(
                self.read(t, at - 1, at - 1).square
            )
            with b.if_(te.sqrt(self.read(t, at, at - 1).square) > size * EPSILON):
                first.value = at - 1
            with b.else_():
                self.write(t, at, at - 1, x=self.zero())
                goes_on.value = 0
        return first.value

    def _step(
        self, t: Buffer, q: Buffer, block: tuple[te.Scalar, te.Scalar], steps: te.Scalar
    ) -> None:
        """Do one step of the QR algorithm in the block from row `first` to row `last`."""
        b, (first, last) = self.b, block
        shift = self._shift(t, last)
        is_unusual = te.equal(steps % _UNUSUAL, 0)
        size = te.sqrt(self.read(t, last, last - 1).square)
        moved = te.select(is_unusual, shift.re + size, shift.re)
        begin = self.read(t, first, first) - Complex(moved, shift.im)
        self._rotate(t, q, first, self._rotation(begin, self.read(t, first + 1, first)))
        with b.for_(last - first - 1, "k") as k:
            self._eliminate(t, q, first + k + 2, first + k)

    def _shift(self, t: Buffer, last: te.Scalar) -> Complex:
        """Return the eigenvalue of the rows `last - 1` and `last` nearer to the last element."""
        b = self.b
        d, mixed = self.read(t, last, last), self.read(t, last - 1, last)
        mixed = self.let(mixed * self.read(t, last, last - 1))
        half = self.let((self.read(t, last - 1, last - 1) - d).times(te.const(0.5, float64)))
        square = self.let(half * half + mixed)
        size = b.let(te.sqrt(square.square), "size")
        re = te.sqrt(te.maximum(size + square.re, te.const(0.0, float64)) * 0.5)
        im = te.sqrt(te.maximum(size - square.re, te.const(0.0, float64)) * 0.5)
        root = self.let(Complex(re, te.select(square.im < 0.0, -im, im)))
        same = half.re * root.re + half.im * root.im
        sign = te.select(same < 0.0, te.const(-1.0, float64), te.const(1.0, float64))
        below = self.let(half + root.times(sign))
        is_zero = te.equal(below.square, 0.0)
        found = self.quotient(
            mixed, Complex(te.select(is_zero, te.const(1.0, float64), below.re), below.im)
        )
        return self.let(d - found)

    def _eliminate(self, t: Buffer, q: Buffer, row: te.Scalar, column: te.Scalar) -> None:
        """Make the element of a row in a column zero by rotating it with the row above."""
        upper, lower = self.read(t, row - 1, column), self.read(t, row, column)
        self._rotate(t, q, row - 1, self._rotation(upper, lower))
        self.write(t, row, column, x=self.zero())

    def _rotation(self, x: Complex, y: Complex) -> tuple[Complex, Complex]:
        """Return `(x, y)`, divided by their norm; `(1, 0)` if both are zero."""
        norm = self.b.let(te.sqrt(x.square + y.square), "norm")
        is_zero = te.equal(norm, 0.0)
        factor = self.b.let(1.0 / te.select(is_zero, te.const(1.0, float64), norm), "factor")
        u, v = x.times(factor), y.times(factor)
        one = te.const(1.0, float64)
        return self.let(Complex(te.select(is_zero, one, u.re), u.im)), self.let(v)

    def _rotate(
        self, t: Buffer, q: Buffer, p: te.Scalar, rotation: tuple[Complex, Complex]
    ) -> None:
        """Rotate the rows `p` and `p + 1` of `t`, its columns, and those of `q`."""
        b, (u, v) = self.b, rotation
        with b.for_(self.size, "i") as i:
            x, y = self.read(t, p, i), self.read(t, p + 1, i)
            self.write(t, p, i, x=u.conjugate * x + v.conjugate * y)
            self.write(t, p + 1, i, x=u * y - v * x)
        for matrix in (t, q):
            with b.for_(self.size, "i") as i:
                x, y = self.read(matrix, i, p), self.read(matrix, i, p + 1)
                self.write(matrix, i, p, x=u * x + v * y)
                self.write(matrix, i, p + 1, x=u.conjugate * y - v.conjugate * x)


def schur_form(x: Array) -> tuple[Array, Array]:
    """Return `T` and `Q` of a complex matrix; both are NaN if the algorithm does not converge."""
    t, n = x.astype(np.complex128), len(x)
    q = np.eye(n, dtype=np.complex128)
    for column in range(n):
        for row in range(n - 1, column + 1, -1):
            _eliminate(t, q, row, column)
    last, steps = n - 1, 0
    while last > 0 and steps < n * _STEPS:
        first = _block(t, last)
        if first == last:
            last -= 1
            continue
        steps += 1
        shift = _shift(t, last)
        if steps % _UNUSUAL == 0:
            shift += abs(t[last, last - 1])
        _rotate(t, q, first, t[first, first] - shift, t[first + 1, first])
        for column in range(first, last - 1):
            _eliminate(t, q, column + 2, column)
    if last > 0:
        t[:], q[:] = np.nan, np.nan
    return t, q


def _block(t: Array, last: int) -> int:
    first = last
    while first > 0:
        size = abs(t[first, first]) + abs(t[first - 1, first - 1])
        if not abs(t[first, first - 1]) > size * EPSILON:
            t[first, first - 1] = 0
            break
        first -= 1
    return first


def _shift(t: Array, last: int) -> complex:
    d, mixed = complex(t[last, last]), complex(t[last - 1, last] * t[last, last - 1])
    half = (complex(t[last - 1, last - 1]) - d) * 0.5
    root = complex(np.sqrt(half * half + mixed))
    is_opposite = half.real * root.real + half.imag * root.imag < 0
    below = half - root if is_opposite else half + root
    return d - (mixed / below if below else mixed)


def _eliminate(t: Array, q: Array, row: int, column: int) -> None:
    _rotate(t, q, row - 1, t[row - 1, column], t[row, column])
    t[row, column] = 0


def _rotate(t: Array, q: Array, p: int, x: complex, y: complex) -> None:
    norm = np.hypot(abs(x), abs(y))
    u, v = (x / norm, y / norm) if norm else (1.0 + 0j, 0j)
    turn = np.array([[np.conj(u), np.conj(v)], [-v, u]])
    t[p : p + 2] = turn @ t[p : p + 2]
    for matrix in (t, q):
        matrix[:, p : p + 2] = matrix[:, p : p + 2] @ turn.conj().T
