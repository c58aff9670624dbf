"""The classic helpers of tests, and the zoo's options."""

from inspect import signature
from typing import Any

import numpy as np
import pytest

import relay as typed

relay: Any = typed
testing = relay.testing


def test_layers_make_weights_whose_types_are_inferred():
    data = relay.var("data", shape=(1, 3, 8, 8))
    x = testing.layers.conv2d(data, name="conv", channels=4, kernel_size=(3, 3))
    x = relay.nn.relu(testing.layers.batch_norm_infer(x, name="bn"))
    x = testing.layers.dense_add_bias(relay.nn.batch_flatten(x), units=5, name="fc")
    net = relay.Function(relay.analysis.free_vars(x), x)
    mod, params = testing.create_workload(net)
    assert isinstance(mod, relay.IRModule)
    assert params["conv_weight"].shape == (4, 3, 3, 3)
    assert params["fc_weight"].shape == (5, 144)
    np.testing.assert_array_equal(params["bn_gamma"], np.ones(4))
    np.testing.assert_array_equal(params["fc_bias"], np.zeros(5))
    assert testing.count_ops(net) == {
        "nn.conv2d": 1, "nn.batch_norm": 1, "nn.relu": 1, "nn.batch_flatten": 1, "nn.dense": 1,
        "nn.bias_add": 1,
    }  # fmt: skip
    image = testing.rand("float32", 1, 3, 8, 8)
    patches = np.lib.stride_tricks.sliding_window_view(image, (3, 3), axis=(2, 3))
    flat = np.einsum("ncyxij,ocij->noyx", patches, params["conv_weight"]) / np.sqrt(1 + 1e-5)
    wanted = flat.clip(0).reshape(1, -1) @ params["fc_weight"].T
    lib = relay.build(mod, params=params)
    module = relay.graph_executor.GraphModule(lib["default"](relay.cpu()))
    module.run(data=image)
    np.testing.assert_allclose(module.get_output(0), wanted, rtol=1e-4, atol=1e-5)


def test_other_initial_values():
    data = relay.var("data", shape=(2, 3))
    net = relay.Function([data, w := relay.var("w")], relay.nn.dense(data, w, units=4))
    _, params = testing.create_workload(net, testing.init.Constant(0.5))
    np.testing.assert_array_equal(params["w"], np.full((4, 3), 0.5))


def test_initial_values_follow_the_roles_of_parameters():
    data, names = relay.var("data", shape=(1, 2, 3)), ("scale", "b2", "average3", "variance4", "c")
    scale, shift, mean, variance, more = (relay.var(name) for name in names)
    x = relay.nn.batch_norm(data, scale, shift, mean, variance)[0]
    net = relay.Function([data, scale, shift, mean, variance, more], relay.nn.bias_add(x, more))
    _, params = testing.create_workload(net)
    for name, wanted in zip(names, (1, 0, 0, 1, 0), strict=True):
        np.testing.assert_array_equal(params[name], np.full(2, wanted))


def test_initialised_networks_of_the_zoo_compute_numbers():
    mod, params = testing.create_workload(testing.resnet.get_net(1, 10, 18, (3, 32, 32)))
    image = np.random.default_rng(0).standard_normal((1, 3, 32, 32), np.float32)
    found = relay.create_executor("debug", mod).evaluate()(image, **params)
    np.testing.assert_allclose(found.numpy().sum(), 1, rtol=1e-5)


def test_inference_and_passes_of_expressions():
    x = relay.var("x", shape=(2,))
    assert testing.run_infer_type(relay.exp(x)).checked_type == relay.TensorType((2,))
    folded = testing.run_opt_pass(
        relay.Function([x], x * (relay.const(1.0) + relay.const(2.0))),
        [relay.transform.FoldConstant()],
    )
    assert folded.body.args[1].data == 3


def test_natural_numbers():
    p = relay.Prelude(relay.IRModule())
    three = testing.nat.make_nat_expr(p, 3)
    p.mod["main"] = relay.Function([], three)
    found = relay.create_executor("debug", mod=p.mod).evaluate()()
    assert testing.nat.count(p, found) == 3


@pytest.mark.parametrize(
    ("name", "options", "shape", "dtype"),
    [
        ("squeezenet", {"version": "1.0"}, (1, 1000), "float32"),
        ("squeezenet", {"version": "1.1", "num_classes": 7}, (1, 7), "float32"),
        (
            "vgg",
            {"num_layers": 11, "batch_norm": True, "image_shape": (3, 32, 32)},
            (1, 1000),
            "float32",
        ),
        ("lstm", {"iterations": 2, "num_hidden": 4, "dtype": "float64"}, (1, 4), "float64"),
        ("mlp", {"batch_size": 2, "dtype": "float16"}, (2, 10), "float16"),
        ("resnet", {"num_layers": 18, "layout": "NCHW"}, (1, 1000), "float32"),
    ],
)
def test_options_of_networks(name, options, shape, dtype):
    mod, params = getattr(testing, name).get_workload(**options)
    assert mod["main"].body.checked_type == relay.TensorType(shape, dtype)
    assert {p.name_hint: p.checked_type for p in mod["main"].params[1:]} == {
        name: relay.TensorType(array.shape, str(array.dtype)) for name, array in params.items()
    }
    assert ("nn.batch_norm" in testing.count_ops(mod["main"])) == (name in ("vgg", "resnet"))


def test_a_network_in_another_type_computes_the_same():
    options = {"iterations": 2, "num_hidden": 4}
    outputs = []
    for dtype in ("float32", "float64"):
        mod, params = testing.lstm.get_workload(**options, dtype=dtype)
        data = np.linspace(-1, 1, 8).reshape(2, 1, 4).astype(dtype)
        run = relay.create_executor("debug", mod=mod, params=params).evaluate()
        outputs.append(run(data))
    assert outputs[1].dtype == np.float64
    np.testing.assert_allclose(outputs[0], outputs[1], rtol=1e-5)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("vgg", {"num_layers": 12}),
        ("squeezenet", {"version": "2.0"}),
        ("resnet", {"num_layers": 19}),
        ("resnet", {"num_layers": 21, "image_shape": (3, 32, 32)}),
        ("resnet_3d", {"num_layers": 19}),
        ("densenet", {"densenet_size": 5}),
        ("mobilenet", {"layout": "NHWC"}),
        ("dqn", {"image_shape": (3, 84, 84)}),
    ],
)
def test_variants_that_are_not_there(name, options):
    with pytest.raises(typed.RelayError) as found:
        getattr(testing, name).get_workload(**options)
    assert found.value.code == "U094"


def test_signatures_say_what_there_is():
    names = [*signature(testing.vgg.get_workload).parameters]
    assert names == [
        "batch_size", "num_classes", "image_shape", "dtype", "num_layers", "batch_norm", "layout",
    ]  # fmt: skip
    assert [*signature(testing.lstm.get_net).parameters][:2] == ["iterations", "num_hidden"]
