"""The poolings to a given size, as programs name them."""

from collections.abc import Sequence
from typing import ClassVar

from relay.ir.expr import Call, Expr
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.nn.pool_operators import AvgPool2D, MaxPool2D
from relay.ops.nn.pool_targets import AdaptivePool, GlobalPool


@operator("nn.adaptive_max_pool1d")
class AdaptiveMaxPool1D(AdaptivePool):
    """Take the maximum over `output_size` windows of `(N, C, W)`."""

    layout: str = "NCW"

    spatial: ClassVar[str] = "W"
    examples = (Example("f32[2, 3, 10]", output_size=4),)


@operator("nn.adaptive_max_pool2d")
class AdaptiveMaxPool2D(AdaptivePool):
    """Take the maximum over `output_size` windows of `(N, C, H, W)`."""

    layout: str = "NCHW"

    spatial: ClassVar[str] = "HW"
    examples = (
        Example("f32[1, 3, 7, 10]", output_size=(3, 4)),
        Example("f32[1, 2, 3, 4, 4]", output_size=2, layout="NCHW4c"),
    )


@operator("nn.adaptive_max_pool3d")
class AdaptiveMaxPool3D(AdaptivePool):
    """Take the maximum over `output_size` windows of `(N, C, D, H, W)`."""

    layout: str = "NCDHW"

    spatial: ClassVar[str] = "DHW"
    examples = (Example("f32[1, 2, 4, 5, 6]", output_size=(2, 3, 1)),)


@operator("nn.adaptive_avg_pool1d")
class AdaptiveAvgPool1D(AdaptivePool):
    """Take the mean over `output_size` windows of `(N, C, W)`."""

    layout: str = "NCW"

    spatial: ClassVar[str] = "W"
    takes_mean: ClassVar[bool] = True
    examples = (Example("f32[2, 3, 10]", output_size=4),)


@operator("nn.adaptive_avg_pool2d")
class AdaptiveAvgPool2D(AdaptivePool):
    """Take the mean over `output_size` windows of `(N, C, H, W)`."""

    layout: str = "NCHW"

    spatial: ClassVar[str] = "HW"
    takes_mean: ClassVar[bool] = True
    examples = (
        Example("f32[1, 3, 7, 10]", output_size=(3, 4)),
        Example("f32[1, 5, 6, 2]", output_size=1, layout="NHWC"),
        Example("f32[1, 2, 3, 3]", output_size=(5, 2)),
        Example("f32[1, 2, 3, 3]"),
    )


@operator("nn.adaptive_avg_pool3d")
class AdaptiveAvgPool3D(AdaptivePool):
    """Take the mean over `output_size` windows of `(N, C, D, H, W)`."""

    layout: str = "NCDHW"

    spatial: ClassVar[str] = "DHW"
    takes_mean: ClassVar[bool] = True
    examples = (Example("f32[1, 2, 4, 5, 6]", output_size=(2, 3, 1)),)


@operator("nn.global_max_pool2d")
class GlobalMaxPool2D(GlobalPool):
    """Take the maximum over each channel of `(N, C, H, W)`."""

    layout: str = "NCHW"

    spatial: ClassVar[str] = "HW"
    examples = (Example("f32[2, 3, 4, 5]"), Example("f32[1, 4, 5, 3]", layout="NHWC"))

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Differentiate as a maximum pooling with one window, the whole image."""
        return _one_window(self, call, MaxPool2D).gradient(call, d_out)


@operator("nn.global_avg_pool2d")
class GlobalAvgPool2D(GlobalPool):
    """Take the mean over each channel of `(N, C, H, W)`."""

    layout: str = "NCHW"

    spatial: ClassVar[str] = "HW"
    takes_mean: ClassVar[bool] = True
    examples = (
        Example("f32[2, 3, 4, 5]"),
        Example("f32[1, 4, 5, 3]", layout="NHWC"),
        Example("f32[1, 2, 3, 3, 4]", layout="NCHW4c"),
    )

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Differentiate as an average pooling with one window, the whole image."""
        return _one_window(self, call, AvgPool2D).gradient(call, d_out)


def _one_window(
    op: GlobalPool, call: Call, pool: type[MaxPool2D | AvgPool2D]
) -> MaxPool2D | AvgPool2D:
    sizes = op.layouts[0].sizes(call.args[0].tensor_type.shape)
    window = tuple(int(str(sizes[letter])) for letter in op.spatial)
    return pool(window, layout=op.layout, out_layout=op.out_layout)
