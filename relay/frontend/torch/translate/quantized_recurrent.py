"""Translate dynamically quantised recurrent layers and cells of TorchScript."""

from collections.abc import Sequence
from typing import Any

from relay.frontend.builders.recurrent import RNN_RELU, RNN_TANH, Weights, one_step
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.quantized_functions import MODULES
from relay.frontend.torch.translate.quantized_modules import dynamic_linear, float16_weight
from relay.frontend.torch.translate.recurrent import KINDS, layers_of
from relay.ir.expr import Expr


@torch_operator("quantized_lstm", "quantized_gru")
def recurrent(node: TorchNode) -> Sequence[Expr]:
    """Translate layers with int8 weights, whose data is quantised at run time, or float16 ones."""
    node.ignore("dtype", "use_dynamic", "has_biases")
    kind = KINDS[node.operator.removeprefix("quantized_")]
    return layers_of(node, kind, [_weights(each) for each in node.sequence("params")])


def _weights(cell: Any) -> Weights:
    """Return the weights of a packed cell: its kind, its numbers, and the packed weights."""
    (kind, _, _, numbers, packed), _ = cell.__getstate__()
    if kind == "quantized_fp16":
        (matrix, bias), (recurrent, recurrent_bias) = map(float16_weight, packed)
        return Weights(matrix, recurrent, bias, recurrent_bias)
    assert kind == "quantized_dynamic", "PyTorch has two kinds of quantised cells"
    first, second = (dynamic_linear(each, bool(numbers[0])) for each in packed)
    return Weights(first, second, None, None)


_CELLS = {
    "quantized_lstm_cell_dynamic": KINDS["lstm"],
    "quantized_gru_cell_dynamic": KINDS["gru"],
    "quantized_rnn_tanh_cell_dynamic": RNN_TANH,
    "quantized_rnn_relu_cell_dynamic": RNN_RELU,
}


@torch_operator(*_CELLS, namespace=MODULES)
def cell(node: TorchNode) -> object:
    """Translate one step of a dynamically quantised layer; packed weights contain the biases."""
    node.ignore("bias_ih", "bias_hh", "b_ih", "b_hh")
    first, second = (
        dynamic_linear(node.value(name), reduce_range=True) for name in ("w_ih", "w_hh")
    )
    is_lstm = node.operator == "quantized_lstm_cell_dynamic"
    state = node.tensors("hx") if is_lstm else [node.tensor("hx")]
    weights = Weights(first, second, None, None)
    ends = one_step(node.tensor("input"), state, weights, _CELLS[node.operator])
    return ends if is_lstm else ends[0]
