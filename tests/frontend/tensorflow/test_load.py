"""Ways to load models of TensorFlow: files and folders, signatures, shapes, parameters."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relay
from relay.frontend.tensorflow.load import from_tensorflow
from relay.frontend.tensorflow.schema import message_class
from relay.ir.dims import ANY, DimVar
from relay.ir.expr import Constant
from relay.ir.walk import post_order
from relay.ops.transcendental import Tanh
from relay.semantics.evaluate import evaluate
from tests.frontend.tensorflow.graphs import (
    DOUBLE,
    FLOAT,
    INT,
    X,
    answers,
    const,
    graph,
    imported,
    model,
    node,
    of_type,
    placeholder,
    raised,
)


def test_a_frozen_graph_is_loaded_by_its_ending(tmp_path: Path):
    path = tmp_path / "double.pb"
    path.write_bytes(DOUBLE)
    module = relay.load(path)
    assert [each.name for each in module.main.params] == ["x"]
    assert module.main.attrs["outputs"] == ("y",)
    np.testing.assert_array_equal(evaluate(module, np.ones((2, 3), np.float32)), np.full((2, 3), 2))


def test_the_classic_door_gives_a_mutable_module():
    module, params = relay.frontend.from_tensorflow(DOUBLE, shape={"x": (4, 3)})
    assert params == {}
    assert module["main"].body.tensor_type.shape == (4, 3)


def test_a_graph_may_be_a_message():
    module = imported(message_class("Graph").FromString(DOUBLE))
    assert module.main.body.tensor_type.shape == (2, 3)


def test_inputs_and_outputs_of_a_folder_are_those_of_its_signature(tmp_path: Path):
    folder = model("counters", tmp_path)
    module = relay.load(folder)
    assert [each.name for each in module.main.params] == ["x"]
    assert module.main.attrs["outputs"] == ("rows", "sums")
    assert relay.load(folder / "saved_model.pb").main.attrs == module.main.attrs
    found: Any = evaluate(module, np.ones((2, 3), np.float32))
    np.testing.assert_allclose(np.asarray(found[0]), [[1.5, -2.0, 0.5]] * 2)
    np.testing.assert_allclose(np.asarray(found[1]), [0.0, 0.0])


def test_a_signature_and_outputs_may_be_chosen(tmp_path: Path):
    folder = model("counters", tmp_path)
    power, _ = from_tensorflow(folder, signature="power")
    np.testing.assert_allclose(np.asarray(evaluate(power, np.float32(2))), [2.25, 4.0, 0.25])
    sums, _ = from_tensorflow(folder, outputs=["sums"])
    assert sums.main.body.tensor_type.rank == 1
    error = raised(lambda: from_tensorflow(folder, signature="other"))
    assert error.code == "F096"
    assert "power, serving_default" in error.message
    assert raised(lambda: imported(folder, outputs=["other"])).code == "F096"


def test_open_sizes_are_symbols_unless_one_of_them_may_be_1():
    inputs = placeholder("a", -1, 3), placeholder("b", -1, 3)
    joined = imported(graph(*inputs, const("one", 1), node("y", "ConcatV2", "a", "b", "one")))
    first, second = (each.tensor_type.shape[0] for each in joined.main.params)
    assert isinstance(first, DimVar)
    assert isinstance(second, DimVar)
    assert joined.main.body.tensor_type.shape == (first, 6)
    added = imported(graph(*inputs, node("y", "AddV2", "a", "b")))
    assert added.main.body.tensor_type.shape[0] is ANY


def test_static_sizes_are_constants_also_if_the_batch_is_open():
    data = graph(
        placeholder("x", -1, 6), node("s", "Shape", "x"), const("one", [1]), const("two", [2]),
        node("n", "StridedSlice", "s", "one", "two", "one", shrink_axis_mask=1),
        node("real", "Cast", "n", SrcT=of_type(INT), DstT=of_type(FLOAT)), const("half", 0.5),
        node("share", "Mul", "real", "half"),
        node("d", "Cast", "share", SrcT=of_type(FLOAT), DstT=of_type(INT)),
        node("p", "Pack", "d", "d"), const("fill", 1.0), node("y", "Fill", "p", "fill"),
    )  # fmt: skip
    assert imported(data).main.body.tensor_type.shape == (3, 3)


def test_inputs_take_other_shapes(tmp_path: Path):
    folder = model("transformer", tmp_path)
    module = relay.load(folder, shapes={"ids": (1, 4), "mask": (1, 4)})
    assert module.main.body.tensor_type.shape == (1, 4, 8)


def test_weights_are_in_the_memory_of_their_file(tmp_path: Path):
    module = relay.load(model("transformer", tmp_path))
    weights = [e for e in post_order(module.main) if isinstance(e, Constant) and e.data.size > 100]
    assert len(weights) > 2
    assert not any(each.data.flags.owndata for each in weights)


def test_weights_are_parameters_on_request(tmp_path: Path):
    module, params = from_tensorflow(model("classic", tmp_path), convert_params=False)
    assert [each.name for each in module.main.params] == ["x", "bias"]  # the kernel is transposed
    inputs, (expected,) = answers("classic")
    found = evaluate(module, *inputs.values(), *params.values())
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-5, atol=1e-5)


def test_images_are_normalised_by_given_statistics():
    factors = {"m": 1.0, "v": 2.0, "b": 0.5, "g": 3.0}
    vectors = {name: np.arange(1, 4) * factor for name, factor in factors.items()}
    data = graph(
        placeholder("x", 1, 2, 2, 3), *(const(*each) for each in vectors.items()),
        node("y", "BatchNormWithGlobalNormalization", "x", *vectors, variance_epsilon=0.1,
             scale_after_normalization=True),
    )  # fmt: skip
    x = np.arange(12, dtype=np.float32).reshape(1, 2, 2, 3)
    expected = (x - vectors["m"]) / np.sqrt(vectors["v"] + 0.1) * vectors["g"] + vectors["b"]
    found = evaluate(imported(data), x)
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-5)


def test_convolutions_take_another_layout(tmp_path: Path):
    path = model("conv_2d", tmp_path)
    module, params = from_tensorflow(path, layout="NCHW")
    assert params == {}
    assert 'data_layout="NCHW"' in str(module) or "data_layout" not in str(module)
    inputs, (expected,) = answers("conv_2d")
    found = np.asarray(evaluate(module, *inputs.values()))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    assert raised(lambda: from_tensorflow(path, layout="CHWN")).code == "U003"


def test_a_placeholder_with_a_default_is_an_input_on_request():
    data = graph(
        X, const("rate", 0.5), node("keep", "PlaceholderWithDefault", "rate", dtype=of_type(1)),
        node("y", "Mul", "x", "keep"),
    )  # fmt: skip
    assert len(imported(data).main.params) == 1
    assert len(imported(data, shape={"keep": ()}).main.params) == 2


def test_the_user_translates_operators():
    def bent(inputs: Sequence[Any], attributes: Any) -> Any:
        assert attributes["factor"] == 3.0
        return relay.Call(Tanh(), (inputs[0],))

    data = graph(X, node("y", "Bent", "x", factor=3.0))
    assert 'custom_convert_map={"Bent": f}' in str(raised(lambda: imported(data)).help)
    with pytest.warns(UserWarning, match=r"U326.* no operator Bend.*\n.*: Bent"):
        module = imported(data, custom_convert_map={"Bent": bent, "Bend": bent})
    x = np.linspace(-2, 2, 6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_allclose(np.asarray(evaluate(module, x)), np.tanh(x), rtol=1e-6)


@pytest.mark.parametrize(("shape", "code"), [({"x": (3,)}, "F014"), ({"z": (2, 3)}, "F019")])
def test_shapes_that_do_not_fit(shape: Any, code: str):
    assert raised(lambda: imported(DOUBLE, shape=shape)).code == code
