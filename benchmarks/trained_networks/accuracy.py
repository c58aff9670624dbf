"""Measure how closely training matches PyTorch: gradients in float32, and steps in float64."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

import relay
from benchmarks.trained_networks import trees
from benchmarks.trained_networks.example_models import ExampleModel
from benchmarks.trained_networks.networks import RATE, Array, Network
from benchmarks.trained_networks.relay_layers import loss_module, loss_of, started
from benchmarks.trained_networks.torch_layers import TorchLayers
from relay import layers


@dataclass(frozen=True)
class GradientErrors:
    """The relative error of all float32 gradients, and the worst error of one weight, by engine."""

    ours: float
    theirs: float
    our_worst: float
    their_worst: float

    @property
    def ratio(self) -> float:
        """Return the larger ratio of our error to that of PyTorch."""
        ratios = self.ours / self.theirs, self.our_worst / self.their_worst
        return float(np.maximum(*ratios))  # NaN if one of them is


def gradient_errors(network: Network, draws: int = 1) -> GradientErrors:
    """Compare float32 gradients with those of PyTorch in float64.

    Of several draws of weights and a batch, the one with the median ratio counts: where a rounding
    error moves a single number across the kink of a ReLU, a gradient changes by thousandths, which
    happens to either framework in a third of the draws of ResNet-18 at 8×3×64×64.
    """
    by = tuple(range(len(network.weights)))
    step = relay.compile(relay.value_and_grad(loss_module(network), by), threads=1)
    found: list[GradientErrors] = []
    for seed in range(draws):
        weights, x, labels = network.draw(seed)
        exact = _gradients_there(network, weights, x, labels, torch.float64)
        theirs = _gradients_there(network, weights, x, labels, torch.float32)
        _, ours = step(*weights.values(), x, labels)
        named = dict(zip(weights, ours, strict=True))
        found.append(GradientErrors(*_errors(named, theirs, exact)))
    return sorted(found, key=lambda each: each.ratio)[draws // 2]


def tree_gradient_errors() -> GradientErrors:
    """Compare float32 gradients of the TreeLSTM with those of PyTorch in float64."""
    exact, theirs = map(trees.torch_gradients, (torch.float64, torch.float32))
    _, ours = trees.relay_gradients(threads=1)(*trees.draw()[1])
    named = (dict(zip(trees.WEIGHTS, each, strict=True)) for each in (ours, theirs, exact))
    return GradientErrors(*_errors(*named))


def tree_difference_after(steps: int = 50) -> tuple[float, float]:
    """Return the largest relative difference of the TreeLSTM's losses, and of its weights.

    Both engines compute in float64, with Adam.
    """
    forest, drawn = trees.draw()
    ours = [each.astype(np.float64) for each in drawn]
    there = [torch.tensor(each).requires_grad_() for each in ours]
    gradients, adam = trees.relay_gradients(1, "float64"), trees.Adam(ours)
    optimizer = torch.optim.Adam(there, lr=trees.RATE)
    worst = 0.0
    for _ in range(steps):
        found, slopes = gradients(*ours)
        adam.step(slopes)
        optimizer.zero_grad()
        loss = trees.torch_loss(forest, there)
        loss.backward()
        optimizer.step()
        worst = np.maximum(worst, abs(float(found) - loss.item()) / abs(loss.item()))
    return float(worst), _apart(ours, there)


def example_gradient_errors(model: ExampleModel) -> GradientErrors:
    """Compare float32 gradients of a model of an example with those of PyTorch in float64."""
    exact, theirs = (_by_torch(model, each) for each in (torch.float64, torch.float32))
    _, ours = model.compiled("float32")(model.weights)
    return GradientErrors(*_errors(*map(_numbered, (ours, theirs, exact))))


def _numbered(gradients: Sequence[Array]) -> dict[str, Array]:
    return {str(number): each for number, each in enumerate(gradients)}


def _by_torch(model: ExampleModel, dtype: torch.dtype) -> list[Array]:
    weights = [torch.tensor(each).to(dtype).requires_grad_() for each in model.weights]
    found = torch.autograd.grad(model.torch_loss(weights), weights)
    return [each.double().numpy() for each in found]


def example_difference_after(model: ExampleModel, steps: int = 50) -> tuple[float, float]:
    """Return the largest relative difference of losses, and of weights, in float64 with Adam.

    A loss may fall to nothing: a millionth of the first one is the least unit.
    """
    ours = [each.astype(np.float64) for each in model.weights]
    there = [torch.tensor(each).requires_grad_() for each in ours]
    step, adam = model.compiled("float64"), trees.Adam(ours, RATE)
    optimizer = torch.optim.Adam(there, lr=RATE)
    worst, least = 0.0, 0.0
    for _ in range(steps):
        found, gradients = step(ours)
        adam.step(gradients)
        optimizer.zero_grad()
        loss = model.torch_loss(there)
        loss.backward()
        optimizer.step()
        least = least or 1e-6 * abs(loss.item())
        worst = np.maximum(worst, abs(float(found) - loss.item()) / max(abs(loss.item()), least))
    return float(worst), _apart(ours, there)


def _apart(ours: Sequence[Array], theirs: Sequence[torch.Tensor]) -> float:
    """Return the largest relative difference of weights.

    A weight whose exact gradient vanishes moves by rounding errors: a step is its unit.
    """
    pairs = zip(ours, (each.detach().numpy() for each in theirs), strict=True)
    return float(np.max([np.abs(a - b).max() / max(np.abs(b).max(), RATE) for a, b in pairs]))


def _errors(
    ours: Mapping[str, Array], theirs: Mapping[str, Array], exact: Mapping[str, Array]
) -> list[float]:
    found: list[float] = []
    norms = {name: float(np.linalg.norm(each)) for name, each in exact.items()}
    whole = np.linalg.norm([*norms.values()])
    differences = [
        {name: float(np.linalg.norm(some[name] - each)) for name, each in exact.items()}
        for some in (ours, theirs)
    ]
    found += (float(np.linalg.norm([*each.values()]) / whole) for each in differences)
    # A gradient that vanishes, as that of a shift before a normalisation, has no relative error.
    least = 1e-6 * whole
    for each in differences:
        found.append(float(np.max([each[n] / norms[n] for n in exact if norms[n] > least])))
    return found


def _gradients_there(
    network: Network, weights: Mapping[str, Array], x: Array, labels: Array, dtype: Any
) -> dict[str, Array]:
    given = _tensors(weights, dtype)
    batch = torch.tensor(x) if network.vocabulary else torch.tensor(x).to(dtype)
    network.loss(TorchLayers(), given, batch, torch.tensor(labels)).backward()
    return {name: each.grad.double().numpy() for name, each in given.items()}


def _tensors(weights: Mapping[str, Array], dtype: Any) -> dict[str, Any]:
    return {name: torch.tensor(each).to(dtype).requires_grad_() for name, each in weights.items()}


def difference_after(network: Network, steps: int = 50) -> tuple[float, float]:
    """Return the largest relative difference of losses, and of weights, in float64 with Adam."""
    weights, x, labels = network.draw()
    doubles = {name: each.astype(np.float64) for name, each in weights.items()}
    x = x if network.vocabulary else x.astype(np.float64)
    adam = layers.adam(RATE)
    state = started(doubles, adam)
    step = layers.training_step(loss_of(network), adam, state, x, labels, threads=1)
    there = _tensors(doubles, torch.float64)
    optimizer = torch.optim.Adam(there.values(), lr=RATE)
    worst = 0.0
    for _ in range(steps):
        state, ours = step(state, x, labels)
        optimizer.zero_grad()
        loss = network.loss(TorchLayers(), there, torch.tensor(x), torch.tensor(labels))
        loss.backward()
        optimizer.step()
        worst = np.maximum(worst, abs(float(ours) - loss.item()) / abs(loss.item()))
    return float(worst), _apart([state.model[name] for name in there], [*there.values()])
