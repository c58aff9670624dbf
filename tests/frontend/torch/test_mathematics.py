"""Linear algebra, complex numbers, special functions and groups of rows, against PyTorch."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from frontend.torch_models import Function, same
from torch import Tensor
from torch.utils import _pytree as pytree

import relay
from relay.frontend.pytorch import import_torch_model
from relay.semantics.evaluate import evaluate


def check(function: Callable[..., object], given: Sequence[Tensor], tolerance: float) -> None:
    """Compare all results of a function with those of PyTorch."""
    imported = import_torch_model(Function(function), tuple(given))
    found: Any = evaluate(imported.module, *(x.numpy() for x in given))
    listed = found if isinstance(found, tuple) else [found]
    expected = pytree.tree_leaves(function(*given))
    for one, other in zip(listed, expected, strict=True):
        same(np.asarray(one), other, tolerance)


def factorisations(a, b):
    spd = a @ a.mT + torch.eye(3)
    lower = torch.linalg.cholesky(spd)
    lu, pivots = torch.linalg.lu_factor(a)
    q, r = torch.linalg.qr(b)
    return (
        lower,
        torch.linalg.cholesky(spd, upper=True),
        torch.cholesky_inverse(lower),
        torch.cholesky_solve(b, lower),
        lu,
        pivots,
        *torch.linalg.lu(a[:, :2]),
        *torch.lu_unpack(lu, pivots),
        torch.linalg.lu_solve(lu, pivots, b),
        torch.linalg.lu_solve(lu, pivots, b.mT, left=False, adjoint=True),
        q,
        r,
        *torch.linalg.qr(b, "complete"),
    )


def systems(a, b):
    return (
        torch.linalg.solve(a, b),
        torch.linalg.solve(a, b[..., 0]),
        torch.linalg.solve(a, b.mT, left=False),
        torch.linalg.inv(a),
        torch.linalg.det(a),
        *torch.linalg.slogdet(a),
        torch.linalg.solve_triangular(a, b, upper=True),
        torch.linalg.solve_triangular(a.tril(), b.mT, upper=False, left=False),
        torch.linalg.solve_triangular(a, b[:1], upper=False, unitriangular=True),
        torch.linalg.matrix_power(a, -2),
        torch.linalg.matrix_exp(torch.stack([4 * a[0], a[1], 0 * a[0]])),
        torch.linalg.householder_product(b, b[:, 0] * 0.3),
        *torch.geqrf(b),
        torch.ormqr(b, b[:, 0] * 0.3, a, left=False, transpose=True),
        torch.ormqr(b, b[:, 0] * 0.3, a),
        *torch.histogram(a, 4),
        *torch.histogram(b, 5, range=(-1.0, 0.5), weight=b.abs(), density=True),
        *torch.histogram(b, torch.tensor([-1.0, 0.0, 0.3, 2.0])),
    )


def spectra(a, b):
    symmetric = a + a.mT
    numbers, complex_vectors = torch.linalg.eig(a)
    product = a.to(numbers.dtype) @ complex_vectors
    values, vectors = torch.linalg.eigh(symmetric)
    u, s, vh = torch.linalg.svd(b)
    real, unitary = torch.linalg.eigh(a + 2j * a.mT, UPLO="U")
    hermitian = (unitary * real.unsqueeze(-2)) @ unitary.mH
    return (
        (product - numbers.unsqueeze(-2) * complex_vectors).abs(),
        torch.linalg.eigvals(a + 2j * a.mT).abs().sort(-1).values,
        values,
        vectors.abs(),
        hermitian.real,
        hermitian.imag,
        torch.linalg.eigvalsh(a + 2j * a.mT),
        torch.linalg.eigvalsh(a, UPLO="U"),
        s,
        u.abs()[..., :2],
        vh.abs(),
        u @ u.mT,
        torch.linalg.svdvals(b.mT),
        torch.linalg.pinv(b),
        torch.linalg.pinv(symmetric, hermitian=True),
        torch.linalg.matrix_rank(b),
        torch.linalg.matrix_norm(b, 2),
        torch.linalg.cond(a),
    )


def fourier(x, z):
    return (
        torch.fft.fft(x),
        torch.fft.ifft(z, dim=0),
        torch.fft.rfft(x, 7),
        torch.fft.irfft(z),
        torch.fft.irfft2(z, norm="ortho"),
        torch.fft.fft2(z),
        torch.fft.hfft(z, 5),
        torch.fft.ihfft(x),
        torch.stft(x, 4, 2, window=torch.hann_window(4), return_complex=True),
    )


def complex_numbers(x, z):
    w = torch.complex(x, x.flip(0))[:, :5]
    return (
        z + w,
        z - x[:, :5],
        z * w,
        z * 2,
        1j * z,
        z / w,
        z.reciprocal(),
        torch.sgn(torch.cat([z, z * 0])),
        torch.cat([z, -z, z * 0]).sqrt(),
        z**2,
        z**-1.5,
        z.abs(),
        z.angle(),
        z.exp(),
        z.log(),
        z.conj() @ w.mT,
        z.real,
        z.imag,
        torch.view_as_real(z),
        torch.view_as_complex(x.reshape(3, 3, 2)),
        torch.polar(x, x),
        torch.cat([z, w]).sum(1),
        z[:, None].expand(3, 2, 5).transpose(0, 1),
        z == z.conj(),
        x.to(torch.complex64),
        F.pad(z, (1, 0)),
        torch.einsum("ij,kj,kj->ik", w, z, x[:, :5] * (1 + 2j)),
    )


def special(x, n):
    return (
        x.erfc(),
        x.lgamma(),
        x.digamma(),
        torch.special.polygamma(1, x),
        torch.special.polygamma(3, x.abs()),
        (x / 9).erfinv(),
        torch.special.ndtri((x / 9).abs()),
        torch.special.log_ndtr(x),
        torch.special.erfcx(x),
        torch.igamma(x.abs(), n.abs() / 2),
        torch.special.gammaincc(x.abs(), x.abs() + 1),
        torch.nextafter(x, -x),
        *torch.frexp(x),
        torch.special.i0(x * 4),
        torch.special.spherical_bessel_j0(x),
        torch.special.bessel_j0(x * 9),
        torch.special.bessel_y1(x * 9),
        torch.special.modified_bessel_k0(x * 4),
        torch.special.scaled_modified_bessel_k1(x * 9),
        torch.special.i1e(x * 4),
        torch.special.chebyshev_polynomial_t(x / 5, n),
        torch.special.shifted_chebyshev_polynomial_w(x / 5, n),
        torch.special.hermite_polynomial_h(x / 5, n),
        torch.special.hermite_polynomial_he(x / 5, n),
        torch.special.laguerre_polynomial_l(x / 5, n),
        torch.special.legendre_polynomial_p(x / 5, n),
        torch.special.zeta(x, n),
        torch.special.zeta(3.0, x * 4),
    )


def rows(x, n):
    i = n[0] % 3
    return (
        *(x.index_reduce(0, i[:3], x, kind) for kind in ("mean", "amax", "prod")),
        x.index_reduce(0, i[:2], x[:2], "amin", include_self=False),
        x.repeat_interleave(n[0] % 4, 1),
        n.repeat_interleave(torch.tensor([2, 0, 1]), 0, output_size=3),
        torch.bincount(i),
        torch.bincount(n[1], n[1], minlength=9),
        *torch.unique(n % 3, return_inverse=True, return_counts=True),
        *torch.unique_consecutive(i // 2, return_inverse=True, return_counts=True),
        torch.nonzero_static(n, size=14, fill_value=-7),
        *torch.mode(n % 3, 1),
        *torch.mode(n % 3, 0, keepdim=True),
        torch.histc(x, 4),
        torch.histc(x, 5, -1, 2),
        torch.segment_reduce(x, "mean", lengths=torch.tensor([2, 0, 1]), initial=0),
        *(F.embedding_bag(i, x, torch.tensor([0, 1, 1, 3]), mode=mode) for mode in ("sum", "max")),
        F.embedding_bag(i, x, torch.tensor([0, 3]), padding_idx=1),
        F.bilinear(x, x, torch.ones(2, 4, 4), torch.ones(2)),
        F.batch_norm(x, None, None, training=True),
        torch.as_strided_scatter(x, x[:2, :2], (2, 2), (1, 3), 2),
    )


def images(x):
    return (
        F.interpolate(x, (3, 9), mode="bilinear", antialias=True),
        F.interpolate(x, (4, 2), mode="bicubic", antialias=True),
        F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, divisor_override=5),
    )


def inputs(kind: str) -> tuple[Tensor, ...]:
    torch.manual_seed(0)
    match kind:
        case "matrices":
            return torch.randn(2, 3, 3), torch.randn(2, 3, 2)
        case "signals":
            return torch.randn(3, 6), torch.randn(3, 5, dtype=torch.complex64)
        case "numbers":
            return torch.linspace(-4.3, 8.2, 12).reshape(3, 4), torch.arange(-2, 10).reshape(3, 4)
        case _:
            return (torch.randn(2, 3, 7, 6),)


CASES: dict[str, tuple[Callable[..., object], str]] = {
    "factorisations": (factorisations, "matrices"),
    "systems": (systems, "matrices"),
    "spectra": (spectra, "matrices"),
    "fourier": (fourier, "signals"),
    "complex numbers": (complex_numbers, "signals"),
    "special": (special, "numbers"),
    "rows": (rows, "numbers"),
    "images": (images, "images"),
}


@pytest.mark.filterwarnings("ignore:index_reduce")
@pytest.mark.parametrize("name", CASES)
def test_a_family_of_functions(name: str):
    function, kind = CASES[name]
    check(function, inputs(kind), 1e-4)


def test_a_singular_matrix_is_an_error():
    imported = import_torch_model(Function(torch.linalg.inv), (torch.eye(2),))
    with pytest.raises(relay.RelayError, match="singular") as caught:
        evaluate(imported.module, np.ones((2, 2), np.float32))
    assert caught.value.code == "R040"


def test_complex_numbers_without_a_translation():
    with pytest.raises(
        relay.RelayError, match="the operator does not support complex arguments"
    ) as caught:
        import_torch_model(Function(torch.unique), (torch.ones(2, dtype=torch.complex64),))
    assert caught.value.code == "F030"
    assert "view_as_real" in str(caught.value.help)


def test_a_compiled_program_computes_the_same():
    a, b = inputs("matrices")
    run = relay.compile(Function(systems), (a, b), threads=1)
    for one, other in zip(run(a.numpy(), b.numpy()), systems(a, b), strict=True):
        same(np.asarray(one), other, 1e-4)


def scatter_extremes(x: Tensor, include_self: bool = False) -> Tensor:
    """Return a number computed from the largest and the smallest elements for each index."""
    index, weights = torch.tensor([2, 1, 2]), torch.arange(3)
    found = [
        x[0].scatter_reduce(0, index, x[1], reduce, include_self=include_self)
        for reduce in ("amax", "amin")
    ]
    return ((found[0] + found[1].sin()) * weights).sum()


KINKS: dict[str, tuple[Callable[[Tensor], Tensor], list[Any]]] = {
    "abs": (lambda x: x.abs().sum(), [0.0, -0.0, -1.0]),
    "norms": (lambda x: x.norm(dim=1).sum() + torch.linalg.vector_norm(x, 3), [[0.0, 0], [0, 0]]),
    "normalize": (lambda x: F.normalize(x, dim=1)[:, 1].sum(), [[0.0, 0.0], [1.0, 2.0]]),
    "cosine": (lambda x: F.cosine_similarity(x[0], x[1], dim=0), [[0.0, 0.0], [1.0, 0.0]]),
    "cdist": (lambda x: torch.cdist(x, x).sum(), [[1.0, 2.0], [1.0, 2.0]]),
    "pdist": (lambda x: F.pdist(x).sum(), [[1.0, 2.0], [1.0, 2.0], [2.0, 3.0]]),
    "std": (lambda x: x.std(), [1.0, 1.0]),
    "pinv": (lambda x: torch.linalg.pinv(x).sin().sum(), [[0.0, 1.0], [-1.0, 0.0]]),
    "i0e": (lambda x: torch.special.i0e(x).sum(), [0.0, 1.0]),
    "no angle": (lambda x: torch.atan2(x[0], x[1]), [0.0, 0.0]),
    "a diagonal": (lambda x: torch.atan2(x[0], x[1]), [2.0, 2.0]),
    "an angle of π": (lambda x: torch.atan2(x[0], x[1]), [-0.0, -1.0]),
    "logaddexp": (lambda x: torch.logaddexp(x[0], x[1]), [2.0, 2.0]),
    "sinc": (lambda x: torch.sinc(x).sum(), [0.0, 1e-3, 0.5]),
    "copysign": (lambda x: torch.copysign(x, torch.tensor(-1.0)).sum(), [0.0, -2.0, 2.0]),
    "complex abs": (lambda x: torch.complex(x, x).abs().sum(), [0.0, 3.0]),
    "relu": (lambda x: F.relu(x).sum(), [0.0, -0.0, -1.0, 1.0]),
    "relu6": (lambda x: (x * F.relu6(x + 3)).sum(), [-3.0, 0.0, 3.0, 4.0]),
    "hardtanh": (lambda x: F.hardtanh(x, -2.0, 3.0).sum(), [-2.0, 0.0, 3.0, 4.0]),
    "hardswish": (lambda x: F.hardswish(x).sum(), [-3.0, 3.0, 4.0]),
    "hardsigmoid": (lambda x: F.hardsigmoid(x).sum(), [-3.0, 3.0, 4.0]),
    "clamp": (lambda x: x.clamp(-1, 1).sum() + x.clamp(min=0).sum(), [-1.0, 0.0, 1.0, 2.0]),
    "clamp by tensors": (lambda x: x[0].clamp(x[1], x[2]), [1.0, 1.0, 2.0]),
    "fake_quantize": (
        lambda x: torch.fake_quantize_per_tensor_affine(x, 0.5, 3, 0, 7).square().sum(),
        [-2.0, -1.5, -0.3, 0.0, 2.0, 2.4],
    ),
    "fmax": (lambda x: torch.fmax(x[0], x[1]) + torch.fmin(x[0], x[1]), [2.0, 2.0]),
    "max": (lambda x: x.max(1)[0].sum() + 3 * x.min(0)[0].sum(), [[1.0, 3, 3], [1, 1, 1]]),
    "amax": (lambda x: x.amax(1).sum() + x.max() + x.min(), [[1.0, 3.0, 3.0], [1.0, 1.0, 1.0]]),
    "max_pool2d": (lambda x: F.max_pool2d(x, 2).sum(), [[[1.0, 2.0], [2.0, 0.0]]]),
    "median": (lambda x: x.median() + x[:5].median(), [2.0, 2.0, 1.0, 3.0, 2.0, 4.0]),
    "median of a row": (lambda x: x.median(1)[0].sum(), [[2.0, 2, 1, 3, 2], [1, 1, 1, 1, 1]]),
    "nanmedian": (lambda x: x.nanmedian(), [2.0, 2.0, float("nan"), 1.0, 3.0, 2.0]),
    "median with NaN": (lambda x: x.median(), [2.0, float("nan"), float("nan")]),
    "mode": (lambda x: x.mode(1)[0].sum(), [[2.0, 2, 1, 2], [1, 1, 1, 1], [3, 2, 2, 1]]),
    "cdist, p = inf": (lambda x: torch.cdist(x, -x, torch.inf).sum(), [[1.0, 1.0], [0.0, 3.0]]),
    "pdist, p = inf": (lambda x: F.pdist(x, torch.inf).sum(), [[1.0, 1.0], [0.0, 0.0]]),
    "scatter": (lambda x: scatter_extremes(x, include_self=True), [[1.0, 2, 1], [1, 2, 1]]),
    "scatter without self": (scatter_extremes, [[1.0, 2, 1], [1, 2, 1]]),
    "adaptive": (lambda x: F.adaptive_max_pool2d(x, 1).sum(), [[[1.0, 2.0], [2.0, 0.0]]]),
}


@pytest.mark.parametrize(("function", "at"), KINKS.values(), ids=KINKS)
def test_gradients_at_kinks(function: Callable[[Tensor], Tensor], at: list[Any]):
    x = torch.tensor(at, dtype=torch.float64, requires_grad=True)
    (expected,) = torch.autograd.grad(function(x), x)
    imported = import_torch_model(Function(function), (x.detach(),))
    gradient: Any = relay.grad(imported.module)
    found: Any = evaluate(gradient, x.detach().numpy())
    np.testing.assert_allclose(found, expected.numpy(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_targets_of_margin_losses_end_at_a_negative_number(reduction: str):
    x = torch.tensor([[0.1, 0.2, 0.4, 0.8], [0.5, -1.0, 2.0, 0.0]])
    target = torch.tensor([[3, 0, -1, 1], [1, 1, 2, -1]])
    for args in ((x, target), (x[0], target[0]), (x[0, 0], target[0, 1])):
        check(lambda *args: F.multilabel_margin_loss(*args, reduction=reduction), args, 1e-6)


def test_the_derivative_of_eigenvalues_and_vectors_is_pytorchs():
    def sizes(a: Tensor) -> Tensor:
        numbers, vectors = torch.linalg.eig(a)
        return (numbers.abs() ** 2 * torch.sin(numbers.real)).sum() + (
            vectors[:, :2].abs() ** 3
        ).sum()

    a = torch.randn(2, 4, 4, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    (wanted,) = torch.autograd.grad(sizes(a.requires_grad_()), a)
    module = import_torch_model(Function(sizes), (a.detach(),)).module
    found: Any = evaluate(relay.vjp(module), a.detach().numpy(), np.float64(1))
    same(np.asarray(found[1]), wanted, 1e-8)
