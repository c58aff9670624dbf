"""The masks of the results of layers, by the rules of Keras 3 (`Layer.__call__`, `compute_mask`).

1. Functions of `keras.ops` have no masks, nor have layers that do not support masks: these drop it.
2. A merging layer has a mask only if all its inputs have one: the steps that any of them has.
3. `Concatenate` joins masks along its axis; an input without a mask has all its elements.
4. Recurrent layers keep the mask if they return all steps, in the order of their input.
5. Other layers pass on the mask of their first argument. Layers that compute one keep theirs.
"""

from collections.abc import Sequence
from functools import reduce

from relay.frontend.keras.layer_reader import LayerReader
from relay.ir.expr import Call, Expr, Tuple
from relay.ops.cast import Cast
from relay.ops.creation import OnesLike
from relay.ops.elementwise import Copy
from relay.ops.logical import LogicalAnd, LogicalOr
from relay.ops.max_min_reductions import Any
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.reshape import ExpandDims
from relay.support.dtype import bool_

PASSING = frozenset((
    "Activation", "ActivityRegularization", "AlphaDropout", "BatchNormalization", "Dense",
    "Dropout", "ELU", "GaussianDropout", "GaussianNoise", "GroupNormalization",
    "GroupQueryAttention", "GroupedQueryAttention", "Identity", "LayerNormalization", "LeakyReLU",
    "MultiHeadAttention", "Normalization", "PReLU", "ReLU", "Rescaling", "Softmax",
    "SpatialDropout1D", "SpatialDropout2D", "SpatialDropout3D", "TimeDistributed",
    "UnitNormalization",
))  # fmt: skip
"""Layers that pass on the mask of their first argument."""

MERGING = frozenset(("Add", "Average", "Maximum", "Minimum", "Multiply", "Subtract"))

RECURRENT = frozenset(("ConvLSTM1D", "ConvLSTM2D", "ConvLSTM3D", "GRU", "LSTM", "RNN", "SimpleRNN"))

COMPUTING = frozenset(("AdditiveAttention", "Attention", "Embedding", "Masking"))
"""Layers whose translations set the mask."""


def with_masks(layer: LayerReader, results: Sequence[Expr]) -> list[Expr]:
    """Return a layer's results, whose masks are entered in `layer.masks`.

    A result that is an argument itself, as of a layer that does nothing, becomes a copy: the
    argument may have another mask. Only `keras.ops.cast` returns the same tensor, with its mask.
    """
    if layer.kind in (COMPUTING if not layer.layer.is_operation else {"Cast"}):
        return list(results)
    copies = [Call(Copy(), (each,)) if each in layer.masks else each for each in results]
    for result, mask in zip(copies, _masks(layer), strict=False):
        if mask is not None:
            layer.masks[result] = mask
    return copies


def _masks(layer: LayerReader) -> Sequence[Expr | None]:
    """Return the masks of the first results of a layer."""
    kind = layer.kind
    if layer.layer.is_operation:
        return ()
    if kind in MERGING:
        return (merged_mask(layer),)
    if kind == "Concatenate":
        return (_concatenated(layer),)
    if kind in RECURRENT:
        return (layer.mask(),) if layer.flag("return_sequences") else ()
    if kind == "Bidirectional":
        return _of_both_directions(layer)
    return (layer.mask(),) if kind in PASSING else ()


def _of_both_directions(layer: LayerReader) -> Sequence[Expr | None]:
    options = layer.inside("layer").options
    count = 2 if layer.option("merge_mode", "concat") is None else 1
    return (layer.mask(),) * count if options.get("return_sequences") else ()


def _each(layer: LayerReader) -> list[Expr | None]:
    return [layer.masks.get(each) if isinstance(each, Expr) else None for each in layer.items()]


def merged_mask(layer: LayerReader) -> Expr | None:
    """Return the steps that any input of a merging layer has; None if one has no mask."""
    masks = [each for each in _each(layer) if each is not None]
    if len(masks) < len(layer.items()):
        return None
    return reduce(lambda a, b: Call(LogicalOr(), (a, b)), masks)


def _concatenated(layer: LayerReader) -> Expr | None:
    masks = _each(layer)
    if not any(each is not None for each in masks):
        return None
    pairs = zip(layer.tensors(), masks, strict=True)
    parts = [_of_elements(x, mask) for x, mask in pairs]
    axis = layer.integer("axis", -1) % parts[0].tensor_type.rank
    whole = Call(Concatenate(axis), (Tuple(tuple(parts)),))
    return Call(Any(axis=(-1,), keepdims=False), (whole,))


def _of_elements(x: Expr, mask: Expr | None) -> Expr:
    """Return which elements of a tensor are valid, given the mask of its steps."""
    valid = Call(Cast(bool_), (Call(OnesLike(), (x,)),))
    if mask is None:
        return valid
    steps = Call(ExpandDims(-1), (mask,)) if mask.tensor_type.rank < x.tensor_type.rank else mask
    return Call(LogicalAnd(), (valid, steps))
