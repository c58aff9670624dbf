"""Functions of complex tensors against JAX."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import relay
from relay.frontend.jax import from_jax
from relay.semantics.evaluate import evaluate
from relay.support.errors import RelayError

jax: Any = import_module("jax")
jnp: Any = import_module("jax.numpy")
export: Any = import_module("jax.export")
lax = jax.lax

_RANDOM = np.random.default_rng(0)


def floats(*shape: int) -> Any:
    return _RANDOM.standard_normal(shape).astype(np.float32)


def numbers(*shape: int) -> Any:
    return (floats(*shape) + 1j * floats(*shape)).astype(np.complex64)


def functions(a, b):
    return (
        jnp.exp(a), jnp.log(a), jnp.sqrt(a), jnp.sin(a), jnp.cos(a), jnp.tan(a), jnp.tanh(a), 1 / a,
        jnp.power(a, b), jnp.sign(a), jnp.log1p(a), jnp.expm1(a), lax.rsqrt(a), jax.nn.sigmoid(a),
    )  # fmt: skip


def moved(a, i):
    return (
        a.T.reshape(-1), a[1:, ::2], a[::-1], jnp.concatenate([a, a]), jnp.pad(a, 1), a[i],
        jnp.where(a.real > 0, a, 0), a.at[i].set(0), a.at[i].add(1j), a.astype(jnp.complex64),
    )  # fmt: skip


A, B = numbers(3, 4), numbers(3, 4)

FUNCTIONS: Mapping[str, tuple[Any, ...]] = {
    "arithmetic": (
        lambda a, b: (a + b, a - b, a * b, a / b, -a, a.conj(), a.real, a.imag, abs(a), a == b,
                      a != b, a * 2, a + 1j),
        A, B,
    ),
    "functions": (functions, A, B),
    "moved": (moved, A, np.array([0, 2], np.int32)),
    "reductions": (
        lambda a: (a.sum(0), a.mean(), a.prod(1), jnp.cumsum(a, 0), jnp.cumprod(a, 1)), A,
    ),
    "products": (lambda a, b, x: (a @ b.T, x @ b.T, jnp.vdot(a, b)), A, B, floats(3, 4)),
    "constants": (
        lambda a: a * np.array([1 + 2j, 3j, np.inf, 1], np.complex64)
        + np.arange(40).astype(np.complex64)[:4] * lax.complex(a.real, a.real),
        A,
    ),
    "a loop": (lambda a: lax.scan(lambda h, x: (h * 0.5 + x, (h * x).sum()), a[0], a), A),
    "a branch": (lambda p, a: lax.cond(p > 0, lambda a: a * 1j, jnp.conj, a), np.float32(1), A),
    "fft": (lambda a: (jnp.fft.fft(a), jnp.fft.ifft2(a), jnp.fft.fft(a, axis=0)), numbers(3, 6)),
    "real fft": (lambda x: (jnp.fft.rfft(x), jnp.fft.rfft2(x)), floats(2, 4, 5)),
    "inverse real fft": (lambda a: (jnp.fft.irfft(a), jnp.fft.irfft2(a, (2, 7))), numbers(2, 4)),
    "gradient of a spectrum": (jax.grad(lambda x: (abs(jnp.fft.rfft(x)) ** 2).sum()), floats(8)),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_give_what_jax_gives(name: str):
    function, *args = FUNCTIONS[name]
    module = from_jax(function, *args)
    found = evaluate(module, *args)
    results = found if isinstance(found, tuple) else (found,)
    wanted = jax.tree_util.tree_leaves(jax.jit(function)(*args))
    for mine, theirs in zip(results, wanted, strict=True):
        np.testing.assert_allclose(np.asarray(mine), theirs, rtol=2e-4, atol=2e-5)


def test_a_compiled_filter_of_open_sizes():
    def filtered(x, gains):
        return jnp.fft.irfft(jnp.fft.rfft(x) * gains)

    leaf = jax.ShapeDtypeStruct(export.symbolic_shape("b, 8"), np.float32)
    gains = numbers(5)
    fast = relay.compile(export.export(jax.jit(filtered))(leaf, gains), threads=1)
    for count in (1, 3):
        x = floats(count, 8)
        np.testing.assert_allclose(fast(x, gains), filtered(x, gains), rtol=1e-4, atol=1e-5)


def test_complex_numbers_have_no_order():
    with pytest.raises(RelayError) as caught:
        from_jax(jnp.sort, A)
    assert caught.value.code == "F030"
    assert caught.value.help
    assert caught.value.span is not None
    assert caught.value.span.source.name == __file__
