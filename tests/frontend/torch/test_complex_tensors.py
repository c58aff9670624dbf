"""Functions of complex tensors: exported, traced, compiled, and by torch.compile."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from frontend.torch_models import Function, agrees, same
from torch import Tensor
from torch.utils import _pytree as pytree

import relay
from relay.frontend.pytorch import import_torch_model
from relay.semantics.evaluate import evaluate

pytestmark = pytest.mark.filterwarnings("ignore")

Results = Sequence[Tensor]


def arithmetic(z: Tensor, w: Tensor, x: Tensor) -> Results:
    return (
        torch.add(z, w, alpha=1j),
        1 - z,
        x * (1 + 2j),
        x.double() * 1j,
        torch.arange(4) * 1j,
        torch.arange(1, 5) / z,
        z / 2,
        z**w,
        z**3,
        2**z,
        z.square(),
        torch.addcmul(z, w, z, value=2),
        torch.lerp(z, w, 0.3),
        torch.lerp(z, w, z),
    )


def functions(z: Tensor, w: Tensor, x: Tensor) -> Results:
    names = "sin cos tan tanh asin acosh log2 log1p expm1 exp2 sigmoid rsqrt reciprocal sgn"
    return (*(getattr(z, name)() for name in names.split()), F.tanhshrink(w))


def truths(z: Tensor, w: Tensor, x: Tensor) -> Results:
    return (
        z.masked_fill(x > 0, 0).bool(),
        z != w,
        (z / 0).isnan(),
        (z / 0).isfinite(),
        torch.logical_and(z, w),
        (z * 0).any(),
        torch.count_nonzero(z.tril(), 1),
        torch.isreal(z),
        torch.where(x > 0, z, 0),
    )


def reductions(z: Tensor, w: Tensor, x: Tensor) -> Results:
    return (
        z.sum(1, keepdim=True),
        z.mean(0),
        z.prod(1),
        z.cumsum(1),
        z.cumprod(1),
        z.var(1),
        z.std(),
        z.norm(),
        torch.linalg.vector_norm(w, 3, dim=1),
        torch.logsumexp(z, 1),
        torch.cov(z),
    )


def products(z: Tensor, w: Tensor, x: Tensor) -> Results:
    return (
        z @ w.mH,
        z.H,
        z.adjoint() @ w,
        torch.vdot(z[0], w[0]),
        torch.dot(z[0], w[0]),
        z @ w[0],
        torch.kron(z, w),
        F.linear(z, w, z[:, 0]),
        torch.addmm(z[:, :3], z, w.T, beta=2, alpha=1j),
        F.conv1d(z[None], w[:, :3, None]),
        torch.linalg.inv(z[:, :3]),
        torch.linalg.solve(z[:, :3], w),
        torch.linalg.solve(z[:, :3], w.T, left=False),
        torch.linalg.solve(z[:, :3], w[:, 0]),
        torch.linalg.det(z[:, :3]),
        torch.linalg.matrix_power(z[:, :3], 3),
    )


def places(z: Tensor, w: Tensor, x: Tensor) -> Results:
    index = torch.tensor([[0], [1], [2]])
    rows = torch.tensor([0, 2])
    return (
        torch.cat([z, w, x], 1),
        *z.split(3, 1),
        z.gather(1, index),
        z[rows],
        z.scatter(1, index, w),
        z.scatter_add(1, index, w),
        z.index_add(0, rows, w[:2]),
        z.index_fill(0, rows, 2j),
        F.pad(z, (1, 2), value=3.0),
        F.pad(z[None], (1, 2), mode="reflect"),
        z.repeat_interleave(2, 1),
        torch.full((2,), 1 + 2j) + z[0, 0],
        torch.eye(4, dtype=torch.complex64) @ z[0],
        torch.fft.fftshift(torch.fft.fftn(z)),
    )


FAMILIES: dict[str, Callable[..., Results]] = {
    each.__name__: each for each in (arithmetic, functions, truths, reductions, products, places)
}


def operands() -> tuple[Tensor, Tensor, Tensor]:
    torch.manual_seed(3)
    z, w = (torch.randn(3, 4, dtype=torch.complex64) for _ in range(2))
    return z, w, torch.randn(3, 4)


@pytest.mark.parametrize("name", FAMILIES)
def test_exported_functions(name: str):
    given = operands()
    imported = import_torch_model(Function(FAMILIES[name]), given)
    found: Any = evaluate(imported.module, *(each.numpy() for each in given))
    for one, other in zip(found, pytree.tree_leaves(FAMILIES[name](*given)), strict=True):
        same(np.asarray(one), other, 2e-4)


@pytest.mark.parametrize("name", FAMILIES)
def test_traced_functions(name: str):
    given = operands()
    traced = torch.jit.trace(Function(FAMILIES[name]).eval(), given, check_trace=False)
    infos = [("z", ((3, 4), "complex64")), ("w", ((3, 4), "complex64")), ("x", (3, 4))]
    module, _ = relay.frontend.from_pytorch(traced, infos)
    found: Any = evaluate(module, *(each.numpy() for each in given))
    for one, other in zip(found, FAMILIES[name](*given), strict=True):
        same(np.asarray(one), other, 2e-4)


def test_compiled_at_several_sizes():
    def spectrum(z: Tensor) -> Results:
        return (z.conj() * z.exp()).sum(0), z.abs(), torch.view_as_real(z)

    sizes = ({0: torch.export.Dim("n", min=2, max=64)},)
    z = torch.randn(5, 3, dtype=torch.complex128)
    agrees(Function(spectrum), (z,), (z[:2],), (z.repeat(7, 1),), dynamic_shapes=(sizes,))


def test_complex_buffers_that_change():
    class Average(torch.nn.Module):
        state: Tensor

        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("state", torch.zeros(3, dtype=torch.complex64))

        def forward(self, z: Tensor) -> Tensor:
            self.state.mul_(0.5).add_(z)
            return self.state * 1j

    z = torch.randn(3, dtype=torch.complex64)
    results = relay.compile(Average(), (z,), threads=1)(z)
    net = Average()
    for found, expected in zip(results, (net(z), net.state), strict=True):
        same(np.asarray(found), expected)


def test_gradients_of_complex_parameters():
    w = torch.randn(3, 4, dtype=torch.complex64, requires_grad=True)

    def loss(w: Tensor, z: Tensor) -> Tensor:
        return (z @ w.mH).abs().square().mean() + torch.linalg.vector_norm(w) + w.angle().sum()

    z = torch.randn(2, 4, dtype=torch.complex64)
    compiled = torch.compile(loss, backend="relay")
    for one, other in zip(
        *(torch.autograd.grad(f(w, z), w) for f in (compiled, loss)), strict=True
    ):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)
