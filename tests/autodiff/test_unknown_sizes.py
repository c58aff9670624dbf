"""Derivatives of programs whose sizes depend on data: compared with finite differences."""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest

import relay

X = np.array([1.0, -2.0, 3.0])
grad, jvp = cast("Any", relay.grad), cast("Any", relay.jvp)


def grown(x: Any) -> Any:
    """Return a number computed from a list that grows while a condition holds."""
    found, s = [], x[0]
    while s < 10.0:
        found.append(s * x)
        s = 2.0 * s + 1.0
    return (np.stack(found) ** 2).sum()


def joined(x: Any) -> Any:
    """Return a number computed from parts of unknown sizes that are joined."""
    return (np.concatenate([x[x > 0], 3.0 * x[x < 0], x]) ** 2).sum()


def repeated(x: Any) -> Any:
    """Return a number computed from a tensor of unknown size that is repeated."""
    return (np.repeat(x[x > 0], 2) ** 2 * np.tile(x[x > 0], 2)).sum()


def rolled(x: Any) -> Any:
    """Return a number computed from a row and a matrix of unknown sizes that are rolled."""
    row = np.roll(x[x > 0], 1)
    return (row * np.roll(np.stack([x[x > 0], row * row]), 1)).sum()


def diagonal(x: Any) -> Any:
    """Return a number computed from a matrix with a diagonal of unknown size."""
    return (np.diag(x[x > 0], -1) ** 2).sum()


def differences(f: Callable[[Any], Any], x: Any) -> Any:
    """Return the derivative of a function by finite differences."""
    steps = 1e-6 * np.eye(len(x))
    return np.array([f(x + each) - f(x - each) for each in steps]) / 2e-6


@pytest.mark.parametrize("f", [grown, joined, repeated, rolled, diagonal])
def test_data_decides_on_sizes(f: Callable[[Any], Any]) -> None:
    """Rules that need a size, such as that of `concatenate`, get a name for it."""
    wanted = differences(f, X)
    np.testing.assert_allclose(grad(f)(X), wanted, rtol=1e-6)
    np.testing.assert_allclose(relay.jit(grad(f))(X), wanted, rtol=1e-6)
    np.testing.assert_allclose(jvp(f)(X, X)[1], wanted @ X, rtol=1e-6)


def test_second_derivatives() -> None:
    """What stores sizes between the steps of a loop also stores a tensor that has them."""

    def total(x: Any) -> Any:
        found, s = [], x
        while s < 10.0:
            found.append(s * s)
            s = 2.0 * s + 1.0
        return np.stack(found).sum()

    # three steps, whose values are 2**k * (x + 1) - 1
    assert relay.jit(grad(grad(total)))(1.0) == sum(2.0 * 4.0**k for k in range(3))
