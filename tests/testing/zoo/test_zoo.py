"""The networks of the zoo: their types, and that compiled ones mean what their modules mean."""

from math import prod
from typing import Any

import numpy as np
import pytest

import relay
from relay.semantics.evaluate import evaluate as evaluate_any
from relay.support.errors import UsageError
from relay.testing.zoo import (
    char_rnn,
    dcgan,
    densenet,
    dqn,
    gru,
    inception_v3,
    lstm,
    mlp,
    mobilenet,
    resnet,
    resnet_3d,
    squeezenet,
    transformer,
    tree_lstm,
    vgg,
)
from relay.transform.bind_parameters import bind_parameters


def evaluate(module: relay.Module, *arrays: Any) -> Any:
    return evaluate_any(module, *arrays)


# The numbers of trainable weights are those that torchvision and the papers give.
FULL = [
    pytest.param(mlp.network(), (1, 10), 109_386, id="mlp"),
    pytest.param(dqn.network(), (1, 18), 1_693_362, id="dqn"),
    pytest.param(dcgan.network(), (1, 3, 64, 64), None, id="dcgan"),
    pytest.param(resnet.network(18), (1, 1000), 11_689_512, id="resnet18"),
    pytest.param(resnet.network(34), (1, 1000), 21_797_672, id="resnet34"),
    pytest.param(resnet.network(50), (1, 1000), 25_557_032, id="resnet50"),
    pytest.param(resnet.network(101), (1, 1000), 44_549_160, id="resnet101"),
    pytest.param(resnet.network(152), (1, 1000), 60_192_808, id="resnet152"),
    pytest.param(resnet.network(200), (1, 1000), 64_673_832, id="resnet200"),
    pytest.param(resnet.cifar_network(20, 4), (4, 10), None, id="resnet20"),
    pytest.param(resnet_3d.network(), (1, 400), 33_371_472, id="resnet_3d"),
    pytest.param(vgg.network(13), (1, 1000), 133_047_848, id="vgg13"),
    pytest.param(vgg.network(19), (1, 1000), 143_667_240, id="vgg19"),
    pytest.param(vgg.network(11), (1, 1000), 132_863_336, id="vgg11"),
    pytest.param(vgg.network(16), (1, 1000), 138_357_544, id="vgg16"),
    pytest.param(mobilenet.network(), (1, 1000), 4_231_976, id="mobilenet"),
    pytest.param(mobilenet.v2_network(), (1, 1000), 3_504_872, id="mobilenet_v2"),
    pytest.param(squeezenet.network(), (1, 1000), 1_235_496, id="squeezenet"),
    pytest.param(densenet.network(), (1, 1000), 7_978_856, id="densenet121"),
    pytest.param(densenet.network((6, 12, 32, 32)), (1, 1000), 14_149_480, id="densenet169"),
    pytest.param(densenet.network((6, 12, 48, 32)), (1, 1000), 20_013_928, id="densenet201"),
    pytest.param(
        densenet.network((6, 12, 36, 24), growth=48), (1, 1000), 28_681_000, id="densenet161"
    ),
    pytest.param(inception_v3.network(), (1, 1000), 23_834_568, id="inception_v3"),
    pytest.param(lstm.network(), (1, 16), 4 * 16 * (16 + 16 + 1), id="lstm"),
    pytest.param(gru.network(), (1, 16), 3 * 16 * (16 + 16 + 2), id="gru"),
    pytest.param(gru.loop_network(), (1, 16), 3 * 16 * (16 + 16 + 2), id="gru_loop"),
    pytest.param(char_rnn.network(), (8, 1, 98), None, id="char_rnn"),
    pytest.param(tree_lstm.network(), (1, 16), None, id="tree_lstm"),
    pytest.param(lstm.loop_network(), (1, 16), None, id="lstm_loop"),
    pytest.param(transformer.network(), (1, 128, 512), 6 * 3_152_384, id="transformer"),
]


@pytest.mark.parametrize(("network", "shape", "trained"), FULL)
def test_the_network_is_the_published_one(network, shape, trained):
    assert network.module.main.body.type is relay.TensorType(shape)
    statistics = ("mean", "variance")
    sizes = [
        prod(weight.var.tensor_type.static_shape)
        for weight in network.weights
        if not weight.var.name.startswith(statistics)
    ]
    assert trained is None or sum(sizes) == trained


SMALL = [
    pytest.param(mlp.network(3, (1, 5, 5), (7, 6)), id="mlp"),
    pytest.param(dqn.network(2, 5, 44), id="dqn"),
    pytest.param(dcgan.network(1, 9, 4), id="dcgan"),
    pytest.param(resnet.network(18, 1, 5, 33, 4), id="resnet18"),
    pytest.param(resnet.network(50, 1, 5, 32, 4), id="resnet50"),
    pytest.param(resnet.cifar_network(8, 2, 10, 9, 4), id="resnet8"),
    pytest.param(vgg.network(11, 1, 7, 32, 4, 12), id="vgg11"),
    pytest.param(mobilenet.network(1, 5, 35, 0.25), id="mobilenet"),
    pytest.param(mobilenet.v2_network(1, 5, 33, 0.25), id="mobilenet_v2"),
    pytest.param(squeezenet.network(1, 9, 39), id="squeezenet"),
    pytest.param(densenet.network((2, 2), 1, 6, 32, 4), id="densenet"),
    pytest.param(lstm.network(2, 5, 3, 4), id="lstm"),
    pytest.param(gru.network(2, 5, 3, 4), id="gru"),
    pytest.param(resnet_3d.network(18, 1, 5, 3, 17, 2), id="resnet_3d"),
    pytest.param(transformer.network(2, 2, 7, 12, 3), id="transformer"),
]


def _inputs(network):
    random = np.random.default_rng(5)
    weights = network.draw()
    return [
        weights.get(param.name, random.standard_normal(param.tensor_type.static_shape, np.float32))
        for param in network.module.main.params
    ]


@pytest.mark.parametrize("network", SMALL)
def test_compiled_it_gives_what_it_means(network):
    arrays = _inputs(network)
    expected = evaluate(network.module, *arrays)
    bound = bind_parameters(network.module, network.draw())
    value = relay.compile(bound, threads=1)(arrays[0])
    np.testing.assert_allclose(value, expected, rtol=2e-4, atol=2e-5)


def test_the_recursive_memory_is_the_written_out_one():
    unrolled, loop = lstm.network(2, 5, 3, 4), lstm.loop_network(2, 5, 3, 4)
    arrays = _inputs(unrolled)
    expected = evaluate(unrolled.module, *arrays)
    np.testing.assert_allclose(evaluate(loop.module, *arrays), expected, rtol=1e-5, atol=1e-6)


def test_weights_of_one_seed_are_the_same():
    module, weights = mlp.workload()
    again = mlp.network().draw(0)
    other = mlp.network().draw(1)
    assert [*weights] == [param.name for param in module.main.params[1:]]
    assert all(np.array_equal(weights[name], again[name]) for name in weights)
    assert not np.array_equal(weights["dense0"], other["dense0"])


def test_only_parameters_of_their_type_are_bound():
    module, weights = mlp.workload()
    bound = bind_parameters(module, weights)
    assert [param.name for param in bound.main.params] == ["data"]
    assert bound.main.type is relay.FuncType(
        (relay.TensorType((1, 1, 28, 28)),), relay.TensorType((1, 10))
    )
    with pytest.raises(UsageError, match="U043"):
        bind_parameters(module, {"wieght": weights["dense0"]})
    with pytest.raises(UsageError, match="U044"):
        bind_parameters(module, {"dense0": weights["dense0"].astype(np.float64)})
