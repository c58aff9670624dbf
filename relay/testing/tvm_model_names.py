"""The model zoo under TVM's names: `relay.testing.resnet.get_workload(num_layers=50)`.

`get_net` returns a function whose parameters are the inputs and then the weights; `get_workload`
returns the module with that function, and random weights by name.
"""

from collections.abc import Callable, Collection, Sequence
from inspect import Parameter, Signature, signature
from types import ModuleType
from typing import Any

from relay.classic.ir_module import IRModule
from relay.ir.expr import Function
from relay.semantics.infer import infer
from relay.support.dtype import dtype as to_dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.support.ndarray import NDArray
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
Workload = tuple[IRModule, dict[str, NDArray]]

RESNETS = (18, 34, 50, 101, 152, 200)

DENSENETS = {
    121: ((6, 12, 24, 16), 32),
    161: ((6, 12, 36, 24), 48),
    169: ((6, 12, 32, 32), 32),
    201: ((6, 12, 48, 32), 32),
}
"""The layers of each block, and the growth, by the number of layers."""


class Model(ModuleType):
    """A model of the zoo as a module with TVM's functions, `get_net` and `get_workload`.

    It can be imported like a module, as `relay.testing.resnet`. Weights and data have the element
    type `dtype`; images are NCHW regardless of `layout`. `order` is the order of positional
    arguments, which may include options; other arguments are keywords.
    """

    def __init__(self, name: str, network: Callable[..., Network], order: str = "") -> None:
        super().__init__(f"relay.testing.{name}", network.__doc__)
        places = _places(network, order.split())

        def get_net(*args: Any, **named: Any) -> Function:
            """Return the network as a function of its inputs and weights."""
            return get_workload(*args, **named)[0].main

        def get_workload(*args: Any, **named: Any) -> Workload:
            """Return the network as a module, and random weights for it."""
            given = {**places.bind(*args, **named).arguments}
            _check("layout", given.pop("layout", ""), ("", "NCHW", "NCDHW"))
            element = to_dtype(given.pop("dtype", "float32"))
            built = network(**given)
            module = infer(with_element_type(built.module, element))
            drawn = {n: a.astype(element.numpy, copy=False) for n, a in built.draw().items()}
            return IRModule(module), {name: each.view(NDArray) for name, each in drawn.items()}

        self.get_net: Callable[..., Function] = _signed(get_net, places)
        self.get_workload: Callable[..., Workload] = _signed(get_workload, places)


def _options(*, dtype: str = "float32", layout: str = "") -> None:
    """Declare the options that all networks have; only the signature is used."""


def _places(network: Callable[..., Network], order: Sequence[str]) -> Signature:
    """Return the signature of a network with its options, whose first arguments are `order`."""
    known = {**signature(network).parameters, **signature(_options).parameters}
    listed = [known.pop(name).replace(kind=Parameter.POSITIONAL_OR_KEYWORD) for name in order]
    return Signature([*listed, *known.values()])


def _signed(function: Callable[..., Any], has: Signature) -> Callable[..., Any]:
    """Return the function with its visible signature set to `has`."""
    vars(function)["__signature__"] = has
    return function


def _check(what: str, given: object, known: Collection[object]) -> None:
    """Raise `U094` if a value is not among the known variants of a network."""
    if given not in known:
        help_ = f"use one of {_listed(known)}"
        raise UsageError(ErrorCode.U094, f"there is no {what} {given}", help=help_)


def _listed(known: Collection[object]) -> str:
    return ", ".join(str(each) for each in known if each != "")


def _side(image_shape: Image, channels: int = 3) -> int:
    """Return the side length of square images; raises `U094` for other shapes."""
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
    if size <= 28 or (size <= 32 and num_layers not in RESNETS):
        if num_layers not in range(8, 1203, 6):
            larger = f", and of at least 29 pixels also {_listed(RESNETS)}"
            raise UsageError(
                ErrorCode.U094,
                f"there is no number of layers {num_layers} for images of {size} pixels",
                help=f"use 6 n + 2 layers, such as 20, 32 or 56{larger}",
            )
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


_OF_IMAGES = "batch_size num_classes image_shape dtype"
_OF_LAYERS = "batch_size num_classes num_layers image_shape layout dtype"

MODELS = {
    made.__name__.rpartition(".")[2]: made
    for made in (
        Model("char_rnn", char_rnn.network),
        Model("dcgan", _dcgan, "batch_size oshape ngf random_len layout dtype"),
        Model("densenet", _densenet, "densenet_size classes batch_size image_shape dtype"),
        Model("dqn", _dqn, "batch_size num_actions image_shape dtype layout"),
        Model("gru", _gru, "iterations num_hidden batch_size dtype"),
        Model("inception_v3", _inception_v3, _OF_IMAGES),
        Model("lstm", _lstm, "iterations num_hidden batch_size dtype"),
        Model("mlp", _mlp, _OF_IMAGES),
        Model("mobilenet", _mobilenet, f"{_OF_IMAGES} layout"),
        Model("resnet", _resnet, "batch_size num_classes num_layers image_shape layout dtype"),
        Model(
            "resnet_3d", _resnet_3d, "batch_size num_classes num_layers image_shape layout dtype"
        ),
        Model("squeezenet", _squeezenet, "batch_size num_classes version image_shape dtype"),
        Model("transformer", transformer.network),
        Model("tree_lstm", tree_lstm.network),
        Model("vgg", _vgg, f"{_OF_IMAGES} num_layers batch_norm"),
    )
}
"""The models by name."""
