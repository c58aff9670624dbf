"""The derivatives of convolutions, of transposed convolutions, and of weight derivatives.

The maps `w ↦ convolution(x, w)` and `x ↦ convolution(x, w)` are linear, and their transposes are
the other two operators. So the derivatives of each of the three are calls of the others.
"""

from collections.abc import Mapping, Sequence

from relay.ir.dims import ANY, Dim, Shape, is_static, multiply, static
from relay.ir.expr import Call, Expr
from relay.opdef.layout import Layout
from relay.ops.nn import windows
from relay.ops.nn.conv import Convolution
from relay.ops.nn.conv_base import ConvBase
from relay.ops.nn.conv_transpose import ConvolutionTranspose
from relay.ops.nn.conv_weight_gradient import ConvolutionBackwardWeight
from relay.ops.tensor.layout_transform import LayoutTransform
from relay.ops.tensor.reshape import Reshape, reshape_to
from relay.ops.tensor.slice import SliceLike, StridedSlice
from relay.support.dtype import DType
from relay.support.error_codes import ErrorCode
from relay.support.errors import OpenSizeError
from relay.support.node import replace


def of_convolution(
    op: Convolution,
    call: Call,
    d_out: Expr,
    transposed: type[ConvolutionTranspose],
    backward: type[ConvolutionBackwardWeight],
) -> Sequence[Expr | None]:
    """Return the derivatives of a convolution.

    That by the data is the transposed convolution of `d_out`, and that by the weight is the weight
    derivative, a contraction of `d_out` with the data.
    """
    data, weight = call.args
    x, w = op.plain_data(data.tensor_type), op.plain_weight(weight.tensor_type)
    if op.is_multiplier(x, w):
        return _of_multiplier(op, call, d_out, transposed, backward)
    contract = backward(
        **_common_attributes(op),
        kernel_size=_kernel(op, w),
        data_layout=op.data_layout,
        kernel_layout=op.kernel_layout,
        out_layout=op.out_layout,
        out_dtype=_dtype(op, weight),
    )
    return _data_gradient(op, transposed, d_out, weight, data), Call(contract, (d_out, data))


def _of_multiplier(
    op: Convolution,
    call: Call,
    d_out: Expr,
    transposed: type[ConvolutionTranspose],
    backward: type[ConvolutionBackwardWeight],
) -> Sequence[Expr | None]:
    """Return the derivatives for a depthwise weight `(groups, multiplier, …)`.

    It is reshaped to `(groups · multiplier, 1, …)`, which has the same elements.
    """
    data, weight = call.args
    plain = f"OI{op.spatial}"
    there = LayoutTransform(op.kernel_layout, plain)
    whole = weight if op.kernel_layout == plain else Call(there, (weight,))
    outer, inner, *kernel = whole.tensor_type.shape
    merged = Call(Reshape((multiply(outer, inner), 1, *kernel), allowzero=True), (whole,))
    same = replace(op, kernel_layout=plain)
    d_data, d_merged = of_convolution(same, Call(same, (data, merged)), d_out, transposed, backward)
    assert d_merged is not None, "a convolution has a derivative by its weight"
    d_whole = reshape_to(d_merged, whole)
    back = LayoutTransform(plain, op.kernel_layout)
    return d_data, d_whole if op.kernel_layout == plain else Call(back, (d_whole,))


def of_transposed(
    op: ConvolutionTranspose,
    call: Call,
    d_out: Expr,
    forward: type[Convolution],
    backward: type[ConvolutionBackwardWeight],
) -> Sequence[Expr | None]:
    """Return the derivatives of a transposed convolution by its data and its weight.

    The derivative by the data is a convolution of `d_out`. The derivative by the weight is the
    weight derivative of a convolution in which data and result are exchanged.
    """
    data, weight = call.args
    kernel_layout = swap_channel_letters(op.kernel_layout)
    d_out = _without_unreached_end(op, d_out)
    layouts = {
        "kernel_layout": kernel_layout,
        "data_layout": op.out_layout or op.data_layout,
        "out_layout": op.data_layout,
    }
    convolve = forward(**_common_attributes(op), **layouts, out_dtype=_dtype(op, data))
    contract = backward(
        **_common_attributes(op),
        **layouts,
        kernel_size=_kernel(op, op.plain_weight(weight.tensor_type)),
        out_dtype=_dtype(op, weight),
    )
    return Call(convolve, (d_out, weight)), Call(contract, (data, d_out))


def of_backward_weight(
    op: ConvolutionBackwardWeight,
    call: Call,
    d_out: Expr,
    forward: type[Convolution],
    transposed: type[ConvolutionTranspose],
) -> Sequence[Expr | None]:
    """Return the derivatives of an operator that computes the derivative by a weight.

    The derivative by `grad` is a convolution of the data with `d_out`. The derivative by the data
    is a transposed convolution of `grad` with `d_out`.
    """
    grad, data = call.args
    convolve = forward(
        **_common_attributes(op),
        data_layout=op.data_layout,
        kernel_layout=op.kernel_layout,
        out_layout=op.out_layout,
        out_dtype=_dtype(op, grad),
    )
    d_grad = Call(convolve, (data, d_out))
    if ANY in d_grad.tensor_type.shape:  # whether the weight is a multiplier is unknown
        d_grad = reshape_to(d_grad, grad)
    return d_grad, _data_gradient(op, transposed, grad, d_out, data)


def _data_gradient(
    op: Convolution | ConvolutionBackwardWeight,
    transposed: type[ConvolutionTranspose],
    d_out: Expr,
    weight: Expr,
    data: Expr,
) -> Expr:
    """Return the derivative by the data of a convolution with the attributes of `op`.

    Positions at the end of an axis that no window reaches get zeros. If the size is symbolic, their
    number is unknown: the result is then made as long as possible, and cropped.
    """
    x, w = op.plain_data(data.tensor_type), op.plain_weight(weight.tensor_type)
    sizes, kernel = [x[letter] for letter in op.spatial], [w[letter] for letter in op.spatial]
    spread = transposed(
        **_common_attributes(op),
        kernel_layout=swap_channel_letters(op.kernel_layout),
        data_layout=op.out_layout or op.data_layout,
        out_layout=op.data_layout,
        output_padding=_unreached_at_end(op, sizes, kernel),
        out_dtype=_dtype(op, data),
    )
    found = Call(spread, (d_out, weight))
    known = all(isinstance(n, int) or s == 1 for n, s in zip(sizes, op.strides, strict=True))
    return found if known else Call(SliceLike(_axes(op, op.data_layout)), (found, data))


def _unreached_at_end(op: ConvBase, sizes: Sequence[Dim], kernel: Sequence[Dim]) -> tuple[int, ...]:
    """Return, for each axis, an upper bound of the number of positions that no window reaches."""
    rest: list[int] = []
    for n, k, d, s, pads in zip(sizes, kernel, op.dilation, op.strides, op.pads, strict=True):
        beyond = (n + sum(pads) - windows.reach(k, d)) % s
        rest.append(beyond if isinstance(beyond, int) else s - 1)
    return tuple(rest)


def _without_unreached_end(op: ConvolutionTranspose, d_out: Expr) -> Expr:
    """Return `d_out` without the positions at the end that no window of the convolution reads."""
    more = [a - a % s for a, s in zip(op.output_padding, op.strides, strict=True)]
    if not any(more):
        return d_out
    layout = op.out_layout or op.data_layout
    ends = [d_out.tensor_type.shape[axis] for axis in _axes(op, layout)]
    kept = tuple(end - less for end, less in zip(ends, more, strict=True))
    return Call(StridedSlice((0,) * len(kept), kept, axes=_axes(op, layout)), (d_out,))


def _axes(op: ConvBase, layout: str) -> tuple[int, ...]:
    """Return the positions of the spatial axes in a layout."""
    return tuple(map(Layout.parse(layout).position, op.spatial))


def _kernel(op: ConvBase, weight: Mapping[str, Dim]) -> tuple[int, ...]:
    """Return the size of the kernel, which must be static for the weight derivative (`T104`)."""
    kernel: Shape = tuple(weight[letter] for letter in op.spatial)
    if not is_static(kernel):
        raise OpenSizeError(
            ErrorCode.T104,
            f"{op.name}: the derivative with respect to the weight needs a weight of known "
            "size, without `?`",
        )
    return static(kernel)


def _dtype(op: ConvBase, argument: Expr) -> DType | None:
    """Return the element type of a derivative if that of the convolution is set explicitly."""
    return argument.tensor_type.dtype if op.out_dtype else None


def _common_attributes(op: ConvBase) -> dict[str, object]:
    """Return the attributes that a convolution has in common with its derivatives."""
    return {
        "strides": op.strides,
        "padding": op.padding,
        "dilation": op.dilation,
        "groups": op.groups,
    }


def swap_channel_letters(kernel_layout: str) -> str:
    """Return a layout with input and output channels exchanged: IOHW4o2i for OIHW4i2o."""
    return kernel_layout.translate(str.maketrans("OIoi", "IOio"))
