"""Cells of recurrent layers against PyTorch's, step by step."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from relay.ir.expr import Array, Call, Constant, Expr, Operator, TupleGetItem
from relay.ir.walk import fold
from relay.ops.nn.recurrent_cells import Peepholes, gru_cell, lstm_cell, rnn_cell

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

BATCH, INPUTS, HIDDEN = 3, 5, 4


def evaluate(expr: Expr) -> Array:
    def visit(e: Expr, parts: Sequence[Any]) -> Any:
        match e:
            case Constant(data):
                return data
            case Operator():
                return e
            case TupleGetItem(_, index):
                return parts[0][index]
            case Call():
                *args, op = parts
                return op.reference(*args)
            case _:
                raise AssertionError(type(e))

    return fold(expr, visit)


def constant(tensor: Any) -> Constant:
    return Constant(np.ascontiguousarray(tensor.detach().numpy()))


def regroup(tensor: Any, order: Sequence[int]) -> Any:
    return torch.cat([tensor.chunk(len(order))[k] for k in order])


def test_rnn_is_torch_rnn_cell() -> None:
    cell = torch.nn.RNNCell(INPUTS, HIDDEN)
    x, h = torch.randn(BATCH, INPUTS), torch.randn(BATCH, HIDDEN)
    projected = x @ cell.weight_ih.T + cell.bias_ih + cell.bias_hh
    ours = rnn_cell(constant(projected), constant(h), constant(cell.weight_hh))
    np.testing.assert_allclose(evaluate(ours), cell(x, h).detach(), rtol=1e-5, atol=1e-6)


def test_lstm_is_torch_lstm_cell() -> None:
    cell = torch.nn.LSTMCell(INPUTS, HIDDEN)
    order = (0, 3, 1, 2)  # torch: input, forget, cell, output
    x, h, c = (torch.randn(BATCH, n) for n in (INPUTS, HIDDEN, HIDDEN))
    projected = x @ cell.weight_ih.T + cell.bias_ih + cell.bias_hh
    projected = regroup(projected.T, order).T
    weight = constant(regroup(cell.weight_hh, order))
    ours = lstm_cell(constant(projected), constant(h), constant(c), weight)
    for mine, theirs in zip(ours, cell(x, (h, c)), strict=True):
        np.testing.assert_allclose(evaluate(mine), theirs.detach(), rtol=1e-5, atol=1e-6)


def test_gru_is_torch_gru_cell() -> None:
    cell = torch.nn.GRUCell(INPUTS, HIDDEN)
    order = (1, 0, 2)  # torch: reset, update, hidden
    x, h = torch.randn(BATCH, INPUTS), torch.randn(BATCH, HIDDEN)
    projected = regroup((x @ cell.weight_ih.T + cell.bias_ih).T, order).T
    weight, bias = regroup(cell.weight_hh, order), regroup(cell.bias_hh, order)
    ours = gru_cell(
        constant(projected), constant(h), constant(weight), constant(bias), linear_before_reset=True
    )
    np.testing.assert_allclose(evaluate(ours), cell(x, h).detach(), rtol=1e-5, atol=1e-6)


def onnx_layer(kind: str, inputs: dict[str, Array], **attributes: object) -> list[Array]:
    onnx = pytest.importorskip("onnx")
    ort = pytest.importorskip("onnxruntime")
    helper = onnx.helper
    names = [name if name in inputs else "" for name in ("X", "W", "R", "B", "", "H", "C", "P")]
    while not names[-1]:
        names.pop()
    outputs = ["Y", "Yh", "Yc"][: 3 if kind == "LSTM" else 2]
    node = helper.make_node(kind, names, outputs, hidden_size=HIDDEN, **attributes)
    infos = [helper.make_tensor_value_info(n, 1, list(v.shape)) for n, v in inputs.items()]
    outs = [helper.make_tensor_value_info(n, 1, None) for n in outputs]
    model = helper.make_model(
        helper.make_graph([node], "g", infos, outs),
        opset_imports=[helper.make_opsetid("", 14)],
        ir_version=8,
    )
    return ort.InferenceSession(model.SerializeToString()).run(None, inputs)[1:]


def inputs(gates: int, *names: str) -> dict[str, Array]:
    rng = np.random.default_rng(1)
    shapes = {
        "X": (1, BATCH, INPUTS),
        "W": (1, gates * HIDDEN, INPUTS),
        "R": (1, gates * HIDDEN, HIDDEN),
        "B": (1, 2 * gates * HIDDEN),
        "H": (1, BATCH, HIDDEN),
        "C": (1, BATCH, HIDDEN),
        "P": (1, 3 * HIDDEN),
    }
    return {n: rng.standard_normal(shapes[n]).astype(np.float32) for n in ("X", "W", "R", *names)}


@pytest.mark.onnx
def test_lstm_with_peepholes_and_clip_is_onnx_lstm() -> None:
    given = inputs(4, "B", "H", "C", "P")
    h, c = onnx_layer("LSTM", given, clip=0.7)
    bias = given["B"][0].reshape(2, -1).sum(axis=0)
    projected = Constant(given["X"][0] @ given["W"][0].T + bias)
    peepholes = Peepholes(*(Constant(part.copy()) for part in given["P"][0].reshape(3, -1)))
    ours = lstm_cell(
        projected,
        Constant(given["H"][0]),
        Constant(given["C"][0]),
        Constant(given["R"][0]),
        peepholes=peepholes,
        clip=0.7,
    )
    np.testing.assert_allclose(evaluate(ours[0]), h[0], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(evaluate(ours[1]), c[0], rtol=1e-4, atol=1e-5)


@pytest.mark.onnx
@pytest.mark.parametrize("linear", [False, True])
def test_gru_is_onnx_gru(linear: bool) -> None:
    given = inputs(3, "B", "H")
    (h,) = onnx_layer("GRU", given, linear_before_reset=int(linear))
    w_bias, r_bias = given["B"][0].reshape(2, -1)
    projected = Constant(given["X"][0] @ given["W"][0].T + w_bias)
    ours = gru_cell(
        projected,
        Constant(given["H"][0]),
        Constant(given["R"][0]),
        Constant(r_bias.copy()),
        linear_before_reset=linear,
    )
    np.testing.assert_allclose(evaluate(ours), h[0], rtol=1e-4, atol=1e-5)
