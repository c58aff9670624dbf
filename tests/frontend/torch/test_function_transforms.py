"""Modules that use the transforms of `torch.func` in their forward pass."""

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.func import functional_call, grad, hessian, jacfwd, jvp, vmap

import relay

pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")


class Derivative(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(3, 2)

    def forward(self, x: Tensor) -> Tensor:
        return grad(lambda y: self.inner(y).tanh().sum())(x)


class GradientsOfSamples(Derivative):
    def forward(self, x: Tensor) -> Tensor:
        def loss(weights: dict[str, Tensor], y: Tensor) -> Tensor:
            return functional_call(self.inner, weights, (y,)).tanh().sum()

        return vmap(grad(loss), (None, 0))(dict(self.inner.named_parameters()), x)["weight"]


class Forward(Derivative):
    def forward(self, x: Tensor) -> Tensor:
        return jvp(torch.sin, (x,), (x,))[1] + jacfwd(torch.sin)(x[0]).sum(0)


@pytest.mark.parametrize("cls", [Derivative, GradientsOfSamples, Forward])
def test_transforms_are_applied(cls: type[nn.Module]):
    model, x = cls(), torch.randn(4, 3)
    found = relay.compile(model, (x,))(x)
    np.testing.assert_allclose(found, model(x).detach(), rtol=1e-5, atol=1e-6)


def test_a_program_without_its_argument_is_an_error():
    class Slope(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return grad(lambda y: y.sin().sum())(x)

    program = torch.export.export(Slope(), (torch.ones(3),))
    with pytest.raises(relay.RelayError, match="takes a derivative") as caught:
        relay.load(program)
    assert caught.value.code == "F051"


def test_curvatures_of_samples_in_a_compiled_graph():
    def curvatures(x: Tensor) -> Tensor:
        return vmap(hessian(lambda y: y.tanh().sum()))(x)

    x = torch.randn(2, 3)
    found = torch.compile(curvatures, backend="relay")(x)
    torch.testing.assert_close(found, curvatures(x))
