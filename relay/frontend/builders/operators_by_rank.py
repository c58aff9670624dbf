"""Tables of the convolution and pooling operators by number of spatial axes: 1D, 2D or 3D."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from relay.ops.nn.conv_base import ConvBase
from relay.ops.nn.conv_operators import (
    Conv1D,
    Conv1DTranspose,
    Conv2D,
    Conv2DTranspose,
    Conv3D,
    Conv3DTranspose,
)
from relay.ops.nn.conv_transpose import ConvolutionTranspose
from relay.ops.nn.pool_base import AvgPool, Pool
from relay.ops.nn.pool_operators import (
    AvgPool1D,
    AvgPool2D,
    AvgPool3D,
    MaxPool1D,
    MaxPool2D,
    MaxPool3D,
)
from relay.support.error_codes import ErrorCode

_Class = TypeVar("_Class")

CONV: Mapping[int, type[ConvBase]] = {1: Conv1D, 2: Conv2D, 3: Conv3D}
TRANSPOSED: Mapping[int, type[ConvolutionTranspose]] = {
    1: Conv1DTranspose,
    2: Conv2DTranspose,
    3: Conv3DTranspose,
}
MAX_POOL: Mapping[int, type[Pool]] = {1: MaxPool1D, 2: MaxPool2D, 3: MaxPool3D}
AVERAGE_POOL: Mapping[int, type[AvgPool]] = {1: AvgPool1D, 2: AvgPool2D, 3: AvgPool3D}


def of_rank(
    classes: Mapping[int, _Class], rank: int, error: Callable[[ErrorCode, str], Exception]
) -> _Class:
    """Return the operator for a number of spatial axes; raises `F031` if there is none."""
    if rank not in classes:
        raise error(
            ErrorCode.F031, f"the images have {rank} spatial axes, but only 1, 2 or 3 are supported"
        )
    return classes[rank]
