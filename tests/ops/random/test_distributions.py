"""Random numbers: keys, and distributions of the generator's bits by NumPy."""

from typing import Any

import numpy as np
import pytest

import relay
from relay.ops.random.threefry import MASK, exact_block, exact_mix
from relay.semantics.apply_operator import value_of
from relay.support.errors import RelayError


def bits(seed: int, count: int) -> np.ndarray:
    """Return the first bits of a new key: block after block, each with all four words raised.

    Where a block is begun only, it has its counter raised alone, by the numbers before it.
    """
    whole, key = count // 4, [seed, 0, 0, 0]
    rows = [exact_block(key, [i] * 4) for i in range(whole)]
    rows.append(exact_block(key, [0, 0, 0, 4 * whole]))
    return np.array(rows, np.uint64).reshape(-1)[:count]


def drawn(call: Any) -> np.ndarray:
    return value_of(call)[1]


def test_a_block_mixes_as_the_classic_one():
    assert exact_block([0] * 4, [0] * 4) != [0] * 4
    a, b = 5, 7
    total = (a + b) & MASK
    assert exact_mix(a, b, 14) == (total, (total + b) ^ (b << 14))


def test_float32_fractions_are_the_low_bits():
    key = relay.random.threefry_key(11)
    low = bits(11, 6).astype(np.uint32) >> np.uint32(9)
    expected = (low | np.uint32(0x3F800000)).view(np.float32) - np.float32(1)
    found = drawn(relay.random.uniform(key, (2, 3), low=-1.0, high=3.0))
    np.testing.assert_allclose(found.reshape(-1), expected * 4 - 1, rtol=1e-6)


def test_float64_fractions_are_the_high_bits():
    key = relay.random.threefry_key(12)
    expected = (bits(12, 5) >> np.uint64(12)).astype(np.float64) / 2.0**52
    found = drawn(relay.random.uniform(key, (5,), "float64"))
    np.testing.assert_allclose(found, expected, rtol=1e-15)


def test_normal_numbers_are_of_two_uniform_ones():
    key = relay.random.threefry_key(13)
    first, second = drawn(relay.random.uniform(key, (2, 500), "float64"))
    expected = np.sqrt(-2 * np.log(1 - first)) * np.sin(2 * np.pi * second) * 3 + 1
    found = drawn(relay.random.normal(key, (500,), "float64", mean=1.0, scale=3.0))
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert abs(found.mean() - 1) < 0.5
    assert abs(found.std() - 3) < 0.4


def test_places_come_as_often_as_they_are_probable():
    key, probs = relay.random.threefry_key(14), relay.const([1.0, 0.0, 3.0])
    places = drawn(relay.random.multinomial(key, probs, num_samples=2000))
    counts = np.bincount(places, minlength=3) / 2000
    np.testing.assert_allclose(counts, [0.25, 0, 0.75], atol=0.04)


def test_keys_of_a_split_differ():
    left, right = value_of(relay.random.threefry_split(relay.random.threefry_key(1)))
    parts = [drawn(relay.random.uniform(relay.const(key), (4,))) for key in (left, right)]
    assert not np.intersect1d(parts[0], parts[1]).size


@pytest.mark.parametrize("seed", [-1, 2**256, 1.5, "a"])
def test_a_seed_is_a_natural_number_of_256_bits(seed: Any):
    with pytest.raises(RelayError, match=r"T104|T007") as refused:
        relay.random.threefry_key(seed)
    assert refused.value.help


def test_numbers_are_floats():
    with pytest.raises(RelayError, match="T104"):
        relay.random.uniform(relay.random.threefry_key(1), (2,), "int32")
