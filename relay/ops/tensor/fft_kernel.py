"""Kernel loops of a fast Fourier transform of vectors, with one step for each factor of the size.

The length is `s · r · m`, where transforms of length `s` are done already. The step for the factor
`r` reads elements `q + s (p + m k)` for `k < r`, transforms these `r` numbers, multiplies them by
roots of unity (`p c / (r m)` of a full turn), and writes them to `q + s (r p + c)`, for `c < r`.
This is Stockham's order, which needs no permutation. A prime factor `r` costs about `r` operations
for each element.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import reduce
from math import cos, pi, sin
from typing import TypeAlias

from relay.kernels import te
from relay.kernels.loops import Buffer, Mode
from relay.kernels.scalar import Const, lift
from relay.support.dtype import DType, int64

Complex: TypeAlias = tuple[te.Scalar, te.Scalar]
Table: TypeAlias = tuple[Buffer, Buffer]
Read: TypeAlias = Callable[[te.Scalar, te.Scalar], Complex]
"""A function that returns the number at an index in a lane."""
Write: TypeAlias = Callable[[te.Scalar, te.Scalar, Complex], None]

FEW = 16
"""The largest size that is transformed by unrolled code."""

_UNROLLED = 8
"""The largest factor whose transform is unrolled."""


def factors(size: int) -> list[int]:
    """Return the factors of a size into which a transform is split: fours first, then primes.

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


def reads_table(size: int) -> bool:
    """Whether a transform of this size is not fully unrolled, and thus needs a table of roots.

    These are the roots of unity, which unrolled code contains as constants.
    """
    return size > FEW or factors(size)[-1] > _UNROLLED


class Numbers:
    """A buffer of complex numbers: `size` of them in each lane."""

    def __init__(self, b: te.LoopBuilder, size: int, lanes: int, dtype: DType) -> None:
        self._b = b
        self.parts = [b.scratch((size, lanes), dtype, name) for name in ("real", "imaginary")]

    def read(self, place: te.Scalar, lane: te.Scalar) -> Complex:
        """Return the number at an index in a lane."""
        real, imaginary = (part[place, lane] for part in self.parts)
        return real, imaginary

    def write(self, place: te.Scalar, lane: te.Scalar, number: Complex) -> None:
        """Store the number at an index in a lane."""
        for part, each in zip(self.parts, number, strict=True):
            self._b.store(part, (place, lane), each)


class Transform:
    """The transform of `size` numbers in each lane; a positive `sign` means the inverse transform.

    `table` has the cosines and sines of all fractions of a full turn. Without a table, all code is
    unrolled, which is suitable for small sizes.
    """

    def __init__(
        self, b: te.LoopBuilder, size: int, lanes: int, dtype: DType, sign: float,
        table: Table | None = None,
    ) -> None:  # fmt: skip
        self._b = b
        self._size = size
        self._lanes = lanes
        self._dtype = dtype
        self._sign = sign
        self._table = table
        self._radices = factors(size)
        between = max(0, min(2, len(self._radices) - 1))
        self._sides = [Numbers(b, size, lanes, dtype) for _ in range(between)]

    def run(self, read: Read, write: Write) -> None:
        """Generate code that transforms the numbers that `read` returns, and calls `write`."""
        left, done = self._size, 1
        for number, radix in enumerate(self._radices):
            left //= radix
            is_last = number == len(self._radices) - 1
            sink = write if is_last else self._sides[number % 2].write
            step = self._step if radix <= _UNROLLED else self._long_step
            step(read, sink, radix, left, done)
            read = read if is_last else self._sides[number % 2].read
            done *= radix

    def _step(self, read: Read, write: Write, radix: int, left: int, done: int) -> None:
        b = self._b
        for p in self._each(left, "p"):
            turns = [self._turn(p * (c * done)) for c in range(1, radix)] if left > 1 else []
            for q in self._each(done, "q"):
                with self._each_lane() as lane:
                    given = [bound(b, read(q + (p + left * k) * done, lane)) for k in range(radix)]
                    found = small_transform(b, given, self._sign)
                    turned = [found[0], *map(product_of, found[1:], turns)] if turns else found
                    for c, number in enumerate(turned):
                        write(q + (p * radix + c) * done, lane, number)

    def _long_step(self, read: Read, write: Write, radix: int, left: int, done: int) -> None:
        b, size = self._b, self._size
        sums = Numbers(b, 1, self._lanes, self._dtype)
        zero = te.const(0.0, self._dtype)
        with b.for_(left, "p") as p, b.for_(radix, "c") as c, b.for_(done, "q") as q:
            with self._each_lane() as lane:
                sums.write(lift(0), lane, (zero, zero))
            with b.for_(radix, "k") as k:
                turn = self._turn((p * c * done + c * k % radix * (size // radix)) % size)
                with self._each_lane() as lane:
                    each = bound(b, read(q + (p + k * left) * done, lane))
                    total = _sum(sums.read(lift(0), lane), product_of(each, turn))
                    sums.write(lift(0), lane, total)
            with self._each_lane() as lane:
                write(q + (p * radix + c) * done, lane, sums.read(lift(0), lane))

    def _each(self, count: int, name: str) -> Iterator[te.Scalar]:
        """Yield the numbers below `count` one by one, or the variable of a loop over them."""
        if self._table is None or count == 1:
            yield from (lift(number, int64) for number in range(count))
        else:
            with self._b.for_(count, name) as number:
                yield number

    def _each_lane(self) -> AbstractContextManager[te.Scalar]:
        mode = Mode.VECTOR if self._lanes > 1 else Mode.SERIAL
        return self._b.for_(self._lanes, "lane", mode=mode)

    def _turn(self, part: te.Scalar) -> Complex:
        """Return the cosine and sine of a fraction of a full turn, from the table if any."""
        if self._table is not None:
            cosine, sine = (self._b.let(each[part]) for each in self._table)
            return cosine, sine
        assert isinstance(part, Const), "without a table all numbers are known"
        return turn_of(int(part.value), self._size, self._sign, self._dtype)


def turn_of(part: int, size: int, sign: float, dtype: DType) -> Complex:
    """Return the cosine and the sine of `part / size` of a full turn, as constants."""
    angle = sign * 2 * pi * (part % size) / size
    return te.const(cos(angle), dtype), te.const(sin(angle), dtype)


def product_of(a: Complex, c: Complex) -> Complex:
    """Return the product of two complex numbers."""
    return a[0] * c[0] - a[1] * c[1], a[0] * c[1] + a[1] * c[0]


def _sum(a: Complex, c: Complex) -> Complex:
    return a[0] + c[0], a[1] + c[1]


def _difference(a: Complex, c: Complex) -> Complex:
    return a[0] - c[0], a[1] - c[1]


def small_transform(b: te.LoopBuilder, x: Sequence[Complex], sign: float) -> list[Complex]:
    """Return the transform of two, of four, or of an odd number of numbers."""
    if len(x) == 2:
        return [_sum(*x), _difference(*x)]
    if len(x) == 4:
        even, odd = (bound(b, _sum(x[k], x[k + 2])) for k in (0, 1))
        first, (real, imaginary) = (bound(b, _difference(x[k], x[k + 2])) for k in (0, 1))
        quarter = (-imaginary, real) if sign > 0 else (imaginary, -real)
        return [
            _sum(even, odd), _sum(first, quarter), _difference(even, odd),
            _difference(first, quarter),
        ]  # fmt: skip
    return _odd_transform(b, x, sign)


def _odd_transform(b: te.LoopBuilder, x: Sequence[Complex], sign: float) -> list[Complex]:
    """Return the transform of an odd number of numbers, computed from pairs of them.

    Results `c` and `-c` are the sum and the difference of two terms: one multiplies sums of pairs
    by cosines, the other multiplies differences of pairs by sines.
    """
    first, size, dtype = x[0], len(x), x[0][0].dtype
    pairs = [(x[k], x[size - k]) for k in range(1, size // 2 + 1)]
    sums = [bound(b, _sum(*pair)) for pair in pairs]
    differences = [bound(b, _difference(*pair)) for pair in pairs]
    found = [reduce(_sum, sums, first)] * size
    for c in range(1, size // 2 + 1):
        turns = [turn_of(c * k, size, sign, dtype) for k in range(1, size // 2 + 1)]
        cosines = [_times(each, turn[0]) for each, turn in zip(sums, turns, strict=True)]
        sines = [_times((-v, u), turn[1]) for (u, v), turn in zip(differences, turns, strict=True)]
        even, odd = bound(b, reduce(_sum, cosines, first)), bound(b, reduce(_sum, sines))
        found[c], found[size - c] = _sum(even, odd), _difference(even, odd)
    return found


def _times(number: Complex, by: te.Scalar) -> Complex:
    return number[0] * by, number[1] * by


def bound(b: te.LoopBuilder, number: Complex) -> Complex:
    """Return a complex number bound to variables, so that it is computed only once."""
    return b.let(number[0]), b.let(number[1])
