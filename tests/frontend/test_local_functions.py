"""Functions that ONNX models define: default attributes, and opset versions of their own."""

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import AttributeProto, helper

import relay
from tests.frontend.models import model

pytestmark = pytest.mark.onnx
DATA = np.array([[-1, 2, 3], [0, -2, 1]], np.float32)


def leaky(version: int = 17) -> onnx.FunctionProto:
    """Return a function whose attribute `slope` has the default 0.3."""
    body = helper.make_node("LeakyRelu", ["a"], ["b"])
    body.attribute.add(name="alpha", ref_attr_name="slope", type=AttributeProto.FLOAT)
    opsets = [helper.make_opsetid("", version)]
    defaults = [helper.make_attribute("slope", 0.3)]
    return helper.make_function(
        "own", "leaky", ["a"], ["b"], [body], opsets, attribute_protos=defaults
    )


def calling(*functions: onnx.FunctionProto, **attributes: Any) -> onnx.ModelProto:
    """Return a model that calls the last function."""
    call = helper.make_node(functions[-1].name, ["x"], ["y"], domain="own", **attributes)
    made = model([call], {"x": DATA.shape}, ["y"])
    made.functions.extend(functions)
    return made


def check(made: onnx.ModelProto, slope: float) -> None:
    found = relay.compile(relay.load(made), threads=1)(DATA)
    np.testing.assert_allclose(found, np.where(DATA < 0, slope * DATA, DATA), rtol=1e-6)


def test_omitted_attributes_have_their_defaults() -> None:
    inner = helper.make_node("leaky", ["a"], ["b"], domain="own")
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    outer = helper.make_function("own", "outer", ["a"], ["b"], [inner], opsets)
    check(calling(leaky()), 0.3)
    check(calling(leaky(), slope=0.5), 0.5)
    check(calling(leaky(), outer), 0.3)


def passing(name: str, callee: str, **defaults: float) -> onnx.FunctionProto:
    """Return a function that calls another one with its own attribute `slope`."""
    call = helper.make_node(callee, ["a"], ["b"], domain="own")
    call.attribute.add(name="slope", ref_attr_name="slope", type=AttributeProto.FLOAT)
    return helper.make_function(
        *("own", name, ["a"], ["b"], [call]),
        [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)],
        attributes=[] if defaults else ["slope"],
        attribute_protos=[helper.make_attribute(*each) for each in defaults.items()],
    )


def test_defaults_apply_to_attributes_with_references_to_omitted_ones() -> None:
    check(calling(leaky(), passing("middle", "leaky"), passing("outer", "middle")), 0.3)
    check(calling(leaky(), passing("middle", "leaky"), passing("outer", "middle"), slope=0.5), 0.5)
    check(calling(leaky(), passing("middle", "leaky", slope=0.7), passing("outer", "middle")), 0.7)


def test_a_function_has_an_opset_version_of_its_own() -> None:
    softmax = helper.make_node("Softmax", ["a"], ["b"], axis=0)  # before opset 13, of the whole
    opsets = [helper.make_opsetid("", 11)]
    made = calling(helper.make_function("own", "f", ["a"], ["b"], [softmax], opsets))
    found = relay.compile(relay.load(made), threads=1)(DATA)
    np.testing.assert_allclose(found, np.exp(DATA) / np.exp(DATA).sum(), rtol=1e-6)
    with pytest.raises(relay.RelayError, match="the function leaky needs opset 99"):
        relay.load(calling(leaky(99)))


def test_an_operator_whose_definition_depends_on_an_unknown_rank_is_refused():
    node = helper.make_node("CausalConvWithState", ["x", "w"], ["y", "s"])
    data = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, None)
    result = helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)
    weight = helper.make_tensor("w", onnx.TensorProto.FLOAT, (4, 1, 3), np.ones(12))
    graph = helper.make_graph([node], "g", [data], [result], [weight])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 27)])
    with pytest.raises(relay.RelayError, match=r"CausalConvWithState \(node y, s\)") as caught:
        relay.load(model)
    assert caught.value.code == "F008"
    assert relay.load(model, shapes={"x": (2, 4, 5)})["main"].type.params[0].rank == 3
