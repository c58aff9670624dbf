"""Stacks of unidirectional or bidirectional recurrent layers, as in cuDNN, PyTorch and MXNet.

A layer is a loop over time whose body is a cell of `relay.ops.nn.recurrent_cells`. LSTM weights
have the gates in the order input, forget, cell, output, and GRU weights reset, update, new.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from relay.frontend.builders.collect_loop_outputs import Collection, collecting
from relay.frontend.builders.counted_loops import at, mirrored, size_of
from relay.frontend.builders.let_before_loops import bound
from relay.frontend.builders.quantization import DynamicLinear
from relay.frontend.builders.tensor_helpers import constant
from relay.ir.expr import Call, Constant, Expr, Tuple, TupleGetItem
from relay.ops.binary import add
from relay.ops.nn.activations import Relu
from relay.ops.nn.matmul import Dense
from relay.ops.nn.recurrent_cells import gru_cell, lstm_cell, rnn_cell, tanh
from relay.ops.selection import where
from relay.ops.tensor.concat_and_split import Concatenate, Split, Stack
from relay.ops.tensor.reshape import ExpandDims
from relay.support.dtype import int64
from relay.transform.effects import Unspeculatable

Step = Callable[[Expr, Sequence[Expr]], Sequence[Expr]]
"""Maps the input's gate contribution and the state to the next state; its first is the output."""


@dataclass(frozen=True)
class Weights:
    """The weights of one direction of one recurrent layer; biases are optional.

    An LSTM with a `projection`, a matrix `(output, units)`, multiplies its hidden state by it.
    Dynamically quantised layers contain their biases.
    """

    of_input: Expr | DynamicLinear
    of_state: Expr | DynamicLinear
    input_bias: Expr | None
    state_bias: Expr | None
    projection: Expr | None = None


@dataclass(frozen=True)
class Kind:
    """A kind of recurrent cell: its step function, and the order of its gates in weights.

    With `joins_biases`, the bias of the input and that of the state are added before the loop.
    """

    order: Sequence[int]
    cell: Callable[[Weights], Step]
    joins_biases: bool = True


def _lstm(weights: Weights) -> Step:
    def step(projected: Expr, state: Sequence[Expr]) -> Sequence[Expr]:
        hidden, cell = lstm_cell(projected, state[0], state[1], weights.of_state)
        if weights.projection is not None:
            hidden = Call(Dense(), (hidden, weights.projection))
        return hidden, cell

    return step


def _gru(weights: Weights) -> Step:
    return lambda projected, state: [
        gru_cell(
            projected, state[0], weights.of_state, weights.state_bias, linear_before_reset=True
        )
    ]


def _tanh(weights: Weights) -> Step:
    return lambda projected, state: [
        rnn_cell(projected, state[0], weights.of_state, activation=tanh)
    ]


def _strict_relu(x: Expr) -> Expr:
    return Call(Relu(strict=True), (x,))


def _relu(weights: Weights) -> Step:
    return lambda projected, state: [
        rnn_cell(projected, state[0], weights.of_state, activation=_strict_relu)
    ]


LSTM = Kind((0, 3, 1, 2), _lstm)
GRU = Kind((1, 0, 2), _gru, joins_biases=False)
RNN_TANH = Kind((0,), _tanh)
RNN_RELU = Kind((0,), _relu)


@dataclass(frozen=True)
class Layers:
    """Layers of one kind: the weights of each direction of each layer, in order.

    `sides` is the number of directions, 1 or 2.
    """

    weights: Sequence[Weights]
    kind: Kind
    sides: int


def stacked(x: Expr, first: Sequence[Expr], layers: Layers, runs: Expr | None = None) -> list[Expr]:
    """Run all layers; return the outputs, then the last value of each state.

    `x` is `(time, batch, features)`; each of the initial states `first` is `(layers · sides, batch,
    units)`, or as wide as the projection. Where the boolean matrix `runs`, `(time, batch)`, is
    false, a step keeps the state, and its output is arbitrary.
    """
    weights, kind, sides = layers.weights, layers.kind, layers.sides
    last: list[Sequence[Expr]] = []
    for layer in range(len(weights) // sides):
        outputs: list[Expr] = []
        for side in range(sides):
            index = layer * sides + side
            own = _in_order(weights[index], kind.order)
            state = [at(each, constant(index, int64)) for each in first]
            result, *ends = _over_time(x, own, state, kind, runs, backwards=side == 1)
            outputs.append(result)
            last.append(ends)
        x = outputs[0] if sides == 1 else Call(Concatenate(2), (Tuple(tuple(outputs)),))
    ends = [Call(Stack(0), (Tuple(tuple(column)),)) for column in zip(*last, strict=True)]
    return [x, *ends]


def one_step(x: Expr, state: Sequence[Expr], weights: Weights, kind: Kind) -> list[Expr]:
    """Run one step of a cell; return its next state. `x` is `(batch, features)`."""
    own = _in_order(weights, kind.order)
    return list(kind.cell(own)(_projected(x, own, kind), state))


def _in_order(weights: Weights, order: Sequence[int]) -> Weights:
    """Return weights with the gates reordered to the order of Relay's cells."""
    of_input, of_state = (
        x.in_order(order) if isinstance(x, DynamicLinear) else _gates_in_order(x, order)
        for x in (weights.of_input, weights.of_state)
    )
    input_bias, state_bias = (
        None if x is None else _gates_in_order(x, order)
        for x in (weights.input_bias, weights.state_bias)
    )
    return Weights(of_input, of_state, input_bias, state_bias, weights.projection)


def _gates_in_order(weight: Expr, order: Sequence[int]) -> Expr:
    """Return a weight or bias with the rows of its gates permuted by `order`."""
    if len(order) == 1:
        return weight
    if isinstance(weight, Constant):
        blocks = np.split(weight.array, len(order))
        return Constant(np.concatenate([blocks[i] for i in order]), span=weight.span)
    parts = Call(Split(len(order), 0), (weight,))
    return Call(Concatenate(0), (Tuple(tuple(TupleGetItem(parts, i) for i in order)),))


def _projected(x: Expr, weights: Weights, kind: Kind) -> Expr:
    """Return the contribution of the input to the gates, with the biases outside of the loop."""
    matrix = weights.of_input
    projected = Call(Dense(), (x, matrix)) if isinstance(matrix, Expr) else matrix(x)
    for bias in (weights.input_bias, weights.state_bias if kind.joins_biases else None):
        projected = projected if bias is None else add(projected, bias)
    return projected


def _over_time(
    x: Expr,
    weights: Weights,
    first: Sequence[Expr],
    kind: Kind,
    runs: Expr | None,
    *,
    backwards: bool,
) -> list[Expr]:
    """Run one direction; return its outputs, `(time, batch, units)`, and its last states."""
    projected = _projected(x, weights, kind)
    cell = kind.cell(weights)
    masks = [] if runs is None else [Call(ExpandDims(2), (runs,))]

    def looped(given: Sequence[Expr]) -> list[Expr]:
        projected, state = given[0], given[1 : len(first) + 1]
        count = size_of(projected, 0)
        item = state[0].tensor_type
        kept = Collection(item, projected.tensor_type.shape[0], count, backwards=backwards)

        def step(time: Expr, old: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
            index = mirrored(time, count) if backwards else time
            runs = [at(mask, index) for mask in given[len(first) + 1 :]]
            new = list(cell(at(projected, index), _in_range(old, runs, weights)))
            for mask in runs:
                new = [where(mask, *each) for each in zip(new, old, strict=True)]
            return [*new, new[0]], None

        types = [each.tensor_type for each in state]
        *last, outputs = collecting(count, None, state, types, [kept], step)
        return [outputs, *last]

    return bound([projected, *first, *masks], Unspeculatable(), looped)


def _in_range(state: Sequence[Expr], runs: Sequence[Expr], weights: Weights) -> Sequence[Expr]:
    """Return states that are 0 where no sequence runs, if the range of the states has an effect."""
    if isinstance(weights.of_state, Expr):
        return state
    zero = constant(0.0, state[0].tensor_type.dtype)
    for mask in runs:
        state = [where(mask, each, zero) for each in state]
    return state
