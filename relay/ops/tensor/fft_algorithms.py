"""Kernel loops of Fourier transforms of lines, whose length is static, by one of three algorithms.

1. A line of `m · w` numbers is a matrix of `m` rows, whose `w` columns are the lanes of vectors.
The columns are transformed, multiplied by roots of unity, and transposed in blocks; then the rows
are transformed, so that all loads and stores are contiguous. 2. If the length of lines has no such
factor `w`, several lines are transformed as the lanes of vectors. 3. If the length has a large
prime factor, the transform is a convolution with a chirp, which is computed by transforms of longer
lines (Bluestein, 1970).
"""

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from math import pi
from operator import mul
from typing import TypeAlias

from relay.ir.dims import Dim, maximum, product
from relay.kernels import te
from relay.kernels.loops import Buffer, Mode, Stmt
from relay.kernels.scalar import Number, lift
from relay.ops.tensor.fft_kernel import (
    FEW,
    Complex,
    Numbers,
    Transform,
    bound,
    factors,
    product_of,
    reads_table,
)
from relay.support.dtype import DType, int64
from relay.support.node import node

Element: TypeAlias = Callable[[te.Scalar], Complex]
"""A function that returns the number of a line at an index, or a vector at a vector of indices."""
Store: TypeAlias = Callable[[te.Scalar, Complex], None]

_LANES = 16  # lanes of vectors: several lines, or numbers of a line
_WIDTHS = (16, 8, 4)  # columns of the matrix of a line, which has at least as many rows
_LARGEST = 16  # the largest prime factor for which a chirp is not faster


def transformed_lines(
    re: te.Tensor, im: te.Tensor, shape: Sequence[Dim], n: int, sign: float, scale: Number
) -> tuple[te.Tensor, te.Tensor]:
    """Return the transforms, times `scale`, of the lines of length `n` along the last axis.

    `shape` has the sizes of the other axes.
    """
    way = _algorithm_for(n, sign, re.dtype)

    def build(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
        b, (real, imaginary, *tables) = te.LoopBuilder(), inputs
        way.lines(b, shape, tables, _Memory(b, (real, imaginary), outputs, scale))
        return b.finish()

    kinds = [(re.shape, re.dtype)] * 2
    first, second = te.loops(kinds, [re, im, *way.tables()], build, "dft")
    return first, second


@node
class _Memory:
    """Access to the lines of the input buffers and the output buffers."""

    b: te.LoopBuilder
    inputs: tuple[Buffer, Buffer]
    outputs: tuple[Buffer, ...]
    scale: Number

    def line(self, at: Sequence[te.Scalar]) -> tuple[Element, Store]:
        """Return functions that read a number of a line, and store a result in it."""

        def read(place: te.Scalar) -> Complex:
            real, imaginary = (part[(*at, place)] for part in self.inputs)
            return real, imaginary

        def store(place: te.Scalar, number: Complex) -> None:
            for out, part in zip(self.outputs, number, strict=True):
                self.b.store(out, (*at, place), part * self.scale)

        return read, store


class _Algorithm:
    """The base of the algorithms for lines of `n` numbers."""

    def __init__(self, n: int, sign: float, dtype: DType) -> None:
        self.n, self.sign, self.dtype = n, sign, dtype

    def tables(self) -> list[te.Tensor]:
        """Return the tables that the loops read, as tensors of the kernel."""
        return []

    def lines(
        self, b: te.LoopBuilder, shape: Sequence[Dim], tables: Sequence[Buffer], memory: _Memory
    ) -> None:
        """Generate the loops over all lines."""
        with b.for_(lift(product(shape)), "row") as row:
            self.line(b, tables, *memory.line([b.let(i) for i in position(row, shape)]))

    def line(
        self, b: te.LoopBuilder, tables: Sequence[Buffer], read: Element, store: Store
    ) -> None:
        """Generate the transform of one line."""
        raise AssertionError("lines are transformed one by one")

    def rotation_tables(self, shape: Sequence[int], n: int, power: int = 1) -> list[te.Tensor]:
        """Return tables of cosines and sines of fractions of a full turn.

        A fraction is the product of the indices, divided by `n`.
        """

        def table(part: int) -> te.Tensor:
            def element(*i: te.Scalar) -> te.Scalar:
                return rotation(reduce(mul, i * power), n, self.sign, self.dtype)[part]

            return te.compute(shape, element, name="turns")

        return [table(0), table(1)]


class _Columns(_Algorithm):
    """The algorithm of case 1, by columns and rows of a matrix."""

    def __init__(self, n: int, width: int, sign: float, dtype: DType) -> None:
        super().__init__(n, sign, dtype)
        self.height, self.width = n // width, width

    def tables(self) -> list[te.Tensor]:
        """Return the roots of unity between columns and rows, then those of long columns."""
        between = self.rotation_tables((self.width, self.height), self.n)
        inside = (
            self.rotation_tables((self.height,), self.height) if reads_table(self.height) else []
        )
        return [*between, *inside]

    def line(
        self, b: te.LoopBuilder, tables: Sequence[Buffer], read: Element, store: Store
    ) -> None:
        """Generate the transforms of the columns, then those of the rows, block by block."""
        height, width = self.height, self.width
        lanes = min(_LANES, 1 << (height.bit_length() - 1))
        cosine, sine, *inside = tables
        table = (inside[0], inside[1]) if inside else None
        columns = Numbers(b, height, width, self.dtype)
        block = Numbers(b, width, lanes, self.dtype)
        by_columns = Transform(b, height, width, self.dtype, self.sign, table)
        by_rows = Transform(b, width, lanes, self.dtype, self.sign)
        by_columns.run(lambda place, lane: read(place * width + lane), columns.write)
        with b.for_(-(-height // lanes), "block") as number:
            start = b.let(te.minimum(number * lanes, height - lanes))
            for source, target in zip(columns.parts, block.parts, strict=True):
                with b.for_(width, "j") as j, b.for_(lanes, "lane", mode=Mode.VECTOR) as lane:
                    b.store(target, (j, lane), source[start + lane, j])

            def turned(place: te.Scalar, lane: te.Scalar) -> Complex:
                each, at = bound(b, block.read(place, lane)), (place, start + lane)
                return product_of(each, bound(b, (cosine[at], sine[at])))

            by_rows.run(turned, lambda j, lane, each: store(start + lane + j * height, each))


class _LinesInLanes(_Algorithm):
    """The algorithm of case 2, by vectors whose lanes are several lines."""

    def tables(self) -> list[te.Tensor]:
        """Return the roots of unity for long lines."""
        return self.rotation_tables((self.n,), self.n) if reads_table(self.n) else []

    def lines(
        self, b: te.LoopBuilder, shape: Sequence[Dim], tables: Sequence[Buffer], memory: _Memory
    ) -> None:
        """Generate code that copies lines into lanes, transforms them, and copies them back."""
        count = product(shape)
        lanes = 1 if isinstance(count, int) and count < _LANES // 2 else _LANES
        with b.for_((lift(count) + (lanes - 1)) // lanes, "block") as block:
            given, found = (Numbers(b, self.n, lanes, self.dtype) for _ in range(2))

            def line(lane: te.Scalar) -> tuple[Element, Store]:
                number = te.minimum(block * lanes + lane, lift(count) - 1)
                return memory.line([b.let(i) for i in position(number, shape)])

            with b.for_(lanes, "lane") as lane:
                read, _ = line(lane)
                with b.for_(self.n, "k") as k:
                    given.write(k, lane, read(k))
            table = (tables[0], tables[1]) if tables else None
            transform = Transform(b, self.n, lanes, self.dtype, self.sign, table)
            transform.run(given.read, found.write)
            with b.for_(lanes, "lane") as lane:
                _, store = line(lane)
                with b.for_(self.n, "k") as k:
                    store(k, found.read(k, lane))


class _Chirp(_Algorithm):
    """The algorithm of case 3.

    The result is `x[k] c[k]` convolved with `1 / c[k]`, times `c[k]`, for a chirp `c`.
    """

    def __init__(self, n: int, sign: float, dtype: DType) -> None:
        super().__init__(n, sign, dtype)
        self.inner = _algorithm_for(max(FEW, 1 << (2 * n - 2).bit_length()), -1.0, dtype)

    def tables(self) -> list[te.Tensor]:
        """Return the chirp, then the tables for the longer lines."""
        return [*self.rotation_tables((self.n,), 2 * self.n, power=2), *self.inner.tables()]

    def lines(
        self, b: te.LoopBuilder, shape: Sequence[Dim], tables: Sequence[Buffer], memory: _Memory
    ) -> None:
        """Generate the transform of the convolution's kernel, then those of all lines."""
        cosine, sine, *inner = tables
        n, size, zero = self.n, self.inner.n, te.const(0.0, self.dtype)
        read_given, give = _in_only_lane(Numbers(b, size, 1, self.dtype))
        read_kernel, keep = _in_only_lane(Numbers(b, size, 1, self.dtype))
        read_product, multiply = _in_only_lane(Numbers(b, size, 1, self.dtype))
        read_sum, add = _in_only_lane(Numbers(b, size, 1, self.dtype))

        def chirp(k: te.Scalar) -> Complex:
            return bound(b, (cosine[k], sine[k]))

        for k in _in_vectors(b, size):
            give(k, (zero, zero))
        with b.for_(n, "k") as k:
            for place in (k, (size - k) % size):
                give(place, (cosine[k], -sine[k]))
        self.inner.line(b, inner, read_given, keep)
        for k in _in_vectors(b, size):
            give(k, (zero, zero))
        with b.for_(lift(product(shape)), "row") as row:
            read, store = memory.line([b.let(i) for i in position(row, shape)])
            for k in _in_vectors(b, n):
                give(k, product_of(bound(b, read(k)), chirp(k)))
            self.inner.line(
                b, inner, read_given,
                lambda k, each: multiply(k, product_of(bound(b, each), bound(b, read_kernel(k)))),
            )  # fmt: skip
            self.inner.line(  # with both parts exchanged, it is the inverse
                b, inner, lambda k: _exchanged(read_product(k)),
                lambda k, each: add(k, _exchanged(each)),
            )  # fmt: skip
            for k in _in_vectors(b, n):
                u, v = product_of(bound(b, read_sum(k)), chirp(k))
                store(k, (u * (1.0 / size), v * (1.0 / size)))


def _algorithm_for(n: int, sign: float, dtype: DType) -> _Algorithm:
    """Return the algorithm for lines of `n` numbers; a positive `sign` means the inverse."""
    if factors(n)[-1] > _LARGEST:
        return _Chirp(n, sign, dtype)
    width = next((w for w in _WIDTHS if n % w == 0 and n // w >= w), None)
    return _LinesInLanes(n, sign, dtype) if width is None else _Columns(n, width, sign, dtype)


def _in_only_lane(numbers: Numbers) -> tuple[Element, Store]:
    """Return functions that read and store the numbers of a buffer with one lane."""
    return (
        lambda place: numbers.read(place, lift(0)),
        lambda place, number: numbers.write(place, lift(0), number),
    )


def _exchanged(number: Complex) -> Complex:
    return number[1], number[0]


def _in_vectors(b: te.LoopBuilder, count: int) -> Iterator[te.Scalar]:
    """Yield the numbers below `count` as vectors; the caller's loop body is generated for each."""
    whole, left = divmod(count, _LANES)
    with b.for_(whole, "vector") as vector, b.for_(_LANES, "lane", mode=Mode.VECTOR) as lane:
        yield vector * _LANES + lane
    if left:
        with b.for_(left, "k") as k:
            yield k + whole * _LANES


def position(row: te.Scalar, shape: Sequence[Dim]) -> tuple[te.Scalar, ...]:
    """Return the indices of a row, given its row-major number in `shape`."""
    indices: list[te.Scalar] = []
    for size in reversed(shape):
        indices.append(row % lift(size, int64))
        row = row // lift(size, int64)
    return tuple(reversed(indices))


def rotation(numerator: te.Scalar, n: Dim, sign: float, dtype: DType) -> Complex:
    """Return the cosine and sine of `numerator / n` of a full turn.

    `numerator` is first reduced modulo `n`, which is exact.
    """
    angle = te.cast(numerator % maximum(n, 1), dtype) * divided(sign * 2.0 * pi, n, dtype)
    return te.cos(angle), te.sin(angle)


def divided(number: float, n: Dim, dtype: DType) -> Number:
    """Return a number divided by a size; a size of 0 counts as 1."""
    if isinstance(n, int):
        return number / max(n, 1)
    return number / lift(maximum(n, 1), dtype)
