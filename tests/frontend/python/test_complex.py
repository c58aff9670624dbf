"""Complex numbers in Python functions: NumPy's functions, attributes, loops and derivatives."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import relay
from relay.support.errors import RelayError

Z = np.array([1 + 2j, 3, -1j], np.complex64)


def steps(z: Any, c: Any) -> Any:
    n = 0
    while abs(z) < 4 and n < 20:
        z = z * z + c
        n += 1
    return z, n


def written(z: Any) -> Any:
    out = np.zeros(3, np.complex64)
    for i in range(3):
        out[i] = z[i] * 1j
    out *= 2
    return out


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "parts": lambda z: z.real + 2j * z.imag,
    "conjugate": lambda z: np.conj(z) * z,
    "angle": lambda z: np.angle(z, deg=True),
    "tests": lambda z: (np.iscomplex(z), np.isreal(z.real), np.isclose(z, z)),
    "root": lambda z: np.sqrt(z) / z,
    "power": lambda z: z**2,
    "exponential": lambda z: np.exp(1j * z.real),
    "mean": lambda z: z.mean() if np.iscomplexobj(z) else z,
    "product": lambda z: np.prod(z) + z @ z,
    "written": written,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_compute_what_numpy_does(name: str):
    function = FUNCTIONS[name]
    found, expected = relay.jit(function)(Z), function(Z)
    pairs = zip(found, expected, strict=True) if isinstance(found, tuple) else [(found, expected)]
    for one, other in pairs:
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_loops_carry_complex_numbers():
    found, count = relay.jit(steps)(np.complex64(0.1 + 0.2j), np.complex64(0.5 + 0.5j))
    expected, steps_ = steps(0.1 + 0.2j, 0.5 + 0.5j)
    assert count == steps_
    np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_annotations_name_complex_types():
    @relay.function
    def scaled(z: relay.Tensor[3, relay.complex64], c: relay.complex64) -> Any:
        return abs(z * c)

    np.testing.assert_allclose(scaled(Z, 2j), 2 * np.abs(Z), rtol=1e-6)


def test_mapped_and_differentiated_functions():
    rows = np.stack([Z, 2 * Z])
    np.testing.assert_array_equal(relay.vmap(lambda z: np.cumsum(z, 0))(rows), np.cumsum(rows, 1))
    gradient = relay.grad(lambda z: np.sum(np.abs(z) ** 2))(Z)
    np.testing.assert_allclose(gradient, 2 * Z, rtol=1e-5)


@pytest.mark.parametrize("function", [np.floor, np.max, lambda z: float(z[0])])
def test_functions_of_real_numbers_refuse_complex_ones(function: Callable[[Any], Any]):
    with pytest.raises(RelayError, match="complex"):
        relay.jit(function)(Z)
