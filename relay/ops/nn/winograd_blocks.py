"""The two transformations of a Winograd convolution of data in blocks of channels.

A convolution by `r × r` weights computes tiles of `m × m` results from tiles of `a × a` elements,
`a = m + r - 1`. Along each axis it is `Aᵀ [(G g) ⊙ (Bᵀ d)]` (`relay.ops.nn.winograd`): the data is
transformed by `Bᵀ`, each of the `a²` results is multiplied by a matrix of weights over the
channels, and the products are transformed by `Aᵀ`. The products are a pointwise convolution in `a²`
groups, so that these two operators are all that a Winograd convolution needs besides.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import cache

import numpy as np

from relay.ir.dims import Dim, Shape, is_static, multiply
from relay.ir.expr import Array, Call, Constant, Expr, Tuple
from relay.ir.types import TensorType
from relay.kernels import te
from relay.kernels.scalar import Scalar
from relay.opdef import checks
from relay.opdef.access_map import Fusion
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.creation import number
from relay.ops.families import FLOATS, extents, type_of
from relay.ops.nn import windows
from relay.ops.nn.pad import Pad, static_width_pairs
from relay.ops.nn.window_bounds_checks import conjunction, inside
from relay.ops.nn.winograd import matrices
from relay.ops.tensor.dim_arithmetic import ceiling_divide, dims, ints
from relay.ops.tensor.einsum import Einsum
from relay.ops.tensor.reshape import Reshape
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.windows_and_fourier import SlidingWindow
from relay.support.node import set_field, value

_RANK = 5
_LARGEST = 8
"""The largest tile of data along an axis: rounding errors grow with its size."""


@cache
def scaled_matrices(tile: int, kernel: int) -> tuple[Array, Array, Array]:
    """Return `Aᵀ`, `G` and `Bᵀ`, scaled so that the smallest factors of the data are 1 and -1.

    >>> scaled_matrices(2, 3)[2].astype(int).tolist()
    [[1, 0, -1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, -1, 0, 1]]
    """
    of_result, of_weight, of_data = matrices(tile, kernel)
    sizes = np.abs(of_data)
    scales = np.where(sizes > _ROUNDING, sizes, np.inf).min(axis=1, keepdims=True)
    of_data, of_weight = of_data / scales, of_weight * scales
    of_data[np.abs(of_data) < _ROUNDING] = 0
    return of_result, of_weight, of_data


_ROUNDING = 1e-9
"""The largest rounding error of an element of an inverted matrix."""


@value
class WinogradTransform(OperatorDef):
    """The base of both transformations; the tensors have the layout `(N, C, H, W, c)`."""

    tile_size: int = 2
    kernel_size: int = 3

    fusion = Fusion.ANCHOR

    def __post_init__(self) -> None:
        least = min(self.tile_size, self.kernel_size)
        fits = least > 0 and self.extent <= _LARGEST
        said = f"tile_size + kernel_size - 1 must be from 1 to {_LARGEST}, not {self.extent}"
        checks.attribute(self.name, fits, said)

    @property
    def extent(self) -> int:
        """Return the size of a tile of the data along an axis."""
        return self.tile_size + self.kernel_size - 1

    @property
    @abstractmethod
    def factors(self) -> Array:
        """Return the matrix that transforms a tile along each axis."""

    def _check(self, x: TensorType) -> None:
        """Require floats in blocks of a known number of channels."""
        checks.kind(self.name, "x", x, *FLOATS)
        checks.rank(self.name, "x", x, _RANK)
        known = is_static((x.shape[1], x.shape[-1]))
        checks.attribute(self.name, known, "the number of channels must be known at compile time")


@operator("nn.contrib_conv2d_winograd_data_transform")
class WinogradDataTransform(WinogradTransform):
    """Transform the tiles of `(N, C, H, W, c)` for a convolution to `(N, a² · C, h, w, c)`.

    There are `h × w` tiles of `tile_size²` results, and `a = tile_size + kernel_size - 1`. The
    `padding` is the convolution's: top, left, bottom, right. Takes floats; the batch, the height
    and the width may be dynamic.
    """

    padding: tuple[int, ...] = (0, 0, 0, 0)

    examples = (
        Example("f32[1, 2, 5, 6, 3]", padding=(1, 1, 1, 1)),
        Example("f64[2, 1, 4, 3, 2]", tile_size=1, kernel_size=2, padding=(0, 2, 1, 0)),
        Example("f64[1, 1, 6, 7, 1]", tile_size=4),
        Example("f32[0, 2, 5, 6, 3]", padding=(1, 1, 1, 1)),
    )

    def __post_init__(self) -> None:
        super(WinogradDataTransform, self).__post_init__()
        set_field(self, "padding", ints(self.padding))
        fits = len(self.padding) == 4 and min(self.padding) >= 0
        checks.attribute(self.name, fits, "padding must be four numbers: top, left, bottom, right")

    @property
    def factors(self) -> Array:
        """Return the matrix `Bᵀ`, `(a, a)`."""
        return scaled_matrices(self.tile_size, self.kernel_size)[2]

    def infer(self, x: TensorType) -> TensorType:
        self._check(x)
        batch, channels, *sizes, block = x.shape
        counts = self._counts(sizes)
        return TensorType((batch, multiply(self.extent**2, channels), *counts, block), x.dtype)

    @property
    def _pads(self) -> list[tuple[int, int]]:
        """Return the padding before and after each axis of an image."""
        return [*zip(self.padding[:2], self.padding[2:], strict=True)]

    def _counts(self, sizes: Sequence[Dim]) -> list[Dim]:
        """Return the number of tiles along each axis of an image."""
        results = [
            windows.count(self.name, size, self.kernel_size, 1, sum(pads))
            for size, pads in zip(sizes, self._pads, strict=True)
        ]
        return [ceiling_divide(count, self.tile_size) for count in results]

    def _widths(self, sizes: Sequence[Dim]) -> tuple[tuple[Dim, Dim], ...]:
        """Return the padding of each axis of data with these images that results in whole tiles."""
        ends = [count * self.tile_size + self.kernel_size - 1 for count in self._counts(sizes)]
        lows = self.padding[:2]
        found = [(low, end - size - low) for low, end, size in zip(lows, ends, sizes, strict=True)]
        return ((0, 0), (0, 0), *found, (0, 0))

    def compute(self, x: te.Tensor) -> te.Tensor:
        _, channels, *sizes, _ = extents(x)
        shape = self.infer(type_of(x)).shape

        def element(batch: Scalar, part: Scalar, *place: Scalar) -> Scalar:
            factor, channel = part // channels, part % channels
            *tile, lane = place

            def at(row: int, column: int) -> Scalar:
                parts = zip(tile, (row, column), self.padding[:2], strict=True)
                index = [t * self.tile_size + (offset - low) for t, offset, low in parts]
                found = x[(batch, channel, *index, lane)]
                return _where(self._tests(index, (row, column), sizes), found)

            return _transformed(self.factors, factor // self.extent, factor % self.extent, at)

        return te.compute(shape, element, name="winograd_data")

    def _tests(
        self, index: Sequence[Scalar], offsets: Sequence[int], sizes: Sequence[Dim]
    ) -> Iterator[Scalar]:
        """Yield the conditions for an element of a tile to be inside the image."""
        counts = self._counts(sizes)
        for at, offset, (low, high), size, count in zip(
            index, offsets, self._pads, sizes, counts, strict=True
        ):
            last = multiply(count - 1, self.tile_size) + (offset - low)
            if not isinstance(last, int):  # the last tile computes one result or more
                last = size + (high - self.kernel_size + offset)
            yield from inside(at, size, offset - low, last)

    def decompose(self, x: Expr) -> Expr:
        """Return an expression that cuts out the padded tiles and multiplies by the matrices."""
        widths = self._widths(x.tensor_type.shape[2:4])
        padded = x if not any(map(any, widths)) else Call(Pad(widths), (x, number(0, x)))
        window = (self.extent, self.extent, 1)
        strides = (self.tile_size, self.tile_size, 1)
        tiles = Call(SlidingWindow(2, window, strides), (padded,))
        side = Constant(self.factors.astype(x.tensor_type.dtype.numpy))
        found = Call(Einsum(_OF_DATA), (Tuple((side, side, tiles)),))
        return Call(Reshape((0, *self.infer(x.tensor_type).shape[1:])), (found,))

    def reference(self, x: Array) -> Array:
        widths = static_width_pairs(self._widths(x.shape[2:4]))
        padded = np.pad(x.astype(np.float64), widths)
        window = (self.extent, self.extent)
        tiles = np.lib.stride_tricks.sliding_window_view(padded, window, (2, 3))
        tiles = tiles[:, :, :: self.tile_size, :: self.tile_size, :, :, :, None]
        found = np.einsum(_OF_DATA, self.factors, self.factors, tiles)
        batch, extent, _, channels, *rest = found.shape
        return found.reshape(batch, extent * extent * channels, *rest).astype(x.dtype)


@operator("nn.contrib_conv2d_winograd_result_transform")
class WinogradResultTransform(WinogradTransform):
    """Transform the products `(N, a² · C, h, w, c)` of tiles to the result `(N, C, *size, c)`.

    `size` is that of the image that the convolution returns, of `h × w` tiles; the last ones may be
    partial. Takes floats; the batch, the height and the width may be dynamic.
    """

    size: Shape = (1, 1)

    examples = (
        Example("f32[1, 32, 3, 2, 3]", size=(5, 4)),
        Example("f64[2, 4, 2, 3, 2]", tile_size=1, kernel_size=2, size=(2, 3)),
        Example("f64[1, 36, 1, 2, 1]", tile_size=4, size=(4, 5)),
    )

    def __post_init__(self) -> None:
        super(WinogradResultTransform, self).__post_init__()
        set_field(self, "size", dims(self.size))
        fits = len(self.size) == 2 and all(not isinstance(n, int) or n > 0 for n in self.size)
        checks.attribute(self.name, fits, "size must be two positive numbers: height and width")

    @property
    def factors(self) -> Array:
        """Return the matrix `Aᵀ`, `(tile_size, a)`."""
        return scaled_matrices(self.tile_size, self.kernel_size)[0]

    def infer(self, x: TensorType) -> TensorType:
        self._check(x)
        batch, parts, *tiles, block = x.shape
        said = f"the number of channels must be a multiple of {self.extent**2}, not {parts}"
        checks.attribute(self.name, parts % self.extent**2 == 0, said)
        for size, count in zip(self.size, tiles, strict=True):
            wanted = ceiling_divide(size, self.tile_size)
            checks.size(self.name, f"tiles of {size} results", wanted, count)
        return TensorType((batch, parts // self.extent**2, *self.size, block), x.dtype)

    def compute(self, x: te.Tensor) -> te.Tensor:
        shape = self.infer(type_of(x)).shape

        def element(batch: Scalar, channel: Scalar, *place: Scalar) -> Scalar:
            *index, lane = place
            tile = [at // self.tile_size for at in index]

            def at(row: int, column: int) -> Scalar:
                part = (row * self.extent + column) * shape[1] + channel
                return x[(batch, part, *tile, lane)]

            first, second = (at % self.tile_size for at in index)
            return _transformed(self.factors, first, second, at)

        return te.compute(shape, element, name="winograd_result")

    def decompose(self, x: Expr) -> Expr:
        """Return an expression that multiplies by the matrices and cuts off what tiles add."""
        _, channels, *_, block = self.infer(x.tensor_type).shape
        tiles = x.tensor_type.shape[2:4]
        apart = (0, self.extent, self.extent, channels, *tiles, block)
        side = Constant(self.factors.astype(x.tensor_type.dtype.numpy))
        given = Call(Reshape(apart), (x,))
        found = Call(Einsum(_OF_RESULT), (Tuple((side, side, given)),))
        whole = (0, channels, *(each * self.tile_size for each in tiles), block)
        joined = Call(Reshape(whole), (found,))
        return Call(StridedSlice((0, 0), self.size, axes=(2, 3)), (joined,))

    def reference(self, x: Array) -> Array:
        batch, parts, *tiles, block = x.shape
        channels = parts // self.extent**2
        given = x.astype(np.float64).reshape(
            batch, self.extent, self.extent, channels, *tiles, block
        )
        found = np.einsum(_OF_RESULT, self.factors, self.factors, given)
        height, width = (each * self.tile_size for each in tiles)
        joined = found.reshape(batch, channels, height, width, block)
        return joined[:, :, : self.size[0], : self.size[1]].astype(x.dtype)


_OF_DATA = "xa,yb,nctudabz->nxyctud"
"""Factors for rows and for columns, and tiles `a × b` of `c` channels in blocks of `d`."""

_OF_RESULT = "ax,by,nxyctud->nctaubd"


def _transformed(
    factors: Array, row: Scalar, column: Scalar, at: Callable[[int, int], Scalar]
) -> Scalar:
    """Return an element of `factors · tile · factorsᵀ`; `at` returns an element of the tile."""
    count = factors.shape[1]
    columns = [
        _chosen(column, [_sum(each, [at(i, j) for j in range(count)]) for each in factors])
        for i in range(count)
    ]
    return _chosen(row, [_sum(each, columns) for each in factors])


def _sum(factors: Array, terms: Sequence[Scalar]) -> Scalar:
    """Return the sum of products, without those by zero; factors of 1 and -1 do not multiply."""
    total: Scalar | None = None
    for factor, term in zip(factors.tolist(), terms, strict=True):
        if factor == 0:
            continue
        if total is not None and factor == -1:
            total = total - term
            continue
        product = term if factor == 1 else -term if factor == -1 else term * factor
        total = product if total is None else total + product
    assert total is not None, "each row of the matrices has a factor"
    return total


def _chosen(index: Scalar, options: Sequence[Scalar]) -> Scalar:
    """Return the expression that selects `options[index]` at run time."""
    *others, found = options
    for number_, option in reversed([*enumerate(others)]):
        found = te.select(te.equal(index, number_), option, found)
    return found


def _where(tests: Iterator[Scalar], x: Scalar) -> Scalar:
    """Return `x` where all conditions hold, else 0."""
    holds = conjunction([*tests])
    return x if holds is None else te.select(holds, x, te.const(0, x.dtype))
