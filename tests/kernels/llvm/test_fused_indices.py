"""The indices of fused loops are counted, and divided only where a thread begins."""

import re

import numpy as np
from kernels.llvm.running import HOST

from relay.kernels import te
from relay.kernels.kernel_compiler import Options, compile_kernels
from relay.kernels.llvm.buffer_placement import plan
from relay.kernels.llvm.emit_kernel_module import emit_kernel
from relay.kernels.llvm.execution_engine import Engine
from relay.kernels.llvm.fused_indices import divisors
from relay.kernels.loops import For, Kernel
from relay.kernels.scalar import size_named
from relay.kernels.schedule.lower import lower
from relay.kernels.schedule.schedule import Schedule
from relay.support.dims.algebra import DimVar
from relay.support.node import replace

N = DimVar("n")


def rows(*, parallel: bool) -> Kernel:
    """Rows of eight, three for each `n`, in reverse order within each three."""
    x = te.placeholder((3, N, 8), "float32", "x")
    y = te.compute((3, N, 8), lambda i, j, k: x[2 - i, j, k] + 1.0, "y")
    s = Schedule(y)
    i, j, k = s[y].axes
    s[y].vectorize(k)
    both = s[y].fuse(i, j)
    if parallel:
        s[y].parallel(both)
    return replace(lower(s, [x]), scalars=(size_named("n"),))


def test_a_multiple_of_a_size_is_counted():
    kernel = rows(parallel=False)
    assert isinstance(kernel.body, For)
    assert [str(each) for each in divisors(kernel.body)] == [str(size_named("n"))]
    text = emit_kernel(kernel, "rows", plan(kernel), HOST, Options())
    assert not re.search(r"\b[su](div|rem)\b", text)


def test_counted_indices():
    for parallel in (False, True):
        kernel = rows(parallel=parallel)
        (code,) = compile_kernels([kernel], HOST)
        call = Engine([code]).function(kernel, code)
        for n in (0, 1, 2, 7):
            x, y = np.arange(24 * n, dtype="f4").reshape(3, n, 8), np.zeros((3, n, 8), "f4")
            call(x, y, n)
            np.testing.assert_array_equal(y, x[::-1] + 1)
