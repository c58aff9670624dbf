"""Random bits of JAX's generators, and floats of 8 bits, equal to JAX's."""

from importlib import import_module
from typing import Any

import numpy as np
import pytest

import relay
from relay.frontend.jax import from_jax

jax: Any = import_module("jax")
jnp: Any = import_module("jax.numpy")
lax: Any = jax.lax

KEY = np.array([1, 2, 0xFFFFFFFE, 0xFFFFFFFF], np.uint32)  # the counter overflows


def equal_to_jax(function: Any, *args: Any) -> None:
    expected = jax.tree.leaves(jax.jit(function)(*args))
    found = jax.tree.leaves(relay.compile(from_jax(function, *args), threads=1)(*args))
    for one, other in zip(found, map(np.asarray, expected), strict=True):
        assert np.asarray(one).dtype == other.dtype
        exact = np.float32 if "float" in other.dtype.name else other.dtype
        np.testing.assert_array_equal(np.asarray(one).astype(exact), other.astype(exact))


@pytest.mark.parametrize("algorithm", ["RNG_THREE_FRY", "RNG_PHILOX"])
def test_bits_of_all_widths_and_shapes(algorithm: str):
    which = getattr(lax.RandomAlgorithm, algorithm)

    def bits(key: Any):
        kinds = [((3, 5), np.uint32), ((4, 3), np.uint16), ((), np.uint32), ((7,), np.uint8)]
        return [lax.rng_bit_generator(key, *each, which) for each in kinds]

    equal_to_jax(bits, KEY)


def test_words_of_64_bits():
    algorithms = lax.RandomAlgorithm.RNG_THREE_FRY, lax.RandomAlgorithm.RNG_PHILOX
    with jax.enable_x64(True):
        equal_to_jax(
            lambda key: [lax.rng_bit_generator(key, (3,), np.uint64, each) for each in algorithms],
            KEY,
        )


def test_uniform_numbers_of_an_unsafe_key():
    def numbers(data: Any):
        key, other = jax.random.split(jax.random.wrap_key_data(data, impl="unsafe_rbg"))
        return jax.random.uniform(key, (3, 5)), jax.random.bernoulli(other, 0.3, (4,))

    equal_to_jax(numbers, KEY)


_NUMBERS = [1.1, 3.3, 500, -0.01, 1e9, -7e4, np.nan, 464, 2**-9, 3 * 2**-11]
X = np.array(_NUMBERS, np.float32).reshape(2, 5)


@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e5m2", "float8_e5m2fnuz"])
def test_floats_of_8_bits(name: str):
    kind = getattr(jnp, name)

    def function(x: Any, narrow: Any):
        y, weights = x.astype(kind), jnp.array(np.resize(X, (5, 40)), kind)
        small = jnp.array([1.5, np.nan, -2], kind)
        return (
            y + y, jnp.exp(y), y > 0, y * 2, y.T[1:], lax.bitcast_convert_type(narrow, jnp.uint8),
            jnp.where(x > 0, narrow, y).astype(jnp.bfloat16), weights, small,
            lax.dot(y[:, :2], weights[:2], preferred_element_type=jnp.float32),
        )  # fmt: skip

    equal_to_jax(function, X, np.asarray(jnp.asarray(X, kind)))


def test_integers_of_4_bits():
    weights = jnp.arange(-2048, 2048).reshape(64, 64)

    def function(signed: Any, unsigned: Any, x: Any):
        return (
            signed + signed, signed * signed, -signed, signed // jnp.int4(3), signed << 1,
            signed >> 1, ~signed, jnp.where(signed > 0, signed, 1), unsigned - unsigned * 3,
            ~unsigned, signed[1:], signed.sum(dtype=jnp.int32), (x * 5).astype(jnp.uint4),
            x @ weights.astype(jnp.int4).astype(x.dtype),
            x @ weights.astype(jnp.uint4).astype(x.dtype),
            jnp.array([3, 0], jnp.uint2).astype(jnp.int32), jnp.full((3,), -8, jnp.int4),
        )  # fmt: skip

    signed, unsigned = jnp.arange(-8, 8).astype(jnp.int4), jnp.arange(16).astype(jnp.uint4)
    x = (np.arange(128, dtype=np.float32) % 8 / 4).reshape(2, 64)
    equal_to_jax(function, np.asarray(signed), np.asarray(unsigned), x)


def test_sums_of_floats_of_8_bits_are_refused():
    with pytest.raises(relay.RelayError, match="F030"):
        from_jax(jnp.sum, np.asarray(jnp.ones(3, jnp.float8_e5m2)))
