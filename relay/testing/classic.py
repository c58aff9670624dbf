"""The model zoo by its classic names: `relay.testing.resnet.get_workload(num_layers=50)`.

`get_net` gives a function whose parameters are the inputs and then the weights, `get_workload` the
module with that function and random weights by name.
"""

from collections.abc import Callable, Sequence
from typing import Generic, ParamSpec

from relay.ir.expr import Function
from relay.support.node import node
from relay.testing.zoo import (
    char_rnn,
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
from relay.testing.zoo import dcgan as zoo_dcgan
from relay.testing.zoo.network import Network, Workload

_Options = ParamSpec("_Options")
Image = Sequence[int]

DENSENETS = {
    121: ((6, 12, 24, 16), 32),
    161: ((6, 12, 36, 24), 48),
    169: ((6, 12, 32, 32), 32),
    201: ((6, 12, 48, 32), 32),
}
"""Layers of each block, and growth, by the number of layers."""


@node
class Model(Generic[_Options]):
    """One model of the zoo, behind a signature of the classic language."""

    network: Callable[_Options, Network]

    def get_net(self, *args: _Options.args, **kwargs: _Options.kwargs) -> Function:
        """Return the network as a function."""
        return self.network(*args, **kwargs).module.main

    def get_workload(self, *args: _Options.args, **kwargs: _Options.kwargs) -> Workload:
        """Return the network as a module, and random weights for it."""
        built = self.network(*args, **kwargs)
        return built.module, built.draw()


def _mlp(batch_size: int = 1, num_classes: int = 10, image_shape: Image = (1, 28, 28)) -> Network:
    return mlp.network(batch_size, image_shape, classes=num_classes)


def _resnet(
    batch_size: int = 1,
    num_classes: int = 1000,
    num_layers: int = 18,
    image_shape: Image = (3, 224, 224),
) -> Network:
    if image_shape[-1] <= 32:
        return resnet.cifar_network(num_layers, batch_size, num_classes, image_shape[-1])
    return resnet.network(num_layers, batch_size, num_classes, image_shape[-1])


def _resnet_3d(
    batch_size: int = 1,
    num_classes: int = 400,
    num_layers: int = 18,
    image_shape: Image = (3, 16, 112, 112),
) -> Network:
    return resnet_3d.network(num_layers, batch_size, num_classes, *image_shape[1:3])


def _dqn(batch_size: int = 1, num_actions: int = 18, image_shape: Image = (4, 84, 84)) -> Network:
    return dqn.network(batch_size, num_actions, image_shape[-1])


def _dcgan(
    batch_size: int = 1, oshape: Image = (3, 64, 64), ngf: int = 128, random_len: int = 100
) -> Network:
    return zoo_dcgan.network(batch_size, random_len, ngf, oshape[0])


def _mobilenet(
    batch_size: int = 1, num_classes: int = 1000, image_shape: Image = (3, 224, 224)
) -> Network:
    return mobilenet.network(batch_size, num_classes, image_shape[-1])


def _lstm(iterations: int, num_hidden: int, batch_size: int = 1) -> Network:
    return lstm.network(batch_size, iterations, num_hidden, num_hidden)


def _gru(iterations: int, num_hidden: int, batch_size: int = 1) -> Network:
    return gru.network(batch_size, iterations, num_hidden, num_hidden)


def _inception_v3(
    batch_size: int = 1, num_classes: int = 1000, image_shape: Image = (3, 299, 299)
) -> Network:
    return inception_v3.network(batch_size, num_classes, image_shape[-1])


def _squeezenet(
    batch_size: int = 1, num_classes: int = 1000, image_shape: Image = (3, 224, 224)
) -> Network:
    return squeezenet.network(batch_size, num_classes, image_shape[-1])


def _vgg(
    batch_size: int = 1,
    num_classes: int = 1000,
    image_shape: Image = (3, 224, 224),
    num_layers: int = 11,
) -> Network:
    return vgg.network(num_layers, batch_size, num_classes, image_shape[-1])


def _densenet(
    densenet_size: int = 121,
    classes: int = 1000,
    batch_size: int = 4,
    image_shape: Image = (3, 224, 224),
) -> Network:
    blocks, growth = DENSENETS[densenet_size]
    return densenet.network(blocks, batch_size, classes, image_shape[-1], growth)


MODELS = {
    "char_rnn": Model(char_rnn.network),
    "dcgan": Model(_dcgan),
    "densenet": Model(_densenet),
    "dqn": Model(_dqn),
    "gru": Model(_gru),
    "inception_v3": Model(_inception_v3),
    "lstm": Model(_lstm),
    "mlp": Model(_mlp),
    "mobilenet": Model(_mobilenet),
    "resnet": Model(_resnet),
    "resnet_3d": Model(_resnet_3d),
    "squeezenet": Model(_squeezenet),
    "transformer": Model(transformer.network),
    "tree_lstm": Model(tree_lstm.network),
    "vgg": Model(_vgg),
}
"""The models by name."""
