"""Files of TensorFlow Lite that are broken, hostile or not supported: each has its error."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relay
from relay.frontend.builders import expansion_limits as expansion
from relay.semantics.evaluate import evaluate
from relay.support.errors import RelayError
from tools.tflite_files import Graph, Node, Tensor, file_of, options_of

schema: Any = import_module("tflite")

X, Y = Tensor((2, 3), name="x"), Tensor((2, 3), name="y")
ONES = np.ones((2, 3), np.float32)
GOOD = Graph([X, Y], [Node("TANH", [0], [1])], [0], [1])


def of(*nodes: Node, tensors: Sequence[Tensor] = (X, Y), inputs: Sequence[int] = (0,)) -> bytes:
    """Return the file of a graph with these nodes, whose output is its second tensor."""
    return file_of(Graph(tensors, nodes, inputs, [1]))


def unary(x: Tensor, y: Tensor = Y) -> bytes:
    """Return the file of a negation."""
    return of(Node("NEG", [0], [1]), tensors=[x, y])


def constant(tensor: Tensor) -> bytes:
    """Return the file of a sum with a constant."""
    return of(Node("ADD", [0, 2], [1]), tensors=[X, Y, tensor])


def handled(*nodes: Node) -> bytes:
    """Return the file of nodes for which tensor 2 refers to a variable."""
    handle = Tensor((), element=schema.TensorType.RESOURCE, name="v")
    name = options_of("VarHandleOptions", SharedName="v")
    made = Node("VAR_HANDLE", [], [2], name, "VarHandleOptions")
    return of(made, *nodes, tensors=[X, Y, handle])


def activation(number: int) -> Any:
    """Return a function that writes the options of `ADD`."""

    def write(builder: Any) -> int:
        schema.AddOptionsStart(builder)
        schema.AddOptionsAddFusedActivationFunction(builder, number)
        return schema.AddOptionsEnd(builder)

    return write


def axis(number: int) -> Any:
    """Return a function that writes the options of `CONCATENATION`."""

    def write(builder: Any) -> int:
        schema.ConcatenationOptionsStart(builder)
        schema.ConcatenationOptionsAddAxis(builder, number)
        return schema.ConcatenationOptionsEnd(builder)

    return write


def bodies(goes_on: int, body: int) -> Any:
    """Return a function that writes the options of `WHILE`."""

    def write(builder: Any) -> int:
        schema.WhileOptionsStart(builder)
        schema.WhileOptionsAddCondSubgraphIndex(builder, goes_on)
        schema.WhileOptionsAddBodySubgraphIndex(builder, body)
        return schema.WhileOptionsEnd(builder)

    return write


def branches(then: int, other: int) -> Any:
    """Return a function that writes the options of `IF`."""

    def write(builder: Any) -> int:
        schema.IfOptionsStart(builder)
        schema.IfOptionsAddThenSubgraphIndex(builder, then)
        schema.IfOptionsAddElseSubgraphIndex(builder, other)
        return schema.IfOptionsEnd(builder)

    return write


def loop(goes_on: int, body: int) -> bytes:
    """Return the file of a loop: graph 1 is always true, graph 2 a step."""
    node = Node("WHILE", [0], [1], bodies(goes_on, body), "WhileOptions")
    true = Tensor((), np.array(True), element=schema.TensorType.BOOL, name="true")
    return file_of(Graph([X, Y], [node], [0], [1]), Graph([X, true], [], [0], [1]), GOOD)


def chain(count: int) -> bytes:
    """Return the file of graphs each of which chooses between two calls of the next one."""
    flag = Tensor((), element=schema.TensorType.BOOL, name="flag")
    nodes = [
        Node("IF", [0, 0, 1], [2], branches(each, each), "IfOptions") for each in range(1, count)
    ]
    last = Node("TANH", [1], [2])
    return file_of(*(Graph([flag, X, Y], [each], [0, 1], [2]) for each in (*nodes, last)))


TANH = Node("TANH", [0], [1])
WHOLE = file_of(GOOD)
TYPES = schema.TensorType
FILES: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "F090"),
    "a page": (b"<!doctype html><title>Not found</title>", "F090"),
    "an identifier alone": (b"\0\0\0\0TFL3", "F090"),
    "offsets into nothing": (b"\x1c\0\0\0TFL3" + b"\xff" * 64, "F090"),
    "another format": (WHOLE.replace(b"TFL3", b"TFL2"), "F090"),
    "another version": (file_of(GOOD, version=4), "F090"),
    "half of a file": (WHOLE[: len(WHOLE) // 2], "F090"),
    "no graph": (file_of(), "F090"),
    "no outputs": (file_of(Graph([X, Y], [TANH], [0], [])), "F090"),
    "an input that is no tensor": (of(TANH, inputs=[7]), "F090"),
    "a node of no tensor": (of(Node("TANH", [9], [1])), "F090"),
    "a buffer that is missing": (constant(Tensor((2, 3), buffer=99)), "F090"),
    "too few elements": (constant(Tensor((2, 4), ONES)), "F090"),
    "a huge constant": (constant(Tensor((2**31 - 1,) * 8, ONES)), "F090"),
    "a constant of negative size": (constant(Tensor((-2, -3), ONES)), "F090"),
    "an axis for each byte": (unary(Tensor((1,) * 100, name="x")), "F090"),
    "a new operator": (of(Node(9999, [0], [1])), "F010"),
    "a custom operator": (of(Node("Hologram", [0], [1], custom={"depth": 3})), "F010"),
    "complex numbers": (
        of(Node("FLOOR", [0], [1]), tensors=[Tensor((2,), element=TYPES.COMPLEX64, name="x"), Y]),
        "F017",
    ),
    "texts": (unary(Tensor((2,), element=TYPES.STRING, name="x")), "F017"),
    "elements of tomorrow": (unary(Tensor((2,), element=99, name="x")), "F017"),
    "a result of another type": (unary(X, Tensor((2, 3), element=TYPES.INT32)), "F053"),
    "a result of another rank": (unary(X, Tensor((6,))), "F053"),
    "a cycle": (of(Node("ADD", [0, 1], [1])), "F018"),
    "nodes in another order": (
        of(Node("TANH", [2], [1]), Node("TANH", [0], [2]), tensors=[X, Y, X]), "F018",
    ),
    "two inputs of one name": (of(Node("ADD", [0, 2], [1]), tensors=[X, Y, X], inputs=[0, 2]),
                               "F012"),
    "an operand": (of(Node("ADD", [0], [1])), "F020"),
    "an operand that is left out": (of(Node("ADD", [0, -1], [1])), "F020"),
    "a result": (of(Node("TANH", [0], []), TANH), "F025"),
    "options": (of(Node("CONV_2D", [0, 0, 0], [1])), "F023"),
    "an activation": (of(Node("ADD", [0, 0], [1], activation(77), "AddOptions")), "F026"),
    "an axis": (of(Node("CONCATENATION", [0, 0], [1], axis(9), "ConcatenationOptions")), "T103"),
    "shapes": (constant(Tensor((4, 5), np.ones((4, 5), np.float32))), "T101"),
    "an input of negative size": (unary(Tensor((-5, 3), name="x")), "T002"),
    "a huge input": (unary(Tensor((2**31 - 1,) * 4, name="x")), "T003"),
    "a body that is missing": (loop(1, 9), "F026"),
    "a condition that is no truth": (loop(2, 2), "T105"),
    "a loop of itself": (loop(1, 0), "F094"),
    "a variable without a value": (handled(Node("READ_VARIABLE", [2], [1])), "F018"),
    "a tensor for a variable": (of(Node("READ_VARIABLE", [0], [1])), "F021"),
    "a variable for a tensor": (handled(Node("NEG", [2], [1])), "F021"),
    "a variable for a result": (handled(Node("TANH", [0], [2]), TANH), "F053"),
    "graphs nested too deep": (chain(50), "F094"),
}  # fmt: skip


def error_of(data: bytes, folder: Path) -> RelayError:
    """Return the error of a file."""
    path = folder / "model.tflite"
    path.write_bytes(data)
    with pytest.raises(RelayError) as caught:
        relay.load(path)
    return caught.value


@pytest.mark.parametrize("name", FILES)
def test_broken_files(name: str, tmp_path: Path):
    data, code = FILES[name]
    error = error_of(data, tmp_path)
    assert error.code == code, error
    assert error.help or code.startswith("T"), error
    assert "model.tflite" in str(error)


def test_graphs_that_call_each_other_very_often(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(expansion, "MOST_NODES", 2000)
    assert error_of(chain(30), tmp_path).code == "F094"


def test_the_good_one_is_good():
    assert relay.load(WHOLE).main.body.tensor_type.shape == (2, 3)


def test_a_custom_operator_is_added_from_outside():
    data = of(Node("Hologram", [0], [1], custom={"depth": 3}))

    def hologram(inputs: Sequence[Any], options: bytes) -> Any:
        assert b"depth" in options
        return relay.tanh(inputs[0])

    with pytest.raises(RelayError, match=r"F010.*Hologram \(custom\)") as caught:
        relay.frontend.from_tflite(data)
    assert 'op_converter={"Hologram": f}' in str(caught.value.help)
    module, _ = relay.frontend.from_tflite(data, op_converter={"Hologram": hologram})
    np.testing.assert_allclose(np.asarray(evaluate(module, ONES)), np.tanh(ONES), rtol=1e-6)
