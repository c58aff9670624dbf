"""The loops of a fast Fourier transform of lines of known length, in steps of small factors.

A step takes apart a factor `r` of what is left of the length, `r · m`, where transforms of length
`s` are done already: it reads elements `q + s (p + m k)` for `k < r`, transforms these `r` numbers,
and writes them, turned by `p c / (r m)`, to `q + s (r p + c)`, for `c < r` (Stockham's order, which
needs no permutation). A prime factor costs as many operations per element as it is large.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from math import cos, pi, sin

from relay.ir.dims import Dim
from relay.kernels import te
from relay.kernels.loops import Buffer, Mode
from relay.kernels.scalar import lift
from relay.support.dtype import DType, int64

Complex = tuple[te.Scalar, te.Scalar]
Table = tuple[Buffer, Buffer]

LANES = 16
"""The lines that are transformed together, one in each lane of a vector."""

_UNROLLED = 8
"""The largest factor whose transform is written without loops."""


def factors(size: int) -> list[int]:
    """Return factors of a size: fours first, then primes.

    >>> factors(400), factors(509)
    ([4, 4, 5, 5], [509])
    """
    found: list[int] = []
    for radix in (4, 2, 3, *range(5, size + 1, 2)):
        while size > 1 and size % radix == 0:
            found.append(radix)
            size //= radix
        if size == 1:
            break
    return found


class Lines:
    """Lines in scratch memory, of which `lanes` are transformed together, between two sides."""

    def __init__(self, b: te.LoopBuilder, size: int, lanes: int, dtype: DType) -> None:
        self._b = b
        self._size = size
        self._lanes = lanes
        self._parts = [b.scratch((2, size, lanes), dtype, name) for name in ("real", "imaginary")]
        self._side = 0

    def store(self, place: te.Scalar, lane: te.Scalar, number: Complex) -> None:
        """Store an element of a line that is to be transformed."""
        for part, each in zip(self._parts, number, strict=True):
            self._b.store(part, (0, place, lane), each)

    def load(self, place: te.Scalar, lane: te.Scalar) -> Complex:
        """Return an element of a transformed line."""
        real, imaginary = (part[self._side, place, lane] for part in self._parts)
        return real, imaginary

    def transform(self, table: Table, sign: float) -> None:
        """Transform all lines; `table` has the cosines and sines of all parts of a full turn."""
        left, done = self._size, 1
        for radix in factors(self._size):
            left //= radix
            if radix <= _UNROLLED:
                self._step(table, sign, radix, left, done)
            else:
                self._long_step(table, radix, left, done)
            self._side = 1 - self._side
            done *= radix

    def _step(self, table: Table, sign: float, radix: int, left: int, done: int) -> None:
        b, source = self._b, self._side
        with b.for_(left, "p") as p:
            turns = [
                (b.let(table[0][p * (c * done)]), b.let(table[1][p * (c * done)]))
                for c in range(1, radix)
            ]
            with b.for_(done, "q") as q, self._each_lane() as lane:
                given = [self._bound(source, q + (p + left * k) * done, lane) for k in range(radix)]
                found = _small(b, given, sign)
                turned = [found[0], *map(_product, found[1:], turns)]
                for c, number in enumerate(turned):
                    self._write(1 - source, q + (p * radix + c) * done, lane, number)

    def _long_step(self, table: Table, radix: int, left: int, done: int) -> None:
        b, source, size = self._b, self._side, self._size
        dtype = self._parts[0].dtype
        sums = b.scratch((2, self._lanes), dtype, "sums")
        with b.for_(left, "p") as p, b.for_(radix, "c") as c, b.for_(done, "q") as q:
            with b.for_(2, "part") as part, self._each_lane() as lane:
                b.store(sums, (part, lane), te.const(0.0, dtype))
            with b.for_(radix, "k") as k:
                turn = b.let((p * c * done + c * k % radix * (size // radix)) % size, "turn")
                turned = b.let(table[0][turn]), b.let(table[1][turn])
                with self._each_lane() as lane:
                    each = self._bound(source, q + (p + k * left) * done, lane)
                    for place, term in enumerate(_product(each, turned)):
                        b.store(sums, (place, lane), sums[place, lane] + term)
            with self._each_lane() as lane:
                number = sums[0, lane], sums[1, lane]
                self._write(1 - source, q + (p * radix + c) * done, lane, number)

    def _each_lane(self) -> AbstractContextManager[te.Scalar]:
        mode = Mode.VECTOR if self._lanes > 1 else Mode.SERIAL
        return self._b.for_(self._lanes, "lane", mode=mode)

    def _bound(self, side: int, place: te.Scalar, lane: te.Scalar) -> Complex:
        real, imaginary = (self._b.let(part[side, place, lane]) for part in self._parts)
        return real, imaginary

    def _write(self, side: int, place: te.Scalar, lane: te.Scalar, number: Complex) -> None:
        for part, each in zip(self._parts, number, strict=True):
            self._b.store(part, (side, place, lane), each)


def _product(a: Complex, c: Complex) -> Complex:
    return a[0] * c[0] - a[1] * c[1], a[0] * c[1] + a[1] * c[0]


def _sum(a: Complex, c: Complex) -> Complex:
    return a[0] + c[0], a[1] + c[1]


def _difference(a: Complex, c: Complex) -> Complex:
    return a[0] - c[0], a[1] - c[1]


def _small(b: te.LoopBuilder, x: Sequence[Complex], sign: float) -> list[Complex]:
    """Return the transform of a few numbers."""
    if len(x) == 2:
        return [_sum(*x), _difference(*x)]
    if len(x) == 4:
        even, odd = (_bind(b, _sum(x[k], x[k + 2])) for k in (0, 1))
        first, (real, imaginary) = (_bind(b, _difference(x[k], x[k + 2])) for k in (0, 1))
        quarter = (-imaginary, real) if sign > 0 else (imaginary, -real)
        return [
            _sum(even, odd), _sum(first, quarter), _difference(even, odd),
            _difference(first, quarter),
        ]  # fmt: skip
    found: list[Complex] = []
    for c in range(len(x)):
        total = x[0]
        for k in range(1, len(x)):
            angle = sign * 2 * pi * (c * k % len(x)) / len(x)
            of = x[0][0].dtype
            total = _sum(
                total, _product(x[k], (te.const(cos(angle), of), te.const(sin(angle), of)))
            )
        found.append(_bind(b, total))
    return found


def _bind(b: te.LoopBuilder, number: Complex) -> Complex:
    return b.let(number[0]), b.let(number[1])


def position(row: te.Scalar, shape: Sequence[Dim]) -> tuple[te.Scalar, ...]:
    """Return the indices of a row among the rows of leading axes."""
    indices: list[te.Scalar] = []
    for size in reversed(shape):
        indices.append(row % lift(size, int64))
        row = row // lift(size, int64)
    return tuple(reversed(indices))
