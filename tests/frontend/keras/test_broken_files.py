"""Files of Keras that are broken, hostile or not supported: each has its error."""

import copy
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import relay
from relay.frontend.keras.load import import_keras
from relay.semantics.evaluate import evaluate

HERE = Path(__file__).parent


QUANTISED = {
    "module": "keras.dtype_policies", "class_name": "QuantizedDTypePolicy",
    "config": {"mode": "int8", "source_name": "float32"},
}  # fmt: skip


def tensor_of(name):
    return {"class_name": "__keras_tensor__", "config": {"keras_history": [name, 0, 0]}}


def layer(name, kind, args=(), **options):
    tensors = [tensor_of(each) for each in args]
    calls = [{"args": tensors, "kwargs": {}}] if args else []
    return {
        "class_name": kind,
        "module": "keras.layers",
        "name": name,
        "config": {"name": name, **options},
        "inbound_nodes": calls,
    }


def functional(*layers, inputs=("x",), outputs=("y",)) -> Any:
    config = {
        "layers": list(layers),
        "input_layers": [[each, 0, 0] for each in inputs],
        "output_layers": [[each, 0, 0] for each in outputs],
    }
    return {"class_name": "Functional", "config": config}


X = layer("x", "InputLayer", batch_shape=[None, 4, 6, 3])
GOOD = functional(X, layer("y", "Dense", ["x"], units=2, activation="relu"))


def weights_file(fill):
    data = io.BytesIO()
    with h5py.File(data, "w") as file:
        fill(file)
    return data.getvalue()


def dense_weights(file):
    file["layers/dense/vars/0"] = np.ones((3, 2), np.float32)
    file["layers/dense/vars/1"] = np.ones(2, np.float32)


def archive(path, config, weights=None, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression) as file:
        if config is not None:
            text = config if isinstance(config, str) else json.dumps(config)
            file.writestr("config.json", text)
        if weights is not None:
            file.writestr("model.weights.h5", weights)
    return path


def fails(code, path, **named):
    with pytest.raises(relay.RelayError) as caught:
        import_keras(path, **named)
    assert caught.value.code == code
    assert caught.value.help or code.startswith("T")
    return caught.value


def test_the_good_one_is_good(tmp_path):
    path = archive(tmp_path / "m.keras", GOOD, weights_file(dense_weights))
    batch, *sizes = relay.load(path).main.body.tensor_type.shape
    assert (str(batch), *sizes) == ("batch", 4, 6, 2)


def one(*layers, **named) -> Any:
    return functional(X, *layers, **named)


def nested(depth):
    inner = one(layer("y", "ReLU", ["x"]))
    for index in range(depth):
        inner = one(
            {**layer("y", "Functional", ["x"]), "config": {"name": f"m{index}", **inner["config"]}}
        )
    return inner


CONFIGS = {
    "no configuration": (None, "F071"),
    "no JSON": ("{", "F071"),
    "deep JSON": ("[" * 100_000, "F071"),
    "a list": ("[]", "F071"),
    "a deep list": ("[" * 300 + "]" * 300, "F071"),
    "no class": ({"config": {}}, "F071"),
    "a class of its own": ({"class_name": "MyModel", "config": {}}, "F071"),
    "no layers": ({"class_name": "Functional", "config": {}}, "F071"),
    "empty": ({"class_name": "Sequential", "config": {"layers": []}}, "F071"),
    "layers that are none": ({"class_name": "Sequential", "config": {"layers": [1]}}, "F071"),
    "two of a name": (one(layer("x", "ReLU", ["x"])), "F071"),
    "no such layer": (one(layer("y", "ReLU", ["z"])), "F071"),
    "no such output": (one(layer("y", "ReLU", ["x"]), outputs=["z"]), "F071"),
    "no outputs": (one(layer("y", "ReLU", ["x"]), outputs=[]), "F071"),
    "a cycle": (one(layer("y", "ReLU", ["z"]), layer("z", "ReLU", ["y"])), "F011"),
    "another input": (one(layer("z", "InputLayer"), layer("y", "ReLU", ["z"])), "F071"),
    "nested too deep": (nested(40), "F071"),
    "unknown": (one(layer("y", "Hologram", ["x"])), "F010"),
    "Lambda": (one(layer("y", "Lambda", ["x"], function="rm -rf")), "F075"),
    "unknown activation": (one(layer("y", "Activation", ["x"], activation="zip")), "F040"),
    "unknown option": (one(layer("y", "Flatten", ["x"], sideways=True)), "F072"),
    "senseless option": (one(layer("y", "Softmax", ["x"], axis=9)), "F072"),
    "senseless sizes": (one(layer("y", "Reshape", ["x"], target_shape="??")), "F026"),
    "unknown type": (one(layer("y", "ReLU", ["x"], dtype="float3")), "F072"),
    "no tensor": (one({**layer("y", "ReLU", ["x"]), "inbound_nodes": [{"args": ["a"]}]}), "F021"),
    "quantised": (one(layer("y", "Dense", ["x"], units=2, dtype=QUANTISED)), "F072"),
    "no weights": (one(layer("y", "Dense", ["x"], units=2)), "F073"),
    "no result": (
        {"class_name": "Functional", "config": {**one(layer("y", "ReLU", ["x"]))["config"],
                                                "output_layers": [["y", 0, 7]]}}, "F071",
    ),
    "open size": (
        functional(layer("x", "InputLayer", batch_shape=[1, None, 6, 3]),
                   layer("y", "MaxPooling2D", ["x"], pool_size=2, padding="same")), "F032",
    ),
    "no shape": (functional(layer("x", "InputLayer"), layer("y", "ReLU", ["x"])), "F013"),
    "way to resize": (
        one(layer("y", "Resizing", ["x"], height=2, width=2, interpolation="area")), "F038",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CONFIGS)
def test_configurations(name, tmp_path):
    config, code = CONFIGS[name]
    fails(code, archive(tmp_path / "m.keras", config))


def test_all_unsupported_layers_are_said_together(tmp_path):
    layers = [
        layer("a", "Hologram", ["x"]),
        layer("b", "Hologram", ["a"]),
        layer("y", "Smell", ["b"]),
    ]
    error = fails("F010", archive(tmp_path / "m.keras", one(*layers)))
    assert [*error.notes] == ["Hologram: 2 × (a, b)", "Smell: 1 × (y)"]


def linked(file):
    dense_weights(file)
    del file["layers/dense/vars/1"]
    file["layers/dense/vars/1"] = h5py.ExternalLink("/etc/hostname", "/data")


def softly(file):
    dense_weights(file)
    file["layers/other"] = np.ones(2)
    del file["layers/dense/vars/1"]
    file["layers/dense/vars/1"] = h5py.SoftLink("/layers/other")


def outside(file):
    dense_weights(file)
    del file["layers/dense/vars/1"]
    file["layers/dense/vars"].create_dataset(
        "1", (2,), np.float32, external=[("/etc/hostname", 0, 8)]
    )


def huge(file):
    dense_weights(file)
    del file["layers/dense/vars/1"]
    file["layers/dense/vars"].create_dataset("1", (1 << 40,), np.float32, chunks=(1 << 10,))


def texts(file):
    dense_weights(file)
    del file["layers/dense/vars/1"]
    file["layers/dense/vars/1"] = "text"


def several(file):
    dense_weights(file)
    file["layers/dense/vars/2"] = np.ones(2)


def misshapen(file):
    dense_weights(file)
    del file["layers/dense/vars/0"]
    file["layers/dense/vars/0"] = np.ones((5, 2), np.float32)


WEIGHTS = {
    linked: "F074", softly: "F074", outside: "F074", huge: "F074", texts: "F071", several: "F073",
}  # fmt: skip


@pytest.mark.parametrize("fill", WEIGHTS, ids=lambda fill: fill.__name__)
def test_weights(fill, tmp_path):
    fails(WEIGHTS[fill], archive(tmp_path / "m.keras", GOOD, weights_file(fill)))


def test_weights_of_another_shape(tmp_path):
    path = archive(tmp_path / "m.keras", GOOD, weights_file(misshapen))
    with pytest.raises(relay.RelayError, match="rows of the second matrix: expected 3, found 5"):
        import_keras(path)


def test_weights_that_are_cut_off(tmp_path):
    data = weights_file(dense_weights)
    for size in (0, 10, len(data) // 2, len(data) - 8):
        fails("F071", archive(tmp_path / "m.keras", GOOD, data[:size]))


def test_a_member_that_unpacks_to_much_more(tmp_path):
    path = archive(tmp_path / "m.keras", " " * 10_000_000, compression=zipfile.ZIP_DEFLATED)
    fails("F074", path)


def test_an_archive_with_wrong_bytes(tmp_path):
    path = archive(tmp_path / "m.keras", GOOD, compression=zipfile.ZIP_DEFLATED)
    data = path.read_bytes()
    begin = data.index(b"config.json") + len(b"config.json")
    for place in (begin, data.index(b"PK\x01\x02")):  # the kind of the first block; the directory
        path.write_bytes(data[:place] + b"\xff" + data[place + 1 :])
        fails("F071", path)


def test_a_weight_with_a_wrong_bit(tmp_path):
    path = archive(tmp_path / "m.keras", GOOD, weights_file(dense_weights))
    data = path.read_bytes()
    place = data.index(np.ones(6, np.float32).tobytes())
    path.write_bytes(data[:place] + b"\x01" + data[place + 1 :])
    assert "checksum" in fails("F071", path).message


def test_files_that_are_no_archives(tmp_path):
    path = tmp_path / "m.keras"
    path.write_bytes(b"<!doctype html>")
    fails("F071", path)
    fails("F001", tmp_path / "nothing.keras")
    (tmp_path / "weights.h5").write_bytes(weights_file(dense_weights))
    assert "load_weights" in str(fails("F071", tmp_path / "weights.h5"))


def test_shapes_that_do_not_fit(tmp_path):
    path = archive(tmp_path / "m.keras", GOOD, weights_file(dense_weights))
    fails("F014", path, shapes={"x": (1, 3)})
    fails("F019", path, shapes={"z": (1, 3)})


def test_without_h5py_the_message_says_what_to_install(tmp_path, monkeypatch):
    path = archive(tmp_path / "m.keras", GOOD, weights_file(dense_weights))
    monkeypatch.setattr("relay.frontend.keras.hdf5.find_spec", lambda _: None)
    assert "relay-compiler[keras]" in str(fails("F070", path))


def test_an_older_file(tmp_path):
    old: Any = {
        "class_name": "Model",
        "config": {
            "name": "m",
            "layers": [
                {"class_name": "InputLayer", "name": "x", "inbound_nodes": [],
                 "config": {"name": "x", "batch_input_shape": [None, 3], "dtype": "float32"}},
                {"class_name": "Dense", "name": "d", "inbound_nodes": [[["x", 0, 0, {}]]],
                 "config": {"name": "d", "units": 2, "activation": "relu", "trainable": True}},
                {"class_name": "Multiply", "name": "m", "config": {"name": "m"},
                 "inbound_nodes": [{"args": [tensor_of("d"), 2.0], "kwargs": {}}]},
            ],
            "input_layers": [["x", 0, 0]],
            "output_layers": [["m", 0, 0]],
        },
    }  # fmt: skip

    def fill(file):
        file.attrs["model_config"] = json.dumps(old)
        group = file.create_group("model_weights/d")
        group["d/kernel:0"] = np.arange(6, dtype=np.float32).reshape(3, 2)
        group["d/bias:0"] = np.ones(2, np.float32)
        group.attrs["weight_names"] = [b"d/kernel:0", b"d/bias:0"]

    path = tmp_path / "old.h5"
    path.write_bytes(weights_file(fill))
    module = relay.load(path)
    x = np.array([[1, 0, -1]], np.float32)
    wanted = 2 * np.maximum(x @ np.arange(6, dtype=np.float32).reshape(3, 2) + 1, 0)
    np.testing.assert_allclose(np.asarray(evaluate(module, x)), wanted)
    broken = copy.deepcopy(old)
    broken["config"]["layers"][1]["inbound_nodes"] = [[["x"]]]

    def fill_broken(file):
        file.attrs["model_config"] = json.dumps(broken)

    path.write_bytes(weights_file(fill_broken))
    fails("F071", path)

    def fill_bytes(file):
        file.attrs.create("model_config", b"{\xac", dtype=h5py.string_dtype())

    path.write_bytes(weights_file(fill_bytes))
    fails("F071", path)


def test_what_is_no_model():
    fails("U003", 3)
    with pytest.raises(relay.RelayError) as caught:
        relay.frontend.from_keras(HERE / "one_axis.keras", layout="HWCN")
    assert caught.value.code == "U003"


def test_a_layer_is_added_from_outside(tmp_path):
    path = archive(tmp_path / "m.keras", one(layer("y", "Hologram", ["x"], depth=3)))

    def hologram(inputs, options, weights):
        assert not weights
        return inputs[0] * float(options["depth"])

    assert 'custom_convert_map={"Hologram": f}' in str(fails("F010", path).help)
    own = {"Hologram": hologram}
    module, _ = relay.frontend.from_keras(path, layout="NHWC", custom_convert_map=own)
    x = np.ones((1, 4, 6, 3), np.float32)
    np.testing.assert_array_equal(np.asarray(evaluate(module, x)), 3 * x)


def test_statistics_of_several_axes(tmp_path):
    mean, variance = np.arange(12.0).reshape(4, 3), np.arange(1.0, 13).reshape(4, 3)
    options = {"mean": mean.tolist(), "variance": variance.tolist()}
    path = archive(
        tmp_path / "m.keras", one(layer("y", "Normalization", ["x"], axis=[1, 3], **options))
    )
    x = np.ones((2, 4, 6, 3), np.float32)
    wanted = (x - mean[:, None]) / np.sqrt(variance)[:, None]
    np.testing.assert_allclose(np.asarray(evaluate(relay.load(path), x)), wanted, rtol=1e-6)
