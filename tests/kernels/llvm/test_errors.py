"""The programs that raise each error of code generation."""

import numpy as np
import pytest
from kernels.llvm.running import HOST, i64, run, serial

from relay.kernels.cpu_model import CpuModel
from relay.kernels.kernel_compiler import compile_kernels, workspace_bytes
from relay.kernels.loops import Allocate, Block, Buffer, Kernel, Load, MemoryScope, Store
from relay.kernels.scalar import Compare, Order, Select, Var
from relay.support.dtype import float32
from relay.support.errors import CompileError


def copied(x: Buffer, y: Buffer) -> Kernel:
    i = Var("i")
    return Kernel("copied", (x, y), (), serial(i, 4, Store(y, (i,), Load(x, (i,)))))


def code_of(error: pytest.ExceptionInfo[CompileError]) -> str:
    return error.value.code


def test_c001_scratch_that_grows_with_a_loop():
    i = Var("i")
    row = Buffer("row", (i,), float32, MemoryScope.SCRATCH)
    kernel = Kernel("k", (), (), serial(i, 4, Allocate(row, Block(()))))
    with pytest.raises(CompileError, match="scratch buffer 'row'") as error:
        compile_kernels([kernel], HOST)
    assert code_of(error) == "C001"


@pytest.mark.parametrize("count", [1, 40])
def test_c002_a_machine_that_llvm_does_not_know(count: int):
    """Helper processes report it as this one does."""
    sizes = [Buffer("x", (4 + n,), float32) for n in range(count)]
    kernels = [copied(x, x) for x in sizes]
    with pytest.raises(CompileError, match="vax") as error:
        compile_kernels(kernels, CpuModel("vax-dec-vms"))
    assert code_of(error) == "C002"


def test_c003_a_size_that_is_chosen():
    n = Var("n")
    size = Select(Compare(Order.LT, n, i64(9)), n, i64(9))
    row = Buffer("row", (size,), float32, MemoryScope.SCRATCH)
    kernel = Kernel("k", (), (n,), Allocate(row, Block(())))
    with pytest.raises(CompileError, match="contains a Select") as error:
        workspace_bytes(kernel, 1, (5,))
    assert code_of(error) == "C003"


@pytest.mark.parametrize(
    "wrong",
    [np.zeros(5, np.float32), np.zeros(4), np.zeros((4, 1), np.float32), np.zeros(8, "f4")[::2]],
    ids=["length", "dtype", "rank", "layout"],
)
def test_c004_an_array_that_does_not_fit(wrong: np.ndarray):
    x, y = Buffer("x", (4,), float32), Buffer("y", (4,), float32)
    with pytest.raises(CompileError, match="array for 'x'") as error:
        run(copied(x, y), wrong, np.zeros(4, np.float32))
    assert code_of(error) == "C004"
