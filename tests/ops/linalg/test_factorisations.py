"""Factorisations of matrices that are singular or not numbers."""

from typing import Any

import numpy as np
import pytest

import relay
from relay.ir.expr import Array, Call, Function, Operator, Var
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.ops.linalg.cholesky import Cholesky
from relay.ops.linalg.eigenvalues import Eigh
from relay.ops.linalg.pseudoinverse import Pinv
from relay.ops.linalg.qr import QR
from relay.ops.linalg.svd import SVD


def compiled(op: Operator, x: Array) -> Any:
    """Return the results of a compiled call."""
    param = Var("x", TensorType(x.shape, x.dtype))
    call = Call(op, (param,))
    return relay.compile(Module.of(Function((param,), call)), threads=1)(x)


def test_singular_vectors_of_a_singular_matrix_are_orthonormal():
    draw = np.random.default_rng(0)
    x = draw.standard_normal((6, 2)) @ draw.standard_normal((2, 4))
    u, s, v = compiled(SVD(), x)
    np.testing.assert_allclose(u.T @ u, np.eye(4), atol=1e-12)
    np.testing.assert_allclose(v.T @ v, np.eye(4), atol=1e-12)
    np.testing.assert_allclose((u * s) @ v.T, x, atol=1e-12)
    np.testing.assert_allclose(s, np.linalg.svd(x)[1], atol=1e-12)


@pytest.mark.parametrize("scale", [1e-170, 1e170])
def test_elements_whose_squares_overflow_or_underflow(scale: float):
    x = scale * np.random.default_rng(1).standard_normal((4, 3))
    q, r = compiled(QR(), x)
    u, s, v = compiled(SVD(), x)
    for each in (q, u, v):
        np.testing.assert_allclose(each.T @ each, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(q @ r / scale, x / scale, atol=1e-12)
    np.testing.assert_allclose((u * s) @ v.T / scale, x / scale, atol=1e-12)


@pytest.mark.parametrize("number", [np.nan, np.inf, 1e300])
def test_rotations_end(number: float):
    for op in (SVD(), Eigh()):
        assert len(compiled(op, np.full((3, 3), number))) > 1


def test_columns_from_the_first_bad_pivot_on_are_nan():
    found = compiled(Cholesky(), np.array([[4.0, 0, 0], [2.0, 0.5, 0], [0, 0, 1.0]]))
    np.testing.assert_array_equal(np.isnan(found), [[0, 0, 0], [0, 1, 0], [0, 1, 1]])
    np.testing.assert_array_equal(found[:, 0], [2, 1, 0])


def test_the_reference_of_a_pseudoinverse_rounds_singular_values_as_svd_does():
    x = np.random.default_rng(0).standard_normal((20, 3, 3)).astype(np.float32)
    _, values, _ = SVD().reference(x)
    largest = values[..., :1]
    assert not Pinv().reference(x, largest).any()
