"""Values that loops read and that may trap are computed before them, once."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import relay
from relay.ir.expr import Call, Constant, Function
from relay.ir.walk import post_order
from relay.ops.tensor.gather import Take
from tests.frontend.models import model
from tests.frontend.test_control import INT, check
from tests.frontend.test_recurrent import info

pytestmark = pytest.mark.onnx
node = helper.make_node
TABLE = np.random.default_rng(0).normal(size=(7, 3)).astype("f")
LOOKED_UP = node("Gather", ["table", "index"], ["rows"])
WEIGHTS = {
    "table": TABLE,
    "w": TABLE[None, :4],
    "r": TABLE[None, :4, :1],
    "trips": np.array(4),
    "zero": np.array(0),
}


def _loop() -> onnx.GraphProto:
    nodes = [
        node("Gather", ["rows", "i"], ["row"]),
        node("Add", ["v", "row"], ["t"]),
        node("Tanh", ["t"], ["u"]),
        node("Identity", ["c"], ["d"]),
    ]
    inputs = [info("i", INT, []), info("c", TensorProto.BOOL, []), info("v")]
    return helper.make_graph(nodes, "body", inputs, [info("d", TensorProto.BOOL, []), info("u")])


def _scan() -> onnx.GraphProto:
    nodes = [node("Add", ["v", "row"], ["t"]), node("Tanh", ["t"], ["u"])]
    return helper.make_graph(nodes, "body", [info("v"), info("row")], [info("u")])


def _lstm() -> onnx.NodeProto:
    return node("LSTM", ["x", "w", "r"], ["", "y"], hidden_size=1)


REPEATED = {
    "what the body of a Loop takes from outside": [
        LOOKED_UP,
        node("Gather", ["table", "zero"], ["first"]),
        node("Loop", ["trips", "", "first"], ["y"], body=_loop()),
    ],
    "what a Scan reads": [
        LOOKED_UP,
        node("Gather", ["table", "zero"], ["first"]),
        node("Scan", ["first", "rows"], ["y"], body=_scan(), num_scan_inputs=1),
    ],
    "the inputs of a recurrent layer": [
        LOOKED_UP,
        node("Unsqueeze", ["rows", "axis"], ["x"]),
        _lstm(),
    ],
}


@pytest.mark.parametrize("length", [4, "n"])
@pytest.mark.parametrize("name", REPEATED)
def test_no_step_looks_all_rows_up(name: str, length: int | str):
    nodes = REPEATED[name]
    weights = {**WEIGHTS, "axis": np.array([1])}
    built = model(nodes, {"index": [length]}, ["y"], weights=weights, types={"index": INT})
    check(built, np.array([5, 0, 6, 2]))
    main = relay.load(built).main
    steps = [each for each in post_order(main.body) if isinstance(each, Function)]
    assert steps
    looked_up = [e for step in steps for e in post_order(step) if isinstance(e, Call)]
    tables = [e for e in looked_up if isinstance(e.op, Take) and isinstance(e.args[0], Constant)]
    assert not tables


@pytest.mark.parametrize("trips", [0, 2, 4])
def test_an_index_that_does_not_fit_traps_where_a_step_needs_it(trips: int):
    nodes = REPEATED["what the body of a Loop takes from outside"]
    weights = {**WEIGHTS, "trips": np.array(trips)}
    built = model(nodes, {"index": [4]}, ["y"], weights=weights, types={"index": INT})
    run = relay.compile(relay.load(built), threads=1)
    outside = np.array([5, 0, 7, 2])
    if trips <= 2:  # no step reads that row
        run(outside)
        return
    with pytest.raises(relay.RelayError) as caught:
        run(outside)
    assert caught.value.code == "R056"
