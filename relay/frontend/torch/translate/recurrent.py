"""Translate PyTorch's recurrent layers."""

from collections.abc import Mapping, Sequence

from relay.frontend.builders.counted_loops import size_of
from relay.frontend.builders.recurrent import (
    GRU,
    LSTM,
    RNN_RELU,
    RNN_TANH,
    Kind,
    Layers,
    Weights,
    one_step,
    stacked,
)
from relay.frontend.builders.tensor_helpers import converted
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.packed_sequences import Packing
from relay.frontend.torch.translate.shapes import transposed
from relay.ir.expr import Expr
from relay.support.dtype import int64
from relay.support.error_codes import ErrorCode

KINDS: Mapping[str, Kind] = {
    "lstm": LSTM,
    "gru": GRU,
    "rnn_tanh": RNN_TANH,
    "rnn_relu": RNN_RELU,
}
"""Kinds of recurrent cells by the names of the operators of their layers."""


@torch_operator(*KINDS)
def recurrent(node: TorchNode) -> Sequence[Expr]:
    """Translate `lstm`, `gru` and `rnn`: return outputs, then the last value of each state.

    The sequences are padded, or packed if the overload has `batch_sizes`.
    """
    return layers_of(node, KINDS[node.operator], _weights(node))


def layers_of(node: TorchNode, kind: Kind, weights: Sequence[Weights]) -> Sequence[Expr]:
    """Return the outputs and the last states of layers with these weights."""
    sides = 2 if node.flag("bidirectional") else 1
    _require_no_dropout(node)
    node.ignore("num_layers")
    first = node.tensors("hx") if kind is LSTM else [node.tensor("hx")]
    layers = Layers(weights, kind, sides)
    if "batch_sizes" in node:
        return _of_packed(node, first, layers)
    batch_first, x = node.flag("batch_first"), node.tensor("input")
    result, *ends = stacked(transposed(x, (1, 0, 2)) if batch_first else x, first, layers)
    return [transposed(result, (1, 0, 2)) if batch_first else result, *ends]


def _of_packed(node: TorchNode, first: Sequence[Expr], layers: Layers) -> Sequence[Expr]:
    """Return the packed outputs of packed sequences, then the states after each one's last step."""
    data, batch_sizes = node.tensor("data"), converted(node.tensor("batch_sizes"), int64)
    packing = Packing(batch_sizes, size_of(first[0], 1))
    result, *ends = stacked(packing.padded(data), first, layers, packing.runs)
    return [packing.packed(result, data), *ends]


def _require_no_dropout(node: TorchNode) -> None:
    """Raise `F036` if dropout between layers has an effect."""
    node.ignore("dropout", "train")
    if node.flag("train") and node.number("dropout"):
        raise node.error(
            ErrorCode.F036,
            "the model is in training mode",
            help="call model.eval() before loading the model",
        )


@torch_operator(*(f"{name}_cell" for name in KINDS))
def cell(node: TorchNode) -> object:
    """Translate `lstm_cell`, `gru_cell` and `rnn_cell`: one step of a recurrent layer."""
    kind = KINDS[node.operator.removesuffix("_cell")]
    biases = node.optional("b_ih"), node.optional("b_hh")
    weights = Weights(node.tensor("w_ih"), node.tensor("w_hh"), *biases)
    first = node.tensors("hx") if kind is LSTM else [node.tensor("hx")]
    state = one_step(node.tensor("input"), first, weights, kind)
    return state if kind is LSTM else state[0]


def _weights(node: TorchNode) -> list[Weights]:
    """Return the weights of each direction of each layer."""
    params, sides = node.tensors("params"), 2 if node.flag("bidirectional") else 1
    each = len(params) // (sides * node.integer("num_layers"))
    groups = [params[i : i + each] for i in range(0, len(params), each)]
    return [_weights_of_one(group, node.flag("has_biases")) for group in groups]


def _weights_of_one(params: Sequence[Expr], has_biases: bool) -> Weights:
    """Return the weights of one direction of one layer; a projection is the last of them."""
    matrix, recurrent, *rest = params
    first, second = (rest.pop(0), rest.pop(0)) if has_biases else (None, None)
    return Weights(matrix, recurrent, first, second, rest[0] if rest else None)
