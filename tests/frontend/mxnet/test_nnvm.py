"""Networks of NNVM become Relay's operators, and give what PyTorch and NumPy give."""

import json

import numpy as np
import pytest

import relay
from relay.frontend.mxnet.nnvm import OPERATORS
from relay.semantics.evaluate import evaluate


def node(op, name, *inputs, **attrs):
    listed = [[each, 0, 0] if isinstance(each, int) else [*each, 0] for each in inputs]
    return {"op": op, "name": name, "attrs": attrs, "inputs": listed}


def graph(*nodes, heads=None):
    return json.dumps({"nodes": nodes, "heads": heads or [[len(nodes) - 1, 0, 0]]})


def given(*names):
    return [node("null", each) for each in names]


def layer(op, **attrs):
    return graph(*given("data", "w"), node(op, "y", 0, 1, **attrs))


def gives(text, data, wanted, params=None):
    module, _ = relay.frontend.from_nnvm(text, {"data": data.shape}, params=params)
    found = evaluate(module, data)
    listed = found if isinstance(found, tuple) else (found,)
    for a, b in zip(listed, wanted, strict=True):
        np.testing.assert_allclose(np.asarray(a), b, rtol=1e-4, atol=1e-5)


@pytest.mark.torch
def test_layers_with_windows():
    torch = pytest.importorskip("torch")
    f, random = torch.nn.functional, np.random.default_rng(0)
    x = random.standard_normal((2, 4, 9, 9), np.float32)
    shapes = {"w": (6, 2, 3, 3), "b": (6,), "g": (6,), "z": (6,), "m": (6,), "v": (6,),
              "t": (6, 5, 3, 3), "p": (5,)}  # fmt: skip
    params = {k: random.uniform(0.5, 1.5, s).astype(np.float32) for k, s in shapes.items()}
    text = graph(
        *given("data", *params),
        node("conv2d", "c", 0, 1, 2, channels="6", kernel_size="(3, 3)", padding="(1, 1)",
             groups="2", out_layout="__undef__", out_dtype="-1"),
        node("batch_norm", "n", 9, 3, 4, 5, 6, epsilon="0.001"),
        node("leaky_relu", "r", 10, alpha="0.1"),
        node("max_pool2d", "x", 11, pool_size="(3, 3)", strides="(2, 2)", ceil_mode="True"),
        node("conv2d_transpose", "t", 12, 7, channels="5", kernel_size="(3, 3)", strides="(2, 2)",
             padding="(1, 1)", output_padding="(1, 1)", use_bias="False"),
        node("prelu", "p", 13, 8),
        node("avg_pool2d", "a", 14, pool_size="(2, 2)", strides="(2, 2)"),
        node("upsampling", "u", 15, scale="2"),
        node("lrn", "l", 16, size="3", bias="1"),
        node("global_avg_pool2d", "o", 17),
    )  # fmt: skip
    t = {name: torch.from_numpy(each) for name, each in params.items()}
    y = f.conv2d(torch.from_numpy(x), t["w"], t["b"], padding=1, groups=2)
    y = f.leaky_relu(f.batch_norm(y, t["m"], t["v"], t["g"], t["z"], eps=1e-3), 0.1)
    y = f.max_pool2d(y, 3, 2, ceil_mode=True)
    y = f.conv_transpose2d(y, t["t"], stride=2, padding=1, output_padding=1)
    y = f.interpolate(f.avg_pool2d(f.prelu(y, t["p"]), 2), scale_factor=2)
    wanted = f.local_response_norm(y, 3).mean((2, 3), keepdim=True)
    gives(text, x, [wanted.numpy()], params)
    gives(text, x, [wanted.numpy()], relay.save_param_dict(params))


def test_operators_that_move_elements():
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    text = graph(
        *given("data"),
        node("split", "s", 0, indices_or_sections="(1,)", axis="2"),
        node("split", "e", 0, indices_or_sections="2", axis="2"),
        node("concatenate", "c", (1, 1), (2, 0), axis="2"),
        node("strided_slice", "t", 3, begin="[0, 0]", end="[2, 3]", stride="[1, 2]"),
        node("pad", "p", 4, pad_width="((0, 0), (1, 0), (0, 2))", pad_value="7"),
        node("slice_like", "l", 5, 0, axis="(2,)"),
        node("expand_dims", "x", 6, axis="1", num_newaxis="2"),
        node("transpose", "y", 7),
    )
    joined = np.concatenate([x[:, :, 1:], x[:, :, :2]], 2)[:, ::2]
    padded = np.pad(joined, ((0, 0), (1, 0), (0, 2)), constant_values=7)[:, :, :4]
    gives(text, x, [padded[:, None, None].transpose()])


def test_arithmetic():
    x = np.linspace(0.5, 2, 6, dtype=np.float32).reshape(2, 3)
    names = {
        "__add_scalar__": x + 2, "__sub_scalar__": x - 2, "__rsub_scalar__": 2 - x,
        "__mul_scalar__": x * 2, "__div_scalar__": x / 2, "__rdiv_scalar__": 2 / x,
        "__pow_scalar__": x**2, "__rpow_scalar__": 2**x,
    }  # fmt: skip
    nodes = [node(name, f"n{i}", 0, scalar="2") for i, name in enumerate(names)]
    heads = [[i + 1, 0, 0] for i in range(len(nodes))]
    gives(graph(*given("data"), *nodes, heads=heads), x, [*names.values()])


def test_a_perceptron():
    x = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)
    w = np.ones((4, 3), np.float32)
    text = graph(
        *given("data", "w"),
        node("dense", "d", 0, 1, units="4", use_bias="False"),
        node("elu", "e", 2, alpha="1"),
        node("l2_normalize", "l", 3, eps="0.001", axis="1"),
        node("elemwise_sum", "s", 4, 4, num_args="2"),
        node("dropout", "o", 5, rate="0.5"),
    )
    y = x @ w.T
    y = np.where(y > 0, y, np.expm1(y))
    gives(text, x, [2 * y / np.sqrt((y * y).sum(1, keepdims=True))], {"w": w})


WINDOW = {"kernel_size": "(1, 1)"}
BROKEN = {
    "no JSON": ("{,", "F060"),
    "no nodes": ("{}", "F060"),
    "a node that is none": ('{"nodes": [3], "heads": [[0, 0, 0]]}', "F060"),
    "no results": ('{"nodes": [], "heads": []}', "F060"),
    "deep JSON": ('{"nodes": ' + "[" * 100_000, "F060"),
    "a later value": (graph(*given("data"), node("relu", "y", 2), node("relu", "z", 1)), "F060"),
    "no such result": (graph(*given("data"), heads=[[0, 3, 0]]), "F060"),
    "an unknown operator": (graph(*given("data"), node("hologram", "y", 0)), "F010"),
    "an input of no shape": (graph(*given("data", "x"), node("elemwise_add", "y", 0, 1)), "F013"),
    "a missing input": (graph(*given("data"), node("dense", "y", 0)), "F020"),
    "no limit": (graph(*given("data"), node("clip", "y", 0, a_min="0")), "F023"),
    "a size that is no number": (graph(*given("data"), node("upsampling", "y", 0, scale="a")),
                                 "F062"),
    "an attribute that is code": (graph(*given("data"), node("squeeze", "y", 0, axis="exit()")),
                                  "F062"),
    "an axis": (graph(*given("data"), node("softmax", "y", 0, axis="9")), "T103"),
    "sizes": (graph(*given("data", "w"), node("dense", "y", 0, 1, use_bias="False")), "T100"),
    "a layout of the transpose": (layer("conv2d_transpose", layout="NHWC"), "F062"),
    "a method": (layer("upsampling", scale="2", method="BILINEAR"), "F062"),
    "a blocked layout": (layer("upsampling", scale="2", layout="NCHW4c"), "F062"),
    "a layout of the result": (layer("conv2d", **WINDOW, out_layout="NHWC"), "F062"),
    "a type of the result": (layer("conv2d", **WINDOW, out_dtype="int32"), "F062"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_and_unsupported_attributes(name, tmp_path):
    text, code = BROKEN[name]
    path = tmp_path / "graph.json"
    path.write_text(text)
    weights = {"w": np.ones((1, 1, 1, 1), np.float32)}
    with pytest.raises(relay.RelayError) as caught:
        relay.frontend.from_nnvm(path, {"data": (1, 1, 2, 2)}, params=weights)
    assert caught.value.code == code
    assert caught.value.help or code.startswith("T")
    assert "graph.json" in str(caught.value)
    assert "MXNet" not in str(caught.value)


def test_a_compiled_graph_is_refused():
    with pytest.raises(relay.RelayError) as caught:
        relay.frontend.from_nnvm(graph(*given("data"), node("tvm_op", "fuse_conv2d", 0)))
    assert caught.value.code == "F010"
    assert "tvm_op" not in OPERATORS
