"""Tensors moved between layouts, at sizes that fill no vector, and how few loads that takes."""

import numpy as np
import pytest

from relay.kernels import te
from relay.kernels.cpu_model import CpuModel
from relay.kernels.loops import Allocate, MemoryScope
from relay.kernels.passes.traverse_statements import statements
from relay.ops.tensor.layout_transform import LayoutTransform
from relay.support.dtype import float32
from tests.targets.running import run, scheduled

SIZES = [(2, 48, 5, 7), (1, 34, 9, 3), (1, 24, 16, 16), (3, 17, 1, 13), (1, 64, 4, 4)]
DTYPES = ["float32", "float64", "float16", "int8", "int64", "bool"]


PAIRS = [(SIZES[n % len(SIZES)], dtype) for n, dtype in enumerate(DTYPES)]


@pytest.mark.parametrize(("sizes", "dtype"), PAIRS)
def test_there_and_back(sizes, dtype):
    plain = np.random.default_rng(sum(sizes)).integers(0, 2 if dtype == "bool" else 99, sizes)
    plain = plain.astype(dtype)
    block = max(n for n in range(1, 40) if sizes[1] % n == 0)
    for other in (f"NCHW{block}c", f"NHWC{block}c", "NHWC", "CHWN", "WHCN"):
        op = LayoutTransform("NCHW", other)
        there = run(op, [plain])
        np.testing.assert_array_equal(there, op.reference(plain))
        back = run(LayoutTransform(other, "NCHW"), [there])
        np.testing.assert_array_equal(back, plain)


@pytest.mark.parametrize("layouts", [("NCHW", "NCHW16c"), ("NCHW16c", "NCHW"), ("NCHW", "NHWC")])
def test_squares_are_turned_in_registers(layouts):
    op = LayoutTransform(*layouts)
    shape = (1, 3, 9, 9, 16) if layouts[0] == "NCHW16c" else (1, 48, 9, 9)
    x = te.placeholder(shape, "float32", "x")
    body = scheduled([x], [op.compute(x)], CpuModel.host()).body
    buffers = [s.buffer for s in statements(body) if isinstance(s, Allocate)]
    assert buffers
    assert all(buffer.scope is MemoryScope.REGISTER for buffer in buffers)


def test_squares_where_rows_are_as_long_as_vectors():
    op = LayoutTransform("NCW", "NCW16c")
    x = te.placeholder((1, 48, CpuModel.host().lanes(float32) * 3), "float32", "x")
    body = scheduled([x], [op.compute(x)], CpuModel.host()).body
    assert any(isinstance(s, Allocate) for s in statements(body))
