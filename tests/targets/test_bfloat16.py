"""Sums of products of bfloat16 numbers: pairs of them are read as words where they are adjacent."""

import numpy as np
import pytest

import relay
from relay.build.kernel_listing import listings
from relay.support.dtype import bfloat16

SHAPES = [  # the rows of both operands, the terms, and whether pairs of terms are multiplied
    ((1,), (70,), 64, True),
    ((3,), (1,), 130, True),
    ((7,), (9,), 63, False),
    ((2, 17), (2, 33), 62, True),
    ((2, 5), (2, 4), 2, True),
]


def source(rows: tuple[int, ...], columns: tuple[int, ...], terms: int) -> str:
    operator = "dense" if len(rows) == 1 else "batch_matmul"
    turned = "" if len(rows) == 1 else ", transpose_b=True"
    shapes = [", ".join(map(str, (*lead, terms))) for lead in (rows, columns)]
    return f"""#[version = "0.0.5"]
def @main(%x: Tensor[({shapes[0]}), bfloat16], %w: Tensor[({shapes[1]}), bfloat16]) {{
  nn.{operator}(%x, %w, out_dtype="float32"{turned})
}}
"""


@pytest.mark.parametrize(("rows", "columns", "terms", "in_pairs"), SHAPES)
def test_sums_are_float32(
    rows: tuple[int, ...], columns: tuple[int, ...], terms: int, in_pairs: bool
) -> None:
    model = relay.parse(source(rows, columns, terms))
    rng = np.random.default_rng(terms)
    x, w = (rng.standard_normal((*lead, terms)).astype(bfloat16.numpy) for lead in (rows, columns))
    expected = np.matmul(x.astype("f8"), np.swapaxes(w.astype("f8"), -1, -2))
    found = np.asarray(relay.compile(model, threads=1)(x, w))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    (kernel,) = listings(model, "dense" if len(rows) == 1 else "batch_matmul")
    assert ("dot<bfloat16, bfloat16>" in kernel.loops) == in_pairs


@pytest.mark.parametrize("rows", [1, 5, 40])
def test_weights_are_converted_by_the_kernel_of_the_product(rows: int) -> None:
    model = relay.parse("""#[version = "0.0.5"]
def @main(%x: Tensor[(n, 70), float32], %w: Tensor[(33, 70), bfloat16]) {
  nn.dense(%x, cast(%w, dtype="float32"))
}
""")
    rng = np.random.default_rng(rows)
    x = rng.standard_normal((rows, 70)).astype(np.float32)
    w = rng.standard_normal((33, 70)).astype(bfloat16.numpy)
    program = relay.compile(model, threads=1)
    np.testing.assert_allclose(program(x, w), x @ w.astype("f4").T, rtol=1e-4, atol=1e-4)
    assert listings(model, "cast+dense")
