"""Build the cells of Keras recurrent layers from their options and weights."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from relay.frontend.builders.matrix_products import dense
from relay.frontend.builders.operators_by_rank import CONV
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.json_values import is_list
from relay.frontend.keras.layer_reader import LayerReader
from relay.frontend.keras.model_config import Layer
from relay.frontend.keras.translate.activation import activation
from relay.frontend.keras.translate.window_padding import SPATIAL, padding_of_sizes
from relay.frontend.keras.weights import Weights
from relay.ir.dims import product
from relay.ir.expr import Array, Call, Expr, TupleGetItem
from relay.ops.binary import add, multiply
from relay.ops.broadcasting import BroadcastTo
from relay.ops.nn.recurrent_cells import gru_cell, lstm_cell, rnn_cell
from relay.ops.tensor.concat_and_split import Split
from relay.support.error_codes import ErrorCode


@dataclass(frozen=True)
class Cell:
    """A recurrent cell: its input projection, its step, and the sizes of its states.

    `step` maps the projected input and the states to the next states; the state with index `output`
    is the layer's output. States of convolutional cells also have the axes of the projected images.
    """

    project: Callable[[Expr], Expr]
    step: Callable[[Expr, Sequence[Expr]], Sequence[Expr]]
    units: Sequence[int]
    output: int = 0

    def first_states(self, projected: Expr) -> list[Expr]:
        """Return states of zeros, given the projected sequence `(batch, time, …)`."""
        batch, _, *images, _ = projected.tensor_type.shape
        zero = constant(0, projected.tensor_type.dtype)
        return [Call(BroadcastTo((batch, *images, units)), (zero,)) for units in self.units]


def cell_of(layer: LayerReader) -> Cell:
    """Return the cell of a layer; the options are those of the layer or of its nested cell."""
    if layer.kind.startswith("ConvLSTM"):
        return _convolutional(layer, layer.weights.part("cell"))
    if layer.kind != "RNN":
        return _made(layer, layer.weights.part("cell"))
    found = layer.option("cell")
    inner = layer.layer_of(found, "cell")
    weights = layer.weights.part("cell")
    if inner.kind != "StackedRNNCells":
        return _of_kind(layer, inner, weights)
    listed: object = inner.options.get("cells")
    if not is_list(listed) or not listed:
        raise layer.wrong("cells", listed)
    cells = [layer.layer_of(each, "cells") for each in listed]
    inside = weights.of_layers(cells, "cells")
    return _stacked([_of_kind(layer, *each) for each in zip(cells, inside, strict=True)])


def _of_kind(layer: LayerReader, inner: Layer, weights: Weights) -> Cell:
    """Return the cell for the nested layer `inner`; raises `F072` for options that are not read."""
    if inner.kind.removesuffix("Cell") not in _KINDS or not inner.kind.endswith("Cell"):
        raise layer.error(
            ErrorCode.F030,
            f"a recurrent layer with a cell of the class {inner.kind} is not supported",
        )
    reader = layer.of_part(inner, weights)
    cell = _made(reader, weights)
    reader.check_options()
    return cell


def _made(layer: LayerReader, weights: Weights) -> Cell:
    has_bias = layer.flag("use_bias", default=True)
    arrays = layer.as_weights(weights.arrays(), 2 + has_bias)
    kernel, recurrent_kernel, *bias = arrays
    units = layer.integer("units")
    return _KINDS[layer.kind.removesuffix("Cell")](layer, kernel, recurrent_kernel, bias, units)


def _projection(layer: LayerReader, kernel: Array, bias: Array | None) -> Callable[[Expr], Expr]:
    """Return the function `x · kernel + bias`."""
    weight = layer.constant(kernel)
    if bias is None:
        return lambda x: dense(x, weight)
    added = layer.constant(bias)
    return lambda x: add(dense(x, weight), added)


def _simple(
    layer: LayerReader, kernel: Array, recurrent: Array, bias: Sequence[Array], units: int
) -> Cell:
    weight, function = layer.constant(recurrent.T), activation(layer)
    return Cell(
        _projection(layer, kernel, bias[0] if bias else None),
        lambda x, old: [rnn_cell(x, old[0], weight, activation=function)],
        (units,),
    )


def _lstm(
    layer: LayerReader, kernel: Array, recurrent: Array, bias: Sequence[Array], units: int
) -> Cell:
    """Return the LSTM cell; gates are reordered from Keras's order i, f, c, o."""
    layer.ignore("unit_forget_bias")
    order = np.concatenate([np.arange(units) + gate * units for gate in (0, 3, 1, 2)])
    kernel, recurrent = kernel[:, order], recurrent[:, order]
    weight, squash = layer.constant(recurrent.T), activation(layer)
    gate = activation(layer, "recurrent_activation")

    def step(x: Expr, old: Sequence[Expr]) -> Sequence[Expr]:
        return lstm_cell(x, old[0], old[1], weight, activations=(gate, squash, squash))

    project = _projection(layer, kernel, bias[0][order] if bias else None)
    return Cell(project, step, (units, units))


def _gru(
    layer: LayerReader, kernel: Array, recurrent: Array, bias: Sequence[Array], units: int
) -> Cell:
    """Return the GRU cell; with the option `reset_after`, its bias has two rows."""
    late = layer.flag("reset_after")
    rows = bias[0].reshape(-1, 3 * units) if bias else None
    inner = layer.constant(rows[-1]) if rows is not None and late else None
    weight, squash = layer.constant(recurrent.T), activation(layer)
    gate = activation(layer, "recurrent_activation")

    def step(x: Expr, old: Sequence[Expr]) -> Sequence[Expr]:
        return [
            gru_cell(x, old[0], weight, inner, linear_before_reset=late, activations=(gate, squash))
        ]

    return Cell(_projection(layer, kernel, None if rows is None else rows[0]), step, (units,))


_KINDS: Mapping[str, Callable[[LayerReader, Array, Array, Sequence[Array], int], Cell]] = {
    "SimpleRNN": _simple,
    "LSTM": _lstm,
    "GRU": _gru,
}


def _stacked(cells: Sequence[Cell]) -> Cell:
    """Return one cell for stacked cells: each takes the output of the previous one."""

    def step(x: Expr, old: Sequence[Expr]) -> Sequence[Expr]:
        new: list[Expr] = []
        shown = x
        for index, cell in enumerate(cells):
            begin = len(new)
            given = cell.project(shown) if index else x
            found = cell.step(given, old[begin : begin + len(cell.units)])
            shown = found[cell.output]
            new += found
        return new

    units = [each for cell in cells for each in cell.units]
    return Cell(cells[0].project, step, units, len(units) - len(cells[-1].units))


def _convolutional(layer: LayerReader, weights: Weights) -> Cell:
    """Return the cell of `ConvLSTM1D`, `ConvLSTM2D` or `ConvLSTM3D`, with channels last."""
    rank = int(layer.kind[-2])
    if layer.text("data_format", "channels_last") != "channels_last":
        raise layer.wrong("data_format", "channels_first")
    layer.ignore("unit_forget_bias", "kernel_size")
    has_bias = layer.flag("use_bias", default=True)
    kernel, recurrent, *bias = layer.as_weights(weights.arrays(), 2 + has_bias)
    strides, dilation = layer.ints("strides", rank, 1), layer.ints("dilation_rate", rank, 1)
    layout, kernel_layout = f"N{SPATIAL[rank]}C", f"{SPATIAL[rank]}IO"
    inputs = CONV[rank](
        strides=strides, dilation=dilation, data_layout=layout, kernel_layout=kernel_layout,
        padding=padding_of_sizes(
            layer, layer.type().shape[2:-1], kernel.shape[:rank], strides, dilation
        ),
    )  # fmt: skip
    frame = [size - 1 for size in recurrent.shape[:rank]]
    sides = (*(each // 2 for each in frame), *(each - each // 2 for each in frame))
    states = CONV[rank](padding=sides, data_layout=layout, kernel_layout=kernel_layout)
    squash, gate = activation(layer), activation(layer, "recurrent_activation")

    def project(x: Expr) -> Expr:
        batch, time, *image = x.tensor_type.shape
        rows = reshape(x, (product((batch, time)), *image))
        found: Expr = Call(inputs, (rows, layer.constant(kernel)), span=layer.span)
        found = add(found, layer.constant(bias[0])) if bias else found
        return reshape(found, (batch, time, *found.tensor_type.shape[1:]))

    def step(x: Expr, old: Sequence[Expr]) -> Sequence[Expr]:
        sums = add(x, Call(states, (old[0], layer.constant(recurrent))))
        parts = Call(Split(4, rank + 1), (sums,))
        i, f, c, o = (TupleGetItem(parts, index) for index in range(4))
        carry = add(multiply(gate(f), old[1]), multiply(gate(i), squash(c)))
        return [multiply(gate(o), squash(carry)), carry]

    return Cell(project, step, (layer.integer("filters"),) * 2)
