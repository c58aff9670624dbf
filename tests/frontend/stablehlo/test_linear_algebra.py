"""Factorisations and systems of equations of JAX, which calls LAPACK, against JAX's results."""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relay
from relay.frontend.jax import from_jax
from relay.semantics.evaluate import evaluate

jax: Any = import_module("jax")
jnp: Any = import_module("jax.numpy")
linalg = jnp.linalg
triangular = jax.scipy.linalg.solve_triangular

_RANDOM = np.random.default_rng(0)


def floats(*shape: int) -> Any:
    return _RANDOM.standard_normal(shape).astype(np.float32)


def _positive(x: Any) -> Any:
    return (x @ np.swapaxes(x, -1, -2) + 4 * np.eye(x.shape[-1])).astype(np.float32)


A, S, BATCH, TALL = floats(4, 4), _positive(floats(4, 4)), floats(2, 4, 4), floats(2, 5, 3)
L = np.tril(S)


def qr_of(a, mode="reduced"):
    q, r = linalg.qr(a, mode=mode)
    return q @ r, jnp.swapaxes(q, -1, -2) @ q


def complex_qr_of(a):
    whole = (a + 1j * jnp.flip(a, -1)).at[0, :, 0].set(jnp.arange(5) == 0)
    found = [*linalg.qr(whole), *linalg.qr(whole, "complete"), *linalg.qr(whole.mT)]
    return [(each.real, each.imag) for each in found]


def svd_of(a, full_matrices=False):
    u, s, v = linalg.svd(a, full_matrices=full_matrices)
    whole = (u[..., :3] * s[..., None, :]) @ v[..., :3, :]
    return whole, s, jnp.swapaxes(u, -1, -2) @ u, v @ jnp.swapaxes(v, -1, -2)


def complex_svd_of(a):
    whole, found = a + 1j * jnp.flip(a, -1), []
    for x in (whole, whole.mT, 0 * whole):
        for full_matrices in (False, True):
            u, s, v = linalg.svd(x, full_matrices=full_matrices)
            again = (u[..., :3] * s[..., None, :]) @ v[..., :3, :]
            products = again, u.conj().mT @ u, v @ v.conj().mT
            found += [s, [(each.real, each.imag) for each in products]]
    return found


def eigh_of(a):
    values, vectors = linalg.eigh(a)
    return values, (vectors * values[..., None, :]) @ jnp.swapaxes(vectors, -1, -2)


def eig_of(a):
    values, vectors = linalg.eig(a)
    error = abs(a @ vectors - values[..., None, :] * vectors)
    return error, linalg.norm(vectors, axis=-2), jnp.sort(linalg.eigvals(a).imag)


def schur_of(a):
    form, basis = jax.scipy.linalg.schur(a, output="complex")
    return abs(basis @ form @ basis.conj().T - a), abs(jnp.tril(form, -1))


def real_schur_of(a):
    form, basis = jax.vmap(jax.scipy.linalg.schur)(a)
    kept = jnp.sort(jnp.diagonal(form, -1, 1, 2) * jnp.diagonal(form, 1, 1, 2), -1)
    return basis @ form @ basis.mT, basis @ basis.mT, jnp.tril(form, -2), kept < -1e-3


def complex_systems(a, b, c):
    whole, side, solve = a + 1j * jnp.flip(a, -1), b - 2j * b, jax.lax.linalg.triangular_solve
    left = solve(whole, side, left_side=True, transpose_a=True, conjugate_a=True)
    right = solve(whole, side.mT, lower=True, unit_diagonal=True)
    square = whole @ whole.conj().mT + jnp.eye(4)
    found = (
        left, right, linalg.solve(whole, side), linalg.inv(whole), linalg.det(c[:, :3] + 1j),
        linalg.cholesky(square), linalg.cholesky(square, upper=True), linalg.cholesky(-square),
    )  # fmt: skip
    return [(each.real, each.imag) for each in found]


def hermitian_of(a):
    whole = a + 1j * jnp.flip(a, -1)
    found = []
    for each in (whole @ whole.conj().mT, jnp.eye(3) + 0j):
        for options in ({}, {"UPLO": "U", "symmetrize_input": False}):
            values, vectors = linalg.eigh(each, **options)
            again = (vectors * values[..., None, :]) @ vectors.conj().mT
            found += [values, again.real, again.imag]
    return found


FUNCTIONS: Mapping[str, tuple[Any, ...]] = {
    "cholesky": (
        lambda a, b: (linalg.cholesky(a), linalg.cholesky(a, upper=True), linalg.cholesky(-a),
                      linalg.cholesky(b)),
        S, _positive(BATCH),
    ),
    "systems": (lambda a, b: (linalg.solve(a, b), linalg.inv(a), linalg.det(a)), A, floats(4)),
    "systems of a batch": (
        lambda a, b: (linalg.solve(a, b), linalg.inv(a), linalg.slogdet(a)), BATCH, floats(2, 4, 3),
    ),
    "triangles": (
        lambda a, b: (triangular(a, b, lower=True), triangular(a.T, b),
                      triangular(a, b, trans=1, lower=True),
                      triangular(a, b, lower=True, unit_diagonal=True)),
        L, floats(4, 2),
    ),
    "a triangle on the right": (
        lambda a, b: jax.lax.linalg.triangular_solve(a, b, lower=True, transpose_a=True), L,
        floats(3, 4),
    ),
    "qr": (lambda a: (qr_of(a), qr_of(a, "complete"), abs(linalg.qr(a, mode="r"))), TALL),
    "complex qr": (complex_qr_of, TALL),
    "svd": (
        lambda a: (svd_of(a), svd_of(a, full_matrices=True), linalg.norm(a[0], 2),
                   svd_of(jnp.swapaxes(a, 1, 2), full_matrices=True), linalg.matrix_rank(a)),
        TALL,
    ),
    "complex svd": (complex_svd_of, TALL),
    "eigh": (lambda a: (eigh_of(a), linalg.eigvalsh(a)), _positive(BATCH)),
    "hermitian": (hermitian_of, BATCH),
    "eig": (lambda a, b: (eig_of(a), eig_of(a + 1j * b)), BATCH, BATCH[::-1]),
    "schur": (lambda a, b: (schur_of(a), abs(jax.scipy.linalg.sqrtm(b))), A, S),
    "complex systems": (complex_systems, BATCH, floats(2, 4, 3), floats(3, 4)),
    "real schur": (
        real_schur_of, np.stack([A, np.roll(np.eye(4, dtype=np.float32), 1, 0), S]),
    ),
    "hessenberg": (
        lambda a: (jax.scipy.linalg.hessenberg(a, calc_q=True), linalg.norm(a)), BATCH,
    ),
    "tridiagonal": (
        lambda a, b: jax.lax.linalg.tridiagonal_solve(a[0], a[1], a[2], b), floats(3, 2, 6),
        floats(2, 6, 2),
    ),
    "least squares": (lambda a, b: (linalg.lstsq(a, b)[0], linalg.pinv(a)), TALL[0], floats(5)),
    "gradients": (
        jax.grad(
            lambda a, b: (linalg.solve(a, b) ** 2).sum() + linalg.cholesky(a).sum(), (0, 1)
        ),
        S, floats(4),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_give_what_jax_gives(name: str):
    function, *args = FUNCTIONS[name]
    found = evaluate(from_jax(function, *args), *args)
    results = found if isinstance(found, tuple) else (found,)
    wanted = jax.tree_util.tree_leaves(jax.jit(function)(*args))
    for mine, theirs in zip(results, wanted, strict=True):
        np.testing.assert_allclose(np.asarray(mine), theirs, rtol=1e-3, atol=1e-4)


def test_a_compiled_filter_step():
    def step(a, s):
        return linalg.solve(s, a.T).T @ linalg.cholesky(s)

    fast = relay.compile(from_jax(step, A, S), threads=1)
    np.testing.assert_allclose(fast(A, S), step(A, S), rtol=1e-3, atol=1e-4)


def test_operations_of_stablehlo(tmp_path: Path):
    matrix = "tensor<3x3xf32>"
    path = tmp_path / "model.mlir"
    path.write_text(f"""module {{ func.func public @main(%a: {matrix}, %b: {matrix}) -> {matrix} {{
      %l = stablehlo.cholesky %a, lower = false : {matrix}
      %x = "stablehlo.triangular_solve"(%l, %b) {{left_side = false, lower = false,
        unit_diagonal = false, transpose_a = #stablehlo<transpose TRANSPOSE>}} :
        ({matrix}, {matrix}) -> {matrix}
      return %x : {matrix} }} }}""")
    a, b = S[:3, :3], A[:3, :3]
    found = np.asarray(evaluate(relay.load(path), a, b))
    np.testing.assert_allclose(found @ np.linalg.cholesky(a), b, rtol=1e-4, atol=1e-5)
