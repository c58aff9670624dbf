"""What does not fit stops, in ONNX Runtime and here; what has two names may fit."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import relay
from relay.runtime import Executable
from relay.support.errors import RelayError
from tests.frontend.models import model
from tests.frontend.test_recurrent import GATES, close, info, runtime

pytestmark = pytest.mark.onnx
INT32, INT64 = TensorProto.INT32, TensorProto.INT64
node = helper.make_node


def compiled(built: onnx.ModelProto) -> Executable:
    return relay.compile(relay.load(built), threads=1)


def agree(run: Executable, built: onnx.ModelProto, *inputs: Any) -> None:
    found = run(*inputs)
    close(found if isinstance(found, tuple) else (found,), runtime(built, *inputs))


def refuse(run: Executable, built: onnx.ModelProto, says: str, *inputs: Any) -> None:
    """Require an error of both, ours with these words."""
    with pytest.raises(Exception, match="ONNXRuntimeError"):
        runtime(built, *inputs)
    with pytest.raises(RelayError, match=says):
        run(*inputs)


def recurrent(op: str, batches: Sequence[int | str], **attributes: Any) -> onnx.ModelProto:
    """Return a layer; `batches` are the sizes that its input, lengths and first state declare."""
    gates, draw = GATES[op], np.random.default_rng(0)
    weights = {
        "W": draw.normal(size=(1, gates * 4, 3)).astype("f"),
        "R": draw.normal(size=(1, gates * 4, 4)).astype("f"),
    }
    x, lengths, state = batches
    first = attributes.get("layout")
    shapes = {
        "x": [x, "s", 3] if first else ["s", x, 3],
        "lengths": [lengths],
        "h": [state, 1, 4] if first else [1, state, 4],
    }
    layer = node(op, ["x", "W", "R", "", "lengths", "h"], ["y", "e"], hidden_size=4, **attributes)
    kinds = {"lengths": INT32}
    return model([layer], shapes, ["y", "e"], weights=weights, types=kinds, opset=14)


@pytest.mark.parametrize(
    ("op", "batches", "direction", "layout"),
    [
        ("GRU", ("b", "b", 1), "forward", 0),
        ("LSTM", ("b", 2, 2), "reverse", 0),
        ("RNN", (2, "b", "c"), "forward", 1),
        ("GRU", ("b", "c", "d"), "reverse", 0),
    ],
)
def test_sizes_of_one_batch(
    op: str, batches: tuple[int | str, ...], direction: str, layout: int
) -> None:
    extra = {"layout": 1} if layout else {}
    built = recurrent(op, batches, direction=direction, **extra)
    run = compiled(built) if not layout else None
    size = next((each for each in batches if isinstance(each, int)), 2)
    x, h = np.ones((5, size, 3), "f"), np.full((1, size, 4), 0.5, "f")
    lengths = np.full(size, 3, np.int32)
    if run is None:  # which ONNX Runtime does not compute
        wanted = compiled(recurrent(op, batches, direction=direction))(x, lengths, h)
        found = compiled(built)(x.swapaxes(0, 1), lengths, h.swapaxes(0, 1))
        close(found, (wanted[0].transpose(2, 0, 1, 3), wanted[1].swapaxes(0, 1)))
        return
    agree(run, built, x, lengths, h)
    for wrong in (np.full(size, 9, np.int32), np.full(size, -5, np.int32)):
        refuse(run, built, "a sequence length is negative", x, wrong, h)
    more = np.ones((5, size + 1, 3), "f")
    refuse(run, built, "R005|R007|R054", more, lengths, h)


def test_sizes_of_a_batch_that_never_fit() -> None:
    with pytest.raises(RelayError, match="T105"):
        relay.load(recurrent("GRU", (3, 2, 2)))


def test_rows_of_a_scan() -> None:
    body = helper.make_graph(
        [node("Add", ["s", "a"], ["t"]), node("Mul", ["t", "b"], ["o"])],
        "body",
        [info("s"), info("a"), info("b")],
        [info("t"), info("o")],
    )
    scan = node("Scan", ["first", "x", "y"], ["last", "all"], body=body, num_scan_inputs=2)
    built = model([scan], {"first": [3], "x": ["n", 3], "y": ["m", 3]}, ["last", "all"])
    run = compiled(built)
    first, rows = np.ones(3, "f"), np.arange(15, dtype="f").reshape(5, 3)
    agree(run, built, first, rows, rows)
    for a, b in ((5, 4), (4, 5), (5, 1)):
        refuse(run, built, "R054", first, rows[:a], rows[:b])


def test_parts_that_are_not_the_whole() -> None:
    split = [node("Split", ["x", "sizes"], ["a", "b"], axis=-2)]
    built = model(split, {"x": ["n", 3], "sizes": [2]}, ["a", "b"], types={"sizes": INT64})
    run, x = compiled(built), np.arange(18, dtype="f").reshape(6, 3)
    agree(run, built, x, np.array([2, 4]))
    for wrong in ([2, 3], [3, 4], [-1, 7]):
        refuse(run, built, "do not add up to the size of the axis", x, np.array(wrong))
    fixed = model(split, {"x": ["n", 3]}, ["a", "b"], weights={"sizes": np.array([2, 3])})
    run = compiled(fixed)
    agree(run, fixed, x[:5])
    refuse(run, fixed, "R054", x)


def test_more_than_there_are() -> None:
    top = node("TopK", ["x", "k"], ["v", "i"], axis=-1)
    built = model([top], {"x": [2, "n"], "k": [1]}, ["v", "i"], types={"k": INT64, "i": INT64})
    run, x = compiled(built), np.arange(14, dtype="f").reshape(2, 7)
    agree(run, built, x, np.array([3]))
    refuse(run, built, "the number of elements k is negative", x, np.array([-1]))
    refuse(run, built, "R054", x, np.array([8]))
    with pytest.raises(RelayError, match="F026"):
        relay.load(model([top], {"x": [2, 7]}, ["v", "i"], weights={"k": np.array([-1])}))


SEQUENCE = node("SequenceConstruct", ["x", "y", "x"], ["q"])
PLACES = {
    "SequenceAt": [node("SequenceAt", ["q", "p"], ["z"])],
    "SequenceErase": [
        node("SequenceErase", ["q", "p"], ["r"]),
        node("ConcatFromSequence", ["r"], ["z"], axis=0),
    ],
    "SequenceInsert": [
        node("Neg", ["y"], ["w"]),
        node("SequenceInsert", ["q", "w", "p"], ["r"]),
        node("ConcatFromSequence", ["r"], ["z"], axis=0),
    ],
}


@pytest.mark.parametrize("op", PLACES)
def test_places_of_a_sequence(op: str) -> None:
    built = model([SEQUENCE, *PLACES[op]], {"x": [2], "y": [2], "p": []}, ["z"], types={"p": INT64})
    run, x, y = compiled(built), np.array([1, 2], "f"), np.array([3, 4], "f")
    last = 3 if op == "SequenceInsert" else 2
    for place in (0, 1, last, -1, -3):
        agree(run, built, x, y, np.array(place))
    for place in (last + 1, -4, 2**40):
        refuse(run, built, "R056.*index .* is out of range", x, y, np.array(place))
    known = {"p": np.array(7)}
    with pytest.raises(RelayError, match=r"F026.*position 7"):
        relay.load(model([SEQUENCE, *PLACES[op]], {"x": [2], "y": [2]}, ["z"], weights=known))


@pytest.mark.parametrize("name", ["Affine", "ScaledTanh", "Elu", "LeakyRelu", "HardSigmoid"])
def test_activations_without_parameters(name: str) -> None:
    draw = np.random.default_rng(0)
    weights = {key: draw.normal(size=(1, 4, n)).astype("f") for key, n in (("W", 3), ("R", 4))}
    layer = node("RNN", ["x", "W", "R"], ["y"], hidden_size=4, activations=[name])
    built = model([layer], {"x": [3, 2, 3]}, ["y"], weights=weights, opset=14)
    agree(compiled(built), built, draw.normal(size=(3, 2, 3)).astype("f"))


def test_names_of_which_one_may_be_1() -> None:
    built = model(
        [node("Add", ["x", "w"], ["a"]), node("MatMul", ["a", "m"], ["y"])],
        {"x": ["n", 3], "w": ["k", 3], "m": ["three", "wide"]},
        ["y"],
    )
    run, rows = compiled(built), np.arange(12, dtype="f").reshape(4, 3)
    for a, b in ((4, 1), (1, 4), (4, 4)):
        agree(run, built, rows[:a], rows[:b], rows[:3])
    refuse(run, built, "R054", rows[:3], rows[:2], rows[:3])


def test_names_of_which_one_may_be_1_in_a_loop() -> None:
    body = helper.make_graph(
        [node("Mul", ["v", "x"], ["w"]), node("Identity", ["c"], ["d"])],
        "body",
        [info("i", INT64, []), info("c", TensorProto.BOOL, []), info("v")],
        [info("d", TensorProto.BOOL, []), info("w")],
    )
    loop = node("Loop", ["count", "", "first"], ["y"], body=body)
    shapes: dict[str, list[Any]] = {"count": [], "x": ["n"], "first": ["p"]}
    built = model([loop], shapes, ["y"], types={"count": INT64})
    run, x = compiled(built), np.array([1, 2, 0.5, 3], "f")
    for size, steps in ((4, 3), (1, 2), (1, 0)):
        agree(run, built, np.array(steps), x, x[-size:])
    refuse(run, built, "R054", np.array(1), x, x[:3])


def test_sequences_and_options_as_python_has_them() -> None:
    tensor = helper.make_tensor_type_proto(TensorProto.FLOAT, [None])
    sequence = helper.make_sequence_type_proto(tensor)
    option = helper.make_optional_type_proto(tensor)
    nodes = [
        node("SequenceInsert", ["q", "x"], ["r"]),
        node("OptionalHasElement", ["o"], ["has"]),
    ]
    graph = helper.make_graph(
        nodes,
        "graph",
        [helper.make_value_info("q", sequence), info("x"), helper.make_value_info("o", option)],
        [helper.make_value_info("r", sequence), info("has", TensorProto.BOOL, [])],
    )
    graph.input[1].type.tensor_type.shape.dim.add().dim_param = "n"
    built = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    run, x = compiled(built), np.arange(3, dtype="f")
    for given, content in (([x, x[:1]], x), ([], None)):
        wanted = runtime(built, given, x, content)
        found, has = run(given, x, content)
        close(found.plain(), wanted[0])
        assert has == wanted[1]
