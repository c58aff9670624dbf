"""Convolution by matrix multiplication, with a weight that was cut into tiles beforehand."""

from typing import ClassVar

import numpy as np

from relay.ir.dims import Dim, is_static, static
from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType
from relay.opdef import checks
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.creation import number
from relay.ops.nn.conv_base import ConvBase
from relay.ops.nn.conv_operators import Conv2D
from relay.ops.nn.pad import Pad
from relay.ops.tensor.reshape import Reshape
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.transpose import Transpose
from relay.support.node import set_field


@operator("nn.contrib_conv2d_gemm_weight_transform")
class ContribConv2DGemmWeightTransform(OperatorDef):
    """Cut a weight `(H, W, I, O)` into tiles: `(O / tile_N, H · W · I / tile_K, tile_N, tile_K)`.

    Sizes that tiles do not divide are padded with zeros. Takes numbers; the sizes must be static.
    """

    tile_N: int  # noqa: N815 - the classic attribute
    tile_K: int  # noqa: N815 - the classic attribute

    examples = (
        Example("f32[3, 2, 4, 5]", tile_N=4, tile_K=16),
        Example("i8[1, 1, 8, 8]", tile_N=4, tile_K=4),
    )

    def __post_init__(self) -> None:
        for name in ("tile_N", "tile_K"):
            set_field(self, name, int(getattr(self, name)))
            checks.attribute(self.name, getattr(self, name) > 0, f"{name} must be positive")

    def infer(self, weight: TensorType) -> TensorType:
        checks.rank(self.name, "weight", weight, 4)
        known = is_static(weight.shape)
        checks.attribute(self.name, known, "the sizes of the weight must be known at compile time")
        height, width, inner, outer = static(weight.shape)
        tiles = -(-outer // self.tile_N), -(-height * width * inner // self.tile_K)
        return TensorType((*tiles, self.tile_N, self.tile_K), weight.dtype)

    def decompose(self, weight: Expr) -> Expr:
        """Return an expression that pads the weight, splits its axes and moves the tiles."""
        height, width, inner, outer = static(weight.tensor_type.shape)
        tall, wide, *_ = static(self.infer(weight.tensor_type).shape)
        matrix = Call(Reshape((height * width * inner, outer), allowzero=True), (weight,))
        rows, columns = wide * self.tile_K, tall * self.tile_N
        widths = ((0, rows - height * width * inner), (0, columns - outer))
        padded = Call(Pad(widths), (matrix, number(0, weight)))
        shape = (wide, self.tile_K, tall, self.tile_N)
        return Call(Transpose((2, 0, 3, 1)), (Call(Reshape(shape, allowzero=True), (padded,)),))

    def reference(self, weight: Array) -> Array:
        tall, wide, *_ = static(self.infer(TensorType(weight.shape, str(weight.dtype))).shape)
        matrix = weight.reshape(-1, weight.shape[3])
        result = np.zeros((tall, wide, self.tile_N, self.tile_K), weight.dtype)
        for row, column in np.ndindex(*matrix.shape):
            (a, i), (b, j) = divmod(column, self.tile_N), divmod(row, self.tile_K)
            result[a, b, i, j] = matrix[row, column]
        return result


@operator("nn.contrib_conv2d_gemm_without_weight_transform")
class ContribConv2DGemmWithoutWeightTransform(ConvBase):
    """Convolve with a weight that `nn.contrib_conv2d_gemm_weight_transform` cut into tiles.

    `channels` and `kernel_size` are those of the weight `(H, W, I, O)` before it was cut (`T104`
    without them); `groups` is 1, and `kernel_layout` has no meaning for tiles. Other attributes are
    those of `nn.conv2d`.
    """

    data_layout: str = "NCHW"
    kernel_layout: str = "OIHW"

    spatial: ClassVar[str] = "HW"
    examples = (
        Example("f32[1, 6, 5, 4]", "f32[2, 3, 4, 16]", data_layout="NHWC", channels=5,
                kernel_size=(3, 3), padding=1),
        Example("f64[2, 4, 3, 3]", "f64[1, 2, 4, 4]", channels=3, kernel_size=(1, 2)),
    )  # fmt: skip

    def __post_init__(self) -> None:
        super(ContribConv2DGemmWithoutWeightTransform, self).__post_init__()
        known = self.channels is not None and self.kernel_size is not None
        checks.attribute(self.name, known, "channels and kernel_size must be set")
        checks.attribute(self.name, self.groups == 1, "groups must be 1")

    def infer(self, data: TensorType, weight: TensorType) -> TensorType:
        checks.rank(self.name, "weight", weight, 4)
        tall, wide, columns, rows = weight.shape
        kernel = self._kernel(self.plain_data(data)["C"])
        height, width, inner, outer = kernel
        checks.enough(
            self.name,
            wide * rows,
            height * width * inner,
            "the packed weight has {size} rows, but at least {index} are needed",
        )
        checks.enough(
            self.name,
            tall * columns,
            outer,
            "the packed weight has {size} columns, but at least {index} are needed",
        )
        return self.plain.infer(data, TensorType(kernel, weight.dtype))

    def _kernel(self, inner: Dim) -> tuple[Dim, Dim, Dim, Dim]:
        """Return the shape that the weight had before it was cut into tiles."""
        height, width = self.kernel_size or (1, 1)
        return height, width, inner, self.channels or 1

    @property
    def plain(self) -> Conv2D:
        """Return the convolution for the weight before it was cut into tiles."""
        given = {name: getattr(self, name) for name in ConvBase.__match_args__}
        return Conv2D(**{**given, "kernel_layout": "HWIO"})

    def decompose(self, data: Expr, weight: Expr) -> Expr:
        """Return the convolution, with the weight put together from its tiles."""
        tall, wide, columns, rows = weight.tensor_type.shape
        kernel = self._kernel(self.plain_data(data.tensor_type)["C"])
        joined = Call(Transpose((1, 3, 0, 2)), (weight,))
        matrix = Call(Reshape((wide * rows, tall * columns), allowzero=True), (joined,))
        height, width, inner, outer = kernel
        ends = (height * width * inner, outer)
        cut = Call(StridedSlice((0, 0), ends, axes=(0, 1)), (matrix,))
        return Call(self.plain, (data, Call(Reshape(kernel, allowzero=True), (cut,))))

    def reference(self, data: Array, weight: Array) -> Array:
        kernel = static(self._kernel(data.shape[self.data_layout.index("C")]))
        matrix = weight.transpose(1, 3, 0, 2).reshape(weight.shape[1] * weight.shape[3], -1)
        cut = matrix[: int(np.prod(kernel[:3])), : kernel[3]]
        return self.plain.reference(data, np.ascontiguousarray(cut.reshape(kernel)))
