"""Write MXNet networks with MXNet's results: small ones for the tests, or large ones of its zoo.

    python tools/mxnet_models.py tests/frontend/mxnet
    python tools/mxnet_models.py FOLDER zoo

Needs MXNet 1.9.1, and therefore Python 3.8 and `numpy<1.24`; `tools/compare_mxnet.py` then compares
the networks in a folder with the stored results.
"""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import numpy as np

mx: Any = import_module("mxnet")
nn: Any = import_module("mxnet.gluon.nn")
rnn: Any = import_module("mxnet.gluon.rnn")
vision: Any = import_module("mxnet.gluon.model_zoo.vision")

ZOO = (
    "resnet18_v1", "resnet50_v1", "resnet18_v2", "resnet50_v2", "mobilenet0.25", "mobilenetv2_0.25",
    "vgg11", "vgg11_bn", "densenet121", "alexnet", "inceptionv3",
)  # fmt: skip
SIZES = {"inceptionv3": 299, "alexnet": 128, "densenet121": 224}


def convolutions() -> Any:
    """Return a chain of convolutions, poolings and normalisations."""
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(8, 3, strides=2, padding=1, use_bias=False), nn.BatchNorm(),
        nn.Activation("relu"), nn.Conv2D(8, 3, padding=2, dilation=2, groups=2), nn.LeakyReLU(0.1),
        nn.MaxPool2D(3, 2, 1), nn.Conv2DTranspose(6, 3, strides=2, padding=1, output_padding=1),
        nn.PReLU(), nn.InstanceNorm(), nn.AvgPool2D(3, 2, ceil_mode=True, count_include_pad=False),
        nn.SELU(), nn.LayerNorm(axis=-1), nn.GELU(), nn.GlobalAvgPool2D(), nn.Flatten(),
        nn.Dropout(0.5), nn.Dense(5, activation="tanh"),
    )  # fmt: skip
    return net


def operators(data: Any) -> Any:
    """Return operators that move, combine and reduce elements."""
    sym = mx.sym
    x = sym.transpose(data, axes=(0, 2, 3, 1))
    x = sym.reshape(sym.slice_axis(x, axis=1, begin=1, end=None), shape=(0, -3, -1))
    left, right = sym.SliceChannel(x, num_outputs=2, axis=2)
    x = sym.concat(left * 2 - 1, 1 / (right + 3), sym.broadcast_maximum(left, right), dim=2)
    x = sym.Pad(sym.expand_dims(x, axis=1), mode="edge", pad_width=(0, 0, 0, 0, 1, 1, 2, 0))
    x = sym.squeeze(sym.L2Normalization(x, mode="instance"), axis=1)
    x = sym.broadcast_add(x, sym.mean(x, axis=1, exclude=True, keepdims=True))
    y = sym.batch_dot(x, x, transpose_b=True) > 0.1
    first = sym.slice(x, begin=(None, None, 0), end=(None, None, 1))
    x = sym.where(y, sym.tile(first, reps=(1, 1, 27)), sym.zeros_like(y))
    top = sym.one_hot(sym.argmax(x, axis=2), depth=4, on_value=2)
    turned = sym.log_softmax(sym.swapaxes(x, dim1=1, dim2=2))
    return sym.Group([sym.clip(x, 0, 0.5), top, turned])


def detector(data: Any) -> Any:
    """Return the head of an SSD detector over one feature map."""
    sym = mx.sym
    anchors = sym.contrib.MultiBoxPrior(data, sizes=(0.3, 0.5), ratios=(1, 2, 0.5), clip=True)
    scores = sym.Convolution(data, kernel=(3, 3), pad=(1, 1), num_filter=4 * 3, name="scores")
    scores = sym.reshape(sym.transpose(scores, axes=(0, 2, 3, 1)), shape=(0, -1, 3))
    scores = sym.softmax(sym.transpose(scores, axes=(0, 2, 1)), axis=1)
    boxes = sym.Convolution(data, kernel=(3, 3), pad=(1, 1), num_filter=4 * 4, name="boxes")
    boxes = sym.Flatten(sym.transpose(boxes, axes=(0, 2, 3, 1)))
    return sym.contrib.MultiBoxDetection(scores, boxes, anchors, nms_threshold=0.4, threshold=0.2)


def classifier(data: Any) -> Any:
    """Return a perceptron with a label input for training, in the format of old files."""
    sym = mx.sym
    x = sym.Activation(sym.FullyConnected(data, num_hidden=8, name="fc1"), act_type="relu")
    x = sym.Embedding(sym.argmax(x, axis=1), input_dim=8, output_dim=4, name="e")
    x = sym.FullyConnected(x, num_hidden=3, no_bias=True, name="fc2")
    return sym.SoftmaxOutput(x, name="softmax")


def block(net: Any, *inputs: Any) -> Any:
    """Return a network of Gluon as a symbol, with random weights."""
    return _initialized(net, mx.init.Normal(0.2), *inputs)


def _initialized(net: Any, weights: Any, *inputs: Any) -> Any:
    net.initialize(weights)
    net.hybridize()
    net(*inputs)
    return net


def write_block(folder: Path, name: str, net: Any, *inputs: Any) -> None:
    """Write a network of Gluon, its inputs and its answers."""
    found = net(*inputs)
    for parameter in net.collect_params(".*running_var").values():
        parameter.set_data(mx.nd.random.uniform(0.5, 1.5, parameter.shape))
    found = net(*inputs)
    net.export(str(folder / name))
    _save(folder / name, inputs, found)


def write_symbol(folder: Path, name: str, symbol: Any, shape: "tuple[int, ...]") -> None:
    """Write a symbol with random weights, its input and its answers."""
    random = np.random.RandomState(0)
    data = random.normal(size=shape).astype(np.float32)
    sizes, _, _ = symbol.infer_shape(data=shape)
    names = symbol.list_arguments()
    labels = {name: mx.nd.zeros(shape[:1]) for name in names if name.endswith("label")}
    given = {"data", *labels}
    weights = {
        name: mx.nd.array(random.normal(0, 0.3, size))
        for name, size in zip(names, sizes)  # noqa: B905 - this Python is too old for `strict`
        if name not in given
    }
    bound = symbol.bind(mx.cpu(), {"data": mx.nd.array(data), **weights, **labels})
    found = bound.forward(is_train=False)
    symbol.save(str(folder / f"{name}-symbol.json"))
    named = {f"arg:{name}": each for name, each in weights.items()}
    mx.nd.save(str(folder / f"{name}-0000.params"), named)
    _save(folder / name, mx.nd.array(data), found)


def _save(path: Path, inputs: Any, found: Any) -> None:
    arrays = {f"input_{i}": each.asnumpy() for i, each in enumerate(_flat(inputs))}
    arrays.update({f"output_{i}": each.asnumpy() for i, each in enumerate(_flat(found))})
    np.savez_compressed(f"{path}.npz", **arrays)


def _flat(values: Any) -> Any:
    """Return the arrays in lists of lists."""
    if not isinstance(values, (list, tuple)):
        return [values]
    return [array for each in cast("Any", values) for array in _flat(each)]


def main(arguments: "list[str]") -> None:
    """Run the command line."""
    mx.random.seed(0)
    folder = Path(arguments[0])
    if arguments[1:] == ["zoo"]:
        for name in ZOO:
            size = SIZES.get(name, 64)
            x = mx.nd.random.normal(shape=(1, 3, size, size))
            net = _initialized(vision.get_model(name), mx.init.Xavier(), x)
            write_block(folder, name, net, x)
        return
    x = mx.nd.random.normal(shape=(2, 3, 13, 13))
    write_block(folder, "convolutions", block(convolutions(), x), x)
    x = mx.nd.random.normal(shape=(5, 2, 4))
    lstm = rnn.LSTM(6, num_layers=2, bidirectional=True, input_size=4)
    states = lstm.begin_state(batch_size=2, func=mx.nd.random.normal)
    write_block(folder, "lstm", block(lstm, x, states), x, states)
    write_symbol(folder, "operators", operators(mx.sym.Variable("data")), (2, 4, 6, 5))
    write_symbol(folder, "detector", detector(mx.sym.Variable("data")), (1, 4, 4, 4))
    write_symbol(folder, "classifier", classifier(mx.sym.Variable("data")), (3, 5))


if __name__ == "__main__":
    main(sys.argv[1:])
