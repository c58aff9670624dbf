"""Operators of StableHLO for which LiteRT has no kernel, against NumPy."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import relay
from relay.semantics.evaluate import evaluate
from tools.tflite_files import Graph, Node, Tensor, file_of, options_of

schema: Any = import_module("tflite")

X = np.linspace(0.1, 2.0, 6, dtype=np.float32).reshape(2, 3)
Y = np.array([[1, 0.5, 2], [3, 1.5, 0.75]], np.float32)

ONE = np.array(1, np.int32)

ELEMENTWISE: dict[str, Callable[..., Any]] = {
    "ABS": np.abs, "COSINE": np.cos, "EXPONENTIAL": np.exp, "FLOOR": np.floor, "LOG": np.log,
    "LOGISTIC": lambda x: 1 / (1 + np.exp(-x)), "NEGATE": np.negative, "TANH": np.tanh,
    "RSQRT": lambda x: 1 / np.sqrt(x), "DIVIDE": np.divide, "POWER": np.power,
    "REMAINDER": np.fmod, "SUBTRACT": np.subtract,
}  # fmt: skip


def model(
    name: str, given: Sequence[Any], shape: Sequence[int], table: str = "", **options: Any
) -> bytes:
    """Return the file of an operator for inputs like `given`."""
    kinds = {"float32": schema.TensorType.FLOAT32, "bool": schema.TensorType.BOOL,
             "int32": schema.TensorType.INT32}  # fmt: skip
    inputs = [
        Tensor(x.shape, element=kinds[x.dtype.name], name=f"x{i}") for i, x in enumerate(given)
    ]
    fed = range(len(inputs))
    node = Node(f"STABLEHLO_{name}", fed, [len(inputs)],
                options_of(table, **options) if table else None, table)  # fmt: skip
    return file_of(Graph([*inputs, Tensor(shape)], [node], fed, [len(inputs)]))


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_elementwise_operators(name: str):
    function = ELEMENTWISE[name]
    given = (X, Y) if name in ("DIVIDE", "POWER", "REMAINDER", "SUBTRACT") else (X,)
    found = evaluate(relay.load(model(name, given, X.shape)), *given)
    np.testing.assert_allclose(np.asarray(found), function(*given), rtol=1e-5)


OTHERS: dict[str, tuple[bytes, Sequence[Any], Any]] = {
    "CLAMP": (model("CLAMP", [Y, X, Y], (2, 3)), (Y, X, Y), Y),
    "SELECT": (model("SELECT", [X > 1, X, Y], (2, 3)), (X > 1, X, Y), np.where(X > 1, X, Y)),
    "RESHAPE": (model("RESHAPE", [X], (3, 2)), (X,), X.reshape(3, 2)),
    "TRANSPOSE": (
        model("TRANSPOSE", [X], (3, 2), "StablehloTransposeOptions", Permutation=[1, 0]), (X,), X.T,
    ),
    "BROADCAST_IN_DIM": (
        model("BROADCAST_IN_DIM", [X[0]], (3, 2), "StablehloBroadcastInDimOptions",
              BroadcastDimensions=[0]), (X[0],), np.stack([X[0], X[0]], 1),
    ),
    "IOTA": (
        model("IOTA", [], (2, 3), "StablehloIotaOptions", IotaDimension=1), (),
        np.array([[0, 1, 2]] * 2, np.float32),
    ),
    "CONVERT": (model("CONVERT", [X > 1], (2, 3)), (X > 1,), (X > 1).astype(np.float32)),
    "DYNAMIC_SLICE": (
        model("DYNAMIC_SLICE", [X, ONE, ONE], (1, 2), "StablehloDynamicSliceOptions",
              SliceSizes=[1, 2]), (X, ONE, ONE), X[1:2, 1:3],
    ),
    "DYNAMIC_UPDATE_SLICE": (
        model("DYNAMIC_UPDATE_SLICE", [X, Y[:1, :2], ONE, ONE], (2, 3)),
        (X, Y[:1, :2], ONE, ONE), np.array([X[0], [X[1, 0], *Y[0, :2]]]),
    ),
    "CONCATENATE": (
        model("CONCATENATE", [X, Y], (2, 6), "StablehloConcatenateOptions", Dimension=1),
        (X, Y), np.concatenate([X, Y], 1),
    ),
    "SLICE": (
        model("SLICE", [X], (1, 2), "StablehloSliceOptions", StartIndices=[1, 0],
              LimitIndices=[2, 3], Strides=[1, 2]), (X,), X[1:2, ::2],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_other_operators(name: str):
    data, given, wanted = OTHERS[name]
    np.testing.assert_array_equal(np.asarray(evaluate(relay.load(data), *given)), wanted)


DIRECTIONS = [np.equal, np.not_equal, np.greater_equal, np.greater, np.less_equal, np.less]


@pytest.mark.parametrize("number", range(6))
def test_comparisons(number: int):
    options = options_of("StablehloCompareOptions", ComparisonDirection=number)
    true = Tensor((2, 3), element=schema.TensorType.BOOL)
    tensors = [Tensor((2, 3), name="x"), Tensor((2, 3), name="y"), true]
    node = Node("STABLEHLO_COMPARE", [0, 1], [2], options, "StablehloCompareOptions")
    module = relay.load(file_of(Graph(tensors, [node], [0, 1], [2])))
    y = np.where(X > 1, X, Y)
    np.testing.assert_array_equal(np.asarray(evaluate(module, X, y)), DIRECTIONS[number](X, y))
