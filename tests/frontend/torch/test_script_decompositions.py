"""Operators of TorchScript without a translation are decomposed as an export decomposes them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from frontend.torch_models import same
from torch import Tensor, nn
from torch.nn import functional

import relay
from relay.ir.dims import DimVar
from relay.semantics.evaluate import evaluate
from relay.support.errors import RelayImportError

pytestmark = pytest.mark.filterwarnings("ignore")  # TorchScript warns of itself, and traces


def composites(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
    labels = y.argmax(1)
    kernel = torch.ones(1, 1, 3)
    return (
        functional.mse_loss(x, y),
        functional.cross_entropy(x, labels, label_smoothing=0.1),
        functional.conv1d(x[:, None], kernel, padding="same"),
        torch.view_as_real(torch.fft.fftshift(torch.fft.rfft(x))),
        *torch.hsplit(x, 2),
    )


def test_composite_operators_of_a_trace():
    x, y = torch.randn(3, 4), torch.randn(3, 4)
    traced = torch.jit.trace(composites, (x, y))
    module, _ = relay.frontend.from_pytorch(traced, [("x", (3, 4)), ("y", (3, 4))])
    found: Any = evaluate(module, x.numpy(), y.numpy())
    for one, other in zip(found, composites(x, y), strict=True):
        same(np.asarray(one), other)


def test_a_decomposition_for_symbolic_sizes():
    def distance(x: Tensor, y: Tensor) -> Tensor:
        return functional.cosine_similarity(x, y) + functional.mse_loss(x, y)

    x, y = torch.randn(3, 4), torch.randn(3, 4)
    n = DimVar("n")
    infos = [("x", (2 * n, 4)), ("y", (2 * n, 4))]
    module, _ = relay.frontend.from_pytorch(torch.jit.trace(distance, (x, y)), infos)
    for size in (2, 6):
        x, y = torch.randn(size, 4), torch.randn(size, 4)
        same(np.asarray(evaluate(module, x.numpy(), y.numpy())), distance(x, y))


def test_functions_that_an_export_refuses_have_other_definitions():
    def statistics(x: Tensor) -> tuple[Tensor, ...]:
        counts, weights = torch.tensor([1, 2, 0, 3]), torch.tensor([0.5, 1.0, 1.0, 2.0])
        weighted = torch.cov(x, correction=2, fweights=counts, aweights=weights)
        return torch.cov(x), weighted, x.corrcoef(), x[0].cov(), torch.combinations(x[0], 3)

    class Model(nn.Module):
        def forward(self, x: Tensor) -> tuple[Tensor, ...]:
            return statistics(x)

    x = torch.randn(3, 4)
    traced = torch.jit.trace(statistics, (x,))
    module, _ = relay.frontend.from_pytorch(traced, [("x", (3, 4))])
    program, _ = relay.frontend.from_pytorch(Model().eval(), example_inputs=(x,))
    for found in (evaluate(module, x.numpy()), evaluate(program, x.numpy())):
        for one, other in zip(found, statistics(x), strict=True):  # pyright: ignore[reportArgumentType] - a tuple
            same(np.asarray(one), other)


def test_results_that_order_effects_are_no_results():
    x = torch.randn(2, 2) + 2 * torch.eye(2)
    traced = torch.jit.trace(
        lambda x: torch.linalg.tensorinv(x, 1).tensor_split(torch.tensor([1]))[0], (x,)
    )
    module, _ = relay.frontend.from_pytorch(traced, [("x", (2, 2))])
    same(np.asarray(evaluate(module, x.numpy())), torch.linalg.inv(x)[:1])


def test_a_call_that_pytorch_cannot_decompose_is_reported():
    library = torch.library.Library("relay_refused", "DEF")
    library.define("f(Tensor x) -> Tensor")
    library.impl("f", lambda x: x if x.sum() > 0 else -x, "CompositeImplicitAutograd")

    @torch.jit.script
    def model(x: Tensor) -> Tensor:
        return torch.ops.relay_refused.f(x)

    with pytest.raises(RelayImportError, match=r"F051.*refused::f.*\n(.*\n)*.*custom_convert_map"):
        relay.frontend.from_pytorch(model, [("x", (3, 4))])


@pytest.mark.parametrize(
    ("view", "is_supported"),
    [(lambda x: x.movedim(0, 1), False), (lambda x: x.hsplit(2)[0], False),
     (lambda x: x.to(torch.float32), True), (lambda x: x.to(torch.float64), True)],
)  # fmt: skip
def test_a_write_to_a_view_changes_the_tensor_or_is_refused(
    view: Callable[[Tensor], Tensor], is_supported: bool
):
    class Writes(nn.Module):
        def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
            y = x * 2
            part = view(y)
            part += 1
            return y, part

    x = torch.randn(2, 2)
    traced = torch.jit.trace(Writes().eval(), x)
    if not is_supported:
        with pytest.raises(RelayImportError, match="F056"):
            relay.frontend.from_pytorch(traced, [("x", (2, 2))])
        return
    module, _ = relay.frontend.from_pytorch(traced, [("x", (2, 2))])
    found: Any = evaluate(module, x.numpy())
    for one, other in zip(found, Writes()(x), strict=True):
        same(np.asarray(one), other)


class Rotation(nn.Module):
    """Rotary position embedding by complex numbers, and a write of complex numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("turns", torch.polar(torch.ones(2, 2), torch.rand(2, 2)))

    def forward(self, x: Tensor) -> Tensor:
        out = torch.zeros(2, 3, dtype=torch.complex64)
        out[:, 1:] = torch.einsum("ij,ij->ij", torch.view_as_complex(x), self.turns)
        return torch.view_as_real(out)


@pytest.mark.parametrize("road", [torch.jit.trace, lambda net, _: torch.jit.script(net)])
def test_complex_constants_and_writes(road: Any):
    net, x = Rotation().eval(), torch.randn(2, 2, 2)
    module, _ = relay.frontend.from_pytorch(road(net, x), [("x", (2, 2, 2))])
    same(np.asarray(evaluate(module, x.numpy())), net(x))
