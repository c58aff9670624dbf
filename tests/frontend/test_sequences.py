"""Sequences and optional values against ONNX Runtime, by the evaluator and compiled."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import relay
from relay.support.errors import RelayError
from tests.frontend import backend
from tests.frontend.models import model
from tests.frontend.test_recurrent import close, info, runtime

pytestmark = pytest.mark.onnx
Nodes = Sequence[onnx.NodeProto]
node = helper.make_node


def constant(name: str, value: Any) -> onnx.NodeProto:
    return node("Constant", [], [name], value=onnx.numpy_helper.from_array(np.array(value)))


def sequence(name: str) -> onnx.ValueInfoProto:
    return helper.make_tensor_sequence_value_info(name, TensorProto.FLOAT, None)


THREE = [
    node("Neg", ["x"], ["a"]),
    node("Exp", ["x"], ["b"]),
    node("SequenceConstruct", ["x", "a", "b"], ["s"]),
]
ROW = helper.make_graph(
    [
        node("Cast", ["i"], ["f"], to=TensorProto.FLOAT),
        node("Mul", ["x", "f"], ["row"]),
        node("SequenceInsert", ["t", "row"], ["u"]),
        node("Identity", ["go"], ["on"]),
    ],
    "row",
    [info("i", TensorProto.INT64, []), info("go", TensorProto.BOOL, []), sequence("t")],
    [info("on", TensorProto.BOOL, []), sequence("u")],
)
ROWS = [
    node("SequenceEmpty", [], ["none"], dtype=TensorProto.FLOAT),
    node("Loop", ["n", "", "none"], ["rows"], body=ROW),
]
LONGER = helper.make_graph([node("SequenceInsert", ["s", "x"], ["l"])], "l", [], [sequence("l")])
SHORTER = helper.make_graph([node("SequenceErase", ["s"], ["k"])], "k", [], [sequence("k")])
TWICE = helper.make_graph([node("Add", ["e", "e"], ["d"])], "d", [info("e")], [info("d")])
BOTH = helper.make_graph(
    [node("Sub", ["e", "f"], ["d"]), node("Add", ["e", "x"], ["g"])],
    "d",
    [info("e"), info("f")],
    [info("d"), info("g")],
)

CASES: dict[str, tuple[Nodes, list[str]]] = {
    "an element": ([*THREE, constant("one", -2), node("SequenceAt", ["s", "one"], ["y"])], ["y"]),
    "an element that data choose": ([*THREE, node("SequenceAt", ["s", "n"], ["y"])], ["y"]),
    "a length": ([*THREE, node("SequenceLength", ["s"], ["y"])], ["y"]),
    "inserting": (
        [
            *THREE,
            constant("one", 1),
            node("Abs", ["x"], ["z"]),
            node("SequenceInsert", ["s", "z", "one"], ["t"]),
            node("SequenceInsert", ["t", "z"], ["u"]),
            node("ConcatFromSequence", ["u"], ["y"], axis=0),
        ],
        ["y"],
    ),
    "inserting where data say": (
        [
            *THREE,
            node("Abs", ["x"], ["z"]),
            node("SequenceInsert", ["s", "z", "n"], ["t"]),
            node("SequenceAt", ["t", "n"], ["y"]),
            node("SequenceLength", ["t"], ["k"]),
        ],
        ["y", "k"],
    ),
    "erasing": (
        [
            *THREE,
            constant("one", -2),
            node("SequenceErase", ["s", "one"], ["t"]),
            node("SequenceErase", ["t"], ["u"]),
            node("ConcatFromSequence", ["t"], ["y"], axis=0, new_axis=1),
            node("SequenceLength", ["u"], ["k"]),
        ],
        ["y", "k"],
    ),
    "erasing where data say": (
        [
            *THREE,
            constant("zero", 0),
            node("SequenceErase", ["s", "n"], ["t"]),
            node("SequenceAt", ["t", "zero"], ["y"]),
        ],
        ["y"],
    ),
    "parts": (
        [
            constant("sizes", [1, 2]),
            constant("one", 1),
            node("SplitToSequence", ["x", "sizes"], ["s"], axis=0),
            node("SequenceAt", ["s", "one"], ["y"]),
            node("SplitToSequence", ["x"], ["t"], axis=0, keepdims=0),
            node("ConcatFromSequence", ["t"], ["z"], axis=-1, new_axis=1),
        ],
        ["y", "z"],
    ),
    "parts of one size": (
        [
            constant("two", 2),
            constant("one", 1),
            node("SplitToSequence", ["x", "two"], ["s"], axis=0),
            node("SequenceAt", ["s", "one"], ["y"]),
        ],
        ["y"],
    ),
    "a loop that makes a sequence": (
        [
            *ROWS,
            constant("last", -1),
            node("SequenceAt", ["rows", "last"], ["y"]),
            node("SequenceLength", ["rows"], ["k"]),
        ],
        ["y", "k"],
    ),
    "branches of two lengths": (
        [
            *THREE,
            node("If", ["c"], ["t"], then_branch=LONGER, else_branch=SHORTER),
            constant("last", -1),
            node("SequenceLength", ["t"], ["k"]),
            node("SequenceAt", ["t", "last"], ["y"]),
        ],
        ["k", "y"],
    ),
    "a function of each element": (
        [
            *ROWS,
            node("SequenceMap", ["rows"], ["twice"], body=TWICE),
            node("SequenceMap", ["twice", "rows"], ["less", "more"], body=BOTH),
            constant("last", -1),
            node("SequenceAt", ["less", "last"], ["y"]),
            node("SequenceAt", ["more", "last"], ["z"]),
        ],
        ["y", "z"],
    ),
    "a function of each of three": (
        [
            *THREE,
            node("SequenceMap", ["s"], ["t"], body=TWICE),
            node("ConcatFromSequence", ["t"], ["y"], axis=0),
        ],
        ["y"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_sequence(name: str) -> None:
    nodes, outputs = CASES[name]
    kinds = {"n": TensorProto.INT64, "c": TensorProto.BOOL, "k": TensorProto.INT64}
    kinds |= {"y": TensorProto.INT64} if name == "a length" else {}
    built = model(nodes, {"x": [3], "n": [], "c": []}, outputs, types=kinds, opset=17)
    run = relay.compile(relay.load(built), threads=1)
    x = np.array([1.5, -2, 0.25], "f")
    for n, c in ((1, True), (2, False)):
        inputs = [x, np.array(n), np.array(c)]
        expected = runtime(built, *inputs)
        close(backend.run(built, inputs), expected)
        found = run(*inputs)
        close(found if isinstance(found, tuple) else [found], expected)


def test_a_sequence_that_data_make_is_joined() -> None:
    nodes = [*ROWS, node("ConcatFromSequence", ["rows"], ["y"], axis=0)]
    stacked = [*ROWS, node("ConcatFromSequence", ["rows"], ["y"], axis=1, new_axis=1)]
    for chosen in (nodes, stacked):
        built = model(chosen, {"x": [3], "n": []}, ["y"], types={"n": TensorProto.INT64})
        inputs = [np.array([1.5, -2, 0.25], "f"), np.array(4)]
        close(backend.run(built, inputs), runtime(built, *inputs))


def test_an_optional_value() -> None:
    some = helper.make_graph([node("Optional", ["x"], ["o"])], "some", [], [info("o")])
    kind = helper.make_tensor_type_proto(TensorProto.FLOAT, [3])
    none = helper.make_graph([node("Optional", [], ["p"], type=kind)], "none", [], [info("p")])
    nodes = [
        node("If", ["c"], ["v"], then_branch=some, else_branch=none),
        node("OptionalHasElement", ["v"], ["there"]),
        node("OptionalGetElement", ["v"], ["y"]),
    ]
    kinds = {"c": TensorProto.BOOL, "there": TensorProto.BOOL}
    given = {"x": [3], "c": []}
    asks = model([nodes[0], nodes[1]], given, ["there"], types=kinds, opset=18)
    opens = model([nodes[0], nodes[2]], given, ["y"], types=kinds, opset=18)
    x = np.array([1.5, -2, 0.25], "f")
    run = relay.compile(relay.load(asks), threads=1)
    assert [bool(run(x, np.array(c))) for c in (True, False)] == [True, False]
    run = relay.compile(relay.load(opens), threads=1)
    close([run(x, np.array(True))], [x])
    with pytest.raises(RelayError) as caught:
        run(x, np.array(False))
    assert caught.value.code == "R040"


@pytest.mark.parametrize("new_axis", [0, 1])
def test_nothing_to_join_stops_at_the_node(new_axis: int) -> None:
    join = node("ConcatFromSequence", ["rows"], ["y"], axis=0, new_axis=new_axis, name="join")
    given, kinds = {"x": [3], "n": []}, {"n": TensorProto.INT64}
    run = relay.compile(relay.load(model([*ROWS, join], given, ["y"], types=kinds)))
    with pytest.raises(RelayError) as caught:
        run(np.zeros(3, "f"), np.array(0))
    assert caught.value.code == "R040"
    assert "join" in str(caught.value.span)
    assert "no elements to join" in str(caught.value.span)


@pytest.mark.parametrize("shape", [None, [2, 3], ["n", 3]])
@pytest.mark.parametrize("kind", ["debug", "vm", "aot"])
def test_a_sequence_that_never_has_an_element(shape: list[int | str] | None, kind: str) -> None:
    given = helper.make_tensor_sequence_value_info("s", TensorProto.FLOAT, shape)
    graph = helper.make_graph([node("SequenceEmpty", [], ["s"])], "g", [], [given])
    empty = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    assert runtime(empty) == [[]]
    found = relay.create_executor(kind, relay.load(empty)).evaluate()()
    assert repr(found) == "Data(constructor='Nil', fields=())"


def test_scalars_are_not_joined_along_an_axis() -> None:
    given = helper.make_tensor_sequence_value_info("s", TensorProto.FLOAT, [])
    join = node("ConcatFromSequence", ["s"], ["y"], axis=0)
    graph = helper.make_graph([join], "g", [given], [info("y")])
    scalars = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    with pytest.raises(
        RelayError, match="the axis 0 is out of range for tensors of rank 0"
    ) as caught:
        relay.load(scalars)
    assert caught.value.code == "F026"
