"""Translate `keras.ops` functions that compare results with targets."""

from math import log10

from relay import numpy as rnp
from relay.frontend.builders.ctc import Alignments
from relay.frontend.builders.tensor_helpers import constant, converted
from relay.frontend.keras.layer_reader import LayerReader
from relay.frontend.keras.registry import keras_operation
from relay.ir.expr import Call, Expr
from relay.ops.binary import opposite
from relay.ops.functions import core
from relay.ops.nn.softmax import LogSoftmax
from relay.support.dtype import int64

_EPSILON = 1e-7  # Keras keeps probabilities away from 0 and 1


@keras_operation("BinaryCrossentropy")
def binary_crossentropy(layer: LayerReader) -> Expr:
    """Translate `binary_crossentropy` of probabilities or, with `from_logits`, of logits."""
    target, output = layer.values()
    if layer.flag("from_logits"):
        size = rnp.log1p(rnp.exp(opposite(rnp.absolute(output))))
        return rnp.add(rnp.subtract(rnp.maximum(output, 0.0), rnp.multiply(output, target)), size)
    p = rnp.clip(output, _EPSILON, 1 - _EPSILON)
    right = rnp.multiply(target, rnp.log(p))
    wrong = rnp.multiply(rnp.subtract(1.0, target), rnp.log(rnp.subtract(1.0, p)))
    return opposite(rnp.add(right, wrong))


@keras_operation("CategoricalCrossentropy")
def categorical_crossentropy(layer: LayerReader) -> Expr:
    """Translate `categorical_crossentropy` of probabilities, which are normalised, or of logits."""
    target, output = layer.values()
    axis = layer.integer("axis", -1)
    if layer.flag("from_logits"):
        logs: Expr = Call(LogSoftmax(axis), (output,), span=layer.span)
    else:
        shares = rnp.divide(output, rnp.sum(output, axis=axis, keepdims=True))
        logs = rnp.log(rnp.clip(shares, _EPSILON, 1 - _EPSILON))
    return opposite(rnp.sum(rnp.multiply(target, logs), axis=axis))


@keras_operation("SparseCategoricalCrossentropy")
def sparse_categorical_crossentropy(layer: LayerReader) -> Expr:
    """Translate `sparse_categorical_crossentropy`: targets are numbers of classes."""
    target, output = layer.values()
    axis = layer.integer("axis", -1)
    if axis not in (-1, output.tensor_type.rank - 1):
        raise layer.wrong("axis", axis)
    if target.tensor_type.rank == output.tensor_type.rank:
        target = rnp.squeeze(target, axis=-1)
    if not layer.flag("from_logits"):
        output = rnp.log(rnp.clip(output, _EPSILON, 1 - _EPSILON))
    logs = Call(LogSoftmax(-1), (output,), span=layer.span)
    places = core.expand_dims(core.cast(target, "int64"), -1)
    return opposite(rnp.squeeze(rnp.take_along_axis(logs, places, axis=-1), axis=-1))


@keras_operation("PSNR")
def signal_to_noise(layer: LayerReader) -> Expr:
    """Translate `psnr`: the largest value against the mean of squared differences, in decibels."""
    x, y = layer.values()
    error = rnp.mean(rnp.square(rnp.subtract(x, y)))
    peak = constant(20 * log10(layer.number("max_val")), error.tensor_type.dtype)
    return rnp.subtract(peak, rnp.multiply(10.0, rnp.log10(error)))


@keras_operation("CTCLoss")
def ctc_loss(layer: LayerReader) -> Expr:
    """Translate `ctc_loss` of unscaled logarithms `(batch, time, classes)`."""
    target, output, counts, steps = (
        layer.as_tensor(layer.value(layer.argument(name, at)))
        for at, name in enumerate(("target", "output", "target_length", "output_length"))
    )
    logs = core.transpose(Call(LogSoftmax(-1), (output,), span=layer.span), (1, 0, 2))
    labels, counts, steps = (converted(each, int64) for each in (target, counts, steps))
    return Alignments(logs, labels, steps, counts, layer.integer("mask_index", 0)).losses
