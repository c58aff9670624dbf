"""Recurrent layers and loops against ONNX Runtime, as programs and compiled."""

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

import relay
from relay.support.errors import RelayError
from tests.frontend import backend
from tests.frontend.models import model

pytestmark = pytest.mark.onnx
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def runtime(given_: onnx.ModelProto, *inputs: Any) -> list[Any]:
    """Return what ONNX Runtime computes."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(given_.SerializeToString(), options)
    feeds = {i.name: x for i, x in zip(session.get_inputs(), inputs, strict=True)}
    return list(session.run(None, feeds))


def close(found: Any, expected: Any) -> None:
    for actual, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(actual, wanted, rtol=1e-4, atol=1e-5, strict=True)


def layer(
    draw: np.random.Generator,
    op: str,
    sizes: tuple[int | str, int, int, int],
    direction: str,
    present: set[str],
    **attributes: Any,
) -> onnx.ModelProto:
    """Return a model of one layer; `present` names its optional inputs."""
    time, batch, width, hidden = sizes
    dirs, gates = (2 if direction == "bidirectional" else 1), GATES[op]
    shapes: dict[str, tuple[int, ...]] = {
        "W": (dirs, gates * hidden, width),
        "R": (dirs, gates * hidden, hidden),
        "B": (dirs, 2 * gates * hidden),
        "h": (dirs, batch, hidden),
        "c": (dirs, batch, hidden),
        "P": (dirs, 3 * hidden),
    }
    weights = {name: draw.normal(size=shape).astype("f") for name, shape in shapes.items()}
    weights["lengths"] = draw.integers(1, 4, size=batch).astype(np.int32)
    names = ["x", "W", "R", "B", "lengths", "h"] + (["c", "P"] if op == "LSTM" else [])
    chosen = [n if n in {"x", "W", "R"} | present else "" for n in names]
    outputs = ["Y", "Yh", "Yc"][: 3 if op == "LSTM" else 2]
    node = helper.make_node(
        op, chosen, outputs, hidden_size=hidden, direction=direction, **attributes
    )
    used = {name: weights[name] for name in chosen if name in weights}
    return model([node], {"x": [time, batch, width]}, outputs, weights=used, opset=14)


@given(
    op=st.sampled_from(sorted(GATES)),
    sizes=st.tuples(st.integers(3, 5), *[st.integers(1, 4)] * 3),
    direction=st.sampled_from(["forward", "reverse", "bidirectional"]),
    present=st.sets(st.sampled_from(["B", "lengths", "h", "c", "P"])),
    late=st.booleans(),
    clip=st.sampled_from([None, 0.3]),
    seed=st.integers(0, 99),
)
def test_a_layer(
    op: str,
    sizes: tuple[int, int, int, int],
    direction: str,
    present: set[str],
    late: bool,
    clip: float | None,
    seed: int,
) -> None:
    draw = np.random.default_rng(seed)
    extra: dict[str, Any] = {} if clip is None else {"clip": clip}
    if op == "GRU":
        extra["linear_before_reset"] = int(late)
    built = layer(draw, op, sizes, direction, present, **extra)
    x = draw.normal(size=sizes[:3]).astype("f")
    close(backend.run(built, [x]), runtime(built, x))


@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("op", GATES)
def test_a_sequence_without_a_step_ends_with_zeros(op: str, direction: str) -> None:
    draw = np.random.default_rng(0)
    built = layer(draw, op, (4, 3, 2, 3), direction, {"lengths", "h", "c"})
    lengths = next(each for each in built.graph.initializer if each.name == "lengths")
    lengths.CopyFrom(numpy_helper.from_array(np.array([0, 2, 4], np.int32), "lengths"))
    x = draw.normal(size=(4, 3, 2)).astype("f")
    close(backend.run(built, [x]), runtime(built, x))


def test_compiled_for_any_length() -> None:
    draw = np.random.default_rng(0)
    built = layer(draw, "LSTM", ("time", 1, 4, 8), "bidirectional", {"B"})
    run = relay.compile(relay.load(built), threads=1)
    for time in (1, 7):
        x = draw.normal(size=(time, 1, 4)).astype("f")
        close(run(x), runtime(built, x))


def test_a_thousand_steps_share_their_kernels() -> None:
    draw = np.random.default_rng(0)
    built = layer(draw, "GRU", (1000, 1, 4, 8), "forward", {"B"})
    run = relay.compile(relay.load(built), threads=1)
    x = draw.normal(size=(1000, 1, 4)).astype("f")
    close(run(x), runtime(built, x))


def info(
    name: str, kind: int = TensorProto.FLOAT, shape: list[int] | None = None
) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, shape)


def looped(trips: int) -> onnx.ModelProto:
    """Return a loop that adds its step's number, and collects the totals."""
    body = helper.make_graph(
        [
            helper.make_node("Cast", ["i"], ["f"], to=TensorProto.FLOAT),
            helper.make_node("Add", ["v", "f"], ["w"]),
            helper.make_node("Mul", ["w", "x"], ["s"]),
            helper.make_node("Identity", ["c"], ["d"]),
        ],
        "body",
        [info("i", TensorProto.INT64, []), info("c", TensorProto.BOOL, []), info("v")],
        [info("d", TensorProto.BOOL, []), info("w"), info("s")],
    )
    node = helper.make_node("Loop", ["n", "", "x"], ["last", "all"], body=body)
    weights = {"n": np.array(trips)}
    return model([node], {"x": [2]}, ["last", "all"], weights=weights, opset=17)


@pytest.mark.parametrize("trips", [1, 2, 40])
def test_a_counted_loop(trips: int) -> None:
    x = np.array([1.5, -2], "f")
    built = looped(trips)
    expected = runtime(built, x)
    close(backend.run(built, [x]), expected)
    close(relay.compile(relay.load(built), threads=1)(x), expected)


def test_a_loop_without_steps() -> None:
    last, every = backend.run(looped(0), [np.array([1.5, -2], "f")])
    assert last.tolist() == [1.5, -2]
    assert every.shape == (0, 2)


def test_a_condition_on_shapes_is_decided_when_they_are_known() -> None:
    def branch(op: str) -> onnx.GraphProto:
        return helper.make_graph([helper.make_node(op, ["x"], ["z"])], op, [], [info("z")])

    nodes = [
        helper.make_node("Size", ["x"], ["size"]),
        helper.make_node("Less", ["size", "four"], ["small"]),
        helper.make_node(
            "If", ["small"], ["y"], then_branch=branch("Neg"), else_branch=branch("Relu")
        ),
    ]
    built = model(nodes, {"x": ["n"]}, ["y"], weights={"four": np.array(4)})
    run = relay.compile(relay.load(built), threads=1)
    for size in (3, 5):
        x = np.linspace(-1, 1, size).astype("f")
        close([run(x)], runtime(built, x))


def test_a_condition_on_data() -> None:
    def branch(op: str) -> onnx.GraphProto:
        return helper.make_graph([helper.make_node(op, ["x"], ["z"])], op, [], [info("z")])

    node = helper.make_node(
        "If", ["c"], ["y"], then_branch=branch("Neg"), else_branch=branch("Abs")
    )
    built = model([node], {"x": [2], "c": []}, ["y"], types={"c": TensorProto.BOOL})
    x = np.array([1.5, -2], "f")
    for c in (True, False):
        expected = runtime(built, x, np.array(c))
        close(backend.run(built, [x, np.array(c)]), expected)
        close([relay.compile(relay.load(built))(x, np.array(c))], expected)


def test_a_branch_that_does_not_fit_stops_the_program_when_it_is_taken() -> None:
    """ONNX Runtime finds out when it gets there, too."""
    fits = helper.make_graph([helper.make_node("Neg", ["x"], ["z"])], "fits", [], [info("z")])
    product = helper.make_node("MatMul", ["x", "w"], ["p"])
    total = helper.make_node("Add", ["p", "x"], ["z"])
    other = helper.make_graph([product, total], "other", [], [info("z")])
    node = helper.make_node("If", ["c"], ["y"], then_branch=fits, else_branch=other)
    weights = {"w": np.ones((3, 4), "f")}
    kinds = {"c": TensorProto.BOOL}
    built = model([node], {"x": [2, 2], "c": []}, ["y"], types=kinds, weights=weights)
    run = relay.compile(relay.load(built))
    x = np.ones((2, 2), "f")
    close([run(x, np.array(True))], [-x])
    with pytest.raises(RelayError, match="an assertion of the program failed") as caught:
        run(x, np.array(False))
    assert "a branch that has a type error" in str(caught.value)


def dropping(kept: str) -> list[onnx.NodeProto]:
    """Return what drops the first axis where its size is 1, and goes on with both ranks."""
    drop = helper.make_graph(
        [helper.make_node("Squeeze", ["x", "zero"], ["z"])], "drop", [], [info("z")]
    )
    keep = helper.make_graph([helper.make_node("Identity", ["x"], ["k"])], "keep", [], [info("k")])
    return [
        helper.make_node("Shape", ["x"], ["shape"]),
        helper.make_node("Gather", ["shape", "zero"], ["size"]),
        helper.make_node("Equal", ["size", "one"], ["is_one"]),
        helper.make_node("If", ["is_one"], ["d"], then_branch=drop, else_branch=keep),
        helper.make_node("Exp", ["d"], ["e"]),
        helper.make_node(kept, ["e"], ["y"], keepdims=0),
    ]


WEIGHTS = {"zero": np.array([0]), "one": np.array([1])}


def test_a_rank_that_depends_on_a_size() -> None:
    built = model(dropping("ReduceMax"), {"x": ["n", 3]}, ["y"], weights=WEIGHTS)
    module = relay.load(built)
    assert module.main.params[0].tensor_type.shape[1:] == (3,)
    run = relay.compile(module, threads=1)
    for size in (1, 4, 1, 2):
        x = np.linspace(-1, 1, 3 * size).astype("f").reshape(size, 3)
        close([run(x)], runtime(built, x))


def test_a_branch_that_only_other_sizes_fit() -> None:
    """With one row its result is added to a vector of three, with more to one of the rows."""
    nodes = dropping("ReduceMax")[:4]
    rank = [
        helper.make_node("Shape", ["d"], ["s"]),
        helper.make_node("Size", ["s"], ["rank"]),
        helper.make_node("Equal", ["rank", "one"], ["flat"]),
    ]
    sides = {"then": "v", "else": "w"}
    branches: dict[str, Any] = {
        f"{side}_branch": helper.make_graph(
            [
                helper.make_node("MatMul", ["d", matrix], [side]),
                helper.make_node("ReduceSum", [side], [f"{side}_y"], keepdims=0),
            ],
            side,
            [],
            [info(f"{side}_y")],
        )
        for side, matrix in sides.items()
    }
    last = helper.make_node("If", ["flat"], ["y"], **branches)
    draw = np.random.default_rng(0)
    matrices = {name: draw.normal(size=(3, 5)).astype("f") for name in sides.values()}
    built = model(
        [*nodes, *rank, last], {"x": ["n", 3]}, ["y"], weights={**WEIGHTS, **matrices}, opset=13
    )
    run = relay.compile(relay.load(built), threads=1)
    for size in (1, 4):
        x = draw.normal(size=(size, 3)).astype("f")
        close([run(x)], runtime(built, x))


def test_names_of_one_size() -> None:
    """Exporters name the same size differently at every input."""
    node = helper.make_node("Add", ["x", "y"], ["z"])
    for a, b in (("batch_x", "batch_y"), (None, None), ("a b", "a.b")):
        built = model([node], {"x": [a, 2], "y": [b, 2]}, ["z"])
        run = relay.compile(relay.load(built), threads=1)
        x = np.ones((3, 2), "f")
        close([run(x, x)], [x + x])


def test_constants_of_tensors() -> None:
    value = numpy_helper.from_array(np.array([1, 2], "f"))
    node = helper.make_node("Constant", [], ["k"], value=value)
    built = model([node, helper.make_node("Add", ["x", "k"], ["y"])], {"x": [2]}, ["y"])
    close(backend.run(built, [np.zeros(2, "f")]), [np.array([1, 2], "f")])
