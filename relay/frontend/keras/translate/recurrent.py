"""Translate Keras recurrent layers to loops over time steps."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from relay.frontend.builders.collect_loop_outputs import Collection, collecting
from relay.frontend.builders.counted_loops import at, mirrored, size_of
from relay.frontend.builders.let_before_loops import bound
from relay.frontend.builders.matrix_products import dense
from relay.frontend.builders.tensors import constant, reshape
from relay.frontend.json_values import is_list
from relay.frontend.keras.layer_reader import LayerReader
from relay.frontend.keras.model_config import Layer
from relay.frontend.keras.registry import keras_layer
from relay.frontend.keras.translate.activation import activation
from relay.frontend.keras.weights import Weights
from relay.ir.dims import Dim, product
from relay.ir.expr import Array, Call, Expr, Tuple
from relay.ops.binary import add, multiply
from relay.ops.broadcasting import BroadcastTo
from relay.ops.nn.recurrent_cells import gru_cell, lstm_cell, rnn_cell
from relay.ops.selection import where
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.transpose import Reverse, Transpose
from relay.support.error_codes import ErrorCode
from relay.transform.effects import Unspeculatable


@dataclass(frozen=True)
class Cell:
    """A recurrent cell: its input projection, its step, and the sizes of its states.

    `step` maps the projected input and the states to the next states; the state with index `output`
    is the layer's output.
    """

    project: Callable[[Expr], Expr]
    step: Callable[[Expr, Sequence[Expr]], Sequence[Expr]]
    units: Sequence[int]
    output: int = 0


@keras_layer("SimpleRNN", "LSTM", "GRU", "RNN")
def recurrent(layer: LayerReader) -> Sequence[Expr]:
    """Translate `SimpleRNN`, `LSTM`, `GRU` and `RNN`; return the output, then requested states."""
    x, *states = _arguments(layer)
    output, last = _over_time(
        layer, x, states, layer.flag("go_backwards"), clears=layer.flag("zero_output_for_mask")
    )
    return [output, *last] if layer.flag("return_state") else [output]


@keras_layer("Bidirectional")
def bidirectional(layer: LayerReader) -> Sequence[Expr]:
    """Translate `Bidirectional`: one layer runs forwards, another backwards.

    Their outputs are combined step by step. Both return zeros for masked steps, unless they return
    only their last output.
    """
    forward = layer.inside("layer")
    is_turned = bool(forward.options.get("go_backwards"))
    given = layer.option("backward_layer")
    backward = forward if given is None else layer.inside("backward_layer")
    x, *states = _arguments(layer)
    half = len(states) // 2
    clears = bool(forward.options.get("return_sequences"))
    outputs: list[Expr] = []
    ends: list[Expr] = []
    sides = ((forward, states[:half]), (backward, states[half:]))
    for index, (inner, first) in enumerate(sides):
        name = ("forward_layer", "backward_layer")[index]
        side = layer.of_part(inner, layer.weights.part(name, index, 2))
        output, last = _over_time(
            side, x, first, is_turned != (index == 1), mirror=index == 1, clears=clears
        )
        side.ignore("go_backwards", "return_state", "zero_output_for_mask")
        side.check_options()
        outputs.append(output)
        ends += last
    merged = _merged(layer, outputs)
    return [*merged, *ends] if forward.options.get("return_state") else merged


def _merged(layer: LayerReader, outputs: Sequence[Expr]) -> list[Expr]:
    forward, backward = outputs
    match layer.option("merge_mode", "concat"):
        case "concat":
            return [Call(Concatenate(-1), (Tuple((forward, backward)),))]
        case "sum":
            return [add(forward, backward)]
        case "mul":
            return [multiply(forward, backward)]
        case "ave":
            half = constant(0.5, forward.tensor_type.dtype)
            return [multiply(add(forward, backward), half)]
        case None:
            return [forward, backward]
        case found:
            raise layer.wrong("merge_mode", found)


@keras_layer("TimeDistributed")
def time_distributed(layer: LayerReader) -> Expr:
    """Translate `TimeDistributed`: apply a layer to all time steps as one batch."""
    x = layer.tensor()
    batch, time, *rest = x.tensor_type.shape
    steps = reshape(x, (product((batch, time)), *rest))
    inner = layer.apply(layer.inside("layer"), [steps], layer.weights.part("layer"))[0]
    return reshape(inner, (batch, time, *inner.tensor_type.shape[1:]))


def _arguments(layer: LayerReader) -> list[Expr]:
    """Return the arguments of a call: the sequence, then the initial states."""
    is_list = bool(layer.args) and isinstance(layer.args[0], list)
    items = [*layer.items()] if is_list and len(layer.args) == 1 else [layer.first()]
    states = layer.argument("initial_state", 1)
    if isinstance(states, list | tuple):
        items += [*states]
    elif states is not None:
        items.append(states)
    return [layer.as_tensor(each) for each in items]


def _over_time(
    layer: LayerReader,
    x: Expr,
    first: Sequence[Expr],
    backwards: bool,
    *,
    mirror: bool = False,
    clears: bool,
) -> tuple[Expr, list[Expr]]:
    """Return the output (the last one, or those of all steps), and the last states.

    The layer starts with the first step, or with `backwards` the last; the output is in that order,
    or with `mirror` reversed. Masked steps keep the states and repeat the output, which is zero
    before the first unmasked step and, with `clears`, at all masked steps.
    """
    cell = _cell(layer)
    everything = layer.flag("return_sequences")
    projected = _time_first(cell.project(x))
    count, batch = size_of(projected, 0), x.tensor_type.shape[0]
    zeros = [_zeros((batch, units), x) for units in cell.units]
    nothing, mask = zeros[cell.output], layer.mask()
    there = None if mask is None else _time_first(mask)
    states = [*(first or zeros), *([] if there is None else [nothing])]
    shown = cell.output if there is None else len(states) - 1

    def step(seen: Expr, time: Expr, old: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
        index = mirrored(time, count) if backwards else time
        new = [*cell.step(at(seen, index), old)]
        if there is None:
            return [*new, *([new[shown]] if everything else [])], None
        runs = reshape(at(there, index), (batch, 1))
        kept = [*old[:-1], nothing if clears else old[-1]]
        new = [where(runs, *each) for each in zip([*new, new[cell.output]], kept, strict=True)]
        return [*new, *([new[shown]] if everything else [])], None

    types = [each.tensor_type for each in states]
    steps = projected.tensor_type.shape[0]
    rows = Collection(nothing.tensor_type, steps, count, backwards=mirror, axis=1)

    def looped(given: Sequence[Expr]) -> list[Expr]:
        kept = [rows] if everything else []
        return collecting(count, None, states, types, kept, partial(step, given[0]))

    found = bound([projected], Unspeculatable(), looped)
    result = found[-1] if everything else found[shown]
    if everything and mask is not None:
        turned = Call(Reverse(1), (mask,)) if backwards and not mirror else mask
        layer.masks[result] = turned
    return result, found[: len(cell.units)]


def _time_first(x: Expr) -> Expr:
    """Transpose the first two axes: `(batch, time, …)` to `(time, batch, …)`."""
    return Call(Transpose((1, 0, *range(2, x.tensor_type.rank))), (x,))


def _zeros(shape: tuple[Dim, ...], like: Expr) -> Expr:
    return Call(BroadcastTo(shape), (constant(0, like.tensor_type.dtype),))


def _cell(layer: LayerReader) -> Cell:
    """Return the cell of a layer; the options are those of the layer or of its nested cell."""
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
