"""Translate MXNet's fused recurrent layers."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from relay.frontend.builders.recurrent import (
    GRU,
    LSTM,
    RNN_RELU,
    RNN_TANH,
    Kind,
    Layers,
    Weights,
    stacked,
)
from relay.frontend.mxnet.node import MxNode
from relay.frontend.mxnet.registry import mxnet_operator
from relay.frontend.node_errors import static_size
from relay.ir.expr import Array, Call, Constant, Expr, Tuple
from relay.ops.tensor.concat_and_split import Concatenate
from relay.support.error_codes import ErrorCode

_KINDS: Mapping[str, tuple[Kind, int]] = {
    "lstm": (LSTM, 4),
    "gru": (GRU, 3),
    "rnn_tanh": (RNN_TANH, 1),
    "rnn_relu": (RNN_RELU, 1),
}
"""Kinds of cells and their numbers of gates, by mode name."""


@mxnet_operator("_rnn_param_concat")
def joined_parameters(node: MxNode) -> Expr:
    """Translate the concatenation of weights to one vector, folded if all are constants."""
    axis = node.integer("dim", 0)
    arrays = [each.array for each in node.inputs if isinstance(each, Constant)]
    if len(arrays) == len(node.inputs):
        return Constant(np.concatenate(arrays, axis), span=node.span)
    return Call(Concatenate(axis), (Tuple(tuple(node.inputs)),), span=node.span)


@mxnet_operator("RNN")
def recurrent(node: MxNode) -> Sequence[Expr]:
    """Translate `RNN`: stacked recurrent layers whose weights are one vector."""
    node.ignore("p", "state_outputs")
    mode = node.text("mode")
    if mode not in _KINDS:
        raise node.wrong("mode")
    kind, gates = _KINDS[mode]
    vector = node.tensor(1)
    if not isinstance(vector, Constant):
        raise node.error(
            ErrorCode.F022,
            "the weights of the layer must be constants, but are computed at run time",
            help="pass the file of weights to from_mxnet, too",
        )
    x, first = node.tensor(), node.inputs[2:]
    sides = 2 if node.flag("bidirectional") else 1
    layers, units = node.integer("num_layers"), node.integer("state_size")
    width = node.integer("projection_size") if "projection_size" in node else None
    node.ignore("projection_size")
    inputs, outputs = static_size(x.tensor_type.shape[-1]), width or units
    sizes = [inputs if i == 0 else outputs * sides for i in range(layers) for _ in range(sides)]
    weights = list(_weights(vector.array, gates, units, sizes, width))
    result, *ends = stacked(x, first, Layers(weights, kind, sides))
    return [result, *ends] if node.flag("state_outputs") else [result]


def _weights(
    vector: Array, gates: int, units: int, sizes: Sequence[int], width: int | None
) -> Iterator[Weights]:
    """Yield the weights of each layer and direction from one vector; biases are at its end.

    `sizes` are the numbers of features of the inputs, and `width` that of a projection's output.
    """
    rows = gates * units
    begin, biases = 0, len(vector) - 2 * rows * len(sizes)
    for size in sizes:
        shapes = [(rows, size), (rows, width or units)] + ([(width, units)] if width else [])
        parts: list[Constant] = []
        for shape in shapes:
            end = begin + shape[0] * shape[1]
            parts.append(Constant(vector[begin:end].reshape(shape)))
            begin = end
        first, second = (Constant(vector[biases + i * rows :][:rows]) for i in range(2))
        yield Weights(parts[0], parts[1], first, second, parts[2] if width else None)
        biases += 2 * rows
