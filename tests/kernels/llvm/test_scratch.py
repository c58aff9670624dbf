"""Scratch memory of kernels: on the stack, in the workspace, and of sizes known at the call."""

import ctypes

import numpy as np
import pytest
from kernels.llvm.running import HOST, add, i64, run, serial

from relay.kernels.kernel_compiler import compile_kernels, workspace_bytes
from relay.kernels.llvm.execution_engine import Engine
from relay.kernels.loops import Allocate, Block, Buffer, Kernel, Load, MemoryScope, Mode, Store
from relay.kernels.scalar import Binary, Const, Op, Var
from relay.support.dtype import float32
from relay.support.kernel_error_record import RECORD_BYTES, quiet_record

RNG = np.random.default_rng(0)


def floats(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("size", [8, 20_000])
@pytest.mark.parametrize("mode", [Mode.SERIAL, Mode.PARALLEL])
def test_scratch_on_the_stack_and_in_the_workspace(size: int, mode: Mode):
    """Reverse each row through a scratch buffer, after adding what another buffer holds."""
    x, y = Buffer("x", (3, size), float32), Buffer("y", (3, size), float32)
    ones, row = (Buffer(n, (size,), float32, MemoryScope.SCRATCH) for n in ("ones", "row"))
    r, i = Var("r"), Var("i")
    back = Binary(Op.SUB, i64(size - 1), i)
    fill = serial(i, size, Store(row, (back,), add(Load(x, (r, i)), Load(ones, (i,)))))
    copy = serial(i, size, Store(y, (r, i), Load(row, (i,))))
    rows = serial(r, 3, Allocate(row, Block((fill, copy))), mode)
    init = serial(i, size, Store(ones, (i,), Const(1.0, float32)))
    kernel = Kernel("reverse", (x, y), (), Allocate(ones, Block((init, rows))))
    data, out = floats(3, size), floats(3, size)
    run(kernel, data, out)
    np.testing.assert_array_equal(out, (data + 1)[:, ::-1])
    needs = workspace_bytes(kernel, 4)
    each = 80_000 // 64 * 64 + (64 if 80_000 % 64 else 0)
    rows = 5 if mode is Mode.PARALLEL else 2
    assert needs == (0 if size == 8 else RECORD_BYTES + rows * each)


def test_a_loop_that_seldom_runs_has_the_memory_of_its_worker():
    """Rows are copied by way of a scratch buffer; nothing behind the workspace is written."""
    size, count = 20_000, Var("count")
    x, y = Buffer("x", (4, size), float32), Buffer("y", (4, size), float32)
    room = Buffer("room", (size,), float32, MemoryScope.SCRATCH)
    r, s, i = Var("r"), Var("s"), Var("i")
    fill = serial(i, size, Store(room, (i,), Load(x, (r, i))))
    copy = serial(i, size, Store(y, (r, i), Load(room, (i,))))
    seldom = serial(s, count, Allocate(room, Block((fill, copy))), Mode.SELDOM)
    kernel = Kernel("copies", (x, y), (count,), serial(r, 4, seldom, Mode.PARALLEL))
    data, out, (code,) = floats(4, size), floats(4, size), compile_kernels([kernel], HOST)
    needs, memory = workspace_bytes(kernel, 2, (2,)), np.zeros(400_000, np.uint8)
    workspace = memory[-memory.ctypes.data % 64 :]
    quiet_record(workspace.ctypes.data, needs)
    engine = Engine([code])
    native = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_size_t] * 4)(engine._library[code.symbol])
    assert native(data.ctypes.data, out.ctypes.data, 2, workspace.ctypes.data) == 0
    np.testing.assert_array_equal(out, data)
    assert workspace[:needs].any()
    assert not workspace[needs:].any()


def test_scratch_of_a_size_known_at_the_call():
    n = Var("n")
    x, y = Buffer("x", (n,), float32), Buffer("y", (n,), float32)
    row, i, w = Buffer("row", (n, i64(2)), float32, MemoryScope.SCRATCH), Var("i"), Var("w")
    body = Allocate(
        row,
        Block(
            (
                serial(i, n, Store(row, (i, i64(1)), Load(x, (i,)))),
                serial(
                    i,
                    n,
                    Store(
                        y, (i,), Load(row, (Binary(Op.SUB, Binary(Op.SUB, n, i64(1)), i), i64(1)))
                    ),
                ),
            )
        ),
    )
    kernel = Kernel("reverse", (x, y), (n,), serial(w, 2, body, Mode.PARALLEL))
    data, out = floats(1000), floats(1000)
    run(kernel, data, out, 1000)
    np.testing.assert_array_equal(out, data[::-1])
    assert workspace_bytes(kernel, 3, (1000,)) == RECORD_BYTES + 3 * 8000
    (code,) = compile_kernels([kernel], HOST)
    measure = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 3)(
        Engine([code])._library[f"{code.symbol}.workspace"]
    )
    assert measure(1000, 3) == RECORD_BYTES + 3 * 8000
    assert measure(2**58, 8) == 2**63 - 1  # the product is 2^64, which would wrap to nothing


def test_scratch_of_a_size_with_a_negative_term():
    n, w = Var("n"), Var("w")
    y = Buffer("y", (n,), float32)
    size = Binary(Op.ADD, Binary(Op.MUL, n, i64(-1)), i64(100))
    row = Buffer("row", (size,), float32, MemoryScope.SCRATCH)
    body = Allocate(row, Store(row, (i64(0),), Const(1.0, float32)))
    (code,) = compile_kernels([Kernel("rest", (y,), (n,), serial(w, 2, body))], HOST)
    measure = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 3)(
        Engine([code])._library[f"{code.symbol}.workspace"]
    )
    assert measure(36, 1) == RECORD_BYTES + 4 * 64
