"""The convolution operators, `nn.conv1d` to `nn.conv3d_transpose`, and their weight derivatives."""

from collections.abc import Sequence
from typing import ClassVar

from relay.ir.expr import Call, Expr
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.nn.conv import Convolution
from relay.ops.nn.conv_gradients import of_backward_weight, of_convolution, of_transposed
from relay.ops.nn.conv_transpose import ConvolutionTranspose
from relay.ops.nn.conv_weight_gradient import ConvolutionBackwardWeight


@operator("nn.conv1d")
class Conv1D(Convolution):
    """Convolve `(N, C, W)` with a weight `(O, C // groups, W)`; no flip of the kernel.

    Takes numbers; `out_dtype` is the element type of the result. See `Convolution`.
    """

    data_layout: str = "NCW"
    kernel_layout: str = "OIW"

    spatial: ClassVar[str] = "W"
    examples = (
        Example("f32[2, 3, 11]", "f32[4, 3, 3]", padding=(1, 2)),
        Example("f32[1, 1, 8]", "f32[1, 1, 3]", padding=(-1, -2)),
        Example("f32[1, 4, 9]", "f32[6, 2, 2]", groups=2, strides=2, dilation=3),
        Example("f32[1, 9, 4]", "f32[3, 4, 5]", data_layout="NWC", kernel_layout="WIO"),
    )

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivatives by the data (a transposed convolution) and by the weight."""
        return of_convolution(self, call, d_out, Conv1DTranspose, Conv1DBackwardWeight)


@operator("nn.conv2d")
class Conv2D(Convolution):
    """Convolve `(N, C, H, W)` with a weight `(O, C // groups, H, W)`; no flip of the kernel.

    Takes numbers; `out_dtype` is the element type of the result. See `Convolution`.
    """

    data_layout: str = "NCHW"
    kernel_layout: str = "OIHW"

    spatial: ClassVar[str] = "HW"
    examples = (
        Example("f32[1, 3, 9, 11]", "f32[5, 3, 3, 3]", padding=1),
        Example("f32[2, 4, 7, 7]", "f32[8, 4, 1, 1]"),
        Example("f32[1, 3, 10, 9]", "f32[4, 3, 3, 2]", strides=(2, 3), padding=(0, 1, 2, 3)),
        Example("f32[1, 4, 8, 8]", "f32[6, 2, 3, 3]", groups=2, dilation=2, padding=2),
        Example("f32[1, 4, 6, 5]", "f32[8, 1, 3, 3]", groups=4, padding=1),
        Example("f32[1, 4, 6, 5]", "f32[4, 2, 3, 3]", groups=4),
        Example(
            "f32[1, 6, 7, 3]",
            "f32[3, 3, 3, 4]",
            data_layout="NHWC",
            kernel_layout="HWIO",
            padding=1,
        ),
        Example(
            "f32[1, 2, 5, 6, 4]",
            "f32[3, 2, 3, 3, 4, 2]",
            data_layout="NCHW4c",
            kernel_layout="OIHW4i2o",
            out_layout="NCHW2c",
            padding=1,
        ),
        Example(
            "f32[1, 2, 5, 6, 4]",
            "f32[2, 1, 3, 3, 1, 4]",
            data_layout="NCHW4c",
            kernel_layout="OIHW1i4o",
            groups=8,
        ),
        Example("f32[0, 3, 5, 5]", "f32[2, 3, 3, 3]"),
        Example("f64[1, 2, 4, 4]", "f64[2, 2, 2, 2]", padding=(1, 0)),
        Example("i8[1, 3, 5, 5]", "i8[2, 3, 3, 3]", out_dtype="int32", domain=(-100, 100)),
    )

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivatives by the data (a transposed convolution) and by the weight."""
        return of_convolution(self, call, d_out, Conv2DTranspose, Conv2DBackwardWeight)


@operator("nn.conv3d")
class Conv3D(Convolution):
    """Convolve `(N, C, D, H, W)` with a weight `(O, C // groups, D, H, W)`; no flip of the kernel.

    Takes numbers; `out_dtype` is the element type of the result. See `Convolution`.
    """

    data_layout: str = "NCDHW"
    kernel_layout: str = "OIDHW"

    spatial: ClassVar[str] = "DHW"
    examples = (
        Example("f32[1, 2, 4, 5, 6]", "f32[3, 2, 2, 3, 3]", padding=(0, 1, 1)),
        Example("f32[1, 4, 5, 5, 4]", "f32[4, 2, 3, 1, 2]", groups=2, strides=2, padding=1),
        Example(
            "f32[1, 4, 5, 5, 2]", "f32[2, 2, 2, 2, 3]", data_layout="NDHWC", kernel_layout="DHWIO"
        ),
    )

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivatives by the data (a transposed convolution) and by the weight."""
        return of_convolution(self, call, d_out, Conv3DTranspose, Conv3DBackwardWeight)


@operator("nn.conv1d_transpose")
class Conv1DTranspose(ConvolutionTranspose):
    """The transposed convolution of `(N, C, W)` with a weight `(C, O // groups, W)`.

    See `ConvolutionTranspose`.
    """

    data_layout: str = "NCW"
    kernel_layout: str = "IOW"

    spatial: ClassVar[str] = "W"
    examples = (
        Example("f32[1, 3, 5]", "f32[3, 2, 4]", strides=2, padding=1, output_padding=1),
        Example("f32[1, 1, 3]", "f32[1, 1, 2]", strides=2, output_padding=3),
        Example("f32[1, 1, 3]", "f32[1, 1, 2]", padding=(-2, 1)),
        Example("f32[2, 4, 5]", "f32[4, 3, 3]", groups=2, dilation=2),
    )

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivatives by the data (a convolution) and by the weight."""
        return of_transposed(self, call, d_out, Conv1D, Conv1DBackwardWeight)


@operator("nn.conv2d_transpose")
class Conv2DTranspose(ConvolutionTranspose):
    """The transposed convolution of `(N, C, H, W)` with a weight `(C, O // groups, H, W)`.

    See `ConvolutionTranspose`.
    """

    data_layout: str = "NCHW"
    kernel_layout: str = "IOHW"

    spatial: ClassVar[str] = "HW"
    examples = (
        Example("f32[1, 3, 4, 5]", "f32[3, 2, 3, 3]", strides=2, padding=1, output_padding=1),
        Example("f32[2, 4, 3, 3]", "f32[4, 3, 2, 3]", groups=2, dilation=2, padding=(0, 1, 2, 0)),
        Example("f32[1, 3, 4, 4]", "f32[3, 2, 1, 1]", strides=3),
        Example(
            "f32[1, 4, 3, 3]",
            "f32[2, 2, 3, 4]",
            data_layout="NHWC",
            kernel_layout="HWIO",
            strides=2,
        ),
    )

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivatives by the data (a convolution) and by the weight."""
        return of_transposed(self, call, d_out, Conv2D, Conv2DBackwardWeight)


@operator("nn.conv3d_transpose")
class Conv3DTranspose(ConvolutionTranspose):
    """The transposed convolution of `(N, C, D, H, W)` with a weight `(C, O // groups, D, H, W)`.

    See `ConvolutionTranspose`.
    """

    data_layout: str = "NCDHW"
    kernel_layout: str = "IODHW"

    spatial: ClassVar[str] = "DHW"
    examples = (
        Example("f32[1, 2, 2, 3, 3]", "f32[2, 3, 2, 3, 2]", strides=(1, 2, 2), padding=(0, 1, 0)),
        Example("f32[1, 4, 2, 2, 2]", "f32[4, 1, 2, 2, 2]", groups=4),
    )

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivatives by the data (a convolution) and by the weight."""
        return of_transposed(self, call, d_out, Conv3D, Conv3DBackwardWeight)


@operator("nn.conv1d_backward_weight")
class Conv1DBackwardWeight(ConvolutionBackwardWeight):
    """The derivative of `nn.conv1d` by its weight, from the data and `grad`, that by the result.

    TVM's Relay has only the two-dimensional form.
    """

    data_layout: str = "NCW"
    kernel_layout: str = "OIW"

    spatial: ClassVar[str] = "W"
    examples = (Example("f32[2, 4, 5]", "f32[2, 3, 10]", kernel_size=2, strides=2),)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivatives by `grad` (a convolution) and by the data (a transposed one)."""
        return of_backward_weight(self, call, d_out, Conv1D, Conv1DTranspose)


@operator("nn.conv2d_backward_weight")
class Conv2DBackwardWeight(ConvolutionBackwardWeight):
    """The derivative of `nn.conv2d` by its weight, from the data and `grad`, that by the result."""

    data_layout: str = "NCHW"
    kernel_layout: str = "OIHW"

    spatial: ClassVar[str] = "HW"
    examples = (
        Example("f32[2, 4, 5, 5]", "f32[2, 3, 5, 5]", kernel_size=3, padding=1),
        Example("f32[1, 4, 2, 3]", "f32[1, 6, 6, 6]", kernel_size=(3, 2), strides=2, groups=2),
        Example("f32[1, 4, 4, 4]", "f32[1, 4, 6, 6]", groups=4),
    )

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivatives by `grad` (a convolution) and by the data (a transposed one)."""
        return of_backward_weight(self, call, d_out, Conv2D, Conv2DTranspose)


@operator("nn.conv3d_backward_weight")
class Conv3DBackwardWeight(ConvolutionBackwardWeight):
    """The derivative of `nn.conv3d` by its weight, from the data and `grad`, that by the result.

    TVM's Relay has only the two-dimensional form.
    """

    data_layout: str = "NCDHW"
    kernel_layout: str = "OIDHW"

    spatial: ClassVar[str] = "DHW"
    examples = (Example("f32[1, 2, 2, 3, 3]", "f32[1, 2, 3, 4, 5]", kernel_size=(2, 2, 3)),)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivatives by `grad` (a convolution) and by the data (a transposed one)."""
        return of_backward_weight(self, call, d_out, Conv3D, Conv3DTranspose)
