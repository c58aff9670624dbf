"""The operators of adaptive and global pooling, such as `nn.adaptive_max_pool2d`."""

from collections.abc import Sequence
from typing import ClassVar

from relay.ir.expr import Call, Expr
from relay.opdef.definition import Precision
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.max_min_reductions import Max
from relay.ops.nn.adaptive_pool import AdaptiveMaxPool, AdaptivePool
from relay.ops.nn.adaptive_pool_base import GlobalPool
from relay.ops.nn.separable_gradient import in_layout, plain_layout, separable_gradient
from relay.ops.sum_and_mean_reductions import Mean
from relay.support.node import value


@operator("nn.adaptive_max_pool1d")
class AdaptiveMaxPool1D(AdaptiveMaxPool):
    """Return the maximum of each of `output_size` windows of `(N, C, W)`."""

    layout: str = "NCW"

    spatial: ClassVar[str] = "W"
    precision = Precision.FOLLOW
    examples = (Example("f32[2, 3, 10]", output_size=4),)


@operator("nn.adaptive_max_pool2d")
class AdaptiveMaxPool2D(AdaptiveMaxPool):
    """Return the maximum of each of `output_size` windows of `(N, C, H, W)`."""

    layout: str = "NCHW"

    spatial: ClassVar[str] = "HW"
    precision = Precision.FOLLOW
    examples = (
        Example("f32[1, 3, 7, 10]", output_size=(3, 4)),
        Example("f32[1, 2, 3, 4, 4]", output_size=2, layout="NCHW4c"),
    )


@operator("nn.adaptive_max_pool3d")
class AdaptiveMaxPool3D(AdaptiveMaxPool):
    """Return the maximum of each of `output_size` windows of `(N, C, D, H, W)`."""

    layout: str = "NCDHW"

    spatial: ClassVar[str] = "DHW"
    precision = Precision.FOLLOW
    examples = (Example("f32[1, 2, 4, 5, 6]", output_size=(2, 3, 1)),)


@value
class AdaptiveAvgPool(AdaptivePool):
    """The base of adaptive average poolings."""

    precision: ClassVar[Precision] = Precision.NEVER

    takes_mean: ClassVar[bool] = True

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative of each window, shared by its elements, axis by axis."""
        (data,) = call.args
        layout = plain_layout(self.spatial)
        given = in_layout(d_out, self.out_layout or self.layout, layout)
        each = [AdaptiveAvgPool1D(output_size=(size,)) for size in self.output_size]
        found = (
            separable_gradient(given, in_layout(data, self.layout, layout), each) if each else given
        )
        return (in_layout(found, layout, self.layout),)


@operator("nn.adaptive_avg_pool1d")
class AdaptiveAvgPool1D(AdaptiveAvgPool):
    """Return the mean of each of `output_size` windows of `(N, C, W)`."""

    layout: str = "NCW"

    spatial: ClassVar[str] = "W"
    examples = (Example("f32[2, 3, 10]", output_size=4),)


@operator("nn.adaptive_avg_pool2d")
class AdaptiveAvgPool2D(AdaptiveAvgPool):
    """Return the mean of each of `output_size` windows of `(N, C, H, W)`."""

    layout: str = "NCHW"

    spatial: ClassVar[str] = "HW"
    examples = (
        Example("f32[1, 3, 7, 10]", output_size=(3, 4)),
        Example("f32[1, 5, 6, 2]", output_size=1, layout="NHWC"),
        Example("f32[1, 2, 3, 3]", output_size=(5, 2)),
        Example("f32[1, 2, 3, 3]"),
    )


@operator("nn.adaptive_avg_pool3d")
class AdaptiveAvgPool3D(AdaptiveAvgPool):
    """Return the mean of each of `output_size` windows of `(N, C, D, H, W)`."""

    layout: str = "NCDHW"

    spatial: ClassVar[str] = "DHW"
    examples = (Example("f32[1, 2, 4, 5, 6]", output_size=(2, 3, 1)),)


@operator("nn.global_max_pool2d")
class GlobalMaxPool2D(GlobalPool):
    """Return the maximum of each channel of `(N, C, H, W)`."""

    layout: str = "NCHW"

    spatial: ClassVar[str] = "HW"
    precision = Precision.FOLLOW
    examples = (Example("f32[2, 3, 4, 5]"), Example("f32[1, 4, 5, 3]", layout="NHWC"))

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative of the maximum over the image, shared by equal elements."""
        return self.reduced(Max, call, d_out)


@operator("nn.global_avg_pool2d")
class GlobalAvgPool2D(GlobalPool):
    """Return the mean of each channel of `(N, C, H, W)`."""

    layout: str = "NCHW"

    spatial: ClassVar[str] = "HW"
    takes_mean: ClassVar[bool] = True
    precision: ClassVar[Precision] = Precision.NEVER
    examples = (
        Example("f32[2, 3, 4, 5]"),
        Example("f32[1, 4, 5, 3]", layout="NHWC"),
        Example("f32[1, 2, 3, 3, 4]", layout="NCHW4c"),
    )

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative of the mean over the image."""
        return self.reduced(Mean, call, d_out)
