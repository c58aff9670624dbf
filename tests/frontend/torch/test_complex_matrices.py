"""Factorisations and functions of complex matrices: exported, traced, and compiled."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import torch
from frontend.torch_models import Function, agrees, same
from torch import Tensor
from torch.linalg import (
    cholesky,
    det,
    lu,
    lu_factor,
    lu_solve,
    matrix_exp,
    matrix_norm,
    matrix_rank,
    pinv,
    qr,
    slogdet,
    svd,
    svdvals,
)  # fmt: skip

import relay
from relay.frontend.pytorch import import_torch_model
from relay.semantics.evaluate import evaluate

pytestmark = pytest.mark.filterwarnings("ignore")

Results = Sequence[Tensor]


def triangles(z: Tensor, s: Tensor) -> Results:
    positive = s @ s.mH + torch.eye(4)
    lower, upper = cholesky(positive), cholesky(positive, upper=True)
    return (
        lower,
        upper,
        torch.linalg.cholesky_ex(-positive)[1],
        torch.cholesky_solve(s, lower),
        torch.cholesky_solve(s, upper, upper=True),
        torch.cholesky_inverse(lower),
        *qr(z),
        *qr(z, "complete"),
        *qr(z.mT),
        *qr(z, "r"),
    )


def elimination(z: Tensor, s: Tensor) -> Results:
    packed, pivots = lu_factor(s)
    return (
        *lu(z),
        packed,
        pivots,
        lu_solve(packed, pivots, z[:, :4]),
        lu_solve(packed, pivots, s, adjoint=True),
        lu_solve(packed, pivots, s, left=False),
        lu_solve(packed, pivots, s, left=False, adjoint=True),
        det(s),
        *slogdet(s),
        torch.logdet(s),
    )


def _up_to_phases(x: Tensor, full_matrices: bool = False) -> Results:
    u, s, vh = svd(x, full_matrices=full_matrices)
    count = s.shape[-1]
    return (u[..., :count] * s[..., None, :]) @ vh[..., :count, :], s, u.mH @ u, vh @ vh.mH


def singular_values(z: Tensor, s: Tensor) -> Results:
    dependent = torch.cat([z, 2j * z[:, :, :1], 0 * z[:, :, :1]], 2)
    return (
        *_up_to_phases(z),
        *_up_to_phases(z, full_matrices=True),
        *_up_to_phases(z.mT, full_matrices=True),
        *_up_to_phases(dependent),
        *_up_to_phases(qr(s)[0]),
        svdvals(dependent)[:, :3],
        matrix_rank(dependent),
        matrix_norm(z, 2),
        pinv(z),
        pinv(dependent, rtol=1e-3),
        pinv(s, atol=1.0),
        pinv(s @ s.mH, hermitian=True),
    )


def functions(z: Tensor, s: Tensor) -> Results:
    scaled = torch.tensor([4.0, 0.0]).reshape(2, 1, 1) * s
    endless = z.clone()
    endless[0, 0, 0] = -torch.inf
    return (
        matrix_exp(s),
        matrix_exp(scaled),
        torch.sinc(z),
        torch.sinc(0.1 * z),
        torch.logcumsumexp(endless, 1),
        torch.logaddexp(z, 2 * z.conj()),
    )


FAMILIES: dict[str, Callable[..., Results]] = {
    each.__name__: each for each in (triangles, elimination, singular_values, functions)
}


def operands() -> tuple[Tensor, Tensor]:
    torch.manual_seed(3)
    z = torch.randn(2, 5, 3, dtype=torch.complex64)
    z[0, 1:, 0] = 0
    return z, torch.randn(2, 4, 4, dtype=torch.complex64)


@pytest.mark.parametrize("name", FAMILIES)
def test_exported_functions(name: str):
    given = operands()
    imported = import_torch_model(Function(FAMILIES[name]), given)
    found: Any = evaluate(imported.module, *(each.numpy() for each in given))
    for one, other in zip(found, FAMILIES[name](*given), strict=True):
        same(np.asarray(one), other, 2e-4)


@pytest.mark.parametrize("name", FAMILIES)
def test_traced_functions(name: str):
    given = operands()
    traced = torch.jit.trace(Function(FAMILIES[name]).eval(), given, check_trace=False)
    infos = [("z", ((2, 5, 3), "complex64")), ("s", ((2, 4, 4), "complex64"))]
    module, _ = relay.frontend.from_pytorch(traced, infos)
    found: Any = evaluate(module, *(each.numpy() for each in given))
    for one, other in zip(found, FAMILIES[name](*given), strict=True):
        same(np.asarray(one), other, 2e-4)


def test_a_batch_of_open_size():
    def factors(s: Tensor) -> Results:
        q, r = qr(s)
        return q, r, cholesky(s @ s.mH + torch.eye(4)), svdvals(s), det(s)

    s = operands()[1].to(torch.complex128)
    sizes = ({0: torch.export.Dim("n", min=2, max=64)},)
    agrees(Function(factors), (s,), (s.repeat(3, 1, 1),), dynamic_shapes=(sizes,))


def test_small_singular_values_are_exact():
    rows = torch.tensor([[1.0, 1j], [1.0, (1 + 1e-12) * 1j]], dtype=torch.complex128)
    imported = import_torch_model(Function(svdvals), (rows,))
    found = np.asarray(evaluate(imported.module, rows.numpy()))
    assert abs(found[1] / svdvals(rows)[1].item() - 1) < 1e-3


def test_gradients():
    def loss(s: Tensor) -> Tensor:
        positive = s @ s.mH + torch.eye(4)
        total = svdvals(s).sin().sum() + cholesky(positive).abs().sum()
        return total + slogdet(s)[1].sum() + qr(s)[1].abs().sum() + det(s).abs().sum()

    s = operands()[1].to(torch.complex128).requires_grad_()
    compiled = torch.compile(loss, backend="relay")
    for one, other in zip(*(torch.autograd.grad(f(s), s) for f in (compiled, loss)), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-6, atol=1e-6)
