"""Weights of ONNX files, which are read apart from the message that describes them."""

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

import relay
from relay.frontend.onnx.detached_weights import detach_weights
from relay.ir.expr import Constant
from relay.ir.walk import post_order
from relay.support.errors import RelayImportError

RNG = np.random.default_rng(0)


def model_with(*arrays, opset=18):
    """Return a model that combines each weight with an input of the same type."""
    tensors = [numpy_helper.from_array(each, f"w{k}") for k, each in enumerate(arrays)]
    inputs = [
        helper.make_tensor_value_info(f"x{k}", t.data_type, t.dims) for k, t in enumerate(tensors)
    ]
    outputs = [
        helper.make_tensor_value_info(f"y{k}", t.data_type, t.dims) for k, t in enumerate(tensors)
    ]
    nodes = [
        helper.make_node("And" if each.dtype == bool else "Add", [f"x{k}", f"w{k}"], [f"y{k}"])
        for k, each in enumerate(arrays)
    ]
    graph = helper.make_graph(nodes, "g", inputs, outputs, tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def constants_of(module):
    return [each.data for each in post_order(module.main) if isinstance(each, Constant)]


ARRAYS = [
    (RNG.standard_normal((17, 31)) * 50).astype(dtype)
    for dtype in ("float32", "float64", "float16", "int64", "int32", "uint8", "int16", "bool")
] + [np.array([1, 2], np.float32)]


def test_large_weights_are_not_in_the_message():
    text, places = detach_weights(np.frombuffer(model_with(*ARRAYS).SerializeToString(), np.uint8))
    assert set(places) == {f"w{k}" for k, each in enumerate(ARRAYS) if each.nbytes >= 1024}
    left = onnx.ModelProto.FromString(text).graph.initializer
    assert [each.name for each in left if each.raw_data] == ["w5", "w7", "w8"]


@pytest.mark.parametrize("way", ["file", "bytes", "message", "external"])
def test_weights_are_those_of_the_message(tmp_path, way):
    model, path = model_with(*ARRAYS), tmp_path / "m.onnx"
    onnx.save(model, path, save_as_external_data=way == "external", size_threshold=600)
    given = {"bytes": path.read_bytes(), "message": model}
    found = constants_of(
        relay.frontend.from_onnx(given[way])[0] if way in given else relay.load(path)
    )
    assert len(found) == len(ARRAYS)
    for one, other in zip(found, ARRAYS, strict=True):
        assert one.dtype == other.dtype
        assert one.flags.aligned
        np.testing.assert_array_equal(one, other)


def test_old_opsets_are_converted_with_their_weights(tmp_path):
    path = tmp_path / "old.onnx"
    onnx.save(model_with(ARRAYS[0], opset=6), path)
    np.testing.assert_array_equal(constants_of(relay.load(path))[0], ARRAYS[0])


def test_damaged_files_are_import_errors(tmp_path):
    whole, path = model_with(*ARRAYS[:3]).SerializeToString(), tmp_path / "m.onnx"
    rng = np.random.default_rng(1)
    for _ in range(200):
        data = bytearray(whole[: int(rng.integers(1, len(whole) + 1))])
        for place in rng.integers(0, min(len(data), 200), 2):  # the keys and lengths of fields
            data[place] = int(rng.integers(256))
        path.write_bytes(data)
        try:
            relay.load(path)
        except RelayImportError:
            continue


def test_a_weight_of_another_size_than_its_shape_is_an_error(tmp_path):
    model = model_with(ARRAYS[0])
    model.graph.initializer[0].dims[0] = 2**40
    path = tmp_path / "m.onnx"
    onnx.save(model, path)
    with pytest.raises(RelayImportError, match="do not match its shape") as caught:
        relay.load(path)
    assert caught.value.code == "F015"
