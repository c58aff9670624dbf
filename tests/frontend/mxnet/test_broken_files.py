"""Files of MXNet that are broken or not supported: each has its error."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest

import relay
from relay.frontend.mxnet.load import import_mxnet
from relay.frontend.mxnet.params_file import read_params
from relay.ir.expr import Call
from relay.semantics.evaluate import evaluate

HERE = Path(__file__).parent


def node(op, name, *inputs, **attrs):
    return {"op": op, "name": name, "attrs": attrs, "inputs": [[each, 0, 0] for each in inputs]}


def symbol(*nodes, heads=None):
    listed = [node("null", "data"), *nodes]
    return json.dumps({"nodes": listed, "heads": heads or [[len(listed) - 1, 0, 0]]})


def assert_gives(module, given, wanted):
    found = evaluate(module, np.array(given, np.float32))
    np.testing.assert_array_equal(np.asarray(found), wanted)


def fails(code, text, shape=(2, 3, 8, 8), **named):
    shapes = {} if shape is None else {"data": shape}
    with pytest.raises(relay.RelayError) as caught:
        import_mxnet(text, shapes, {}, **named)
    assert caught.value.code == code
    return caught.value


SYMBOLS = {
    "no JSON": ("{,", "F060"),
    "no nodes": ("{}", "F060"),
    "a node that is none": ('{"nodes": [3], "heads": [[0, 0, 0]]}', "F060"),
    "no results": ('{"nodes": [], "heads": []}', "F060"),
    "results that are not list": ('{"nodes": [], "heads": 3}', "F060"),
    "what comes later": (symbol(node("relu", "y", 2), node("relu", "z", 1)), "F060"),
    "no such result": (symbol(node("relu", "y", 0), heads=[[1, 3, 0]]), "F060"),
    "unknown": (symbol(node("Hologram", "y", 0)), "F010"),
    "an activation": (symbol(node("Activation", "y", 0, act_type="zip")), "F040"),
    "no attribute": (symbol(node("Activation", "y", 0)), "F023"),
    "no number": (symbol(node("clip", "y", 0, a_min="a", a_max="2")), "F062"),
    "half a number": (symbol(node("expand_dims", "y", 0, axis="0.5")), "F062"),
    "no list": (symbol(node("transpose", "y", 0, axes="__import__('os')")), "F062"),
    "a list with letters": (symbol(node("transpose", "y", 0, axes="(0, a)")), "F062"),
    "no truth value": (symbol(node("mean", "y", 0, keepdims="perhaps")), "F062"),
    "no type": (symbol(node("Cast", "y", 0, dtype="float3")), "F062"),
    "unread": (symbol(node("relu", "y", 0, sideways="True")), "F062"),
    "channels last": (symbol(node("Pooling", "y", 0, kernel="(2, 2)", layout="NHWC")), "F062"),
    "missing input": (symbol(node("dot", "y", 0)), "F020"),
    "spatial axes": (symbol(node("Flatten", "x", 0), node("Pooling", "y", 1, kernel="2")), "F031"),
    "senseless": (symbol(node("transpose", "y", 0, axes="(0, 9, 1, 1)")), "T103"),
    "open zeros": (symbol(node("_zeros", "y", shape="(0, 3)")), "F013"),
}  # fmt: skip


@pytest.mark.parametrize("name", SYMBOLS)
def test_symbols(name):
    text, code = SYMBOLS[name]
    fails(code, text)


def test_bytes_that_are_not_text(tmp_path):
    path = tmp_path / "net-symbol.json"
    path.write_bytes(b'{"nodes": "\xa2"}')
    fails("F060", path)


def test_all_unsupported_operators_are_said_together():
    nodes = node("Hologram", "a", 0), node("Hologram", "b", 1), node("Smell", "c", 2)
    error = fails("F010", symbol(*nodes))
    assert [*error.notes] == ["Hologram: 2 × (a, b)", "Smell: 1 × (c)"]


def test_inputs_need_shapes():
    text = symbol(node("relu", "y", 0))
    assert "shapes={'data'" in str(fails("F013", text, None))
    dense = node("FullyConnected", "y", 0, 1, num_hidden="2", no_bias="True")
    assert "load the weights" in str(fails("F013", symbol(node("null", "w"), dense), (1, 3)))
    with pytest.raises(relay.RelayError) as caught:
        import_mxnet(text, {"date": (1,)}, {})
    assert caught.value.code == "F019"


def test_a_label_needs_none():
    label = node("null", "softmax_label")
    text = symbol(label, node("Flatten", "x", 0), node("SoftmaxOutput", "y", 2, 1))
    module = import_mxnet(text, {"data": (2, 3)}, {})
    assert [each.name for each in module.main.params] == ["data"]


def test_older_files_call_attributes_otherwise():
    old = json.loads(symbol(node("Activation", "y", 0)))
    old["nodes"][1] = {
        "op": "Activation", "name": "y", "param": {"act_type": "relu"}, "attr": {"__group__": "a"},
        "inputs": [[0, 0]],
    }  # fmt: skip
    module = import_mxnet(json.dumps(old), {"data": (2,)}, {})
    assert isinstance(module.main.body, Call)
    assert_gives(module, [-1, 2], [0, 2])


def params(count=1, magic=0x112):
    return struct.pack("<QQQ", magic, 0, count)


def array(shape=(2,), kind=0, data=bytes(8), magic=0xF993FAC9, storage=0):
    sizes = struct.pack(f"<i{len(shape)}q", len(shape), *shape)
    head = struct.pack("<Ii", magic, storage) if magic != 0xF993FAC8 else struct.pack("<I", magic)
    return head + sizes + struct.pack("<iii", 1, 0, kind) + data


NAMES = struct.pack("<QQ", 1, 5) + b"arg:x"

PARAMS = {
    "nothing": b"",
    "another file": b"<!doctype html><html></html>",
    "many arrays": params(1 << 60) + array(),
    "cut off": params() + array()[:-3],
    "no names": params() + array() + struct.pack("<Q", 0),
    "sparse": params() + array(storage=1) + NAMES,
    "a new type": params() + array(kind=77) + NAMES,
    "many axes": params() + array(shape=(1,) * 40) + NAMES,
    "negative": params() + array(shape=(-2, -1)) + NAMES,
    "huge": params() + array(shape=(1 << 40, 1 << 40)) + NAMES,
    "a long name": params() + array() + struct.pack("<QQ", 1, 1 << 60) + b"x",
}


@pytest.mark.parametrize("name", PARAMS)
def test_weights(name, tmp_path):
    path = tmp_path / "m.params"
    path.write_bytes(PARAMS[name])
    with pytest.raises(relay.RelayError) as caught:
        read_params(path)
    assert caught.value.code == "F061"
    assert caught.value.help


@pytest.mark.parametrize("magic", [0xF993FAC8, 0xF993FAC9, 0xF993FACA])
def test_versions_of_arrays(magic, tmp_path):
    path = tmp_path / "m.params"
    data = np.array([1, 2], np.float32).tobytes()
    path.write_bytes(params() + array(data=data, magic=magic) + NAMES)
    np.testing.assert_array_equal(read_params(path)["arg:x"], [1, 2])


def test_a_missing_file():
    fails("F001", "nothing-symbol.json")


def test_an_attribute_that_is_not_supported_names_the_operator():
    error = fails("F062", symbol(node("relu", "y", 0, sideways="True")))
    assert 'custom_convert_map={"relu": f}' in str(error.help)


def test_a_translation_of_ones_own():
    text = symbol(node("Hologram", "y", 0, depth="3"))

    def hologram(inputs, attributes):
        return inputs[0] * float(attributes["depth"])

    assert 'from_mxnet(symbol, shape, custom_convert_map={"Hologram": f})' in str(
        fails("F010", text).help
    )
    own = {"Hologram": hologram}
    mutable, _ = relay.frontend.from_mxnet(text, {"data": (2,)}, custom_convert_map=own)
    assert_gives(mutable.module, [1, 2], [3, 6])
