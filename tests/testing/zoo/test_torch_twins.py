"""Compiled networks of the zoo against PyTorch, layer by layer with the same weights."""

import numpy as np
import pytest

import relay
from relay.testing.zoo import mobilenet, resnet
from relay.transform.bind_parameters import bind_parameters

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


class Twin:
    """Functional layers of PyTorch that take the weights in the order of the network."""

    def __init__(self, weights):
        self.weights = map(torch.from_numpy, weights.values())

    def conv_norm(self, x, stride=1, padding=1, groups=1):
        x = torch.conv2d(x, next(self.weights), None, stride, padding, 1, groups)
        gamma, beta, mean, variance = (next(self.weights) for _ in range(4))
        return torch.batch_norm(x, gamma, beta, mean, variance, False, 0.0, 1e-5, False)

    def classify(self, x):
        x = torch.nn.functional.linear(x.mean((2, 3)), next(self.weights), next(self.weights))
        return torch.softmax(x, -1)


def resnet18(twin, x):
    x = torch.relu(twin.conv_norm(x, 2, 3))
    x = torch.max_pool2d(x, 3, 2, 1)
    for block in range(8):
        stride = 2 if block in {2, 4, 6} else 1
        inner = torch.relu(twin.conv_norm(x, stride))
        inner = twin.conv_norm(inner)
        shortcut = twin.conv_norm(x, 2, 0) if stride == 2 else x
        x = torch.relu(inner + shortcut)
    return twin.classify(x)


def mobilenet_v1(twin, x):
    x = torch.relu(twin.conv_norm(x, 2))
    for block in range(13):
        stride = 2 if block in {1, 3, 5, 11} else 1
        x = torch.relu(twin.conv_norm(x, stride, 1, x.shape[1]))
        x = torch.relu(twin.conv_norm(x, 1, 0))
    return twin.classify(x)


@pytest.mark.parametrize(
    ("network", "twin", "size"),
    [
        pytest.param(resnet.network(18, 2, 7, 45, 8), resnet18, 45, id="resnet18"),
        pytest.param(mobilenet.network(2, 7, 50, 0.25), mobilenet_v1, 50, id="mobilenet"),
    ],
)
def test_compiled_it_gives_what_pytorch_gives(network, twin, size):
    data = np.random.default_rng(3).standard_normal((2, 3, size, size), np.float32)
    weights = network.draw(4)
    expected = twin(Twin(weights), torch.from_numpy(data)).numpy()
    value = relay.compile(bind_parameters(network.module, weights), threads=1)(data)
    np.testing.assert_allclose(value, expected, rtol=2e-4, atol=1e-6)
