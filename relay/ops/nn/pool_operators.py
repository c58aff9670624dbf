"""The pooling operators, such as `nn.max_pool2d`, and their derivatives."""

from collections.abc import Sequence
from typing import Any, ClassVar

from relay.ir.expr import Call, Expr
from relay.opdef.definition import Precision
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.nn.pool_base import AvgPool, MaxPool, Windowed
from relay.ops.nn.pool_grad import AvgPoolGrad, MaxPoolGrad, MaxPoolPick

_CEIL: dict[str, Any] = {"pool_size": (3, 3), "strides": (2, 2), "ceil_mode": True}


@operator("nn.max_pool1d")
class MaxPool1D(MaxPool):
    """Return the maximum of each window of `(N, C, W)`. Takes numbers."""

    layout: str = "NCW"

    spatial: ClassVar[str] = "W"
    precision = Precision.FOLLOW
    examples = (
        Example("f32[2, 3, 9]", pool_size=3, strides=2, padding=1),
        Example("i32[1, 2, 8]", pool_size=2, dilation=3),
    )

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative: each window adds its derivative to its first maximum."""
        return (Call(MaxPool1DGrad(**_window(self)), (d_out, *call.args)),)


@operator("nn.max_pool2d")
class MaxPool2D(MaxPool):
    """Return the maximum of each window of `(N, C, H, W)`. Takes numbers."""

    layout: str = "NCHW"

    spatial: ClassVar[str] = "HW"
    precision = Precision.FOLLOW
    examples = (
        Example("f32[1, 3, 8, 9]", pool_size=3, strides=2, padding=1),
        Example("f32[1, 2, 7, 8]", **_CEIL),
        Example("f32[1, 9, 8, 3]", pool_size=(2, 3), layout="NHWC", padding=(0, 1, 1, 2)),
        Example("f32[1, 2, 6, 6, 4]", pool_size=2, strides=2, layout="NCHW4c"),
        Example("f32[1, 2, 8, 8]", pool_size=3, dilation=2, differentiable=False),
        Example("i8[1, 2, 5, 5]", pool_size=3, padding=1, domain=(-100, 100)),
        Example("f32[0, 2, 4, 4]", pool_size=2),
    )

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative: each window adds its derivative to its first maximum."""
        return (Call(MaxPool2DGrad(**_window(self)), (d_out, *call.args)),)


@operator("nn.max_pool3d")
class MaxPool3D(MaxPool):
    """Return the maximum of each window of `(N, C, D, H, W)`. Takes numbers."""

    layout: str = "NCDHW"

    spatial: ClassVar[str] = "DHW"
    precision = Precision.FOLLOW
    examples = (Example("f32[1, 2, 5, 6, 7]", pool_size=(2, 3, 2), strides=2, padding=(0, 1, 0)),)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative: each window adds its derivative to its first maximum."""
        return (Call(MaxPool3DGrad(**_window(self)), (d_out, *call.args)),)


@operator("nn.avg_pool1d")
class AvgPool1D(AvgPool):
    """Return the mean of each window of `(N, C, W)`; means of integers are truncated."""

    layout: str = "NCW"

    spatial: ClassVar[str] = "W"
    precision = Precision.FOLLOW
    examples = (
        Example("f32[2, 3, 9]", pool_size=3, strides=2, padding=1),
        Example("f32[2, 3, 9]", pool_size=3, padding=1, count_include_pad=True),
    )

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative: the elements of a window get equal shares of its derivative."""
        return (Call(AvgPool1DGrad(**_mean_window(self)), (d_out, *call.args)),)


@operator("nn.avg_pool2d")
class AvgPool2D(AvgPool):
    """Return the mean of each window of `(N, C, H, W)`; means of integers are truncated."""

    layout: str = "NCHW"

    spatial: ClassVar[str] = "HW"
    precision = Precision.FOLLOW
    examples = (
        Example("f32[1, 3, 8, 9]", pool_size=3, strides=2, padding=1),
        Example("f32[1, 2, 8, 8]", pool_size=3, padding=1, count_include_pad=True),
        Example("f32[1, 2, 8, 8]", **_CEIL, padding=1, count_include_pad=True),
        Example("f32[1, 2, 8, 8]", **_CEIL, padding=1),
        Example("f32[1, 9, 8, 3]", pool_size=(2, 3), layout="NHWC", padding=(0, 1, 1, 2)),
        Example("f32[1, 2, 6, 6, 4]", pool_size=2, strides=2, layout="NCHW4c"),
        Example("f32[1, 2, 8, 8]", pool_size=3, dilation=2, padding=2),
        Example("i32[1, 2, 5, 5]", pool_size=2, domain=(-100, 100)),
    )

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative: the elements of a window get equal shares of its derivative."""
        return (Call(AvgPool2DGrad(**_mean_window(self)), (d_out, *call.args)),)


@operator("nn.avg_pool3d")
class AvgPool3D(AvgPool):
    """Return the mean of each window of `(N, C, D, H, W)`; means of integers are truncated."""

    layout: str = "NCDHW"

    spatial: ClassVar[str] = "DHW"
    precision = Precision.FOLLOW
    examples = (Example("f32[1, 2, 5, 6, 7]", pool_size=(2, 3, 2), strides=2, padding=(0, 1, 0)),)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative: the elements of a window get equal shares of its derivative."""
        return (Call(AvgPool3DGrad(**_mean_window(self)), (d_out, *call.args)),)


@operator("nn.max_pool1d_grad")
class MaxPool1DGrad(MaxPoolGrad):
    """The derivative of `nn.max_pool1d`: each window adds its derivative to its first maximum."""

    layout: str = "NCW"

    spatial: ClassVar[str] = "W"
    examples = (Example("f32[1, 2, 4]", "f32[1, 2, 8]", pool_size=3, strides=2, padding=1),)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative, read at the first maximum of each window."""
        return Call(MaxPool1DPick(**_window(self)), (d_out, call.args[1])), None


@operator("nn.avg_pool1d_grad")
class AvgPool1DGrad(AvgPoolGrad):
    """The derivative of `nn.avg_pool1d`: elements of a window share its derivative equally."""

    layout: str = "NCW"

    spatial: ClassVar[str] = "W"
    examples = (Example("f32[1, 2, 4]", "f32[1, 2, 8]", pool_size=3, strides=2, padding=1),)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the mean of the derivative in each window."""
        return Call(AvgPool1D(**_mean_window(self)), (d_out,)), None


@operator("nn.max_pool1d_pick")
class MaxPool1DPick(MaxPoolPick):
    """Read `data` at the first maximum of each window of `like`, in `nn.max_pool1d`'s windows."""

    layout: str = "NCW"

    spatial: ClassVar[str] = "W"
    examples = (Example("f32[1, 2, 8]", "f32[1, 2, 8]", pool_size=3, strides=2, padding=1),)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return, for each element of data, the sum of `d_out` of all windows that read it."""
        return Call(MaxPool1DGrad(**_window(self)), (d_out, call.args[1])), None


@operator("nn.max_pool2d_grad")
class MaxPool2DGrad(MaxPoolGrad):
    """The derivative of `nn.max_pool2d`: each window adds its derivative to its first maximum."""

    layout: str = "NCHW"

    spatial: ClassVar[str] = "HW"
    examples = (
        Example("f32[1, 2, 4, 4]", "f32[1, 2, 8, 8]", pool_size=3, strides=2, padding=1),
        Example("f32[1, 3, 5, 2]", "f32[1, 4, 7, 2]", pool_size=(2, 3), layout="NHWC"),
    )

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative, read at the first maximum of each window."""
        return Call(MaxPool2DPick(**_window(self)), (d_out, call.args[1])), None


@operator("nn.avg_pool2d_grad")
class AvgPool2DGrad(AvgPoolGrad):
    """The derivative of `nn.avg_pool2d`: elements of a window share its derivative equally."""

    layout: str = "NCHW"

    spatial: ClassVar[str] = "HW"
    examples = (
        Example("f32[1, 2, 4, 4]", "f32[1, 2, 8, 8]", pool_size=3, strides=2, padding=1),
        Example(
            "f32[1, 2, 8, 8]",
            "f32[1, 2, 8, 8]",
            pool_size=3,
            padding=1,
            count_include_pad=True,
        ),
    )

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the mean of the derivative in each window."""
        return Call(AvgPool2D(**_mean_window(self)), (d_out,)), None


@operator("nn.max_pool2d_pick")
class MaxPool2DPick(MaxPoolPick):
    """Read `data` at the first maximum of each window of `like`, in `nn.max_pool2d`'s windows."""

    layout: str = "NCHW"

    spatial: ClassVar[str] = "HW"
    examples = (Example("f32[1, 2, 8, 8]", "f32[1, 2, 8, 8]", pool_size=3, strides=2, padding=1),)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return, for each element of data, the sum of `d_out` of all windows that read it."""
        return Call(MaxPool2DGrad(**_window(self)), (d_out, call.args[1])), None


@operator("nn.max_pool3d_grad")
class MaxPool3DGrad(MaxPoolGrad):
    """The derivative of `nn.max_pool3d`: each window adds its derivative to its first maximum."""

    layout: str = "NCDHW"

    spatial: ClassVar[str] = "DHW"
    examples = (
        Example("f32[1, 1, 2, 2, 3]", "f32[1, 1, 4, 3, 5]", pool_size=3, strides=2, padding=1),
    )

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative, read at the first maximum of each window."""
        return Call(MaxPool3DPick(**_window(self)), (d_out, call.args[1])), None


@operator("nn.avg_pool3d_grad")
class AvgPool3DGrad(AvgPoolGrad):
    """The derivative of `nn.avg_pool3d`: elements of a window share its derivative equally."""

    layout: str = "NCDHW"

    spatial: ClassVar[str] = "DHW"
    examples = (
        Example("f32[1, 1, 2, 2, 3]", "f32[1, 1, 4, 3, 5]", pool_size=3, strides=2, padding=1),
    )

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the mean of the derivative in each window."""
        return Call(AvgPool3D(**_mean_window(self)), (d_out,)), None


@operator("nn.max_pool3d_pick")
class MaxPool3DPick(MaxPoolPick):
    """Read `data` at the first maximum of each window of `like`, in `nn.max_pool3d`'s windows."""

    layout: str = "NCDHW"

    spatial: ClassVar[str] = "DHW"
    examples = (
        Example("f32[1, 1, 4, 3, 5]", "f32[1, 1, 4, 3, 5]", pool_size=3, strides=2, padding=1),
    )

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return, for each element of data, the sum of `d_out` of all windows that read it."""
        return Call(MaxPool3DGrad(**_window(self)), (d_out, call.args[1])), None


def _window(op: Windowed) -> dict[str, object]:
    names = ("pool_size", "strides", "dilation", "padding", "layout", "out_layout", "ceil_mode")
    return {name: getattr(op, name) for name in names}


def _mean_window(op: AvgPool | AvgPoolGrad) -> dict[str, object]:
    return {**_window(op), "count_include_pad": op.count_include_pad}
