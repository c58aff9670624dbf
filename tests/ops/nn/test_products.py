"""Derivatives of matrix products whose result has another element type than the arguments."""

import numpy as np
import pytest

from relay.ir.expr import Call, Constant
from relay.opdef.definition import OperatorDef
from relay.ops.nn.matmul import BatchMatmul, Dense, Matmul
from relay.semantics.apply_operator import value_of
from relay.support.dtype import float32


@pytest.mark.parametrize(
    ("op", "a", "b", "formulas"),
    [
        (Dense(out_dtype=float32), (4, 5), (3, 5), ("nu,uk->nk", "nu,nk->uk")),
        (Matmul(out_dtype=float32), (4, 5), (5, 3), ("nu,ku->nk", "nu,nk->ku")),
        (BatchMatmul(float32), (2, 4, 5), (1, 5, 3), ("bnu,cku->bnk", "bnu,bnk->ku")),
    ],
)
def test_derivatives_have_the_types_of_the_arguments(
    op: OperatorDef, a: tuple[int, ...], b: tuple[int, ...], formulas: tuple[str, str]
):
    random = np.random.default_rng(0)
    args = [random.standard_normal(shape).astype(np.float16) for shape in (a, b)]
    call = Call(op, tuple(map(Constant, args)))
    d_out = random.standard_normal(call.tensor_type.static_shape).astype(np.float32)
    found = [value_of(each) for each in op.gradient(call, Constant(d_out)) if each is not None]
    for value, formula, other, like in zip(found, formulas, args[::-1], args, strict=True):
        assert isinstance(value, np.ndarray)
        assert value.dtype == np.float16
        expected = np.einsum(formula, d_out, other.astype(np.float32)).reshape(like.shape)
        np.testing.assert_allclose(value.astype(np.float32), expected, rtol=2e-3, atol=2e-3)
