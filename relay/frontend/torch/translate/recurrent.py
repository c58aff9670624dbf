"""Translate PyTorch's recurrent layers."""

from collections.abc import Mapping, Sequence

from relay.frontend.builders.recurrent import (
    GRU,
    LSTM,
    RNN_RELU,
    RNN_TANH,
    Kind,
    Weights,
    one_step,
    stacked,
)
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.shapes import transposed
from relay.ir.expr import Expr
from relay.support.error_codes import ErrorCode

_KINDS: Mapping[str, Kind] = {
    "lstm": LSTM,
    "gru": GRU,
    "rnn_tanh": RNN_TANH,
    "rnn_relu": RNN_RELU,
}


@torch_operator(*_KINDS)
def recurrent(node: TorchNode) -> Sequence[Expr]:
    """Translate `lstm`, `gru` and `rnn`: return outputs, then the last value of each state."""
    batch_first, sides = node.flag("batch_first"), 2 if node.flag("bidirectional") else 1
    node.ignore("dropout", "train")
    if node.flag("train") and node.number("dropout"):
        raise node.error(
            ErrorCode.F036,
            "the model is in training mode",
            help="call model.eval() before loading the model",
        )
    x = node.tensor("input")
    x = transposed(x, (1, 0, 2)) if batch_first else x
    first = node.tensors("hx") if node.operator == "lstm" else [node.tensor("hx")]
    result, *ends = stacked(x, first, _weights(node, sides), _KINDS[node.operator], sides)
    return [transposed(result, (1, 0, 2)) if batch_first else result, *ends]


@torch_operator(*(f"{name}_cell" for name in _KINDS))
def cell(node: TorchNode) -> object:
    """Translate `lstm_cell`, `gru_cell` and `rnn_cell`: one step of a recurrent layer."""
    kind = _KINDS[node.operator.removesuffix("_cell")]
    biases = node.optional("b_ih"), node.optional("b_hh")
    weights = Weights(node.tensor("w_ih"), node.tensor("w_hh"), *biases)
    first = node.tensors("hx") if kind is LSTM else [node.tensor("hx")]
    state = one_step(node.tensor("input"), first, weights, kind)
    return state if kind is LSTM else state[0]


def _weights(node: TorchNode, sides: int) -> list[Weights]:
    """Return the weights of each direction of each layer; raises `F030` for packed sequences."""
    if "batch_sizes" in node:
        raise node.error(
            ErrorCode.F030,
            "packed sequences are not supported",
            help="pass padded sequences instead",
        )
    params = node.tensors("params")
    each = len(params) // (sides * node.integer("num_layers"))
    groups = [params[i : i + each] for i in range(0, len(params), each)]
    return [_weights_of_one(group, node.flag("has_biases")) for group in groups]


def _weights_of_one(params: Sequence[Expr], has_biases: bool) -> Weights:
    """Return the weights of one direction of one layer; a projection is the last of them."""
    matrix, recurrent, *rest = params
    first, second = (rest.pop(0), rest.pop(0)) if has_biases else (None, None)
    return Weights(matrix, recurrent, first, second, rest[0] if rest else None)
