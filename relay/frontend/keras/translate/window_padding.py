"""Layouts, padding and biases of convolutions and poolings."""

from collections.abc import Sequence

from relay.frontend.builders.tensor_helpers import reshape
from relay.frontend.keras.layer_reader import LayerReader
from relay.frontend.node_errors import static_size
from relay.ir.dims import Dim
from relay.ir.expr import Constant, Expr
from relay.ops.binary import add
from relay.support.error_codes import ErrorCode

SPATIAL = {1: "W", 2: "HW", 3: "DHW"}


def is_channels_first(layer: LayerReader) -> bool:
    """Whether the option `data_format` puts the channels second."""
    return layer.option("data_format") == "channels_first"


def data_layout(layer: LayerReader, rank: int) -> str:
    """Return the layout of a layer's tensors: `NHWC`, or `NCHW`."""
    letters = SPATIAL[rank]
    return f"NC{letters}" if is_channels_first(layer) else f"N{letters}C"


def spatial_sizes(layer: LayerReader) -> tuple[Dim, ...]:
    """Return the sizes of the spatial axes of the first argument."""
    shape = layer.type().shape
    return shape[2:] if is_channels_first(layer) else shape[1:-1]


def padding(
    layer: LayerReader, kernel: Sequence[int], strides: Sequence[int], dilation: Sequence[int]
) -> tuple[int, ...]:
    """Return the padding before each spatial axis, then after; `same` needs sizes (`F032`)."""
    return padding_of_sizes(layer, spatial_sizes(layer), kernel, strides, dilation)


def padding_of_sizes(
    layer: LayerReader, sizes: Sequence[Dim], kernel: Sequence[int], strides: Sequence[int],
    dilation: Sequence[int],
) -> tuple[int, ...]:  # fmt: skip
    """Return the padding of axes of given sizes, as `padding` does."""
    rank, mode = len(kernel), layer.text("padding", "valid")
    if mode == "valid":
        return (0,) * (2 * rank)
    reach = [(k - 1) * d for k, d in zip(kernel, dilation, strict=True)]
    if mode == "causal" and rank == 1:
        return (reach[0], 0)
    if mode != "same":
        raise layer.wrong("padding", mode)
    totals: list[int] = []
    for size, r, s in zip(sizes, reach, strides, strict=True):
        if s != 1 and not isinstance(size, int):
            help_ = (
                f"specify the input shapes, so that the size {size} is a number: load(path, "
                f"shapes={{…}})"
            )
            raise layer.error(
                ErrorCode.F032,
                "padding='same' needs sizes that are known at compile time",
                help=help_,
            )
        if s == 1:
            totals.append(r)
        else:
            known = static_size(size)
            totals.append(max(0, (-(-known // s) - 1) * s + r + 1 - known))
    return (*(each // 2 for each in totals), *(each - each // 2 for each in totals))


def with_bias(layer: LayerReader, x: Expr, bias: Constant | None) -> Expr:
    """Return `x` with one number per channel added."""
    if bias is None:
        return x
    if not is_channels_first(layer):
        return add(x, bias)
    return add(x, reshape(bias, (*bias.tensor_type.shape, *(1,) * (x.tensor_type.rank - 2))))
