"""Files of Keras become Relay's operators, and give what Keras gives."""

from pathlib import Path

import numpy as np
import pytest

import relay
from relay.frontend.keras.all_translations import FAMILIES
from relay.frontend.keras.model_config import Layer
from relay.frontend.keras.registry import TRANSLATIONS
from relay.frontend.keras.weights import NamedWeights, group_names
from relay.ir.expr import Operator
from relay.ir.walk import post_order
from relay.semantics.evaluate import evaluate

HERE = Path(__file__).parent
NAMES = sorted(path.stem for path in HERE.glob("*.keras"))


def example(name: str):
    saved = np.load(HERE / f"{name}.npz")
    keys = sorted(saved.files, key=lambda key: int(key.rpartition("_")[2]))
    inputs = [saved[key] for key in keys if key.startswith("input")]
    return inputs, [saved[key] for key in keys if key.startswith("output")]


def assert_agrees(found, wanted):
    found = found if isinstance(found, tuple) else (found,)
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
        assert np.asarray(a).dtype == b.dtype


def test_there_are_models():
    assert len(NAMES) == 14


@pytest.mark.parametrize("name", NAMES)
def test_a_model_means_what_keras_says(name):
    inputs, wanted = example(name)
    assert_agrees(evaluate(relay.load(HERE / f"{name}.keras"), *inputs), wanted)


def test_models_in_models_are_read_from_older_files():
    inputs, wanted = example("nested")
    assert_agrees(evaluate(relay.load(HERE / "nested.h5"), *inputs), wanted)


def test_a_model_is_compiled_for_any_batch():
    (image,), (wanted,) = example("convolutions")
    fast = relay.compile(relay.load(HERE / "convolutions.keras"))
    assert_agrees(fast(image), [wanted])
    assert_agrees(fast(image[:1]), [wanted[:1]])


def test_the_classic_function_has_the_channels_second():
    (image,), (wanted,) = example("convolutions")
    module, params = relay.frontend.from_keras(
        HERE / "convolutions.keras", {"image": (2, 3, 16, 16)}
    )
    assert params == {}
    assert_agrees(evaluate(module, image.transpose(0, 3, 1, 2)), [wanted])


def test_names_are_kept():
    module = relay.load(HERE / "translation.keras")
    assert [each.name for each in module.main.params] == ["source", "target"]
    assert len(module.main.attrs["outputs"]) == 1


def test_a_users_translation_comes_first():
    def negative(inputs, options, weights):
        assert options["max_value"] == 6.0
        assert weights == []
        return -inputs[0]

    own = {"ReLU": negative, "relu": negative}
    with pytest.warns(UserWarning, match="U326.* no operator relu"):
        module, _ = relay.frontend.from_keras(HERE / "convolutions.keras", custom_convert_map=own)
    assert any(e.name == "negative" for e in post_order(module.main) if isinstance(e, Operator))


def test_every_family_has_translations():
    homes = {function.__module__ for function in TRANSLATIONS.values()}
    assert homes == {family.__name__ for family in FAMILIES}


def test_layers_are_stored_by_class_and_number():
    kinds = ("Conv2D", "LSTMCell", "Conv2D", "BatchNormalization", "RMSNormalization")
    found = group_names([Layer(str(i), kind, {}, ()) for i, kind in enumerate(kinds)])
    assert found == ["conv2d", "lstm_cell", "conv2d_1", "batch_normalization", "rms_normalization"]


def test_older_files_name_the_weights_of_inner_layers():
    one = np.zeros(1)
    items = [("a/kernel:0", one), ("b/kernel:0", one), ("b/bias:0", one)]
    kinds = [Layer(name, "Dense", {}, ()) for name in "ab"]
    found = NamedWeights(items).of_layers(kinds)
    assert [len(each.arrays()) for each in found] == [1, 2]


def test_older_files_list_the_weight_of_a_spectral_normalisation_with_those_of_its_layer():
    one = np.zeros(1)
    names = ("net/norm/conv/kernel", "net/norm/conv/bias", "net/norm/vector_u:0")
    found = NamedWeights([(name, one) for name in names]).without("vector_u").part("layer")
    assert len(found.arrays()) == 2
