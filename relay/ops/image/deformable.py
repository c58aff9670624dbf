"""Operators with windows whose taps depend on data: `nn.deformable_conv2d`, `nn.correlation`."""

from itertools import product as combinations

import numpy as np

from relay.ir.dims import Dim, floor_divide, is_static, multiply, product, static
from relay.ir.expr import Array, Call, Constant, Expr, Tuple
from relay.ir.types import TensorType
from relay.opdef import checks
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.layout import Layout
from relay.opdef.layout_rules import ArgLayout
from relay.opdef.table import operator
from relay.ops.binary import add, subtract
from relay.ops.binary import multiply as times
from relay.ops.cast import Cast, cast_like, convert
from relay.ops.creation import number
from relay.ops.elementwise import Abs
from relay.ops.families import FLOATS
from relay.ops.image.sampling import Neighbour, combined, linear, size_of, weighted_sum
from relay.ops.image.sampling_reference import sample
from relay.ops.nn import windows
from relay.ops.nn.conv_base import ConvBase, window_counts
from relay.ops.nn.matmul import BatchMatmul
from relay.ops.nn.pad import Pad
from relay.ops.nn.pool_operators import AvgPool2D
from relay.ops.nn.separable_gradient import in_layout
from relay.ops.sum_and_mean_reductions import Mean
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.gather import Take
from relay.ops.tensor.position_tensors import counting, length
from relay.ops.tensor.reshape import Reshape
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.transpose import Transpose
from relay.support.error_codes import ErrorCode
from relay.support.node import set_field, value


@value
class Deformable(ConvBase):
    """The base of convolutions whose taps are at data-dependent offsets."""

    deformable_groups: int = 1
    data_layout: str = "NCHW"
    kernel_layout: str = "OIHW"

    spatial = "HW"

    def __post_init__(self) -> None:
        super(Deformable, self).__post_init__()
        set_field(self, "deformable_groups", int(self.deformable_groups))
        positive = self.deformable_groups > 0
        checks.attribute(self.name, positive, "deformable_groups must be positive")
        same = self.out_layout in ("", self.data_layout)
        plain = self.data_layout in ("NCHW", "NHWC") and self.kernel_layout in ("OIHW", "HWIO")
        checks.attribute(
            self.name,
            same and plain,
            "the layouts of data and weight must be NCHW and OIHW, or NHWC and HWIO, not "
            f"{self.data_layout} and {self.kernel_layout}; out_layout must be that of data",
        )

    def argument_layouts(self, count: int, data: Layout, kernel: Layout) -> tuple[ArgLayout, ...]:
        """Return the layouts of the arguments: offsets and factors have that of the data."""
        return (*(data,) * (count - 1), kernel)

    def convolved_type(
        self, data: TensorType, offset: TensorType, weight: TensorType
    ) -> TensorType:
        """Return the type of the result, after checking sizes and offsets."""
        x, w = self.plain_data(data), self.plain_weight(weight)
        checks.kind(self.name, "data", data, *FLOATS)
        checks.same_dtype(self.name, data, offset, weight)
        checks.size(self.name, "input channels", multiply(w["I"], self.groups), x["C"])
        known = is_static((w["H"], w["W"]))
        checks.attribute(
            self.name, known, "the height and width of the weight must be known at compile time"
        )
        for what, size, by in (
            ("output channels", w["O"], self.groups),
            ("input channels", x["C"], self.deformable_groups),
        ):
            said = f"{size} {what} cannot be divided into {by} groups"
            checks.divides(self.name, size, by, said, ErrorCode.T104)
        counts = window_counts(self, x, w)
        layout = self.layouts[0]
        checks.rank(self.name, "offset", offset, 4)
        moves = layout.sizes(offset.shape)
        taps = product((w["H"], w["W"], 2 * self.deformable_groups))
        for letter, expected in {"N": x["N"], "C": taps, **counts}.items():
            checks.size(self.name, f"axis {letter} of offset", expected, moves[letter])
        sizes = {"N": x["N"], "C": w["O"], **counts}
        return TensorType(layout.shape(sizes), self.out_dtype or data.dtype)

    def convolved(self, data: Expr, offset: Expr, weight: Expr, mask: Expr | None) -> Expr:
        """Return the convolution as a matrix product, for which all taps are read as rows."""
        result = self.convolved_type(data.tensor_type, offset.tensor_type, weight.tensor_type)
        image, moves = (in_layout(each, self.data_layout, "NCHW") for each in (data, offset))
        kernel = in_layout(weight, self.kernel_layout, "OIHW")
        batch, channels, height, width = image.tensor_type.shape
        outer, inner, *taps = kernel.tensor_type.shape
        places, parts = moves.tensor_type.shape[2:], self.deformable_groups
        each = floor_divide(channels, parts)
        lines = multiply(batch, parts)
        split = Call(Reshape((lines, each, multiply(height, width)), allowzero=True), (image,))
        rows = Call(Transpose((0, 2, 1)), (split,))
        axes = [self._neighbours_along(image, moves, static(tuple(taps)), n) for n in range(2)]
        sizes = [size_of(image, 2 + n, image) for n in range(2)]
        found = weighted_sum(
            rows, combined(axes, sizes), Take(axis=1, batch_dims=1), number(0, image)
        )
        if mask is not None:
            shares = in_layout(mask, self.data_layout, "NCHW")
            flat = (lines, product((*static(tuple(taps)), *places)), 1)
            found = times(found, Call(Reshape(flat, allowzero=True), (shares,)))
        turned = Call(Transpose((0, 2, 1)), (found,))
        wide = (batch, self.groups, multiply(inner, product(taps)), product(places))
        columns = Call(Reshape(wide, allowzero=True), (turned,))
        some = floor_divide(outer, self.groups)
        matrix = (self.groups, some, multiply(inner, product(taps)))
        matrices = Call(Reshape(matrix, allowzero=True), (kernel,))
        whole = Call(BatchMatmul(), (matrices, columns))
        shaped = Call(Reshape((batch, outer, *places), allowzero=True), (whole,))
        final = in_layout(shaped, "NCHW", self.data_layout)
        same = final.tensor_type.dtype is result.dtype
        return final if same else Call(Cast(result.dtype), (final,))

    def _neighbours_along(
        self, image: Expr, moves: Expr, taps: tuple[int, ...], axis: int
    ) -> list[Neighbour]:
        """Return the pixels to interpolate along one axis, given the offsets `moves` of all taps.

        Their shape is `(N · groups, taps · positions)`.
        """
        batch, _, *places = moves.tensor_type.shape
        parts, size = self.deformable_groups, size_of(image, 2 + axis, image)
        split = Call(Reshape((batch, parts, *taps, 2, *places), allowzero=True), (moves,))
        moved = Call(Take(axis=4), (split, Constant(np.asarray(axis))))
        within = np.arange(taps[axis]) * self.dilation[axis] - self.pads[axis][0]
        shape = [1] * 6
        shape[2 + axis] = taps[axis]
        begin = Constant(within.reshape(shape))
        steps = counting(places[axis], length(moves, 2 + axis))
        stride = times(steps, Constant(np.asarray(self.strides[axis])))
        lined: list[Dim] = [1] * 6
        lined[4 + axis] = places[axis]
        first = Call(Reshape(tuple(lined), allowzero=True), (stride,))
        at = add(moved, cast_like(add(first, begin), moved))
        flat = (multiply(batch, parts), product((*taps, *places)))
        return linear(Call(Reshape(flat, allowzero=True), (at,)), size)

    def reference_result(
        self, data: Array, offset: Array, weight: Array, mask: Array | None
    ) -> Array:
        """Return the convolution by NumPy, sampled tap by tap."""
        ones = np.ones((1, 1, 1, 1))
        image, moves, shares = (
            each.transpose([self.data_layout.index(c) for c in "NCHW"]).astype(np.float64)
            for each in (data, offset, ones if mask is None else mask)
        )
        kernel = weight.transpose([self.kernel_layout.index(c) for c in "OIHW"])
        batch, channels = image.shape[:2]
        outer, inner, tall, wide = kernel.shape
        each, some = channels // self.deformable_groups, outer // self.groups
        result = np.zeros((batch, outer, *moves.shape[2:]))
        for n, y, x, i, j in np.ndindex(batch, *moves.shape[2:], tall, wide):
            values = np.empty(channels)
            for part in range(self.deformable_groups):
                first = 2 * ((part * tall + i) * wide + j)
                steps = zip((y, x), (i, j), self.strides, self.dilation, self.pads, strict=True)
                place = [at * s + k * d - p[0] for at, k, s, d, p in steps]
                pixels = np.array(place) + moves[n, first : first + 2, y, x]
                group = slice(part * each, (part + 1) * each)
                found = sample(image[n, group], pixels, "bilinear", "zeros", True)
                share = 1.0 if mask is None else shares[n, first // 2, y, x]
                values[group] = found * share
            for o in range(outer):
                begin = o // some * inner
                result[n, o, y, x] += kernel[o, :, i, j] @ values[begin : begin + inner]
        back = result.transpose(["NCHW".index(c) for c in self.data_layout])
        computed = back.astype(data.dtype)
        return convert(computed, self.out_dtype) if self.out_dtype else computed


@operator("nn.deformable_conv2d")
class DeformableConv2D(Deformable):
    """Convolve `(N, C, H, W)` with a weight `(O, C // groups, h, w)` at data-dependent offsets.

    `offset` is `(N, 2 · deformable_groups · h · w, H', W')`: the vertical and horizontal offset of
    each tap in each group of channels, at each position of the result. Data is interpolated between
    elements, and 0 outside. Data, offset and result may have the layout NHWC, and the weight HWIO.
    Attributes are those of `nn.conv2d`; floating-point.
    """

    examples = (
        Example("f32[1, 2, 3, 4]", "f32[1, 8, 3, 4]", "f32[2, 2, 2, 1]", padding=(1, 0, 0, 0),
                deformable_groups=2),
        Example("f32[1, 5, 4, 2]", "f32[1, 2, 2, 8]", "f32[2, 2, 1, 2]", strides=2, groups=2,
                data_layout="NHWC", kernel_layout="HWIO"),
    )  # fmt: skip

    def infer(self, data: TensorType, offset: TensorType, weight: TensorType) -> TensorType:
        return self.convolved_type(data, offset, weight)

    def decompose(self, data: Expr, offset: Expr, weight: Expr) -> Expr:
        """Return the convolution as a matrix product of the weight and the elements at all taps."""
        return self.convolved(data, offset, weight, None)

    def reference(self, data: Array, offset: Array, weight: Array) -> Array:
        return self.reference_result(data, offset, weight, None)


@operator("nn.modulated_deformable_conv2d")
class ModulatedDeformableConv2D(Deformable):
    """Convolve as `nn.deformable_conv2d`, but multiply each tap by an element of `mask`.

    `mask` is `(N, deformable_groups · h · w, H', W')`, in the layout of the data.
    """

    examples = (
        Example("f32[1, 2, 3, 4]", "f32[1, 8, 3, 4]", "f32[1, 4, 3, 4]", "f32[2, 2, 2, 1]",
                padding=(1, 0, 0, 0), deformable_groups=2),
        Example("f32[2, 5, 4, 2]", "f32[2, 2, 2, 8]", "f32[2, 2, 2, 4]", "f32[2, 2, 1, 2]",
                strides=2, groups=2, data_layout="NHWC", kernel_layout="HWIO"),
    )  # fmt: skip

    def infer(
        self, data: TensorType, offset: TensorType, mask: TensorType, weight: TensorType
    ) -> TensorType:
        result = self.convolved_type(data, offset, weight)
        checks.same_dtype(self.name, data, mask)
        checks.rank(self.name, "mask", mask, 4)
        layout = self.layouts[0]
        shares, moves = layout.sizes(mask.shape), layout.sizes(offset.shape)
        for letter, found in shares.items():
            expected = floor_divide(moves["C"], 2) if letter == "C" else moves[letter]
            checks.size(self.name, f"axis {letter} of mask", expected, found)
        return result

    def decompose(self, data: Expr, offset: Expr, mask: Expr, weight: Expr) -> Expr:
        """Return the convolution as a matrix product, after multiplying elements by the mask."""
        return self.convolved(data, offset, weight, mask)

    def reference(self, data: Array, offset: Array, mask: Array, weight: Array) -> Array:
        return self.reference_result(data, offset, weight, mask)


@operator("nn.correlation")
class Correlation(OperatorDef):
    """Compare patches of two images `(N, C, H, W)` at all displacements, as FlowNet does.

    The positions of the result are every `stride1`-th position of the first image. Its channels are
    the displacements, row by row: from -`max_displacement` to `max_displacement` in steps of
    `stride2`, vertically and horizontally. An element is
    the mean over the channels and over `kernel_size²` positions of the products (of the absolute
    differences without `is_multiply`). `padding` zeros surround both images. Takes floats.
    """

    kernel_size: int = 1
    max_displacement: int = 1
    stride1: int = 1
    stride2: int = 1
    padding: tuple[int, ...] = (0, 0)
    is_multiply: bool = True
    layout: str = "NCHW"

    examples = (
        Example("f32[1, 3, 5, 6]", "f32[1, 3, 5, 6]", padding=1),
        Example("f32[2, 2, 7, 7]", "f32[2, 2, 7, 7]", kernel_size=3, max_displacement=2, stride2=2,
                stride1=2, padding=2, is_multiply=False),
    )  # fmt: skip

    def __post_init__(self) -> None:
        set_field(self, "padding", windows.per_side(self.name, self.padding, 2))
        set_field(self, "is_multiply", bool(self.is_multiply))
        for name in ("kernel_size", "max_displacement", "stride1", "stride2"):
            set_field(self, name, int(getattr(self, name)))
        odd = self.kernel_size % 2 == 1 and self.kernel_size > 0
        for holds, problem in (
            (odd, "kernel_size must be odd"),
            (self.max_displacement >= 0, "max_displacement must not be negative"),
            (min(self.stride1, self.stride2) > 0, "strides must be positive"),
            (self.layout == "NCHW", "layout must be NCHW"),
        ):
            checks.attribute(self.name, holds, problem)
        few = self._steps <= _MOST_STEPS
        checks.attribute(
            self.name,
            few,
            f"max_displacement / stride2 is too large: there are more than {_MOST_STEPS}² "
            "displacements",
        )

    @property
    def _steps(self) -> int:
        return 2 * (self.max_displacement // self.stride2) + 1

    @property
    def _border(self) -> int:
        return self.max_displacement + self.kernel_size // 2

    def infer(self, data1: TensorType, data2: TensorType) -> TensorType:
        checks.rank(self.name, "data1", data1, 4)
        checks.kind(self.name, "data1", data1, *FLOATS)
        checks.same_dtype(self.name, data1, data2)
        checks.rank(self.name, "data2", data2, 4)
        for expected, found in zip(data1.shape, data2.shape, strict=True):
            checks.size(self.name, "data2", expected, found)
        window = 2 * self._border + 1
        sizes = [
            windows.count(self.name, size, window, self.stride1, sum(pads))
            for size, pads in zip(data1.shape[2:], self._pads, strict=True)
        ]
        return TensorType((data1.shape[0], self._steps**2, *sizes), data1.dtype)

    @property
    def _pads(self) -> tuple[tuple[int, int], ...]:
        return tuple(zip(self.padding[:2], self.padding[2:], strict=True))

    def decompose(self, data1: Expr, data2: Expr) -> Expr:
        """Return an expression that compares all displacements, then averages over windows."""
        widths = ((0, 0), (0, 0), *self._pads)
        one, two = (Call(Pad(widths), (each, number(0, each))) for each in (data1, data2))
        far, size = self.max_displacement, self.kernel_size
        inside = [n - 2 * far for n in one.tensor_type.shape[2:]]

        def part(x: Expr, down: int, right: int) -> Expr:
            ends = (down + inside[0], right + inside[1])
            return Call(StridedSlice((down, right), ends, axes=(2, 3)), (x,))

        here, steps = part(one, far, far), range(self._steps)
        shift = far % self.stride2
        terms: list[Expr] = []
        for i, j in combinations(steps, steps):
            there = part(two, shift + i * self.stride2, shift + j * self.stride2)
            pair = times(here, there)
            if not self.is_multiply:
                pair = Call(Abs(), (subtract(here, there),))
            mean = Call(Mean((1,), keepdims=True), (pair,))
            terms.append(Call(AvgPool2D((size, size), (self.stride1,) * 2), (mean,)))
        return Call(Concatenate(1), (Tuple(tuple(terms)),))

    def reference(self, data1: Array, data2: Array) -> Array:
        """Return the result by NumPy, patch by patch."""
        widths = [(0, 0), (0, 0), *self._pads]
        one, two = (np.pad(each.astype(np.float64), widths) for each in (data1, data2))
        half, steps = self.kernel_size // 2, self.max_displacement // self.stride2
        shape = self.infer(
            *(TensorType(d.shape, str(d.dtype)) for d in (data1, data2))
        ).static_shape
        result = np.empty(shape)
        for c, y, x in np.ndindex(*shape[1:]):
            down, right = divmod(c, self._steps)
            row, column = (at * self.stride1 + self._border for at in (y, x))
            moved = row + (down - steps) * self.stride2, column + (right - steps) * self.stride2
            a, b = (
                image[:, :, r - half : r + half + 1, k - half : k + half + 1]
                for image, (r, k) in ((one, (row, column)), (two, moved))
            )
            pair = a * b if self.is_multiply else np.abs(a - b)
            result[:, c, y, x] = pair.mean(axis=(1, 2, 3))
        return result.astype(data1.dtype)


_MOST_STEPS = 64
"""# each displacement is several operator calls; more are a mistake, not a network"""
