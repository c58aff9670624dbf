"""The text of two kernels, so that a change of the code generator shows what it changes.

After a change that is meant: `pytest --update-golden`, and read the difference.
"""

from pathlib import Path

from kernels.llvm.running import add, i64, masked_map, serial

from benchmarks.microkernel import micro_kernel
from relay.kernels.cpu_model import CpuModel
from relay.kernels.kernel_compiler import Options
from relay.kernels.llvm.buffer_placement import plan
from relay.kernels.llvm.emit_kernel_module import emit_kernel
from relay.kernels.loops import Allocate, Block, Buffer, Kernel, Load, MemoryScope, Mode, Store
from relay.kernels.scalar import Apply, Fn, Var
from relay.support.dtype import float32

FOLDER = Path(__file__).parent.parent / "golden"
MACHINE = CpuModel.of(
    "x86_64-unknown-linux-gnu", "znver4", "+avx2,+avx512dq,+avx512f,+avx512vl,+fma,+f16c"
)


def text(kernel: Kernel) -> str:
    return emit_kernel(kernel, kernel.name, plan(kernel), MACHINE, Options())


def test_micro_kernel(golden):
    golden(FOLDER / "micro_kernel.ll", text(micro_kernel(2, 2, 16, 64)))


def test_masked_exponential_in_parallel(golden):
    """A parallel loop with scratch memory for each worker, around a masked vector loop."""
    inner = masked_map(20, [float32], float32, lambda x: Apply(Fn.EXP, (x,), x.dtype), 16)
    x, out = inner.params
    row, r, i = Buffer("row", (10_000,), float32, MemoryScope.SCRATCH), Var("r"), Var("i")
    keep = serial(i, 20, Store(row, (i,), add(Load(out, (i,)), Load(out, (i64(0),)))))
    body = serial(r, 4, Allocate(row, Block((inner.body, keep))), Mode.PARALLEL)
    golden(FOLDER / "masked_exponential.ll", text(Kernel("masked", (x, out), (), body)))
