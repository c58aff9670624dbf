"""The register-tile micro-kernel of a matrix product, in loop IR, compared with the machine's peak.

`C[rows, 16 vectors] += A[k, rows] B[k, 16 vectors]` with operands packed as the schedules pack
them. Prints the rate of one core, and the rate that the same core reaches with multiply-adds alone.

usage: python -m benchmarks.microkernel [rows,vectors …]
"""

import sys
import time

import numpy as np

from relay.kernels.cpu_model import CpuModel
from relay.kernels.kernel_compiler import compile_kernels
from relay.kernels.llvm.buffer_placement import plan
from relay.kernels.llvm.codegen import assembly
from relay.kernels.llvm.emit_kernel_module import emit_kernel
from relay.kernels.llvm.emitter_context import Options, known_size
from relay.kernels.llvm.execution_engine import Engine
from relay.kernels.loops import Allocate, Block, Buffer, For, Kernel, Load, MemoryScope, Mode, Store
from relay.kernels.scalar import Apply, Binary, Broadcast, Const, Fn, Op, Ramp, Scalar, Var
from relay.support.dtype import DType, float32

DEPTH = 1024
REPEAT = 64  # inside the kernel, so that the cost of calling it from Python does not count


def micro_kernel(rows: int, vectors: int, lanes: int, depth: int = DEPTH) -> Kernel:
    """Return the kernel that keeps a tile of `rows` by `vectors` in registers."""
    wide = DType(float32.kind, 32, lanes)
    a = Buffer("a", (depth, rows), float32)
    b = Buffer("b", (depth, vectors * lanes), float32)
    c = Buffer("c", (REPEAT, rows, vectors * lanes), float32)
    tile = Buffer("tile", (rows, vectors * lanes), float32, MemoryScope.REGISTER)
    again, i, j, k = (Var(name) for name in ("again", "i", "j", "k"))
    column = Ramp(Binary(Op.MUL, j, Const(lanes)), Const(1), lanes)

    def each(body: Store) -> For:
        inner = For(j, Const(0), Const(vectors), Mode.UNROLL, body)
        return For(i, Const(0), Const(rows), Mode.UNROLL, inner)

    def at(buffer: Buffer, *indices: Scalar) -> Load:
        return Load(buffer, indices)

    product = Apply(
        Fn.FMA, (Broadcast(at(a, k, i), lanes), at(b, k, column), at(tile, i, column)), wide
    )
    total = Binary(Op.ADD, at(c, again, i, column), at(tile, i, column))
    body = Block(
        (
            each(Store(tile, (i, column), Broadcast(Const(0.0, float32), lanes))),
            For(k, Const(0), Const(depth), Mode.SERIAL, each(Store(tile, (i, column), product))),
            each(Store(c, (again, i, column), total)),
        )
    )
    repeat = For(again, Const(0), Const(REPEAT), Mode.SERIAL, Allocate(tile, body))
    return Kernel("micro", (a, b, c), (), repeat)


def peak_kernel(lanes: int, depth: int = DEPTH * REPEAT) -> Kernel:
    """Return a kernel of independent multiply-adds that load nothing."""
    wide, count = DType(float32.kind, 32, lanes), 20
    x, out = Buffer("x", (lanes,), float32), Buffer("out", (count, lanes), float32)
    tile = Buffer("tile", (count, lanes), float32, MemoryScope.REGISTER)
    i, k, column = Var("i"), Var("k"), Ramp(Const(0), Const(1), lanes)
    held = Load(tile, (i, column))
    step = Apply(Fn.FMA, (held, Load(x, (column,)), held), wide)

    def each(body: Store) -> For:
        return For(i, Const(0), Const(count), Mode.UNROLL, body)

    body = Block(
        (
            each(Store(tile, (i, column), Load(x, (column,)))),
            For(k, Const(0), Const(depth), Mode.SERIAL, each(Store(tile, (i, column), step))),
            each(Store(out, (i, column), held)),
        )
    )
    return Kernel("peak", (x, out), (), Allocate(tile, body))


def rate(kernel: Kernel, operations: int, machine: CpuModel) -> float:
    """Return the billions of operations a second that a kernel reaches."""
    (code,) = compile_kernels([kernel], machine)
    call = Engine([code]).function(kernel, code)
    rng = np.random.default_rng(0)
    arrays = [
        rng.random([known_size(size) for size in buffer.shape], np.float32) * 1e-3
        for buffer in kernel.params
    ]
    best = float("inf")
    for _ in range(50):
        start = time.perf_counter()
        call(*arrays)
        best = min(best, time.perf_counter() - start)
    return operations / best / 1e9


def main() -> None:
    """Print one row for each tile."""
    machine = CpuModel.host()
    lanes = machine.lanes(float32)
    peak = rate(peak_kernel(lanes), 2 * 20 * lanes * DEPTH * REPEAT, machine)
    print(f"peak of one core: {peak:.0f} GFLOP/s")
    for tile in sys.argv[1:] or ["14,2", "12,2", "8,3", "6,4"]:
        rows, vectors = map(int, tile.split(","))
        kernel = micro_kernel(rows, vectors, lanes)
        start = time.perf_counter()
        text = emit_kernel(kernel, "micro", plan(kernel), machine, Options())
        emitted = time.perf_counter()
        listing = assembly(text, machine.triple, machine.cpu, machine.features, 3, False, 3)
        compiled = time.perf_counter()
        found = rate(kernel, 2 * rows * vectors * lanes * DEPTH * REPEAT, machine)
        print(
            f"{rows:3} x {vectors} vectors: {found:4.0f} GFLOP/s ({found / peak:.0%} of peak), "
            f"{listing.count('(%rsp)')} stack accesses, "
            f"text {1e3 * (emitted - start):.1f} ms, LLVM {1e3 * (compiled - emitted):.1f} ms"
        )


if __name__ == "__main__":
    main()
