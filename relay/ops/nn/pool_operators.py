"""The poolings of programs: windows (`nn.max_pool2d`), targets, and whole images."""

from collections.abc import Sequence
from typing import Any, ClassVar

from relay.ir.expr import Call, Expr
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.nn.pool_base import AvgPool, MaxPool
from relay.ops.nn.pool_grad import AvgPool2DGrad, MaxPool2DGrad

_CEIL: dict[str, Any] = {"pool_size": (3, 3), "strides": (2, 2), "ceil_mode": True}


@operator("nn.max_pool1d")
class MaxPool1D(MaxPool):
    """Take the maximum of each window of `(N, C, W)`; any number dtype."""

    layout: str = "NCW"

    spatial: ClassVar[str] = "W"
    examples = (
        Example("f32[2, 3, 9]", pool_size=3, strides=2, padding=1),
        Example("i32[1, 2, 8]", pool_size=2, dilation=3),
    )


@operator("nn.max_pool2d")
class MaxPool2D(MaxPool):
    """Take the maximum of each window of `(N, C, H, W)`; any number dtype."""

    layout: str = "NCHW"

    spatial: ClassVar[str] = "HW"
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
        """Give each window's derivative to its first maximum."""
        return (Call(MaxPool2DGrad(**_window(self)), (d_out, call.args[0])),)


@operator("nn.max_pool3d")
class MaxPool3D(MaxPool):
    """Take the maximum of each window of `(N, C, D, H, W)`; any number dtype."""

    layout: str = "NCDHW"

    spatial: ClassVar[str] = "DHW"
    examples = (Example("f32[1, 2, 5, 6, 7]", pool_size=(2, 3, 2), strides=2, padding=(0, 1, 0)),)


@operator("nn.avg_pool1d")
class AvgPool1D(AvgPool):
    """Take the mean of each window of `(N, C, W)`; integers truncate."""

    layout: str = "NCW"

    spatial: ClassVar[str] = "W"
    examples = (
        Example("f32[2, 3, 9]", pool_size=3, strides=2, padding=1),
        Example("f32[2, 3, 9]", pool_size=3, padding=1, count_include_pad=True),
    )


@operator("nn.avg_pool2d")
class AvgPool2D(AvgPool):
    """Take the mean of each window of `(N, C, H, W)`; integers truncate."""

    layout: str = "NCHW"

    spatial: ClassVar[str] = "HW"
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
        """Share each window's derivative among its elements."""
        grad = AvgPool2DGrad(**_window(self), count_include_pad=self.count_include_pad)
        return (Call(grad, (d_out, call.args[0])),)


@operator("nn.avg_pool3d")
class AvgPool3D(AvgPool):
    """Take the mean of each window of `(N, C, D, H, W)`; integers truncate."""

    layout: str = "NCDHW"

    spatial: ClassVar[str] = "DHW"
    examples = (Example("f32[1, 2, 5, 6, 7]", pool_size=(2, 3, 2), strides=2, padding=(0, 1, 0)),)


def _window(op: MaxPool2D | AvgPool2D) -> dict[str, object]:
    names = ("pool_size", "strides", "dilation", "padding", "layout", "out_layout", "ceil_mode")
    return {name: getattr(op, name) for name in names}
