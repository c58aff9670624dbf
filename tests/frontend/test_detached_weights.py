"""Weights of ONNX files, which are read apart from the message that describes them."""

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper, numpy_helper

import relay
from relay.frontend.onnx.detached_weights import detach_weights
from relay.ir.analysis.mapped_constants import mapped_files
from relay.ir.expr import Constant
from relay.ir.walk import post_order
from relay.semantics.evaluate import evaluate
from relay.support.errors import RelayImportError
from relay.support.mapped_file import mapping_of

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
        assert not one.flags.writeable
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


@pytest.fixture
def layers(tmp_path):
    """Return the path of a model of a table, products and a convolution with large weights."""
    shapes = {
        "table": (1000, 512),
        "dense": (512, 1024),
        "turned": (512, 1024),
        "conv": (512, 512, 3, 3),
    }
    weights = [
        numpy_helper.from_array(RNG.standard_normal(shape, np.float32) / 16, name)
        for name, shape in shapes.items()
    ]
    nodes = [
        helper.make_node("Gather", ["table", "words"], ["found"]),
        helper.make_node("MatMul", ["found", "dense"], ["wide"]),
        helper.make_node("Gemm", ["wide", "turned"], ["narrow"], transB=1),
        helper.make_node("Reshape", ["narrow", "shape"], ["image"]),
        helper.make_node("Conv", ["image", "conv"], ["y"], pads=[1, 1, 1, 1]),
    ]
    shape = numpy_helper.from_array(np.array([1, 512, 2, 2]), "shape")
    words = helper.make_tensor_value_info("words", onnx.TensorProto.INT64, [4])
    y = helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [1, 512, 2, 2])
    graph = helper.make_graph(nodes, "g", [words], [y], [*weights, shape])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    onnx.save(model, tmp_path / "layers.onnx")
    return tmp_path / "layers.onnx"


def test_large_weights_are_views_of_the_file_before_and_after_a_compilation(layers):
    module = relay.load(layers)
    held = [each for each in constants_of(module) if each.nbytes >= 1 << 20]
    assert len(held) == 4
    assert mapped_files(module) == {mapping_of(each) for each in held}
    assert len(mapped_files(module)) == 1
    words = np.array([0, 999, 7, 7])
    session = onnxruntime.InferenceSession(layers, providers=["CPUExecutionProvider"])
    wanted = np.asarray(session.run(None, {"words": words})[0])
    fast = relay.compile(module)
    layers.unlink()
    np.testing.assert_allclose(fast(words), wanted, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(np.asarray(evaluate(module, words)), wanted, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(relay.compile(module)(words), fast(words))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "int8", "float64"])
@pytest.mark.parametrize("name", ["w", "w1", "w12", "w123"])
def test_unaligned_weights_of_every_type(tmp_path, dtype, name):
    kind = helper.tensor_dtype_to_np_dtype(helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))
    weight = numpy_helper.from_array(RNG.integers(-9, 9, (1024, 1025)).astype(kind), name)
    ty = helper.make_tensor_value_info("x", weight.data_type, [1025])
    y = helper.make_tensor_value_info("y", weight.data_type, [1024, 1025])
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", name], ["y"])], "g", [ty], [y], [weight]
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    onnx.save(model, tmp_path / "m.onnx")
    module = relay.load(tmp_path / "m.onnx")
    x = np.arange(1025).astype(kind) % 9
    wanted = numpy_helper.to_array(weight) + x
    np.testing.assert_array_equal(relay.compile(module)(x), wanted)
    np.testing.assert_array_equal(evaluate(module, x), wanted)


def test_weights_in_other_files_share_one_mapping(layers, tmp_path):
    path = tmp_path / "external.onnx"
    onnx.save(onnx.load(layers), path, save_as_external_data=True)
    assert len(mapped_files(relay.load(path))) == 1


@pytest.mark.parametrize(
    "use",
    [
        relay.compile,
        lambda module: relay.save(module, "never"),
        lambda m: evaluate(m, np.zeros(4, int)),
    ],
)
def test_a_model_whose_file_was_written_again_is_an_error(layers, use):
    module = relay.load(layers)
    onnx.save(model_with(ARRAYS[0]), layers)
    with pytest.raises(RelayImportError, match="has changed since it was loaded") as caught:
        use(module)
    assert caught.value.code == "F082"
