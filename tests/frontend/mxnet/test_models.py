"""Networks of MXNet become Relay's operators, and give what MXNet 1.9.1 gives."""

from pathlib import Path

import numpy as np
import pytest

import relay
from relay.frontend.mxnet.all_translations import FAMILIES
from relay.frontend.mxnet.load import import_mxnet
from relay.frontend.mxnet.registry import TRANSLATIONS
from relay.ir.expr import Constant, Operator
from relay.ir.walk import post_order
from relay.semantics.evaluate import evaluate

HERE = Path(__file__).parent
SUFFIX = "-symbol.json"
NAMES = sorted(path.name.removesuffix(SUFFIX) for path in HERE.glob(f"*{SUFFIX}"))


def example(name: str):
    saved = np.load(HERE / f"{name}.npz")
    inputs = [saved[key] for key in sorted(saved.files) if key.startswith("input")]
    names = ["data", "data1", "data2"] if len(inputs) == 1 else ["data0", "data1", "data2"]
    shapes = {name: each.shape for name, each in zip(names, inputs, strict=False)}
    outputs = [saved[key] for key in sorted(saved.files) if key.startswith("output")]
    return inputs, shapes, outputs


def assert_agrees(found, wanted):
    found = found if isinstance(found, tuple) else (found,)
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_there_are_models():
    assert len(NAMES) == 5


@pytest.mark.parametrize("name", NAMES)
def test_a_network_means_what_mxnet_says(name):
    inputs, shapes, wanted = example(name)
    module = relay.load(HERE / f"{name}{SUFFIX}", shapes=shapes)
    assert_agrees(evaluate(module, *inputs), wanted)


def test_a_network_is_compiled():
    inputs, shapes, wanted = example("convolutions")
    module, params = relay.frontend.from_mxnet(str(HERE / f"convolutions{SUFFIX}"), shapes)
    assert params == {}
    assert_agrees(relay.compile(module)(*inputs), wanted)


def test_weights_are_in_the_memory_of_their_file():
    _, shapes, _ = example("convolutions")
    module = relay.load(HERE / f"convolutions{SUFFIX}", shapes=shapes)
    weights = [e for e in post_order(module.main) if isinstance(e, Constant) and e.data.size > 100]
    assert len(weights) > 2
    assert not any(each.data.flags.owndata for each in weights)


def test_weights_may_be_given_by_name():
    inputs, shapes, wanted = example("classifier")
    path = HERE / f"classifier{SUFFIX}"
    saved = relay.frontend.mxnet.params_file.read_params(HERE / "classifier-0000.params")
    text = path.read_text()
    module, _ = relay.frontend.from_mxnet(text, shapes, "float32", saved, {})
    assert_agrees(evaluate(module, *inputs), wanted)


def test_a_users_translation_comes_first():
    _, shapes, _ = example("classifier")

    def positive(inputs, attributes):
        assert attributes == {"act_type": "relu"}
        return -inputs[0]

    module = import_mxnet(HERE / f"classifier{SUFFIX}", shapes, custom_map={"Activation": positive})
    assert any(e.name == "negative" for e in post_order(module.main) if isinstance(e, Operator))


def test_sizes_may_stay_open():
    (data,), _, (wanted,) = example("classifier")
    shape = (relay.DimVar("n"), 5)
    module = import_mxnet(HERE / f"classifier{SUFFIX}", {"data": shape})
    assert_agrees(evaluate(module, data), [wanted])
    assert_agrees(evaluate(module, data[:1]), [wanted[:1]])


def test_every_family_has_translations():
    homes = {function.__module__ for function in TRANSLATIONS.values()}
    assert homes == {family.__name__ for family in FAMILIES}
