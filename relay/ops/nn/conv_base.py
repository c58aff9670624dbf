"""The base class of convolutions, transposed convolutions and their weight derivatives.

All computations use plain coordinates (`N`, `C` and spatial letters for the data; `O`, `I` and the
same spatial letters for the weight), and layouts map these to indices. A convolution over blocked
data (`NCHW16c`, `OIHW16i16o`) is therefore the same operator.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from relay.ir.dims import Dim
from relay.ir.types import TensorType
from relay.kernels import te
from relay.opdef.checks import attribute, rank, size
from relay.opdef.definition import OperatorDef
from relay.opdef.layout import Layout, SplitCoordinate
from relay.opdef.layout_rules import ArgLayout
from relay.ops.nn import windows
from relay.ops.nn.accumulation_dtype import product_dtype
from relay.ops.nn.window_bounds_checks import conjunction
from relay.support.dtype import DType, dtype, float32
from relay.support.node import set_field, value

Sizes = dict[str, Dim]


@value
class ConvBase(OperatorDef):
    """The attributes of all convolutions.

    `padding` is normalised to the widths before each spatial axis, then those after each. Without
    an `out_layout` or an `out_dtype`, the result has those of the data.
    """

    strides: tuple[int, ...] = (1,)
    padding: tuple[int, ...] = (0,)
    dilation: tuple[int, ...] = (1,)
    groups: int = 1
    channels: int | None = None
    kernel_size: tuple[int, ...] | None = None
    data_layout: str = ""
    kernel_layout: str = ""
    out_layout: str = ""
    out_dtype: DType | None = None

    result_dtype: ClassVar[str] = "out_dtype"
    spatial: ClassVar[str] = ""

    def __post_init__(self) -> None:
        count = len(self.spatial)
        set_field(self, "padding", windows.per_side(self.name, self.padding, count))
        for field in ("strides", "dilation"):
            full = windows.per_axis(self.name, field, getattr(self, field), count)
            set_field(self, field, full)
        if self.kernel_size is not None:
            kernel = windows.per_axis(self.name, "kernel_size", self.kernel_size, count)
            set_field(self, "kernel_size", kernel)
        set_field(self, "out_dtype", dtype(self.out_dtype) if self.out_dtype else None)
        attribute(self.name, self.groups > 0, f"groups must be positive, not {self.groups}")
        self._check_layouts()

    def _check_layouts(self) -> None:
        for text, letters in (
            (self.data_layout, f"NC{self.spatial}"),
            (self.kernel_layout, f"OI{self.spatial}"),
            (self.out_layout or self.data_layout, f"NC{self.spatial}"),
        ):
            found = Layout.parse(text).letters
            fits = sorted(found) == sorted(letters)
            attribute(self.name, fits, f"the layout {text} must have the axes {letters}")

    @property
    def layouts(self) -> tuple[Layout, Layout, Layout]:
        """Return the layouts of the data, the weight and the result."""
        data, kernel = Layout.parse(self.data_layout), Layout.parse(self.kernel_layout)
        return data, kernel, Layout.parse(self.out_layout) if self.out_layout else data

    def argument_layouts(self, count: int, data: Layout, kernel: Layout) -> tuple[ArgLayout, ...]:
        """Return the layouts of `count` arguments, given those of the data and of the weight."""
        return (data, kernel, *(None,) * (count - 2))

    @property
    def pads(self) -> tuple[tuple[int, int], ...]:
        """Return the padding before and after each spatial axis."""
        count = len(self.spatial)
        return tuple(zip(self.padding[:count], self.padding[count:], strict=True))

    def plain_data(self, data: TensorType) -> Sizes:
        """Return the sizes of the data's plain axes, after checking its rank."""
        layout = self.layouts[0]
        rank(self.name, "data", data, layout.rank)
        return layout.sizes(data.shape)

    def plain_weight(self, weight: TensorType) -> Sizes:
        """Return the sizes of the weight's plain axes; checks its rank and `kernel_size`."""
        layout = self.layouts[1]
        rank(self.name, "weight", weight, layout.rank)
        sizes = layout.sizes(weight.shape)
        for letter, expected in zip(self.spatial, self.kernel_size or (), strict=False):
            size(self.name, f"kernel size along {letter}", expected, sizes[letter])
        return sizes

    def element_type(self, data: TensorType, other: TensorType) -> DType:
        """Return the result's element type; without `out_dtype`, the operands' must be equal."""
        return product_dtype(self.name, self.out_dtype, data=data, weight=other)


def window_counts(op: ConvBase, data: Mapping[str, Dim], kernel: Mapping[str, Dim]) -> Sizes:
    """Return the number of windows along each spatial axis of the data (`T105` if none fits)."""
    per_axis = zip(op.spatial, op.strides, op.dilation, op.pads, strict=True)
    return {
        x: windows.count(op.name, data[x], windows.reach(kernel[x], dilation), stride, sum(pads))
        for x, stride, dilation, pads in per_axis
    }


def channel_axis(
    extent: Dim, blocks: Sequence[int], name: str
) -> tuple[SplitCoordinate, list[te.Axis]]:
    """Return the index of a reduction over `extent` channels, and its axes, outermost first.

    It is split into `blocks` as the channels of a layout are.
    """
    block = 1
    for each in blocks:
        block *= each
    axes = [te.reduce_axis(extent // block, name)]
    axes += [te.reduce_axis(each, f"{name}_inner") for each in blocks]
    return SplitCoordinate(tuple(axes), tuple(blocks)), axes


def sum_products(
    a: te.Scalar,
    b: te.Scalar,
    axes: Sequence[te.Axis],
    conditions: Sequence[te.Scalar],
    dtype: DType,
) -> te.Scalar:
    """Return a sum of products; half precision is summed in float32 and rounded at the end."""
    wide = float32 if dtype.is_float and dtype.bits < 32 else dtype
    terms = te.cast(a, wide) * te.cast(b, wide)
    return te.cast(te.sum(terms, axes, where=conjunction(conditions)), dtype)
