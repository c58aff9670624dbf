"""Translate Keras layers that reshape, permute, pad or crop tensors."""

from relay.frontend.builders.tensor_helpers import constant, flattened, reshape
from relay.frontend.json_values import is_list
from relay.frontend.keras.layer_reader import LayerReader
from relay.frontend.keras.registry import keras_layer
from relay.frontend.keras.translate.window_padding import is_channels_first
from relay.ir.dims import Dim, product
from relay.ir.expr import Call, Expr
from relay.ops.binary import multiply
from relay.ops.broadcasting import BroadcastTo
from relay.ops.cast import Cast
from relay.ops.comparison import NotEqual
from relay.ops.max_min_reductions import Any
from relay.ops.nn.pad import Pad
from relay.ops.tensor.reshape import ExpandDims
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.transpose import Transpose


@keras_layer("Flatten")
def flatten(layer: LayerReader) -> Expr:
    """Translate `Flatten`: merge all axes except the batch; channels become the last axis first."""
    x = layer.tensor()
    rank = x.tensor_type.rank
    if is_channels_first(layer) and rank > 2:
        x = Call(Transpose((0, *range(2, rank), 1)), (x,), span=layer.span)
    return reshape(x, (x.tensor_type.shape[0], 1)) if rank == 1 else flattened(x, 1)


@keras_layer("Reshape")
def reshape_layer(layer: LayerReader) -> Expr:
    """Translate `Reshape` of each sample; one size may be -1, which is inferred."""
    x, target = layer.tensor(), [*layer.option("target_shape")]
    batch, *sizes = x.tensor_type.shape
    if -1 in target:
        known = product([each for each in target if each != -1])
        target[target.index(-1)] = product(sizes) // known
    return reshape(x, (batch, *target))


@keras_layer("Permute")
def permute(layer: LayerReader) -> Expr:
    """Translate `Permute`: reorder the axes of each sample, which are counted from 1."""
    axes = layer.ints("dims", layer.type().rank - 1)
    return Call(Transpose((0, *axes)), (layer.tensor(),), span=layer.span)


@keras_layer("RepeatVector")
def repeat_vector(layer: LayerReader) -> Expr:
    """Translate `RepeatVector`: repeat each sample `n` times along a new time axis."""
    x = layer.tensor()
    batch, size = x.tensor_type.shape
    op = BroadcastTo((batch, layer.integer("n"), size))
    return Call(op, (reshape(x, (batch, 1, size)),), span=layer.span)


@keras_layer("ZeroPadding1D", "ZeroPadding2D", "ZeroPadding3D")
def zero_padding(layer: LayerReader) -> Expr:
    """Translate zero padding layers."""
    x = layer.tensor()
    widths = _framed(layer, _pairs(layer, "padding"))
    op = Pad(tuple(widths))
    return Call(op, (x, constant(0, x.tensor_type.dtype)), span=layer.span)


@keras_layer("Cropping1D", "Cropping2D", "Cropping3D")
def cropping(layer: LayerReader) -> Expr:
    """Translate cropping layers."""
    x = layer.tensor()
    begin: list[Dim] = []
    end: list[Dim] = []
    for size, (before, after) in zip(
        x.tensor_type.shape, _framed(layer, _pairs(layer, "cropping")), strict=True
    ):
        begin.append(before)
        end.append(size - after)
    axes = tuple(range(x.tensor_type.rank))
    return Call(StridedSlice(tuple(begin), tuple(end), axes=axes), (x,), span=layer.span)


def _pairs(layer: LayerReader, name: str) -> list[tuple[int, int]]:
    """Return a pair for each spatial axis, from an option: a number, one per axis, or pairs."""
    rank = int(layer.kind[-2])
    found: object = layer.option(name, 1)
    if rank == 1 and is_list(found):
        found = [found]
    listed = found if is_list(found) else [found] * rank
    pairs: list[tuple[int, int]] = []
    for each in listed:
        match [*each] if is_list(each) else [each, each]:
            case [int(before), int(after)]:
                pairs.append((before, after))
            case _:
                raise layer.wrong(name, found)
    if len(pairs) != rank:
        raise layer.wrong(name, found)
    return pairs


def _framed(layer: LayerReader, pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return pairs for all axes: `pairs` for spatial axes, zeros for batch and channels."""
    none = (0, 0)
    return [none, none, *pairs] if is_channels_first(layer) else [none, *pairs, none]


@keras_layer("Masking")
def masking(layer: LayerReader) -> Expr:
    """Translate `Masking`: mask the time steps whose elements all equal `mask_value`.

    Masked steps are set to zero.
    """
    x = layer.tensor()
    value = constant(layer.number("mask_value", 0.0), x.tensor_type.dtype)
    there = Call(Any(axis=(-1,), keepdims=False), (Call(NotEqual(), (x, value)),))
    column = Call(ExpandDims(-1), (there,))
    result = multiply(x, Call(Cast(x.tensor_type.dtype), (column,)))
    layer.masks[result] = there
    return result
