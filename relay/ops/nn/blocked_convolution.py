"""The operators of TVM's Relay for convolutions over blocks of channels.

They are equivalent to `nn.conv2d` with layouts such as NCHW8c, which that operator accepts as well.
"""

from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType
from relay.opdef import checks
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.nn.conv_base import ConvBase
from relay.ops.nn.conv_operators import Conv2D
from relay.support.node import value


@value
class BlockedConvolution(ConvBase):
    """The base of convolutions whose data and result have blocks of channels."""

    data_layout: str = "NCHW8c"
    kernel_layout: str = "OIHW"

    spatial = "HW"

    def __post_init__(self) -> None:
        super(BlockedConvolution, self).__post_init__()
        blocks = self.layouts[0].blocks("C") and self.layouts[2].blocks("C")
        checks.attribute(
            self.name,
            bool(blocks),
            "data_layout and out_layout need blocks of channels, such as NCHW8c",
        )

    @property
    def plain(self) -> Conv2D:
        """Return the equivalent `nn.conv2d`."""
        return Conv2D(**{name: getattr(self, name) for name in ConvBase.__match_args__})

    def infer(self, data: TensorType, weight: TensorType) -> TensorType:
        """Return the type of the result, which is that of `nn.conv2d`."""
        return self.plain.infer(data, weight)

    def decompose(self, data: Expr, weight: Expr) -> Expr:
        """Return the equivalent call of `nn.conv2d`."""
        return Call(self.plain, (data, weight))

    def reference(self, data: Array, weight: Array) -> Array:
        """Return the result of `nn.conv2d`."""
        return self.plain.reference(data, weight)


@operator("nn.contrib_conv2d_NCHWc")
class ContribConv2DNCHWc(BlockedConvolution):
    """Convolve data in blocks of channels; the attributes are those of `nn.conv2d`."""

    examples = (
        Example("f32[1, 2, 4, 5, 2]", "f32[2, 2, 3, 3, 2, 3]", data_layout="NCHW2c",
                kernel_layout="OIHW2i3o", out_layout="NCHW3c", padding=1),
    )  # fmt: skip


@operator("nn.contrib_depthwise_conv2d_NCHWc")
class ContribDepthwiseConv2DNCHWc(BlockedConvolution):
    """Convolve each channel separately, in blocks; the attributes are those of `nn.conv2d`."""

    examples = (
        Example("f32[1, 2, 4, 5, 2]", "f32[2, 1, 3, 3, 1, 2]", data_layout="NCHW2c",
                kernel_layout="OIHW1i2o", groups=4),
    )  # fmt: skip
