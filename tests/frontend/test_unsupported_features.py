"""What a model may ask for and Relay does not do is said with a code, at the node."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from relay.frontend.load import load
from relay.support.errors import RelayError
from tests.frontend.models import Shape, model

EMPTY = numpy_helper.from_array(np.array(["text"], object), "value")


@pytest.mark.parametrize(
    ("node", "shape", "code"),
    [
        (helper.make_node("Constant", [], ["y"], value_string="text"), [2], "F033"),
        (helper.make_node("Resize", ["x", "", "s"], ["y"], antialias=1, mode="linear"),
         [1, 1, "n", 4], "F032"),
        (helper.make_node("Resize", ["x", "", "s"], ["y"],
                          coordinate_transformation_mode="polar"), [1, 1, 4, 4], "F038"),
        (helper.make_node("Split", ["x"], ["y", "z"], axis=0), ["n"], ""),
        (helper.make_node("ReduceMax", ["x"], ["y"], keepdims="yes"), [1], "F024"),
        (helper.make_node("Flatten", ["x"], ["y"], axis=9), [1, 2], ""),
        (helper.make_node("DepthToSpace", ["x"], ["y"], blocksize=0), [1, 4, 2, 2], "T104"),
        (helper.make_node("Split", ["x"], ["y"], axis=3), [4], "T103"),
    ],
)  # fmt: skip
def test_a_feature(node: onnx.NodeProto, shape: Shape, code: str) -> None:
    weights = {"p": np.array([1, 1]), "s": np.array([1, 1, 0.5, 0.5], "f")}
    broken = model([node], {"x": shape}, ["y"], weights=weights, opset=18)
    if not code:
        assert load(broken)
        return
    with pytest.raises(RelayError) as caught:
        load(broken)
    assert caught.value.code == code
    assert "node" in str(caught.value.span)


@pytest.mark.parametrize("roi", ["float[8] roi", "float[8] roi = {0,0,0,0,1,1,1,1}"])
def test_a_region_that_is_smoothed(roi: str) -> None:
    sizes = "int64[4] n = {1,1,2,2}"
    stored, given = (f"<{roi}, {sizes}>", "") if "=" in roi else (f"<{sizes}>", f", {roi}")
    crop = 'antialias=1, coordinate_transformation_mode="tf_crop_and_resize"'
    text = f"""<ir_version: 9, opset_import: ["" : 21]>
        g (float[1,1,4,4] x{given}) => (y) {stored}
        {{ y = Resize<mode="MODE", {crop}>(x,roi,,n) }}"""
    assert load(onnx.parser.parse_model(text.replace("MODE", "nearest")))  # which reads one pixel
    with pytest.raises(RelayError, match="together with a region of interest") as caught:
        load(onnx.parser.parse_model(text.replace("MODE", "linear")))
    assert caught.value.code == "F030"


def test_an_unknown_activation() -> None:
    weights = {"w": np.zeros((1, 3, 2), "f"), "r": np.zeros((1, 3, 3), "f")}
    node = helper.make_node("RNN", ["x", "w", "r"], ["y"], hidden_size=3, activations=["Sine"])
    with pytest.raises(RelayError) as caught:
        load(model([node], {"x": [4, 1, 2]}, ["y"], weights=weights))
    assert caught.value.code == "F040"


def branch(op: str, inputs: list[str]) -> onnx.GraphProto:
    info = helper.make_tensor_value_info("out", TensorProto.FLOAT, None)
    return helper.make_graph([helper.make_node(op, inputs, ["out"])], op, [], [info])


def test_branches_of_different_ranks() -> None:
    then, other = branch("Relu", ["x"]), branch("Flatten", ["x"])
    node = helper.make_node("If", ["c"], ["y"], then_branch=then, else_branch=other)
    inputs: dict[str, Shape] = {"x": [2, 3, 1], "c": []}
    broken = model([node], inputs, ["y"], types={"c": TensorProto.BOOL})
    with pytest.raises(RelayError) as caught:
        load(broken)
    assert caught.value.code == "F041"


def test_a_loop_that_changes_the_rank() -> None:
    values = [
        helper.make_tensor_value_info(name, kind, None)
        for name, kind in (("i", TensorProto.INT64), ("c", TensorProto.BOOL), ("v", 1))
    ]
    outputs = [values[1], helper.make_tensor_value_info("w", TensorProto.FLOAT, None)]
    step = helper.make_node("Unsqueeze", ["v", "axis"], ["w"])
    body = helper.make_graph([step], "body", values, outputs)
    node = helper.make_node("Loop", ["n", "", "x"], ["y"], body=body)
    broken = model(
        [node], {"x": [2], "n": []}, ["y"], types={"n": 7}, weights={"axis": np.array([0])}
    )
    with pytest.raises(RelayError) as caught:
        load(broken)
    assert caught.value.code == "F042"
    assert "the loop variable 'v'" in caught.value.message
    assert "number of iterations a constant" in str(caught.value.help)


def test_a_sequence_of_different_ranks() -> None:
    build = helper.make_node("SequenceConstruct", ["x", "s"], ["t"])
    take = helper.make_node("SequenceAt", ["t", "n"], ["y"])
    broken = model([build, take], {"x": [2], "s": [], "n": []}, ["y"], types={"n": 7})
    with pytest.raises(RelayError) as caught:
        load(broken)
    assert caught.value.code == "F044"


def test_a_tuple_where_a_tensor_is_needed() -> None:
    from relay.frontend.onnx.node import OnnxNode
    from relay.frontend.onnx.value import OnnxValue
    from relay.ir.expr import Tuple
    from relay.support.span import Source, Span

    proto = helper.make_node("Relu", ["x"], ["y"])
    span = Span(Source("test"))
    node = OnnxNode(proto, [OnnxValue(Tuple(()))], 17, span, lambda _, __: [])
    with pytest.raises(RelayError) as caught:
        node.type(0)
    assert caught.value.code == "F021"
