"""The model zoo behind its classic names and signatures."""

from inspect import ismodule

import pytest

import relay


@pytest.mark.parametrize(
    ("name", "options", "shape"),
    [
        ("resnet", {"num_layers": 50, "batch_size": 2}, (2, 1000)),
        ("resnet", {"num_layers": 20, "num_classes": 10, "image_shape": (3, 32, 32)}, (1, 10)),
        ("resnet", {"num_classes": 10, "image_shape": (3, 32, 32)}, (1, 10)),
        ("resnet_3d", {}, (1, 400)),
        ("mlp", {"batch_size": 3}, (3, 10)),
        ("vgg", {"num_layers": 13, "image_shape": (3, 32, 32)}, (1, 1000)),
        ("densenet", {"densenet_size": 169, "batch_size": 1}, (1, 1000)),
        ("dqn", {}, (1, 18)),
        ("dcgan", {"batch_size": 2}, (2, 3, 64, 64)),
        ("mobilenet", {}, (1, 1000)),
        ("squeezenet", {}, (1, 1000)),
        ("inception_v3", {}, (1, 1000)),
        ("lstm", {"iterations": 3, "num_hidden": 8}, (1, 8)),
        ("gru", {"iterations": 3, "num_hidden": 8}, (1, 8)),
    ],
)
def test_classic_names(name, options, shape):
    function = getattr(relay.testing, name).get_net(**options)
    assert function.body.type is relay.TensorType(shape)


def test_a_workload_has_weights_for_its_network():
    module, weights = relay.testing.mlp.get_workload(batch_size=3)
    assert [*weights] == [param.name for param in module.main.params[1:]]
    assert relay.testing.mlp.get_net(3).type is module.main.type
    assert "resnet_3d" in dir(relay.testing)
    with pytest.raises(AttributeError, match="alexnet"):
        _ = relay.testing.alexnet


def test_models_are_modules_with_arguments_in_the_classic_order():
    resnet, mlp = relay.testing.resnet, relay.testing.mlp
    assert (ismodule(mlp), mlp.__name__) == (True, "relay.testing.mlp")
    assert resnet.get_net(1, 10, 20, (3, 32, 32), "NCHW", "float16").ret_type.dtype == "float16"
    module, _ = mlp.get_workload(1, 10, (1, 28, 28), "float16")
    assert module["main"].ret_type is relay.TensorType((1, 10), "float16")
