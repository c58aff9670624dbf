"""The model zoo by its classic names: `relay.testing.resnet.get_workload(num_layers=50)`.

`get_net` gives a function whose parameters are the inputs and then the weights, `get_workload` the
module with that function and random weights by name.
"""

from collections.abc import Callable, Collection, Sequence
from inspect import Signature, signature
from typing import Any

from relay.classic.ir_module import IRModule
from relay.ir.expr import Array, Function
from relay.support.dtype import dtype as to_dtype
from relay.support.errors import UsageError
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
from relay.testing.zoo.element_type import with_element_type
from relay.testing.zoo.network import Network

Image = Sequence[int]
Workload = tuple[IRModule, dict[str, Array]]

RESNETS = (18, 34, 50, 101, 152, 200)

DENSENETS = {
    121: ((6, 12, 24, 16), 32),
    161: ((6, 12, 36, 24), 48),
    169: ((6, 12, 32, 32), 32),
    201: ((6, 12, 48, 32), 32),
}
"""Layers of each block, and growth, by the number of layers."""


class Model:
    """One model of the zoo, behind a signature of the classic language.

    Weights and data are of type `dtype`; images are NCHW, whatever else `layout` could be.
    """

    def __init__(self, network: Callable[..., Network]) -> None:
        def get_net(*args: Any, **named: Any) -> Function:
            """Return the network as a function."""
            return get_workload(*args, **named)[0].main

        def get_workload(
            *args: Any, dtype: str = "float32", layout: str = "", **named: Any
        ) -> Workload:
            """Return the network as a module, and random weights for it."""
            _check("layout", layout, ("", "NCHW", "NCDHW"))
            element = to_dtype(dtype)
            built = network(*args, **named)
            module = with_element_type(built.module, element)
            drawn = built.draw().items()
            return IRModule(module), {n: a.astype(element.numpy, copy=False) for n, a in drawn}

        self.get_net: Callable[..., Function] = _signed(get_net, network)
        self.get_workload: Callable[..., Workload] = _signed(get_workload, network)


def _options(*, dtype: str = "float32", layout: str = "") -> None:
    """Stand for the options that all networks have."""


def _signed(function: Callable[..., Any], network: Callable[..., Network]) -> Callable[..., Any]:
    """Return the function, which says that it has the arguments of a network, and the options."""
    both = (*signature(network).parameters.values(), *signature(_options).parameters.values())
    vars(function)["__signature__"] = Signature(both)
    return function


def _check(what: str, given: object, known: Collection[object]) -> None:
    """Raise `U094` for a variant of a network that there is not."""
    if given not in known:
        listed = ", ".join(str(each) for each in known if each != "")
        raise UsageError("U094", f"there is no {what} {given}", help=f"there is {listed}")


def _side(image_shape: Image, channels: int = 3) -> int:
    """Return the size of square images."""
    *_, height, width = image_shape
    _check(
        "image shape", tuple(image_shape), [(channels, width, width), (channels, 16, width, width)]
    )
    return height


def _mlp(batch_size: int = 1, num_classes: int = 10, image_shape: Image = (1, 28, 28)) -> Network:
    return mlp.network(batch_size, image_shape, classes=num_classes)


def _resnet(
    batch_size: int = 1,
    num_classes: int = 1000,
    num_layers: int = 18,
    image_shape: Image = (3, 224, 224),
) -> Network:
    size = _side(image_shape)
    if size <= 32:
        _check("number of layers", num_layers, range(8, 1203, 6))
        return resnet.cifar_network(num_layers, batch_size, num_classes, size)
    _check("number of layers", num_layers, RESNETS)
    return resnet.network(num_layers, batch_size, num_classes, size)


def _resnet_3d(
    batch_size: int = 1,
    num_classes: int = 400,
    num_layers: int = 18,
    image_shape: Image = (3, 16, 112, 112),
) -> Network:
    _check("number of layers", num_layers, tuple(resnet_3d.BLOCKS))
    return resnet_3d.network(num_layers, batch_size, num_classes, *image_shape[1:3])


def _dqn(batch_size: int = 1, num_actions: int = 18, image_shape: Image = (4, 84, 84)) -> Network:
    return dqn.network(batch_size, num_actions, _side(image_shape, 4))


def _dcgan(
    batch_size: int = 1, oshape: Image = (3, 64, 64), ngf: int = 128, random_len: int = 100
) -> Network:
    return zoo_dcgan.network(batch_size, random_len, ngf, oshape[0])


def _mobilenet(
    batch_size: int = 1, num_classes: int = 1000, image_shape: Image = (3, 224, 224)
) -> Network:
    return mobilenet.network(batch_size, num_classes, _side(image_shape))


def _lstm(iterations: int, num_hidden: int, batch_size: int = 1) -> Network:
    return lstm.network(batch_size, iterations, num_hidden, num_hidden)


def _gru(iterations: int, num_hidden: int, batch_size: int = 1) -> Network:
    return gru.network(batch_size, iterations, num_hidden, num_hidden)


def _inception_v3(
    batch_size: int = 1, num_classes: int = 1000, image_shape: Image = (3, 299, 299)
) -> Network:
    return inception_v3.network(batch_size, num_classes, _side(image_shape))


def _squeezenet(
    batch_size: int = 1,
    num_classes: int = 1000,
    version: str = "1.0",
    image_shape: Image = (3, 224, 224),
) -> Network:
    _check("version", version, tuple(squeezenet.STAGES))
    return squeezenet.network(batch_size, num_classes, _side(image_shape), version)


def _vgg(
    batch_size: int = 1,
    num_classes: int = 1000,
    image_shape: Image = (3, 224, 224),
    num_layers: int = 11,
    batch_norm: bool = False,
) -> Network:
    _check("number of layers", num_layers, tuple(vgg.STAGES))
    size = _side(image_shape)
    return vgg.network(num_layers, batch_size, num_classes, size, batch_norm=batch_norm)


def _densenet(
    densenet_size: int = 121,
    classes: int = 1000,
    batch_size: int = 4,
    image_shape: Image = (3, 224, 224),
) -> Network:
    _check("size of densenet", densenet_size, tuple(DENSENETS))
    blocks, growth = DENSENETS[densenet_size]
    return densenet.network(blocks, batch_size, classes, _side(image_shape), growth)


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
