"""Doors, names, shapes and errors of the importer of TensorFlow Lite."""

import zipfile
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relay
from relay.frontend.tensorflow_lite import translated_lite_operators
from relay.frontend.tflite.registry import TRANSLATIONS
from relay.frontend.tflite.schema import OPERATORS
from relay.ir.dims import DimVar
from relay.ir.expr import Constant
from relay.ir.walk import post_order
from relay.ops.transcendental import Tanh
from relay.semantics.evaluate import evaluate
from relay.support.errors import RelayError

Model: Any = import_module("tflite").Model

ARCHIVE = zipfile.ZipFile(Path(__file__).parent / "operators.zip")
DENSE = ARCHIVE.read("dense.tflite")


def test_a_file_is_loaded_by_its_ending(tmp_path):
    path = tmp_path / "dense.tflite"
    path.write_bytes(DENSE)
    module = relay.load(path)
    x = np.ones((3, 6), np.float32)
    np.testing.assert_array_equal(evaluate(module, x), evaluate(relay.load(DENSE), x))


def test_the_classic_door_takes_a_model_of_the_schema_package():
    model = Model.GetRootAsModel(DENSE, 0)
    module, params = relay.frontend.from_tflite(model, {"x": (3, 6)}, {"x": "float32"})
    assert params == {}
    assert [each.name for each in module.main.params] == ["x"]


def test_outputs_have_the_names_of_the_file():
    (name,) = relay.load(DENSE).main.attrs["outputs"]
    assert "add" in name or "Identity" in name


def test_inputs_take_other_shapes():
    module = relay.load(DENSE, shapes={"x": (8, 6)})
    assert module.main.body.tensor_type.shape == (8, 5)
    n = DimVar("n")
    assert relay.load(DENSE, shapes={"x": (n, 6)}).main.body.tensor_type.shape == (n, 5)


def test_sizes_that_a_model_computes_follow_those_of_its_inputs():
    model, n = ARCHIVE.read("open_batch.tflite"), DimVar("n")
    module = relay.load(model, shapes={"x": (n, 4, 6)})
    assert module.main.body.tensor_type.shape == (n, 4, 7)
    x = np.random.default_rng(0).standard_normal((3, 4, 6)).astype(np.float32)
    single = relay.load(model)
    rows = [np.asarray(evaluate(single, x[index : index + 1])) for index in range(3)]
    found = np.asarray(evaluate(module, x))
    np.testing.assert_allclose(found, np.concatenate(rows), rtol=1e-6, atol=1e-6)


def test_weights_are_in_the_memory_of_the_file():
    module = relay.load(DENSE)
    constants = [e for e in post_order(module.main) if isinstance(e, Constant)]
    assert any(each.data.shape == (5, 6) and not each.data.flags.owndata for each in constants)


def test_the_user_translates_operators():
    def softplus(inputs, options):
        assert options == b""
        return relay.Call(Tanh(), (inputs[0],))

    model = ARCHIVE.read("relu6.tflite")
    own = {"RELU6": softplus, "RELU7": softplus}
    with pytest.warns(UserWarning, match="U326.* no operator RELU7"):
        module, _ = relay.frontend.from_tflite(model, op_converter=own)
    x = np.linspace(-2, 9, 18, dtype=np.float32).reshape(2, 9)
    np.testing.assert_allclose(np.asarray(evaluate(module, x)), np.tanh(x), rtol=1e-6)


def test_what_is_translated_is_an_operator_of_the_schema():
    known = {name for name in translated_lite_operators() if not name.startswith("custom ")}
    assert known <= set(OPERATORS.values())
    assert "custom TFLite_Detection_PostProcess" in translated_lite_operators()


@pytest.mark.parametrize(
    ("shapes", "code"), [({"x": (3,)}, "F014"), ({"y": (3, 6)}, "F019"), ({"x": (3, 7)}, "T105")]
)
def test_shapes_that_do_not_fit(shapes, code):
    with pytest.raises(RelayError) as caught:
        relay.load(DENSE, shapes=shapes)
    assert caught.value.code == code


def test_an_element_type_that_is_not_the_models():
    with pytest.raises(RelayError) as caught:
        relay.frontend.from_tflite(DENSE, dtype_dict={"x": "int8"})
    assert caught.value.code == "F017"


def test_a_file_that_is_cut_off():
    for size in range(8, len(DENSE), 97):
        with pytest.raises(RelayError) as caught:
            relay.load(DENSE[:size])
        assert caught.value.code.startswith("F")


def test_a_file_with_wrong_bytes_is_an_error_or_a_model():
    rng = np.random.default_rng(0)
    for name in ("dense", "conv_2d_int8", "while", "strided_slice", "concat",
                 "sparse_blocks"):  # fmt: skip
        data = np.frombuffer(ARCHIVE.read(f"{name}.tflite"), np.uint8)
        for _ in range(60):
            broken = data.copy()
            broken[rng.integers(8, data.size, 3)] = rng.integers(0, 256, 3)
            with suppress(RelayError):
                relay.load(broken.tobytes())


def test_options_behind_the_end_of_the_file():
    broken = bytearray(ARCHIVE.read("gather.tflite"))
    broken[446] ^= 32  # of the offset of the axis
    with pytest.raises(RelayError) as caught:
        relay.load(bytes(broken))
    assert caught.value.code == "F026"


def test_damaged_options_of_a_custom_operator():
    archive = zipfile.ZipFile(Path(__file__).parent / "handmade.zip")
    model = archive.read("detection.tflite")
    begin = model.index(b"max_detections")
    for place in range(begin - 8, begin + 150, 5):
        with suppress(RelayError):
            relay.load(model[:place] + b"\xff" + model[place + 1 :])
    with pytest.raises(RelayError) as caught:
        relay.load(model.replace(b"max_detections", b"mix_detections"))
    assert caught.value.code == "F023"


def test_operators_that_are_not_supported_are_listed_together(monkeypatch):
    assert {"ADD", "MUL"} <= translated_lite_operators().keys()
    for name in ("ADD", "MUL"):
        monkeypatch.delitem(TRANSLATIONS, name)
    with pytest.raises(RelayError) as caught:
        relay.load(ARCHIVE.read("while.tflite"))
    error = caught.value
    assert error.code == "F010"
    assert "2 operators of this model are not supported: ADD, MUL" in error.message
    assert any(note.startswith("ADD: 2 × (") for note in error.notes)
