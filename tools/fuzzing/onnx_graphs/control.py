"""Rules of control flow: branches that read values around them, and loops."""

import numpy as np
from onnx import GraphProto, TensorProto, helper

from tools.fuzzing.onnx_graphs.grower import Grower, Node, Value


def branch(grower: Grower) -> Node:
    """Add an `If` that chooses between two functions of a value by a computed condition."""
    x = grower.pick(lambda v: v.array.dtype == np.float32)
    condition = grower.pick(lambda v: v.is_bool and v.shape == ())
    place = len(grower.nodes)
    ops = grower.random.sample(["Relu", "Tanh", "Neg", "Sigmoid", "Identity"], 2)
    graphs = [_function(op, x, f"b{place}_{side}") for side, op in enumerate(ops)]
    attributes = {"then_branch": graphs[0], "else_branch": graphs[1]}
    return Node("If", [condition], attributes, captured=[x])


def _function(op: str, x: Value, name: str) -> GraphProto:
    node = helper.make_node(op, [x.name], [name])
    return helper.make_graph([node], name, [], [helper.make_empty_tensor_value_info(name)])


def loop(grower: Grower) -> Node:
    """Add a `Loop` that updates a value in each iteration, and collects its values."""
    x = grower.pick(lambda v: v.array.dtype == np.float32 and v.array.size < 300)
    # Without a round, the sizes of what is collected are open; ONNX Runtime's are all zero.
    rounds = np.array(grower.random.randint(1, 4), np.int64)
    place = f"l{len(grower.nodes)}"
    names = {word: f"{place}_{word}" for word in ("i", "go", "x", "on", "y", "z")}
    nodes = [
        helper.make_node("Identity", [names["go"]], [names["on"]]),
        helper.make_node(grower.random.choice(["Tanh", "Neg", "Sin"]), [names["x"]], [names["y"]]),
        helper.make_node("Identity", [names["y"]], [names["z"]]),
    ]
    inputs = [
        helper.make_tensor_value_info(names["i"], TensorProto.INT64, []),
        helper.make_tensor_value_info(names["go"], TensorProto.BOOL, []),
        helper.make_tensor_value_info(names["x"], TensorProto.FLOAT, [None] * x.rank),
    ]
    outputs = [
        helper.make_tensor_value_info(names["on"], TensorProto.BOOL, []),
        helper.make_tensor_value_info(names["y"], TensorProto.FLOAT, [None] * x.rank),
        helper.make_tensor_value_info(names["z"], TensorProto.FLOAT, [None] * x.rank),
    ]
    body = helper.make_graph(nodes, place, inputs, outputs)
    return Node("Loop", [rounds, np.array(True), x], {"body": body}, results=2)


RULES = (branch, loop)
