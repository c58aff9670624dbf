"""Translate ONNX recurrent layers to loops over time steps."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from relay.frontend.builders.collect_loop_outputs import Collection, collecting
from relay.frontend.builders.counted_loops import at, mirrored, size_of
from relay.frontend.builders.let_before_loops import bound
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.node_errors import static_size
from relay.frontend.onnx.node import OnnxNode
from relay.frontend.onnx.registry import onnx_operator
from relay.frontend.onnx.translate.cell_activations import activation
from relay.frontend.onnx.translate.run_time_checks import (
    Requirement,
    common_size,
    required,
    sized,
    within,
)
from relay.frontend.onnx.translate.run_time_tensors import joined, part, sizes_of
from relay.ir.dims import ANY, Dim
from relay.ir.expr import Call, Constant, Expr, Tuple
from relay.ops.binary import add
from relay.ops.broadcasting import BroadcastTo
from relay.ops.cast import Cast
from relay.ops.comparison import Less
from relay.ops.nn.matmul import Dense
from relay.ops.nn.recurrent_cells import (
    Activation,
    Peepholes,
    gru_cell,
    lstm_cell,
    rnn_cell,
)
from relay.ops.selection import Where
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.dynamic_shapes import DynamicBroadcastTo
from relay.ops.tensor.reshape import ExpandDims, Reshape
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.transpose import ReverseSequence, Transpose
from relay.support.dtype import int64

Cell = Callable[[Expr, Sequence[Expr]], Sequence[Expr]]
"""Maps the input's gate contribution and the state to the next state; its first is the output."""


_DIRECTIONS = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}
"""Whether each direction of a layer goes backwards."""


@dataclass(frozen=True)
class _Direction:
    """One direction of a recurrent layer, with access to its part of the inputs."""

    node: OnnxNode
    index: int
    is_reverse: bool
    hidden: Dim

    def part(self, index: int) -> Expr | None:
        """Return this direction's part of an optional input; None if it is absent."""
        whole = self.node.optional(index)
        return None if whole is None else at(whole, constant(self.index, int64))

    def activations(self, defaults: Sequence[str]) -> list[Activation]:
        """Return this direction's activation functions, from the attribute or the defaults."""
        names = self.node.attribute("activations") or [*defaults] * (self.index + 1)
        alphas = iter(self.node.attribute("activation_alpha", []))
        betas = iter(self.node.attribute("activation_beta", []))
        made = [activation(self.node, name, alphas, betas) for name in names]
        return made[self.index * len(defaults) :][: len(defaults)]


@onnx_operator("RNN")
def rnn(node: OnnxNode) -> Sequence[Expr]:
    """Translate `RNN`."""

    def cell(side: _Direction) -> Cell:
        (activation,) = side.activations(["Tanh"])
        weight, clip = _required(side, 2), node.attribute("clip")
        return lambda projected, state: [
            rnn_cell(projected, state[0], weight, activation=activation, clip=clip)
        ]

    return _layer(node, 1, cell, _whole_bias)


@onnx_operator("LSTM")
def lstm(node: OnnxNode) -> Sequence[Expr]:
    """Translate `LSTM`, whose second state is the cell."""

    def cell(side: _Direction) -> Cell:
        first, second, third = side.activations(["Sigmoid", "Tanh", "Tanh"])
        weight, peepholes = _required(side, 2), side.part(7)

        def step(projected: Expr, state: Sequence[Expr]) -> Sequence[Expr]:
            return lstm_cell(
                projected,
                state[0],
                state[1],
                weight,
                peepholes=None if peepholes is None else _peepholes(peepholes, side.hidden),
                activations=(first, second, third),
                clip=node.attribute("clip"),
                input_forget=bool(node.attribute("input_forget", 0)),
            )

        return step

    return _layer(node, 4, cell, _whole_bias, states=(5, 6))


@onnx_operator("GRU")
def gru(node: OnnxNode) -> Sequence[Expr]:
    """Translate `GRU`."""
    late = bool(node.attribute("linear_before_reset", 0))

    def cell(side: _Direction) -> Cell:
        gate, squash = side.activations(["Sigmoid", "Tanh"])
        weight, bias = _required(side, 2), side.part(3)
        recurrent = (
            None if bias is None or not late else _rows(bias, 3 * side.hidden, 6 * side.hidden)
        )
        return lambda projected, state: [
            gru_cell(
                projected,
                state[0],
                weight,
                recurrent,
                linear_before_reset=late,
                activations=(gate, squash),
                clip=node.attribute("clip"),
            )
        ]

    return _layer(node, 3, cell, _input_bias if late else _whole_bias)


def _layer(
    node: OnnxNode,
    gates: int,
    cell: Callable[[_Direction], Cell],
    bias: Callable[[Expr, Dim], Expr],
    states: Sequence[int] = (5,),
) -> Sequence[Expr]:
    """Run each direction over time; return all outputs, then the last value of each state."""
    whole = _of_one_batch(node, states)
    if not whole.has(4):
        return _directions(whole, gates, cell, bias, states)

    def with_lengths(lengths: Expr) -> Sequence[Expr]:
        return _directions(whole.with_inputs({4: lengths}), gates, cell, bias, states)

    steps = size_of(whole.expr(0), int(whole.attribute("layout", 0)))
    fits = within(whole.expr(4), 0, steps)
    problem = "a sequence length is negative, or greater than the number of time steps"
    return required(node, Requirement(whole.expr(4), fits, problem), with_lengths)


def _directions(
    node: OnnxNode,
    gates: int,
    cell: Callable[[_Direction], Cell],
    bias: Callable[[Expr, Dim], Expr],
    states: Sequence[int],
) -> Sequence[Expr]:
    direction = node.choice("direction", _DIRECTIONS, "forward")
    batch_first = node.attribute("layout", 0)
    hidden = node.attribute("hidden_size", node.type(2).shape[2])
    results: list[list[Expr]] = []
    for index, is_reverse in enumerate(_DIRECTIONS[direction]):
        side = _Direction(node, index, is_reverse, hidden)
        x = _time_first(node.expr(0)) if batch_first else node.expr(0)
        projected = Call(Dense(), (x, _required(side, 1)))
        both = side.part(3)
        if both is not None:
            projected = add(projected, bias(both, gates * hidden))
        first = [_initial(side, i, x, batch_first) for i in states]

        def over_time(given: Sequence[Expr], side: _Direction = side) -> list[Expr]:
            return _over_time(side, given[0], given[1:], cell(side))

        results.append(bound([projected, *first], node.uncertain, over_time))
    outputs, *last = ([each[i] for each in results] for i in range(len(states) + 1))
    y = _joined([_with_axis(each, 1) for each in outputs], 1)
    ends = [_joined([_with_axis(each, 0) for each in state], 0) for state in last]
    if batch_first:
        y, ends = Call(Transpose((2, 0, 1, 3)), (y,)), [_time_first(each) for each in ends]
    return [y, *ends]


def _of_one_batch(node: OnnxNode, states: Sequence[int]) -> OnnxNode:
    """Return the node; its inputs' batch sizes become one dimension, checked at run time."""
    batch_first = int(bool(node.attribute("layout", 0)))
    axes = {0: 1 - batch_first, 4: 0} | dict.fromkeys(states, 1 - batch_first)
    given = {index: (node.expr(index), axis) for index, axis in axes.items() if node.has(index)}
    batch = common_size([x.tensor_type.shape[axis] for x, axis in given.values()])
    return node.with_inputs({i: sized(node, x, axis, batch) for i, (x, axis) in given.items()})


def _over_time(side: _Direction, projected: Expr, first: Sequence[Expr], cell: Cell) -> list[Expr]:
    """Run one direction; return its outputs, `(time, batch, hidden)`, and its last states."""
    lengths = side.node.optional(4)
    turned = lengths if side.is_reverse else None
    turn = ReverseSequence(seq_axis=0, batch_axis=1)
    if turned is not None:
        projected = Call(turn, (projected, turned))
    count = size_of(projected, 0)
    backwards = side.is_reverse and turned is None
    types = [each.tensor_type for each in first]
    steps = projected.tensor_type.shape[0]
    collection = Collection(types[0], steps, count, backwards=backwards)

    def step(time: Expr, old: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
        index = mirrored(time, count) if backwards else time
        new = list(cell(at(projected, index), old))
        if lengths is None:
            return [*new, new[0]], None
        runs = _runs(time, lengths)
        shown = Call(Where(), (runs, new[0], constant(0, types[0].dtype)))
        kept = [Call(Where(), (runs, a, b)) for a, b in zip(new, old, strict=True)]
        return [*kept, shown], None

    *last, outputs = collecting(count, None, first, types, [collection], step)
    return [outputs if turned is None else Call(turn, (outputs, turned)), *last]


def _runs(time: Expr, lengths: Expr) -> Expr:
    """Return for each sequence whether it is longer than step `time`, as a column."""
    wide = Call(Cast(int64), (lengths,))
    return reshape(Call(Less(), (time, wide)), (*lengths.tensor_type.shape, 1))


def _initial(side: _Direction, index: int, x: Expr, batch_first: int) -> Expr:
    """Return the initial state of a direction; zeros if the input is absent.

    As in ONNX Runtime, the final state of a sequence of length 0 is zero.
    """
    whole, lengths = side.node.optional(index), side.node.optional(4)
    if whole is None:
        return _zeros(x, side.hidden)
    given = at(whole, constant(side.index, int64), axis=1 if batch_first else 0)
    if lengths is None or (isinstance(given, Constant) and not given.array.any()):
        return given
    starts = _runs(constant(0, int64), lengths)
    return Call(Where(), (starts, given, constant(0, given.tensor_type.dtype)))


def _zeros(x: Expr, hidden: Dim) -> Expr:
    """Return zeros `(batch, hidden)` for a sequence `x` of shape `(time, batch, inputs)`."""
    batch, zero = x.tensor_type.shape[1], constant(0, x.tensor_type.dtype)
    if batch is not ANY:
        return Call(BroadcastTo((batch, hidden)), (zero,))
    row = Constant(np.zeros((1, static_size(hidden)), x.tensor_type.dtype.numpy))
    shape = joined(part(sizes_of(x), 1, 2), Constant(np.array([static_size(hidden)])))
    state = Call(DynamicBroadcastTo(), (row, shape))
    return Call(Reshape((0, hidden)), (state,))  # so that the type has the width


def _required(side: _Direction, index: int) -> Expr:
    return at(side.node.expr(index), constant(side.index, int64))


def _whole_bias(both: Expr, count: Dim) -> Expr:
    return add(_rows(both, 0, count), _rows(both, count, 2 * count))


def _input_bias(both: Expr, count: Dim) -> Expr:
    return _rows(both, 0, count)


def _peepholes(all_: Expr, hidden: Dim) -> Peepholes:
    return Peepholes(*(_rows(all_, i * hidden, (i + 1) * hidden) for i in range(3)))


def _rows(x: Expr, begin: Dim, end: Dim) -> Expr:
    if isinstance(x, Constant):
        return Constant(x.array[static_size(begin) : static_size(end)])
    return Call(StridedSlice((begin,), (end,), axes=(0,)), (x,))


def _time_first(x: Expr) -> Expr:
    """Transpose the first two axes, batch and time."""
    return Call(Transpose((1, 0, 2)), (x,))


def _with_axis(x: Expr, axis: int) -> Expr:
    return Call(ExpandDims(axis), (x,))


def _joined(parts: Sequence[Expr], axis: int) -> Expr:
    return parts[0] if len(parts) == 1 else Call(Concatenate(axis), (Tuple(tuple(parts)),))
