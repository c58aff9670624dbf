"""Branches, loops and scans whose sizes data decide, against ONNX Runtime, compiled."""

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import relay
from relay.support.errors import RelayError
from tests.frontend import backend
from tests.frontend.models import model
from tests.frontend.test_recurrent import close, info, layer, runtime

pytestmark = pytest.mark.onnx
INT, BOOL = TensorProto.INT64, TensorProto.BOOL
KINDS = {"n": INT, "c": BOOL}
X = np.array([1.5, -2], "f")
node = helper.make_node


def check(built: onnx.ModelProto, *inputs: Any) -> None:
    """Compare the compiled model with ONNX Runtime."""
    found = relay.compile(relay.load(built), threads=1)(*inputs)
    close(found if isinstance(found, tuple) else (found,), runtime(built, *inputs))


def body(nodes: list[onnx.NodeProto], *results: str) -> onnx.GraphProto:
    """Return the body of a loop: from `i`, `c` and `v` to a condition `d`, and results."""
    outputs = [info("d", BOOL, []), *map(info, results)]
    return helper.make_graph(
        nodes, "body", [info("i", INT, []), info("c", BOOL, []), info("v")], outputs
    )


COUNTING = body(
    [
        node("Cast", ["i"], ["f"], to=TensorProto.FLOAT),
        node("Add", ["v", "f"], ["w"]),
        node("Mul", ["w", "x"], ["s"]),
        node("Identity", ["c"], ["d"]),
    ],
    "w",
    "s",
)
SEARCHING = body(
    [
        node("Add", ["v", "x"], ["w"]),
        node("ReduceSum", ["w"], ["s"], keepdims=0),
        node("Less", ["s", "limit"], ["d"]),
        node("Identity", ["w"], ["o"]),
    ],
    "w",
    "o",
)
GROWING = body([node("Concat", ["v", "x"], ["w"], axis=0), node("Identity", ["c"], ["d"])], "w")


@pytest.mark.parametrize("trips", [1, 5])
def test_a_loop_whose_length_is_an_input(trips: int) -> None:
    loop = node("Loop", ["n", "", "x"], ["last", "all"], body=COUNTING)
    check(model([loop], {"x": [2], "n": []}, ["last", "all"], types=KINDS), X, np.array(trips))


def test_a_loop_that_makes_no_step_gives_no_rows() -> None:
    loop = node("Loop", ["n", "", "x"], ["last", "all"], body=COUNTING)
    built = model([loop], {"x": [2], "n": []}, ["last", "all"], types=KINDS)
    last, every = relay.compile(relay.load(built), threads=1)(X, np.array(0))
    np.testing.assert_array_equal(last, X)
    assert every.shape == (0, 2)


@pytest.mark.parametrize("most", [None, 3])
def test_a_loop_that_data_end(most: int | None) -> None:
    loop = node("Loop", ["" if most is None else "n", "go", "x"], ["last", "all"], body=SEARCHING)
    given = {"x": [2], "limit": [], **({} if most is None else {"n": []})}
    built = model(
        [loop], given, ["last", "all"], types=KINDS, weights={"go": np.array(True)}, opset=17
    )
    inputs = [np.array([1, 2], "f"), np.array(20, "f")]
    check(built, *inputs, *([] if most is None else [np.array(most)]))


def test_a_state_that_grows() -> None:
    loop = node("Loop", ["n", "", "x"], ["last"], body=GROWING)
    check(model([loop], {"x": [2], "n": []}, ["last"], types=KINDS), X, np.array(3))


RAISING = body(  # the rank grows in each iteration
    [
        node("Unsqueeze", ["v", "front"], ["w"]),
        node("ReduceSum", ["w"], ["s"], keepdims=0),
        node("Identity", ["c"], ["d"]),
    ],
    "w",
    "s",
)
SETTLING = body(  # a matrix before the first iteration, then a vector
    [
        node("Flatten", ["v"], ["rows"], axis=0),
        node("Reshape", ["rows", "flat"], ["vector"]),
        node("Add", ["vector", "one"], ["w"]),
        node("ReduceMax", ["w"], ["s"], keepdims=0),
        node("Less", ["s", "limit"], ["d"]),
    ],
    "w",
    "s",
)
EARLIER = {
    "front": np.array([0]),
    "flat": np.array([-1]),
    "one": np.array([1], "f"),
    "limit": np.array(9, "f"),
}


@pytest.mark.parametrize("trips", [0, 1, 3])
def test_a_loop_of_known_length_may_raise_the_rank(trips: int) -> None:
    nodes = [node("Loop", ["n", "", "x"], ["y", "rows"], body=RAISING)]
    weights = {"n": np.array(trips), "front": EARLIER["front"]}
    check(model(nodes, {"x": [2]}, ["y", "rows"], weights=weights), X)


@pytest.mark.parametrize("trips", [0, 1, 4, 20])
def test_a_loop_may_change_a_rank_in_its_first_iterations(trips: int) -> None:
    nodes = [
        node("Loop", ["n", "c", "x"], ["y", "maxima"], body=SETTLING),
        node("ReduceSum", ["y"], ["sum"], keepdims=0),
    ]
    built = model(
        nodes, {"x": [2, 1], "n": [], "c": []}, ["sum", "maxima"], weights=EARLIER, types=KINDS
    )
    for begins in (True, False):
        check(built, X[:, None], np.array(trips), np.array(begins))


@pytest.mark.parametrize("is_long", [True, False])
def test_branches_of_two_sizes(is_long: bool) -> None:
    longer = helper.make_graph([node("Concat", ["x", "x"], ["a"], axis=0)], "long", [], [info("a")])
    plain = helper.make_graph([node("Neg", ["x"], ["b"])], "short", [], [info("b")])
    choice = node("If", ["c"], ["y"], then_branch=longer, else_branch=plain)
    total = [node("Exp", ["y"], ["e"]), node("ReduceSum", ["e"], ["z"], keepdims=0)]
    built = model([choice, *total], {"x": [2], "c": []}, ["y", "z"], types=KINDS)
    check(built, X, np.array(is_long))


@pytest.mark.parametrize("axes", [(0, 0), (1, 0), (-1, 1)])
@pytest.mark.parametrize("directions", [(0, 0, 0), (1, 0, 1), (0, 1, 0)])
def test_a_scan(axes: tuple[int, int], directions: tuple[int, int, int]) -> None:
    """Two sequences of three elements, along axes of their own, some from the end."""
    step = helper.make_graph(
        [
            node("Mul", ["p", "q"], ["m"]),
            node("Add", ["s", "m"], ["t"]),
            node("Sub", ["t", "q"], ["o"]),
        ],
        "step",
        [info("s"), info("p"), info("q")],
        [info("t"), info("o")],
    )
    scan = node(
        "Scan",
        ["first", "x", "y"],
        ["last", "all"],
        body=step,
        num_scan_inputs=2,
        scan_input_axes=[axes[0], 0],
        scan_input_directions=directions[:2],
        scan_output_axes=[axes[1]],
        scan_output_directions=directions[2:],
    )
    draw = np.random.default_rng(0)
    x = np.moveaxis(draw.normal(size=(3, 2)).astype("f"), 0, axes[0]).copy()
    y = draw.normal(size=(3, 2)).astype("f")
    given = {"first": [2], "x": list(x.shape), "y": ["n", 2]}
    check(model([scan], given, ["last", "all"]), X, x, y)


def _summing_scan(counts: str, **given: list[int | str]) -> onnx.ModelProto:
    """Return a model that sums sequences, each of a batch, as opset 8 has it."""
    step = helper.make_graph(
        [node("Add", ["s", "p"], ["t"])], "step", [info("s"), info("p")], [info("t")]
    )
    scan = node("Scan", [counts, "first", "x"], ["last"], body=step, num_scan_inputs=1)
    return model([scan], given, ["last"], types={counts: INT} if counts else {}, opset=8)


def test_a_scan_over_sequences_of_different_lengths_is_refused() -> None:
    built = _summing_scan("lengths", lengths=[2], first=[2, 3], x=[2, 4, 3])
    with pytest.raises(RelayError, match=r"F043.*sequence_lens"):
        relay.load(built)


def test_a_scan_over_a_batch_of_open_size_says_so() -> None:
    built = _summing_scan("", first=["many", 3], x=["many", 4, 3])
    with pytest.raises(RelayError, match=r"F043.*batch size, many, must be known") as caught:
        relay.load(built)
    assert caught.value.help is not None
    assert "shapes={…}" in caught.value.help
    loaded = relay.load(built, shapes={"first": (2, 3), "x": (2, 4, 3)})
    x = np.ones((2, 4, 3), np.float32)
    np.testing.assert_array_equal(relay.compile(loaded)(x[:, 0], x), np.full((2, 3), 5))


@pytest.mark.parametrize("op", ["LSTM", "GRU", "RNN"])
def test_activations_with_parameters(op: str) -> None:
    """Both directions have their own; parameters are taken in order by those that have some."""
    chosen = {
        "LSTM": ["HardSigmoid", "Elu", "Tanh", "Sigmoid", "ScaledTanh", "Softsign"],
        "GRU": ["HardSigmoid", "LeakyRelu", "Sigmoid", "Softplus"],
        "RNN": ["Affine", "ThresholdedRelu"],
    }[op]
    alphas = {"LSTM": [0.3, 0.7, 0.9], "GRU": [0.3, 0.2], "RNN": [0.5, 0.4]}[op]
    betas = {"LSTM": [0.4, 0.6], "GRU": [0.4], "RNN": [0.1]}[op]
    extra: dict[str, Any] = {"input_forget": 1} if op == "LSTM" else {}
    draw = np.random.default_rng(1)
    built = layer(
        draw,
        op,
        (4, 2, 3, 5),
        "bidirectional",
        {"B"},
        activations=chosen,
        activation_alpha=alphas,
        activation_beta=betas,
        **extra,
    )
    x = draw.normal(size=(4, 2, 3)).astype("f")
    close(backend.run(built, [x]), runtime(built, x))


@pytest.mark.parametrize(
    ("begin", "end", "step"),
    [(5, 2, 1), (-8, -11, -1), (2, 4, -1), (4, -99, -1), (99, -99, -2), (-3, -5, 1), (7, 9, 1)],
)
def test_a_range_of_an_open_axis(begin: int, end: int, step: int) -> None:
    x = np.arange(24, dtype="f").reshape(6, 4)
    weights = {"s": [begin], "e": [end], "a": [0], "t": [step]}
    built = model(
        [node("Slice", ["x", "s", "e", "a", "t"], ["y"])],
        {"x": ["n", 4]},
        ["y"],
        weights={name: np.array(each) for name, each in weights.items()},
    )
    check(built, x)


def test_a_layer_norm_whose_scale_knows_the_size() -> None:
    norm = node("LayerNormalization", ["x", "g"], ["y"], axis=-1)
    built = model([norm], {"x": [2, "n"]}, ["y"], weights={"g": np.arange(5, dtype="f")})
    check(built, np.random.default_rng(0).normal(size=(2, 5)).astype("f"))


def test_a_result_by_the_name_of_an_input_is_a_name_given_twice() -> None:
    built = model([node("Neg", ["x"], ["y"]), node("Exp", ["y"], ["x"])], {"x": [2]}, ["x"])
    with pytest.raises(RelayError) as caught:
        relay.load(built)
    assert caught.value.code == "F012"
