"""The models of the examples that train, each as a loss in Relay and the same loss in PyTorch.

The programs are those of the examples themselves; only dropout is left out, which is random.
"""

import importlib
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch.nn import functional as F

import relay
from benchmarks.trained_networks.networks import Array
from examples.pretrained_models import fetch
from relay import layers
from relay.ir.expr import Function, TupleGetItem
from relay.ir.module import Module, module_of
from relay.layers import Mode
from relay.layers.parameter_tree import leaves

EXAMPLES = Path(__file__).parents[2] / "examples"

Tensors = Sequence[torch.Tensor]


LossAndGradients = Callable[[Sequence[Array]], tuple[Array, Sequence[Array]]]
"""A native function from the weights to a loss and its gradients by all of them."""


@dataclass(frozen=True)
class ExampleModel:
    """A model: float32 weights to start from, and its loss in both frameworks.

    `compiled` returns our loss with its gradients for an element type; `torch_loss` is the loss of
    PyTorch's tensors, in their element type.
    """

    name: str
    weights: Sequence[Array]
    compiled: Callable[[str], LossAndGradients]
    torch_loss: Callable[[Tensors], torch.Tensor]


def _example(name: str) -> Any:
    """Import an example, which finds its neighbours beside it."""
    if str(EXAMPLES) not in sys.path:
        sys.path.insert(0, str(EXAMPLES))
    return importlib.import_module(name)


def _of_layers(
    model: Callable[[str], Any], loss: Callable[..., Any], *batch: Array
) -> tuple[list[Array], Callable[[str], LossAndGradients]]:
    """Return the weights of a model of `relay.layers`, and what differentiates its loss."""
    key = np.zeros(10, np.uint64)

    def forward(model: Any, key: Any, *batch: Any) -> Any:
        return loss(model, Mode(key), *batch)

    def compiled(dtype: str) -> LossAndGradients:
        given = model(dtype), key, *(_converted(each, dtype) for each in batch)
        known = list(leaves(given))
        by = tuple(i for i, leaf in enumerate(leaves(given[0])) if leaf.is_trained)
        main = layers.traced(forward, *given).module.main
        module = Module.of(Function(main.params, TupleGetItem(main.body, 0)))
        step = relay.compile(relay.value_and_grad(module, by), threads=1)

        def found(weights: Sequence[Array]) -> tuple[Array, Sequence[Array]]:
            values = [leaf.value for leaf in known]
            for place, weight in zip(by, weights, strict=True):
                values[place] = weight
            return step(*values)

        return found

    trained = [leaf.value for leaf in leaves(model("float32")) if leaf.is_trained]
    return trained, compiled


def _converted(array: Array, dtype: str) -> Array:
    return array.astype(dtype) if array.dtype.kind == "f" else array


def _of_function(loss: Any, *given: Any) -> Callable[[str], LossAndGradients]:
    """Return what differentiates a Python function of a tuple of weights, in an element type."""

    def compiled(dtype: str) -> LossAndGradients:
        step = relay.compile(relay.value_and_grad(_in(dtype, module_of(loss)), 0), threads=1)
        rest = [_converted(each, dtype) if isinstance(each, np.ndarray) else each for each in given]
        return lambda weights: step(tuple(weights), *rest)

    return compiled


def _in(dtype: str, module: Module) -> Module:
    """Return a program with another element type of all its floats."""
    text = re.sub(r"float(32|64)", dtype, module.astext())
    return relay.parse(re.sub(r"(?<=\d)f(64)?\b", "f64" if dtype == "float64" else "f", text))


def digits(batch: int = 64) -> ExampleModel:
    """Return the convolutional network of `examples/digits.py`."""
    example = _example("digits")
    (images, labels), _ = example.digits()
    images, labels = images[:batch], labels[:batch]
    parts = [each for each in example.network().layers if not isinstance(each, layers.Dropout)]
    begin = layers.initialize(layers.Sequential(*parts), seed=0)
    weights, compiled = _of_layers(lambda t: layers.astype(begin, t), example.loss, images, labels)

    def loss(w: Tensors) -> torch.Tensor:
        x = torch.tensor(images).to(w[0].dtype)
        for number in range(3):
            kernel, scale, shift = w[3 * number : 3 * number + 3]
            x = F.conv2d(x, kernel, padding=1)
            x = F.relu(F.batch_norm(x, None, None, scale, shift, training=True))
            x = F.max_pool2d(x, 2) if number == 1 else x
        return F.cross_entropy(F.linear(x.flatten(1), *w[9:]), torch.tensor(labels).long())

    return ExampleModel("digits", weights, compiled, loss)


def language_model() -> ExampleModel:
    """Return the recurrent network of `examples/language_model.py`."""
    example = _example("language_model")
    pieces, following = example.pieces(np.random.default_rng(0))
    begin = layers.initialize(example.network(), seed=0)
    weights, compiled = _of_layers(
        lambda t: layers.astype(begin, t), example.loss, pieces, following
    )

    def loss(w: Tensors) -> torch.Tensor:
        table, by_input, by_hidden, bias, matrix, shift = w
        x = F.embedding(torch.tensor(pieces), table)
        h = c = x.new_zeros(x.shape[1], by_hidden.shape[1])
        states: list[torch.Tensor] = []
        for now in x:
            gates = F.linear(now, by_input, bias) + F.linear(h, by_hidden)
            entry, forget, content, exit_ = gates.chunk(4, -1)
            c = torch.sigmoid(forget) * c + torch.sigmoid(entry) * torch.tanh(content)
            h = torch.sigmoid(exit_) * torch.tanh(c)
            states.append(h)
        scores = F.linear(torch.stack(states), matrix, shift).flatten(0, 1)
        return F.cross_entropy(scores, torch.tensor(following).long().flatten())

    return ExampleModel("language model", weights, compiled, loss)


def arithmetic_trees() -> ExampleModel:
    """Return the TreeLSTM of `examples/arithmetic_trees.py`."""
    example = _example("arithmetic_trees")
    trees, hidden = example.batch(np.random.default_rng(0)), example.HIDDEN
    shapes = ((10, 2 * hidden), (2, 2 * hidden, 5 * hidden), (2, 5 * hidden), (hidden, 3))
    weights = _normal(shapes, 0.2)

    def encode(tree: Any, w: Tensors) -> tuple[torch.Tensor, torch.Tensor]:
        table, matrices, biases, _ = w
        if isinstance(tree, example.Number):
            exit_, content = table[int(tree.digit)].chunk(2)
            cell = torch.tanh(content)
            return torch.sigmoid(exit_) * torch.tanh(cell), cell
        kind = int(isinstance(tree, example.Product))
        (left, c_left), (right, c_right) = encode(tree.left, w), encode(tree.right, w)
        sums = torch.cat((left, right)) @ matrices[kind] + biases[kind]
        entry, exit_, content, keep_left, keep_right = sums.chunk(5)
        kept = torch.sigmoid(keep_left) * c_left + torch.sigmoid(keep_right) * c_right
        cell = kept + torch.sigmoid(entry) * torch.tanh(content)
        return torch.sigmoid(exit_) * torch.tanh(cell), cell

    def loss(w: Tensors) -> torch.Tensor:
        total, rest = w[0].new_zeros(()), trees
        while isinstance(rest, example.More):
            scores = encode(rest.tree, w)[0] @ w[3]
            total = total + torch.logsumexp(scores, 0) - scores[int(rest.value)]
            rest = rest.rest
        return total

    return ExampleModel("arithmetic trees", weights, _of_function(example.loss, trees), loss)


def _normal(shapes: Iterable[tuple[int, ...]], spread: float) -> list[Array]:
    random = np.random.default_rng(1)
    return [random.normal(0, spread, shape).astype(np.float32) for shape in shapes]


def neural_ode() -> ExampleModel:
    """Return the differential equation of `examples/neural_ode.py`, with its adaptive steps."""
    example = _example("neural_ode")
    points = example.spiral(np.array([2.0, 0.0]), 8)
    begins, ends = points[:-1], points[1:]
    weights = _normal(((2, example.WIDTH), (example.WIDTH,), (example.WIDTH, 2)), 0.3)

    def speed(y: torch.Tensor, w: Tensors) -> torch.Tensor:
        return torch.tanh((y**3) @ w[0] + w[1]) @ w[2]

    def flow(y: torch.Tensor, w: Tensors) -> torch.Tensor:
        time, h, end = y.new_zeros(()), y.new_tensor(0.1), y.new_tensor(example.PAUSE)
        k1 = speed(y, w)
        while time < end:
            h = torch.minimum(h, end - time)
            k2 = speed(y + h / 2 * k1, w)
            k3 = speed(y + 3 * h / 4 * k2, w)
            new = y + h / 9 * (2 * k1 + 3 * k2 + 4 * k3)
            k4 = speed(new, w)
            error = (h / 72 * (6 * k2 + 8 * k3 - 5 * k1 - 9 * k4)).abs().max() + 1e-12
            if error < example.TOLERANCE:
                time, y, k1 = time + h, new, k4
            factor = 0.9 * (example.TOLERANCE / error) ** (1 / 3)
            h = (h * factor.clamp(0.3, 3.0)).detach()
        return y

    def loss(w: Tensors) -> torch.Tensor:
        begin, end = (torch.tensor(each).to(w[0].dtype) for each in (begins, ends))
        away = [((flow(y, w) - to) ** 2).sum() for y, to in zip(begin, end, strict=True)]
        return torch.stack(away).sum() / len(away)

    compiled = _of_function(example.loss, begins, ends)
    return ExampleModel("neural ODE", weights, compiled, loss)


def fine_tuning() -> ExampleModel:
    """Return the imported network of `examples/fine_tuning.py`."""
    example = _example("fine_tuning")
    (images, labels), _ = _example("digits").digits()
    images, labels = example.enlarged(images[: example.BATCH]), labels[: example.BATCH]
    weights, compiled = _of_layers(_imported(example.BATCH), example.loss, images, labels)

    def loss(w: Tensors) -> torch.Tensor:
        x = torch.tensor(images[:, 0]).to(w[0].dtype)
        for size, kernel, bias in ((2, *w[:2]), (3, *w[2:4])):
            x = F.max_pool2d(F.relu(F.conv2d(x, kernel, padding=2) + bias), size)
        scores = x.flatten(1) @ w[4].T + w[5]
        return F.cross_entropy(scores, torch.tensor(labels).long())

    return ExampleModel("fine-tuning", weights, compiled, loss)


def _imported(batch: int) -> Callable[[str], Any]:
    def model(dtype: str) -> Any:
        network = onnx.load(fetch("mnist-conv.onnx"))
        if dtype == "float64":
            _to_doubles(network)
        return layers.Sequential(
            layers.from_module(relay.load(network), batch=batch),
            lambda scores: relay.squeeze(scores, axis=[1]),
        )

    return model


def _to_doubles(network: onnx.ModelProto) -> None:
    """Change the element type of all floats of a network without casts."""
    for each in network.graph.initializer:
        if each.data_type == onnx.TensorProto.FLOAT:
            array = numpy_helper.to_array(each).astype(np.float64)
            each.CopyFrom(numpy_helper.from_array(array, each.name))
    for each in (*network.graph.input, *network.graph.output, *network.graph.value_info):
        if each.type.tensor_type.elem_type == onnx.TensorProto.FLOAT:
            each.type.tensor_type.elem_type = onnx.TensorProto.DOUBLE


MODELS: Mapping[str, Callable[[], ExampleModel]] = {
    each.__name__: each
    for each in (digits, language_model, arithmetic_trees, neural_ode, fine_tuning)
}
"""The models by the name of their example."""
