"""Arrays in safetensors and GGUF files are those that the formats' own libraries see."""

import json
import struct
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import relay
from relay.frontend.parameters.gguf_types import BY_NUMBER

HERE = Path(__file__).parent
QUANTISED = [each.name for each in BY_NUMBER.values() if each.block > 1]


@pytest.mark.parametrize("name", QUANTISED)
def test_blocks_are_unpacked_as_gguf_does(name):
    stored, wanted = relay.load(HERE / "blocks.gguf"), np.load(HERE / "blocks.npz")
    assert stored.kinds[name] == name
    assert stored.shape(name) == wanted[name].shape
    np.testing.assert_array_equal(stored[name], wanted[name])


def test_plain_arrays_are_in_the_memory_of_the_file():
    stored = relay.load(HERE / "blocks.gguf")
    np.testing.assert_array_equal(stored["F32"], np.arange(6).reshape(2, 3))
    assert stored["F16"].dtype == np.float16
    assert np.shares_memory(stored["F32"], stored["F32"])
    assert not stored["F32"].flags.writeable


def test_constants_of_weights_share_the_memory_of_the_file():
    weight = relay.load(HERE / "blocks.gguf")["F32"]
    assert np.shares_memory(relay.const(weight).data, weight)


def test_facts_come_with_the_arrays():
    stored = relay.load(HERE / "blocks.gguf")
    assert stored.metadata["general.architecture"] == "test"
    assert stored.metadata["test.words"] == ["a", "bé"]
    assert stored.metadata["test.number"] == 7
    assert len(stored) == len(list(stored)) == len(QUANTISED) + 2
    assert "blocks.gguf" in repr(stored)


def test_safetensors_has_what_gguf_has():
    one, other = relay.load(HERE / "llama.safetensors"), relay.load(HERE / "llama.gguf")
    assert one.metadata == {"format": "pt"}
    np.testing.assert_array_equal(one["lm_head.weight"], other["output.weight"])
    np.testing.assert_array_equal(one["model.embed_tokens.weight"], other["token_embd.weight"])


def safetensors(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def test_an_array_at_an_odd_place(tmp_path):
    data = np.array([1.5, -2], ml_dtypes.bfloat16)
    entry = {"dtype": "BF16", "shape": [2], "data_offsets": [1, 5]}
    path = tmp_path / "m.safetensors"
    path.write_bytes(safetensors({"x": entry}, b"?" + data.tobytes()))
    np.testing.assert_array_equal(relay.load(path)["x"], data)


def entry(dtype="F32", shape=(2,), offsets=(0, 8)):
    return {"x": {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}}


SAFETENSORS = {
    "nothing": (b"", "F080"),
    "cut off": (b"\1\2", "F080"),
    "a long header": (struct.pack("<Q", 1 << 60) + b"{}", "F080"),
    "no JSON": (safetensors(b"{]"), "F080"),
    "deep JSON": (safetensors(b"[" * 100_000), "F080"),
    "a list": (safetensors([1, 2]), "F080"),
    "no entry": (safetensors({"x": 3}), "F080"),
    "outside": (safetensors(entry(), b"1234"), "F080"),
    "backwards": (safetensors(entry(offsets=(8, 0)), b"12345678"), "F080"),
    "negative": (safetensors(entry(shape=(-2, -1)), b"12345678"), "F080"),
    "another size": (safetensors(entry(shape=(3,)), b"12345678"), "F080"),
    "huge": (safetensors(entry(shape=(1 << 40, 1 << 40)), b"12345678"), "F080"),
    "a new type": (safetensors(entry(dtype="F4"), b"12345678"), "F081"),
    "no type": (safetensors({"x": {"shape": [2], "data_offsets": [0, 8]}}, b"12345678"), "F080"),
    "no place": (safetensors({"x": {"dtype": "F32", "shape": [2]}}, b"12345678"), "F080"),
    "three places": (safetensors(entry(offsets=(0, 4, 8)), b"12345678"), "F080"),
    "texts for places": (safetensors(entry(offsets=("0", "8")), b"12345678"), "F080"),
    "a fraction": (safetensors(entry(shape=(2.5,)), b"12345678"), "F080"),
    "a text for a size": (safetensors(entry(shape=("2",)), b"12345678"), "F080"),
    "a number for a type": (safetensors({"x": entry()["x"] | {"dtype": 7}}, b"12345678"), "F080"),
    "no UTF-8": (safetensors(b'{"\xff": 1}'), "F080"),
}


@pytest.mark.parametrize("name", SAFETENSORS)
def test_broken_safetensors(name, tmp_path):
    data, code = SAFETENSORS[name]
    fails(tmp_path / "m.safetensors", data, code)


def fails(path, data, code):
    path.write_bytes(data)
    with pytest.raises(relay.RelayError) as caught:
        relay.load(path)
    assert caught.value.code == code
    assert caught.value.help


def text(value):
    return struct.pack("<Q", len(value)) + value


def gguf(tensors=0, facts=0, body=b"", version=3):
    return b"GGUF" + struct.pack("<IQQ", version, tensors, facts) + body


def tensor(shape=(32,), kind=2, offset=0):
    sizes = struct.pack(f"<I{len(shape)}Q", len(shape), *shape)
    return text(b"x") + sizes + struct.pack("<IQ", kind, offset)


DEEP = struct.pack("<IQ", 9, 1) * 20

GGUF = {
    "nothing": (b"", "F080"),
    "another file": (b"GGML" + bytes(100), "F080"),
    "an old version": (gguf(version=1), "F080"),
    "cut off": (gguf(1), "F080"),
    "many arrays": (gguf(1 << 60), "F080"),
    "many facts": (gguf(0, 1 << 60), "F080"),
    "a long text": (gguf(0, 1, struct.pack("<Q", 1 << 62) + b"general.name"), "F080"),
    "an unknown value": (gguf(0, 1, text(b"k") + struct.pack("<I", 99)), "F080"),
    "a deep list": (gguf(0, 1, text(b"k") + struct.pack("<I", 9) + DEEP), "F080"),
    "a long list": (gguf(0, 1, text(b"k") + struct.pack("<IIQ", 9, 0, 1 << 50)), "F080"),
    "alignment": (gguf(0, 1, text(b"general.alignment") + struct.pack("<II", 4, 3)), "F080"),
    "outside": (gguf(1, 0, tensor(offset=1 << 40)), "F080"),
    "many axes": (gguf(1, 0, text(b"x") + struct.pack("<I", 9) + bytes(200)), "F080"),
    "half a block": (gguf(1, 0, tensor((31,)) + bytes(100)), "F080"),
    "huge": (gguf(1, 0, tensor((1 << 40, 1 << 40)) + bytes(100)), "F080"),
    "two of a name": (gguf(2, 0, tensor() * 2 + bytes(200)), "F080"),
    "no name": (gguf(1, 0, struct.pack("<Q", 0)), "F080"),
    "a new type": (gguf(1, 0, tensor((32,), 999) + bytes(100)), "F081"),
    "a rank without sizes": (gguf(1, 0, text(b"x") + struct.pack("<I", 4)), "F080"),
    "a rare type": (gguf(1, 0, tensor((256,), 16) + bytes(100)), "F081"),
}  # fmt: skip


@pytest.mark.parametrize("name", GGUF)
def test_broken_gguf(name, tmp_path):
    data, code = GGUF[name]
    fails(tmp_path / "m.gguf", data, code)


def test_every_prefix_of_a_file_is_an_error(tmp_path):
    data = (HERE / "blocks.gguf").read_bytes()
    for size in range(0, 1200, 37):
        fails(tmp_path / "m.gguf", data[:size], "F080")


def test_a_file_of_weights_is_no_program():
    with pytest.raises(relay.RelayError) as caught:
        relay.frontend.load.load_program(HERE / "llama.gguf")
    assert caught.value.code == "U003"
    with pytest.raises(relay.RelayError, match="weights, not a program"):
        relay.compile(relay.load(HERE / "llama.gguf"))
