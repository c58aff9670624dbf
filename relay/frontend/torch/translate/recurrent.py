"""Recurrent layers: loops over time whose body is a cell of `relay.ops.nn.recurrent`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from relay.frontend.builders.bound import bound
from relay.frontend.builders.collection import Collection, collecting
from relay.frontend.builders.loops import at, mirrored, size_of
from relay.frontend.builders.tensors import constant
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.shapes import transposed
from relay.ir.expr import Call, Constant, Expr, Tuple, TupleGetItem
from relay.ops.binary import add
from relay.ops.nn.activations import Relu
from relay.ops.nn.matmul import Dense
from relay.ops.nn.recurrent import gru_cell, lstm_cell, rnn_cell, tanh
from relay.ops.tensor.join import Concatenate, Split, Stack
from relay.support.dtype import int64
from relay.transform.effects import Unspeculatable

Step = Callable[[Expr, Sequence[Expr]], Sequence[Expr]]
"""From the input's share of the gates and the state to the next state; the first is the output."""


@dataclass(frozen=True)
class _Weights:
    """The weights of one direction of one layer; biases may be missing."""

    of_input: Expr
    of_state: Expr
    input_bias: Expr | None
    state_bias: Expr | None


_Cell = Callable[[_Weights], Step]


@torch_operator("lstm")
def lstm(node: TorchNode) -> Sequence[Expr]:
    """Run layers with long short-term memory; the gates come as input, forget, cell, output."""

    def cell(weights: _Weights) -> Step:
        return lambda projected, state: lstm_cell(projected, state[0], state[1], weights.of_state)

    order = (0, 3, 1, 2)
    return _layers(node, node.tensors("hx"), order, cell, joins_biases=True)


@torch_operator("gru")
def gru(node: TorchNode) -> Sequence[Expr]:
    """Run layers of gated recurrent units; the gates come as reset, update, new."""

    def cell(weights: _Weights) -> Step:
        return lambda projected, state: [
            gru_cell(
                projected, state[0], weights.of_state, weights.state_bias, linear_before_reset=True
            )
        ]

    return _layers(node, [node.tensor("hx")], (1, 0, 2), cell, joins_biases=False)


@torch_operator("rnn_tanh", "rnn_relu")
def rnn(node: TorchNode) -> Sequence[Expr]:
    """Run simple recurrent layers."""
    activation = tanh if node.operator == "rnn_tanh" else _relu

    def cell(weights: _Weights) -> Step:
        return lambda projected, state: [
            rnn_cell(projected, state[0], weights.of_state, activation=activation)
        ]

    return _layers(node, [node.tensor("hx")], (0,), cell, joins_biases=True)


def _relu(x: Expr) -> Expr:
    return Call(Relu(), (x,))


def _layers(
    node: TorchNode,
    first: Sequence[Expr],
    order: Sequence[int],
    cell: _Cell,
    *,
    joins_biases: bool,
) -> Sequence[Expr]:
    """Run all layers and directions; return the outputs, then the last value of each state."""
    batch_first, sides = node.flag("batch_first"), 2 if node.flag("bidirectional") else 1
    node.ignore("dropout", "train")
    if node.flag("train") and node.number("dropout"):
        raise node.error("F036", "the model is in training mode", help="call model.eval() first")
    x = node.tensor("input")
    x = transposed(x, (1, 0, 2)) if batch_first else x
    weights = _weights(node, sides, order)
    last: list[Sequence[Expr]] = []
    for layer in range(node.integer("num_layers")):
        outputs: list[Expr] = []
        for side in range(sides):
            index = layer * sides + side
            own = weights[index]
            state = [at(each, constant(index, int64)) for each in first]
            result, *ends = _over_time(x, own, state, cell(own), side == 1, joins_biases)
            outputs.append(result)
            last.append(ends)
        x = outputs[0] if sides == 1 else Call(Concatenate(2), (Tuple(tuple(outputs)),))
    ends = [Call(Stack(0), (Tuple(tuple(column)),)) for column in zip(*last, strict=True)]
    return [transposed(x, (1, 0, 2)) if batch_first else x, *ends]


def _weights(node: TorchNode, sides: int, order: Sequence[int]) -> list[_Weights]:
    """Return the weights of every direction of every layer (`F030` with projections)."""
    if "batch_sizes" in node:
        raise node.error("F030", "packed sequences are not supported", help="pass padded ones")
    params = [_gates_in_order(each, order) for each in node.tensors("params")]
    each = 4 if node.flag("has_biases") else 2
    if len(params) != each * sides * node.integer("num_layers"):
        raise node.error("F030", "projections (proj_size) are not supported")
    groups = [params[i : i + each] for i in range(0, len(params), each)]
    return [_Weights(g[0], g[1], *(g[2:] or (None, None))) for g in groups]


def _gates_in_order(weight: Expr, order: Sequence[int]) -> Expr:
    """Return the rows of a weight, or a bias, with the gates in the order of Relay's cells."""
    if len(order) == 1:
        return weight
    if isinstance(weight, Constant):
        blocks = np.split(weight.data, len(order))
        return Constant(np.concatenate([blocks[i] for i in order]), span=weight.span)
    parts = Call(Split(len(order), 0), (weight,))
    return Call(Concatenate(0), (Tuple(tuple(TupleGetItem(parts, i) for i in order)),))


def _over_time(
    x: Expr, weights: _Weights, first: Sequence[Expr], cell: Step, backwards: bool, joins: bool
) -> list[Expr]:
    """Return the outputs of one direction, `(time, batch, hidden)`, and the last states."""
    projected: Expr = Call(Dense(), (x, weights.of_input))
    biases = [weights.input_bias, weights.state_bias if joins else None]
    for bias in biases:
        projected = projected if bias is None else add(projected, bias)

    def looped(given: Sequence[Expr]) -> list[Expr]:
        projected, *state = given
        count = size_of(projected, 0)
        item = state[0].tensor_type
        kept = Collection(item, projected.tensor_type.shape[0], count, backwards=backwards)

        def step(time: Expr, old: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
            index = mirrored(time, count) if backwards else time
            new = list(cell(at(projected, index), old))
            return [*new, new[0]], None

        types = [each.tensor_type for each in state]
        *last, outputs = collecting(count, None, state, types, [kept], step)
        return [outputs, *last]

    return bound([projected, *first], Unspeculatable(), looped)
