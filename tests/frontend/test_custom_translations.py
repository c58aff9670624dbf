"""Translations of users compute with `relay.numpy`; the error of a failing one has its line."""

import json
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import pytest

import relay
from relay.frontend.builders.translation_registry import registering
from relay.frontend.custom_translations import OwnTranslations
from relay.frontend.mxnet import registry as mxnet_registry
from relay.frontend.mxnet.registry import mxnet_operator
from relay.frontend.onnx import registry as onnx_registry
from relay.frontend.onnx.registry import onnx_operator
from relay.semantics.evaluate import evaluate
from relay.support.errors import RelayError

GRAPH = json.dumps(
    {
        "nodes": [
            {"op": "null", "name": "x", "inputs": []},
            {"op": "Bent", "name": "y", "inputs": [[0, 0, 0]]},
        ],
        "heads": [[1, 0, 0]],
    }
)


def imported(bent: Callable[..., Any]) -> Any:
    own = {"Bent": bent}
    return relay.frontend.from_nnvm(GRAPH, {"x": (3,)}, custom_convert_map=own)[0]


def test_a_translation_that_is_not_used():
    own = {"Bent": lambda inputs, _: inputs[0], "bent": failing, "Benz": failing}
    with pytest.warns(UserWarning, match=r"U326.* no operator Benz, bent.*\n.*: Bent") as caught:
        relay.frontend.from_nnvm(GRAPH, {"x": (3,)}, custom_convert_map=own)
    assert len(caught) == 1


@pytest.mark.parametrize("as_list", [False, True])
def test_a_translation_of_numpy(as_list: bool):
    def bent(inputs, _):
        x = inputs[0]
        found = relay.numpy.where(x > 0, x, relay.numpy.expm1(x))
        return [found] if as_list else found

    x = np.array([-1, 0, 2], np.float32)
    wanted = np.where(x > 0, x, np.expm1(x))
    np.testing.assert_allclose(np.asarray(evaluate(imported(bent), x)), wanted, rtol=1e-6)


FAILING = {
    "NumPy itself": (lambda inputs, _: np.tanh(inputs[0]), "raised TypeError"),
    "no such attribute": (lambda _, attributes: attributes["most"], "raised KeyError"),
    "nothing": (lambda *_: None, "returned NoneType"),
    "an array": (lambda *_: np.ones(3), "returned ndarray"),
    "another number of arguments": (lambda _: None, "raised TypeError"),
}


@pytest.mark.parametrize("name", FAILING)
def test_a_translation_that_fails(name: str):
    bent, problem = FAILING[name]
    with pytest.raises(relay.RelayError, match=problem) as caught:
        imported(bent)
    assert caught.value.code == "F057"
    assert "relay.numpy" in (caught.value.help or "")
    assert bool(caught.value.notes) == (name in {"NumPy itself", "no such attribute"})


def test_an_error_of_relay_in_a_translation_is_the_error():
    with pytest.raises(relay.RelayError, match="T101") as caught:
        imported(lambda inputs, _: inputs[0] + relay.const(np.ones(4, np.float32)))
    assert f"in your function, at {__file__}:" in caught.value.notes[-1]


def test_the_help_names_the_function_of_the_format():
    with pytest.raises(relay.RelayError, match="F010") as caught:
        relay.frontend.from_nnvm(GRAPH, {"x": (3,)})
    assert 'from_nnvm(graph, shape, custom_convert_map={"Bent": f})' in (caught.value.help or "")


def failing(_: object) -> Any:
    raise LookupError("no table for this node")  # the line of the error


def error_of(action: Callable[[], object]) -> relay.RelayError:
    with pytest.raises(relay.RelayError, match="raised LookupError: no table") as caught:
        action()
    return caught.value


def load_onnx(translation: Any) -> None:
    node = onnx.helper.make_node("Failing", ["x"], ["y"], domain="me")
    x, y = (onnx.helper.make_tensor_value_info(name, 1, [2]) for name in "xy")
    model = onnx.helper.make_model(onnx.helper.make_graph([node], "g", [x], [y]))
    onnx_operator("Failing", domain="me")(translation)
    try:
        relay.load(model)
    finally:
        del onnx_registry.TRANSLATIONS["me", "Failing"]


def graph_error() -> relay.RelayError:
    mxnet_operator("Bent")(failing)
    try:
        return error_of(lambda: relay.frontend.from_mxnet(GRAPH, {"x": (3,)}))
    finally:
        del mxnet_registry.TRANSLATIONS["Bent"]


ROADS = {
    "registered for ONNX": lambda: error_of(lambda: load_onnx(failing)),
    "registered for MXNet": graph_error,
    "passed": lambda: error_of(lambda: imported(lambda *_: failing(_))),
}


@pytest.mark.parametrize("road", ROADS)
def test_the_exception_of_a_translation_is_the_cause_of_the_error(road: str):
    error = ROADS[road]()
    assert error.code == "F057"
    assert isinstance(error.__cause__, LookupError)
    lines = "".join(traceback.format_exception(error))
    assert 'raise LookupError("no table for this node")  # the line of the error' in lines
    (note,) = error.notes
    assert f"at {__file__}:" in note
    assert ": raise LookupError(" in note or "failing(_)" in note
    assert error.span is not None


def test_a_registered_translation_that_returns_nothing():
    table: dict[str, Any] = {}
    registering(table, "Silent")(lambda _: None)
    with pytest.raises(relay.RelayError, match=r"F057.*returned None") as caught:
        table["Silent"](object())
    assert caught.value.code == "F057"


def test_a_registered_translation_can_be_replaced_but_not_one_of_relay():
    table: dict[str, Callable[..., Any]] = {"Abs": mxnet_operator}
    registering(table, "Bent")(lambda _: 1)
    registering(table, "Bent")(lambda _: 2)
    assert table["Bent"](None) == 2
    with pytest.raises(relay.RelayError, match=r"F057.*is for 'Abs', which Relay translates"):
        registering(table, "Abs")(lambda _: 3)


def test_translations_and_shapes_have_names():
    unnamed: Any = [("x", (2, 3))]
    with pytest.raises(RelayError, match="F057"):
        OwnTranslations(unnamed, lambda each: each)
    with pytest.raises(RelayError, match="F019"):
        relay.load("model.onnx", shapes=unnamed)


@pytest.mark.parametrize(
    ("code", "ask"),
    [("F020", lambda node: node.expr(3)), ("F023", lambda node: node.required("alpha"))],
)
def test_a_translation_that_asks_for_what_a_node_lacks(code: str, ask: Any):
    with pytest.raises(relay.RelayError, match=code) as caught:
        load_onnx(ask)
    assert "correct your function" in (caught.value.help or "")
