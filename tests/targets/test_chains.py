"""Chains of products, one kernel each: attentions of random shapes against NumPy."""

import numpy as np
import pytest

from relay.ir.expr import Array
from relay.kernels import te
from relay.kernels.cpu_model import CpuModel
from relay.kernels.passes.validate_loops import complaints
from relay.ops.nn.matmul import BatchMatmul
from relay.ops.nn.softmax import Softmax
from relay.targets.cpu import cpu_target
from relay.targets.kernel_expressions import Formulas
from tests.targets.running import run_tensors


def attention(q: te.Tensor, k: te.Tensor, v: te.Tensor, bias: te.Tensor) -> te.Tensor:
    """Return the formula of a scaled and biased attention over the last two axes."""
    products = BatchMatmul(transpose_b=True).compute(q, k)
    scores = te.compute(
        products.shape, lambda *i: products[i] * 0.25 + bias[0, i[-2], i[-1]], name="scores"
    )
    return BatchMatmul().compute(Softmax().compute(scores), v)


def expected(q: Array, k: Array, v: Array, bias: Array) -> Array:
    scores = q.astype("float64") @ k.swapaxes(-1, -2) * 0.25 + bias
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True) @ v


def shapes(heads: int, rows: int, terms: int, depth: int, width: int):
    return (
        (heads, rows, depth),
        (heads, terms, depth),
        (heads, terms, width),
        (1, rows, terms),
    )


@pytest.mark.parametrize(
    ("sizes", "dtype"),
    [
        ((3, 40, 72, 24, 24), "float32"),  # several blocks of rows, the last one smaller
        ((1, 16, 16, 1, 4), "float32"),
        ((2, 17, 33, 20, 5), "float32"),
        ((5, 64, 64, 16, 48), "float64"),
    ],
)
def test_an_attention_is_computed_in_blocks_of_rows(sizes, dtype):
    rng = np.random.default_rng(sum(sizes))
    arrays = [rng.standard_normal(shape).astype(dtype) for shape in shapes(*sizes)]
    inputs = [te.placeholder(array.shape, dtype) for array in arrays]
    output = attention(*inputs)
    choice = cpu_target(CpuModel.host()).choose(Formulas("test", inputs, [output]))
    assert choice is not None
    assert choice.rule.name == "chain"
    assert not complaints(choice.kernel())
    (found,) = run_tensors(inputs, [output], None, arrays)
    bound = 1e-5 if dtype == "float32" else 1e-12
    np.testing.assert_allclose(found, expected(*arrays), rtol=bound, atol=bound * 10)
