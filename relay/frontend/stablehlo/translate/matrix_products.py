"""Translate StableHLO tensor contractions and convolutions."""

from collections.abc import Sequence
from typing import Any

from relay.frontend.builders.interior_padding import padded
from relay.frontend.builders.operators_by_rank import CONV
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.stablehlo.node import HloNode
from relay.frontend.stablehlo.registry import hlo_operation
from relay.ir.dims import Dim, Shape, product
from relay.ir.expr import Call, Expr
from relay.ops.nn.matmul import BatchMatmul, Matmul
from relay.ops.tensor.transpose import Reverse, Transpose
from relay.support.error_codes import ErrorCode


@hlo_operation("dot_general")
def dot_general(node: HloNode) -> Expr:
    """Translate `dot_general`: contract axes of both operands, with batch axes."""
    node.ignore("precision_config", "algorithm")
    numbers = node.attribute("dot_dimension_numbers")
    batch = tuple(numbers.lhs_batching_dimensions), tuple(numbers.rhs_batching_dimensions)
    inner = tuple(numbers.lhs_contracting_dimensions), tuple(numbers.rhs_contracting_dimensions)
    out = node.result_type.dtype
    left = _as_matrices(node.operands[0], batch[0], inner[0], inner_last=True)
    right = _as_matrices(node.operands[1], batch[1], inner[1], inner_last=False)
    to = None if left.tensor_type.dtype is out else out
    op = BatchMatmul(to) if batch[0] else Matmul(out_dtype=to)
    shape = _product_shape(node.operands, batch, inner)
    return reshape(Call(op, (left, right), span=node.span), shape)


def _product_shape(
    operands: Sequence[Expr], batch: Sequence[Sequence[int]], inner: Sequence[Sequence[int]]
) -> Shape:
    """Return the shape of a product: the batch axes, then the other free axes of both operands."""
    shapes = [each.tensor_type.shape for each in operands]
    free = [
        size
        for shape, *bound in zip(shapes, batch, inner, strict=True)
        for axis, size in enumerate(shape)
        if all(axis not in axes for axes in bound)
    ]
    return (*(shapes[0][axis] for axis in batch[0]), *free)


def _as_matrices(x: Expr, batch: Sequence[int], inner: Sequence[int], *, inner_last: bool) -> Expr:
    """Return an operand as `(batch, free, contracted)`, or with the last two exchanged."""
    sizes = x.tensor_type.shape
    free = [axis for axis in range(len(sizes)) if axis not in (*batch, *inner)]
    last = [*free, *inner] if inner_last else [*inner, *free]
    order = (*batch, *last)
    if order != tuple(range(len(sizes))):
        x = Call(Transpose(order), (x,))
    groups = (free, inner) if inner_last else (inner, free)
    matrix = [product(sizes[axis] for axis in group) for group in groups]
    wanted = ((product(sizes[axis] for axis in batch),) if batch else ()) + tuple(matrix)
    return x if x.tensor_type.shape == wanted else reshape(x, wanted)


@hlo_operation("convolution")
def convolution(node: HloNode) -> Expr:
    """Translate `convolution` with any order of axes, dilations, and reversed kernels."""
    count = node.type(0).rank - 2
    return convolved(node, node.matrix("padding", count))


def convolved(node: HloNode, pairs: Sequence[tuple[Dim, Dim]]) -> Expr:
    """Return the convolution of the first two operands; `pairs` pad the spatial axes."""
    node.ignore("precision_config")
    numbers = node.attribute("dimension_numbers")
    x, weight, *_ = node.operands
    count = x.tensor_type.rank - 2
    if count == 0:
        return _without_spatial_axes(node)
    if count not in CONV:
        raise node.error(
            ErrorCode.F031,
            f"the images have {count} spatial axes, but only 1, 2 or 3 are supported",
        )
    axes = _Axes(numbers)
    x, padding = _padded(node, x, axes.data[2:], pairs)
    weight = _reversed_weight(node, weight, axes.kernel[2:])
    groups, batches = node.integer("feature_group_count"), node.integer("batch_group_count")
    if batches > 1:
        x, groups = _batches_as_groups(x, axes.data, batches), batches
    op = CONV[count](
        strides=node.ints_or("window_strides", (1,) * count),
        dilation=node.ints_or("rhs_dilation", (1,) * count),
        padding=padding,
        groups=groups,
        data_layout=_layout("NC", axes.data),
        kernel_layout=_layout("OI", axes.kernel),
        out_layout=_layout("NC", axes.result),
        out_dtype=node.result_type.dtype,
    )
    return Call(op, (x, weight), span=node.span)


def _without_spatial_axes(node: HloNode) -> Expr:
    """Return a convolution of matrices, which is a product of matrices."""
    axes, (x, weight) = _Axes(node.attribute("dimension_numbers")), node.operands
    if node.integer("feature_group_count") > 1 or node.integer("batch_group_count") > 1:
        raise node.error(
            ErrorCode.F031, "a grouped convolution without spatial axes is not supported"
        )
    node.ignore_all()
    left = x if axes.data == (0, 1) else Call(Transpose((1, 0)), (x,))
    right = weight if axes.kernel == (1, 0) else Call(Transpose((1, 0)), (weight,))
    to = node.result_type.dtype
    op = Matmul(out_dtype=None if x.tensor_type.dtype is to else to)
    found = Call(op, (left, right), span=node.span)
    return found if axes.result == (0, 1) else Call(Transpose((1, 0)), (found,))


class _Axes:
    """The axes of data, weight and result of a convolution, by role: batch, channels, spatial."""

    def __init__(self, numbers: Any) -> None:
        self.data: tuple[int, ...] = (
            numbers.input_batch_dimension,
            numbers.input_feature_dimension,
            *numbers.input_spatial_dimensions,
        )
        self.kernel: tuple[int, ...] = (
            numbers.kernel_output_feature_dimension,
            numbers.kernel_input_feature_dimension,
            *numbers.kernel_spatial_dimensions,
        )
        self.result: tuple[int, ...] = (
            numbers.output_batch_dimension,
            numbers.output_feature_dimension,
            *numbers.output_spatial_dimensions,
        )


def _layout(plain: str, axes: Sequence[int]) -> str:
    """Return a layout string, such as NHWC, from the positions of its letters' axes.

    The first two axes have the letters of `plain`; the others are spatial.
    """
    letters = plain + "DHW"[5 - len(axes) :]
    return "".join(letter for _, letter in sorted(zip(axes, letters, strict=True)))


def _padded(
    node: HloNode, x: Expr, spatial: Sequence[int], pairs: Sequence[tuple[Dim, Dim]]
) -> tuple[Expr, tuple[int, ...]]:
    """Return the padded data, and the padding that remains for the convolution operator.

    Zeros between elements (data dilation) and negative padding are applied here.
    """
    between = node.ints_or("lhs_dilation", (1,) * len(spatial))
    widths = (*(before for before, _ in pairs), *(behind for _, behind in pairs))
    plain = tuple(each for each in widths if isinstance(each, int) and each >= 0)
    if all(step == 1 for step in between) and len(plain) == len(widths):
        return x, plain
    rank = x.tensor_type.rank
    low: list[Dim] = [0] * rank
    high: list[Dim] = [0] * rank
    inner = [0] * rank
    for axis, (before, behind), step in zip(spatial, pairs, between, strict=True):
        low[axis], high[axis], inner[axis] = before, behind, step - 1
    zero = constant(0, x.tensor_type.dtype)
    return padded(x, zero, tuple(low), tuple(high), tuple(inner)), (0,) * (2 * len(spatial))


def _reversed_weight(node: HloNode, weight: Expr, spatial: Sequence[int]) -> Expr:
    """Return the weight, reversed along the spatial axes that the node reverses."""
    for axis, is_turned in zip(
        spatial, node.flags_or("window_reversal", (False,) * len(spatial)), strict=True
    ):
        weight = Call(Reverse(axis), (weight,)) if is_turned else weight
    return weight


def _batches_as_groups(x: Expr, axes: Sequence[int], groups: int) -> Expr:
    """Return data with a factor `groups` of the batch axis moved to the channel axis."""
    batch, feature, *_ = axes
    sizes = list(x.tensor_type.shape)
    split = [*sizes[:batch], groups, sizes[batch] // groups, *sizes[batch + 1 :]]
    apart = reshape(x, split)
    kept = [axis for axis in range(len(split)) if axis != batch]
    place = kept.index(feature + 1 if feature > batch else feature)
    order = [*kept[:place], batch, *kept[place:]]
    sizes[batch] = sizes[batch] // groups
    sizes[feature] = sizes[feature] * groups
    return reshape(Call(Transpose(tuple(order)), (apart,)), sizes)
