"""Translate NNVM operators that differ from MXNet's; most of them match Relay's."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from relay.frontend.builders.batch_norm import batch_norm as normalised
from relay.frontend.builders.tensor_helpers import add_channels
from relay.frontend.mxnet.node import MxNode
from relay.frontend.mxnet.registry import Translation
from relay.ir.expr import Call, Constant, Expr, Tuple, TupleGetItem
from relay.opdef.definition import OperatorDef
from relay.ops.binary import Add, Divide, Multiply, Subtract, add
from relay.ops.nn.activations import LeakyRelu, PRelu
from relay.ops.nn.adaptive_pool_operators import GlobalAvgPool2D, GlobalMaxPool2D
from relay.ops.nn.batch_norm_dropout import BatchNorm
from relay.ops.nn.conv_operators import Conv2D, Conv2DTranspose
from relay.ops.nn.matmul import Dense
from relay.ops.nn.more_activations import Elu
from relay.ops.nn.normalization import LRN, L2Normalize
from relay.ops.nn.pad import Pad
from relay.ops.nn.pool_operators import AvgPool2D, MaxPool2D
from relay.ops.tensor.concat_and_split import Concatenate, Split
from relay.ops.tensor.reshape import ExpandDims
from relay.ops.tensor.slice import SliceLike, StridedSlice
from relay.ops.tensor.tile_and_repeat import Repeat
from relay.ops.transcendental import Power

OWN: dict[str, Translation] = {}
"""The translations of this module, by name."""

_UNDEFINED = "__undef__"
"""The layout attribute that means the default."""


def _operator(*names: str) -> Callable[[Translation], Translation]:
    def declare(translation: Translation) -> Translation:
        OWN.update(dict.fromkeys(names, translation))
        return translation

    return declare


def _layout(node: MxNode, name: str, default: str) -> str:
    found = node.text(name, default)
    return default if found == _UNDEFINED else found


def _bias(node: MxNode) -> Expr | None:
    return node.tensor(2) if node.flag("use_bias", default=True) else None


@_operator("dense")
def dense(node: MxNode) -> Expr:
    """Translate `dense`: multiply by a matrix `(outputs, inputs)`."""
    node.ignore("units")
    result = Call(Dense(), (node.tensor(), node.tensor(1)), span=node.span)
    bias = _bias(node)
    return result if bias is None else add(result, bias)


@_operator("conv2d")
def conv2d(node: MxNode) -> Expr:
    """Translate `conv2d`."""
    node.ignore("channels")
    _check_out_dtype(node)
    layout = _layout(node, "layout", "NCHW")
    if _layout(node, "out_layout", layout) != layout:
        raise node.wrong("out_layout")
    op = Conv2D(
        strides=node.ints("strides", (1, 1)),
        padding=node.ints("padding", (0, 0)),
        dilation=node.ints("dilation", (1, 1)),
        groups=node.integer("groups", 1),
        kernel_size=node.ints("kernel_size"),
        data_layout=layout,
        kernel_layout=_layout(node, "kernel_layout", "OIHW"),
    )
    result = Call(op, (node.tensor(), node.tensor(1)), span=node.span)
    bias = _bias(node)
    return add_channels(result, bias) if bias is None or layout == "NCHW" else add(result, bias)


def _check_out_dtype(node: MxNode) -> None:
    if node.text("out_dtype", "same") not in ("same", "-1", node.type().dtype.name):
        raise node.wrong("out_dtype")


@_operator("conv2d_transpose")
def conv2d_transpose(node: MxNode) -> Expr:
    """Translate `conv2d_transpose`; the first axis of the weight is the data's channels."""
    node.ignore("channels", "kernel_size")
    _check_out_dtype(node)
    for name, plain in (("layout", "NCHW"), ("kernel_layout", "OIHW")):
        if _layout(node, name, plain) != plain:
            raise node.wrong(name)
    op = Conv2DTranspose(
        strides=node.ints("strides", (1, 1)),
        padding=node.ints("padding", (0, 0)),
        dilation=node.ints("dilation", (1, 1)),
        output_padding=node.ints("output_padding", (0, 0)),
        groups=node.integer("groups", 1),
    )
    result = Call(op, (node.tensor(), node.tensor(1)), span=node.span)
    return add_channels(result, _bias(node))


@_operator("max_pool2d", "avg_pool2d")
def pool2d(node: MxNode) -> Expr:
    """Translate 2D pooling over windows."""
    shared = {
        "pool_size": node.ints("pool_size"),
        "strides": node.ints("strides", (1, 1)),
        "padding": node.ints("padding", (0, 0)),
        "layout": _layout(node, "layout", "NCHW"),
        "ceil_mode": node.flag("ceil_mode"),
    }
    if node.op == "max_pool2d":
        return Call(MaxPool2D(**shared), (node.tensor(),), span=node.span)
    op = AvgPool2D(**shared, count_include_pad=node.flag("count_include_pad"))
    return Call(op, (node.tensor(),), span=node.span)


@_operator("global_max_pool2d", "global_avg_pool2d")
def global_pool2d(node: MxNode) -> Expr:
    """Translate 2D global pooling, which reduces each channel."""
    cls = GlobalMaxPool2D if node.op == "global_max_pool2d" else GlobalAvgPool2D
    op = cls(layout=_layout(node, "layout", "NCHW"))
    return Call(op, (node.tensor(),), span=node.span)


@_operator("batch_norm")
def batch_norm(node: MxNode) -> Expr:
    """Translate `batch_norm`, with the stored mean and variance."""
    op = BatchNorm(
        axis=node.integer("axis", 1),
        epsilon=node.number("epsilon", 1e-5),
        center=node.flag("center", default=True),
        scale=node.flag("scale", default=True),
    )
    x, *vectors = node.inputs[:5]
    return normalised(op, x, vectors, node.span)


@_operator("lrn")
def lrn(node: MxNode) -> Expr:
    """Translate `lrn`: local response normalisation across channels."""
    op = LRN(
        size=node.integer("size"),
        axis=node.integer("axis", 1),
        bias=node.number("bias", 2.0),
        alpha=node.number("alpha", 1e-4),
        beta=node.number("beta", 0.75),
    )
    return Call(op, (node.tensor(),), span=node.span)


@_operator("l2_normalize")
def l2_normalize(node: MxNode) -> Expr:
    """Translate `l2_normalize`: divide by the L2 norm."""
    op = L2Normalize(eps=node.number("eps"), axis=node.ints("axis", ()) or None)
    return Call(op, (node.tensor(),), span=node.span)


@_operator("leaky_relu")
def leaky_relu(node: MxNode) -> Expr:
    """Translate `leaky_relu`."""
    return Call(LeakyRelu(node.number("alpha", 0.25)), (node.tensor(),), span=node.span)


@_operator("elu")
def elu(node: MxNode) -> Expr:
    """Translate `elu`: `alpha · (exp(x) - 1)` for negative elements."""
    return Call(Elu(node.number("alpha", 1.0)), (node.tensor(),), span=node.span)


@_operator("prelu")
def prelu(node: MxNode) -> Expr:
    """Translate `prelu`: negative elements are scaled by a weight per channel."""
    op = PRelu(axis=node.integer("axis", 1))
    return Call(op, (node.tensor(), node.tensor(1)), span=node.span)


@_operator("concatenate")
def concatenate(node: MxNode) -> Expr:
    """Translate `concatenate`."""
    op = Concatenate(node.integer("axis", 1))
    return Call(op, (Tuple(tuple(node.inputs)),), span=node.span)


@_operator("split")
def split(node: MxNode) -> Sequence[Expr]:
    """Translate `split` into a number of equal parts, or at a list of indices."""
    places, axis = node.ints("indices_or_sections"), node.integer("axis")
    is_number = node.text("indices_or_sections").strip().isdigit()
    parts = Call(Split(places[0] if is_number else places, axis), (node.tensor(),), span=node.span)
    count = places[0] if is_number else len(places) + 1
    return [TupleGetItem(parts, index) for index in range(count)]


@_operator("expand_dims")
def expand_dims(node: MxNode) -> Expr:
    """Translate `expand_dims`, which adds axes of size 1."""
    op = ExpandDims(node.integer("axis"), node.integer("num_newaxis", 1))
    return Call(op, (node.tensor(),), span=node.span)


@_operator("pad")
def pad(node: MxNode) -> Expr:
    """Translate `pad` with a constant; the widths are a pair for each axis."""
    flat = node.text("pad_width").replace("(", "").replace(")", "").replace("[", "")
    widths = [int(each) for each in flat.replace("]", "").split(",") if each.strip()]
    pairs = tuple(zip(widths[::2], widths[1::2], strict=True))
    fill = np.array(node.number("pad_value", 0.0), node.type().dtype.numpy)
    return Call(Pad(pairs), (node.tensor(), Constant(fill)), span=node.span)


@_operator("strided_slice")
def strided_slice(node: MxNode) -> Expr:
    """Translate `strided_slice` of the first axes."""
    op = StridedSlice(node.ints("begin"), node.ints("end"), node.ints("stride", ()))
    return Call(op, (node.tensor(),), span=node.span)


@_operator("slice_like")
def slice_like(node: MxNode) -> Expr:
    """Translate `slice_like`: cut a tensor to the sizes of another, along some axes or all."""
    op = SliceLike(axes=node.ints("axis", ()) or None)
    return Call(op, (node.tensor(), node.tensor(1)), span=node.span)


@_operator("upsampling")
def upsampling(node: MxNode) -> Expr:
    """Translate `upsampling`, which repeats each element along both spatial axes."""
    if node.text("method", "NEAREST_NEIGHBOR") != "NEAREST_NEIGHBOR":
        raise node.wrong("method")
    layout = _layout(node, "layout", "NCHW")
    if layout not in ("NCHW", "NHWC"):
        raise node.wrong("layout")
    factor, result = node.integer("scale"), node.tensor()
    for axis in (layout.index("H"), layout.index("W")):
        result = Call(Repeat(factor, axis), (result,), span=node.span)
    return result


_SCALAR: Mapping[str, tuple[OperatorDef, bool]] = {
    "__add_scalar__": (Add(), False),
    "__sub_scalar__": (Subtract(), False),
    "__rsub_scalar__": (Subtract(), True),
    "__mul_scalar__": (Multiply(), False),
    "__div_scalar__": (Divide(), False),
    "__rdiv_scalar__": (Divide(), True),
    "__pow_scalar__": (Power(), False),
    "__rpow_scalar__": (Power(), True),
}
"""Operators that combine a tensor with a number, and whether the number comes first."""


@_operator(*_SCALAR)
def with_number(node: MxNode) -> Expr:
    """Translate an operator of a tensor and a number."""
    op, is_first = _SCALAR[node.op]
    x = node.tensor()
    number = Constant(np.array(node.number("scalar"), x.tensor_type.dtype.numpy))
    return Call(op, (number, x) if is_first else (x, number), span=node.span)
