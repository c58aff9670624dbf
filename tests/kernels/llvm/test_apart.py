"""Inputs that are lists of addresses: rows that lie anywhere."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from kernels.llvm.running import HOST

from relay.kernels import te
from relay.kernels.kernel_compiler import compile_kernels
from relay.kernels.llvm.execution_engine import Engine
from relay.kernels.loops import INDIRECT_ROW_BYTES, Buffer, Kernel
from relay.kernels.scalar import size_named
from relay.kernels.schedule.default import default_schedule
from relay.kernels.schedule.lower import lower
from relay.support.dims.algebra import DimVar
from relay.support.dtype import int64
from relay.support.node import replace
from relay.targets.cpu import this_cpu
from relay.targets.kernel_expressions import Formulas

TARGET = this_cpu()


def plainly(inputs: Sequence[te.Tensor], out: te.Tensor) -> Kernel:
    return lower(default_schedule(out), inputs)


def as_the_target_does(inputs: Sequence[te.Tensor], out: te.Tensor) -> Kernel:
    choice = TARGET.choose(Formulas("apart", inputs, (out,)))
    assert choice is not None
    return choice.kernel()


def called(kernel: Kernel, rows: Sequence[np.ndarray], y: np.ndarray, *sizes: int) -> np.ndarray:
    """Run a kernel over rows, and a tensor of the same shape."""
    code = compile_kernels([kernel], HOST)
    words = INDIRECT_ROW_BYTES // 8
    listed = np.full((len(rows), words), -1, np.int64)  # what is not an address is nobody's
    listed[:, 0] = [row.ctypes.data for row in rows]
    shape = (len(rows), words)
    passed = replace(kernel, params=(Buffer("rows", shape, int64), *kernel.params[1:]))
    out = np.full_like(y, np.nan)
    Engine(code).function(passed, code[0])(listed, y, out, *sizes)
    return out


@pytest.mark.parametrize("schedule", [plainly, as_the_target_does])
@pytest.mark.parametrize("shape", [(64,), (75,), (5,), (3, 40), (130,)])
@pytest.mark.parametrize("count", [0, 1, 2, 7, 30])
@pytest.mark.parametrize("is_open", [False, True])
def test_rows_are_read_where_they_are(
    schedule: Callable[..., Kernel], shape: tuple[int, ...], count: int, is_open: bool
):
    rows = DimVar("n") if is_open else count
    x = te.placeholder((rows, *shape), "float32", "x", indirect_rows=True)
    y = te.placeholder((rows, *shape), "float32", "y")
    out = te.compute((rows, *shape), lambda *i: te.tanh(x[i]) * y[i] + x[i], "out")
    kernel = schedule([x, y], out)
    if is_open:
        kernel = replace(kernel, scalars=(size_named("n"),))
    random = np.random.default_rng(5)
    memory = random.random((100, *shape)).astype("f")
    chosen = [memory[i] for i in random.permutation(100)[:count]]
    given = random.random((count, *shape)).astype("f")
    found = called(kernel, chosen, given, *[count] * is_open)
    side_by_side = np.array(chosen).reshape(given.shape)
    expected = np.tanh(side_by_side) * given + side_by_side
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_a_kernel_of_rows_that_lie_apart_is_another_one():
    kernels = []
    for apart in (False, True):
        x = te.placeholder((4, 64), "float32", "x", indirect_rows=apart)
        out = te.compute((4, 64), lambda i, j, x=x: x[i, j] * 2.0, "out")
        kernels.append(as_the_target_does([x], out))
    one, other = compile_kernels(kernels, HOST)
    assert one.symbol != other.symbol
