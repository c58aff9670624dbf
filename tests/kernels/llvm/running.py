"""Helpers of these tests: compile a kernel and run it on NumPy arrays."""

from collections.abc import Sequence

import numpy as np

from relay.kernels.cpu_model import CpuModel
from relay.kernels.kernel_compiler import Options, compile_kernels
from relay.kernels.llvm.execution_engine import Engine
from relay.kernels.loops import Buffer, For, Kernel, Load, Mode, Stmt, Store
from relay.kernels.scalar import (
    Binary,
    Broadcast,
    Compare,
    Const,
    Op,
    Order,
    Ramp,
    Scalar,
    Var,
)
from relay.support.dtype import DType, int64

HOST = CpuModel.host()


def i64(number: int) -> Const:
    return Const(number, int64)


def add(a: Scalar, b: Scalar) -> Binary:
    return Binary(Op.ADD, a, b)


def mul(a: Scalar, b: Scalar) -> Binary:
    return Binary(Op.MUL, a, b)


def serial(var: Var, extent: Scalar | int, body: Stmt, mode: Mode = Mode.SERIAL) -> For:
    return For(var, i64(0), i64(extent) if isinstance(extent, int) else extent, mode, body)


def lanes(dtype: DType, count: int) -> DType:
    return DType(dtype.kind, dtype.bits, count)


def run(
    kernel: Kernel,
    *arguments: np.ndarray | int,
    options: Options = Options(),  # noqa: B008
    machine: CpuModel = HOST,
) -> None:
    """Compile a kernel and call it; its outputs are among the arguments."""
    run_all([kernel], [arguments], options, machine)


def run_all(
    kernels: Sequence[Kernel],
    calls: Sequence[Sequence[np.ndarray | int]],
    options: Options = Options(),  # noqa: B008
    machine: CpuModel = HOST,
) -> None:
    """Compile kernels together and call each once."""
    codes = compile_kernels(kernels, machine, options)
    engine = Engine(codes)
    for kernel, code, arguments in zip(kernels, codes, calls, strict=True):
        engine.function(kernel, code)(*arguments)


def scalar_map(size: int, inputs: Sequence[DType], out: DType, make) -> Kernel:
    """Return the kernel `out[i] = make(in0[i], …)`, one element at a time."""
    buffers = [Buffer(f"x{n}", (size,), dtype) for n, dtype in enumerate(inputs)]
    result, i = Buffer("out", (size,), out), Var("i")
    value = make(*(Load(buffer, (i,)) for buffer in buffers))
    return Kernel("scalar", (*buffers, result), (), serial(i, size, Store(result, (i,), value)))


def vector_map(size: int, inputs: Sequence[DType], out: DType, make, width: int) -> Kernel:
    """Return the same kernel on whole vectors; `size` is a multiple of `width`."""
    buffers = [Buffer(f"x{n}", (size,), dtype) for n, dtype in enumerate(inputs)]
    result, i = Buffer("out", (size,), out), Var("i")
    at = (Ramp(mul(i, i64(width)), i64(1), width),)
    value = make(*(Load(buffer, at) for buffer in buffers))
    body = serial(i, size // width, Store(result, at, value))
    return Kernel("vector", (*buffers, result), (), body)


def masked_map(size: int, inputs: Sequence[DType], out: DType, make, width: int) -> Kernel:
    """Return the same kernel on vectors of which the last may be partly live."""
    buffers = [Buffer(f"x{n}", (size,), dtype) for n, dtype in enumerate(inputs)]
    result, i = Buffer("out", (size,), out), Var("i")
    at = Ramp(mul(i, i64(width)), i64(1), width)
    live = Compare(Order.LT, at, Broadcast(i64(size), width))
    value = make(*(Load(buffer, (at,), live) for buffer in buffers))
    body = serial(i, -(-size // width), Store(result, (at,), value, live))
    return Kernel("masked", (*buffers, result), (), body)
