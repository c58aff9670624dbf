"""Convolutions by Winograd's algorithm, as two operators: one transforms the weight beforehand.

To compute `m` results along each axis from `a = m + r - 1` elements, with a kernel of size r, the
formula is `Aᵀ [(G g) ⊙ (Bᵀ d)]` along each axis (Lavin and Gray, "Fast Algorithms for Convolutional
Neural Networks"). The matrices follow from the points at which polynomials are evaluated.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import ClassVar

import numpy as np

from relay.ir.dims import is_static, static
from relay.ir.expr import Array, Call, Constant, Expr, Tuple
from relay.ir.types import TensorType
from relay.opdef import checks
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.cast import Cast, convert
from relay.ops.creation import number
from relay.ops.families import FLOATS
from relay.ops.nn.conv import Convolution
from relay.ops.nn.conv_base import ConvBase
from relay.ops.nn.conv_operators import Conv2D, Conv3D
from relay.ops.nn.pad import Pad
from relay.ops.tensor.einsum import Einsum
from relay.ops.tensor.reshape import Reshape
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.windows_and_fourier import SlidingWindow
from relay.support.dtype import DType
from relay.support.node import set_field, value

_POINTS = (0, 1, -1, 2, -2, Fraction(1, 2), Fraction(-1, 2), 3, -3, Fraction(1, 3), Fraction(-1, 3))
_LARGEST = len(_POINTS) + 1
"""The largest value of `a`: one row for each point, and one for infinity."""


@cache
def matrices(tile: int, kernel: int) -> tuple[Array, Array, Array]:
    """Return Winograd's matrices `Aᵀ` (tile, a), `G` (a, kernel) and `Bᵀ` (a, a).

    A tile of the data has `a = tile + kernel - 1` elements along an axis.

    >>> [matrix.shape for matrix in matrices(2, 3)]
    [(2, 4), (4, 3), (4, 4)]
    """
    size = tile + kernel - 1
    powers = _evaluated(size, size)
    inverse = np.linalg.inv(powers)
    return _evaluated(size, tile).T, _evaluated(size, kernel), inverse.T


def _evaluated(size: int, degree: int) -> Array:
    """Return the matrix that evaluates polynomials with `degree` coefficients at `size` points.

    The last point is infinity.
    """
    rows = [[float(Fraction(point) ** power) for power in range(degree)] for point in _POINTS]
    return np.array([*rows[: size - 1], [*[0.0] * (degree - 1), 1.0]])


def _contracted(letters: str, new: str, rest: str) -> str:
    """Return an einsum equation that multiplies the last axes, `letters`, by matrices.

    Their results, the axes `new`, come first; then the other axes, `rest`.
    """
    sides = ",".join(f"{to}{of}" for of, to in zip(letters, new, strict=True))
    return f"{sides},{rest}{letters}->{new}{rest}"


@value
class WinogradWeightTransform(OperatorDef):
    """The base of operators that transform a weight `(O, I, …)` to `(a, …, O, I)`."""

    tile_size: int

    spatial: ClassVar[str] = ""

    def __post_init__(self) -> None:
        set_field(self, "tile_size", int(self.tile_size))
        checks.attribute(self.name, self.tile_size > 0, "tile_size must be positive")

    def infer(self, weight: TensorType) -> TensorType:
        checks.rank(self.name, "weight", weight, 2 + len(self.spatial))
        checks.kind(self.name, "weight", weight, *FLOATS)
        kernel = weight.shape[2:]
        checks.attribute(
            self.name,
            is_static(kernel),
            "the height and width of the weight must be known at compile time",
        )
        sizes = tuple(self.tile_size + size - 1 for size in static(kernel))
        fits = min(static(kernel)) > 0 and max(sizes) <= _LARGEST
        checks.attribute(
            self.name,
            fits,
            (
                f"tile_size and the kernel give tiles of {sizes}, but tiles must be at most "
                f"{_LARGEST}"
            ),
        )
        return TensorType((*sizes, *weight.shape[:2]), weight.dtype)

    def decompose(self, weight: Expr) -> Expr:
        """Return the products of the weight with a matrix for each axis of the kernel."""
        ty = weight.tensor_type
        sides = [matrices(self.tile_size, size)[1] for size in static(ty.shape[2:])]
        return _product(self._equation, sides, weight, ty.dtype)

    @property
    def _equation(self) -> str:
        return _contracted("abc"[: len(self.spatial)], "xyz"[: len(self.spatial)], "oi")

    def reference(self, weight: Array) -> Array:
        sides = [matrices(self.tile_size, size)[1] for size in weight.shape[2:]]
        return np.einsum(self._equation, *sides, weight.astype(np.float64)).astype(weight.dtype)


def _product(equation: str, sides: Sequence[Array], x: Expr, dtype: DType) -> Expr:
    constants = tuple(Constant(side.astype(dtype.numpy)) for side in sides)
    return Call(Einsum(equation), (Tuple((*constants, x)),))


@operator("nn.contrib_conv2d_winograd_weight_transform")
class Conv2DWinogradWeightTransform(WinogradWeightTransform):
    """Transform a weight `(O, I, H, W)` for a convolution by tiles of `tile_size²` results."""

    spatial: ClassVar[str] = "HW"
    examples = (Example("f32[3, 2, 3, 3]", tile_size=4), Example("f64[1, 2, 2, 3]", tile_size=2))


@operator("nn.contrib_conv3d_winograd_weight_transform")
class Conv3DWinogradWeightTransform(WinogradWeightTransform):
    """Transform a weight `(O, I, D, H, W)` for a convolution by tiles of `tile_size³` results."""

    spatial: ClassVar[str] = "DHW"
    examples = (Example("f32[2, 1, 3, 3, 3]", tile_size=2),)


@value
class WinogradConvolution(ConvBase):
    """The base of convolutions with a transformed weight `(a, …, O, I)`."""

    tile_size: int = 4

    kind: ClassVar[type[Convolution]]

    def __post_init__(self) -> None:
        super(WinogradConvolution, self).__post_init__()
        set_field(self, "tile_size", int(self.tile_size))
        checks.attribute(self.name, self.tile_size > 0, "tile_size must be positive")
        ones = {*self.strides, *self.dilation, self.groups} == {1}
        checks.attribute(self.name, ones, "strides, dilations and groups must be 1")
        usual = self.data_layout == f"NC{self.spatial}" and self.out_layout in (
            "",
            self.data_layout,
        )
        checks.attribute(self.name, usual, f"the data must have the layout NC{self.spatial}")

    def infer(self, data: TensorType, weight: TensorType) -> TensorType:
        count = len(self.spatial)
        checks.rank(self.name, "weight", weight, 2 + count)
        checks.kind(self.name, "weight", weight, *FLOATS)
        known = is_static(weight.shape[:count])
        checks.attribute(
            self.name, known, "the tile sizes of the weight must be known at compile time"
        )
        sizes = static(weight.shape[:count])
        fits = min(sizes) >= self.tile_size and max(sizes) <= _LARGEST
        said = (
            f"the tiles of the weight must be from {self.tile_size} to {_LARGEST} elements "
            f"wide, not {sizes}"
        )
        checks.attribute(self.name, fits, said)
        plain = TensorType((*weight.shape[count:], *self.kernel(sizes)), weight.dtype)
        result = self.plain.infer(data, plain)
        checks.attribute(
            self.name,
            is_static(result.shape[2:]),
            "the sizes of the images must be known at compile time",
        )
        return result

    def kernel(self, sizes: Sequence[int]) -> tuple[int, ...]:
        """Return the size that the kernel had before its transformation."""
        return tuple(size - self.tile_size + 1 for size in sizes)

    @property
    def plain(self) -> Convolution:
        """Return the convolution for the weight before its transformation."""
        given = {name: getattr(self, name) for name in ConvBase.__match_args__}
        return self.kind(**{**given, "kernel_layout": f"OI{self.spatial}"})

    def _widths(self, data: Sequence[int], sizes: Sequence[int]) -> list[tuple[int, int]]:
        """Return the padding of each axis that results in whole tiles."""
        widths: list[tuple[int, int]] = []
        for size, tile, (low, high) in zip(data[2:], sizes, self.pads, strict=True):
            count = size + low + high - tile + self.tile_size
            whole = -(-count // self.tile_size) * self.tile_size
            widths.append((low, whole + tile - self.tile_size - size - low))
        return [(0, 0), (0, 0), *widths]

    def _equations(self) -> tuple[str, str, str]:
        """Return the einsum equations for the data, for the products, and for the result."""
        count = len(self.spatial)
        tiles, inner, outer = "tuv"[:count], "abd"[:count], "xyz"[:count]
        data = _contracted(inner, outer, f"nc{tiles}")
        whole = f"{outer}oc,{outer}nc{tiles}->{outer}no{tiles}"
        last = "pqr"[:count]
        result = "no" + "".join(f"{tile}{to}" for tile, to in zip(tiles, last, strict=True))
        sides = ",".join(f"{to}{of}" for of, to in zip(outer, last, strict=True))
        return data, whole, f"{sides},{outer}no{tiles}->{result}"

    def decompose(self, data: Expr, weight: Expr) -> Expr:
        """Return an expression that cuts out tiles, transforms, multiplies, and transforms back."""
        count = len(self.spatial)
        dtype = self.element_type(data.tensor_type, weight.tensor_type)
        shape = self.infer(data.tensor_type, weight.tensor_type).shape
        data, weight = (
            x if x.tensor_type.dtype is dtype else Call(Cast(dtype), (x,)) for x in (data, weight)
        )
        sizes = static(weight.tensor_type.shape[:count])
        parts = [matrices(self.tile_size, each) for each in self.kernel(sizes)]
        widths = self._widths([0, 0, *static(data.tensor_type.shape[2:])], sizes)
        padded = Call(Pad(tuple(widths)), (data, number(0, data)))
        tiles = Call(SlidingWindow(2, sizes, (self.tile_size,) * count), (padded,))
        of_data, of_tiles, of_result = self._equations()
        moved = _product(of_data, [each[2] for each in parts], tiles, dtype)
        products = Call(Einsum(of_tiles), (Tuple((weight, moved)),))
        found = _product(of_result, [each[0] for each in parts], products, dtype)
        whole = [*shape[:2]]
        whole += [-(-size // self.tile_size) * self.tile_size for size in static(shape[2:])]
        joined = Call(Reshape(tuple(whole), allowzero=True), (found,))
        axes = tuple(range(2, 2 + count))
        return Call(StridedSlice((0,) * count, shape[2:], axes=axes), (joined,))

    def reference(self, data: Array, weight: Array) -> Array:
        count = len(self.spatial)
        sizes = weight.shape[:count]
        parts = [matrices(self.tile_size, each) for each in self.kernel(sizes)]
        padded = np.pad(data.astype(np.float64), self._widths(data.shape, sizes))
        axes = tuple(range(2, 2 + count))
        tiles = np.lib.stride_tricks.sliding_window_view(padded, sizes, axes)
        tiles = tiles[(slice(None), slice(None), *(slice(None, None, self.tile_size),) * count)]
        of_data, of_tiles, of_result = self._equations()
        moved = np.einsum(of_data, *(each[2] for each in parts), tiles)
        products = np.einsum(of_tiles, weight.astype(np.float64), moved)
        found = np.einsum(of_result, *(each[0] for each in parts), products)
        shape = [size * self.tile_size for size in tiles.shape[2 : 2 + count]]
        joined = found.reshape(len(data), weight.shape[count], *shape)
        ends = [
            size + sum(pads) - kernel + 1
            for size, pads, kernel in zip(
                data.shape[2:], self.pads, self.kernel(sizes), strict=True
            )
        ]
        kept = joined[(slice(None), slice(None), *map(slice, ends))]
        computed = kept.astype(data.dtype)
        return convert(computed, self.out_dtype) if self.out_dtype else computed


@operator("nn.contrib_conv2d_winograd_without_weight_transform")
class Conv2DWinogradWithoutWeightTransform(WinogradConvolution):
    """Convolve `(N, C, H, W)` with a weight that `…_winograd_weight_transform` transformed.

    Strides, dilations and groups are 1; the size of the image is known (`T104`). Takes floats.
    """

    data_layout: str = "NCHW"
    kernel_layout: str = "OIHW"

    spatial: ClassVar[str] = "HW"
    kind: ClassVar[type[Convolution]] = Conv2D
    examples = (
        Example("f32[1, 2, 7, 6]", "f32[4, 4, 3, 2]", tile_size=2, padding=1, tolerance=1e-4),
        Example("f64[2, 1, 5, 8]", "f64[6, 6, 2, 1]", tile_size=4),
    )


@operator("nn.contrib_conv3d_winograd_without_weight_transform")
class Conv3DWinogradWithoutWeightTransform(WinogradConvolution):
    """Convolve `(N, C, D, H, W)` with a weight that `…_winograd_weight_transform` transformed.

    Strides, dilations and groups are 1; the size of the image is known (`T104`). Takes floats.
    """

    data_layout: str = "NCDHW"
    kernel_layout: str = "OIDHW"

    spatial: ClassVar[str] = "DHW"
    kind: ClassVar[type[Convolution]] = Conv3D
    examples = (
        Example("f32[1, 2, 4, 5, 4]", "f32[4, 4, 4, 2, 2]", tile_size=2, padding=1, tolerance=1e-4),
    )
