"""Kernels compiled once for all sizes, compared with kernels compiled for each size.

Each operator has one or two sizes that are known only at the call (a batch, a sequence). For sizes
from 1 to 257 it is measured twice, on one thread: with the kernel for symbolic sizes, and with a
kernel for exactly these sizes. Calls are repeated by native code, so that the times include nothing
of Python. Writes a table of ratios and a plot into `benchmarks/results`.

usage: python -m benchmarks.symbolic [--only part-of-a-name] [--quick]
"""

import argparse
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt

from benchmarks.machine import machine_line
from relay.build.compile_kernels import scheduled_kernel
from relay.build.kernel_sizes import dimensions
from relay.ir.dims import Dim, DimVar, substitute
from relay.ir.expr import Call, Expr, Function, Tuple, Var
from relay.ir.types import TensorType
from relay.kernels.kernel_compiler import ObjectCode, Options, compile_kernels
from relay.kernels.llvm.codegen import object_code
from relay.kernels.llvm.execution_engine import Engine
from relay.kernels.loops import Kernel
from relay.kernels.scalar import Var as Scalar
from relay.ops.binary import Add, Multiply
from relay.ops.nn.activations import Relu
from relay.ops.nn.conv_operators import Conv2D
from relay.ops.nn.matmul import BatchMatmul, Dense
from relay.ops.nn.normalization import LayerNorm
from relay.ops.nn.pool_operators import MaxPool2D
from relay.ops.nn.softmax import Softmax
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.gather import Take
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.transpose import Transpose
from relay.ops.transcendental import Exp, Tanh
from relay.support.node import replace
from relay.targets.cpu import this_cpu

SIZES = (1, 2, 3, 5, 8, 13, 16, 17, 24, 31, 33, 48, 64, 65, 100, 128, 160, 200, 256, 257)
QUICK = (1, 5, 16, 17, 33, 64, 100, 257)
LIMIT = 1.3
N, B = DimVar("n"), DimVar("b")
_SECONDS = 2e-3  # of one measurement
_ROUNDS = 15  # in which both kernels are measured; the fastest counts
_RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Case:
    """A fused function with symbolic sizes, with the types of its parameters."""

    name: str
    shapes: tuple[tuple[Dim, ...], ...]
    body: Callable[..., Expr]
    dtypes: tuple[str, ...] = ()

    def function(self, sizes: Mapping[DimVar, Dim]) -> Function:
        """Return the function with some of its sizes replaced by numbers."""
        dtypes = self.dtypes or ("float32",) * len(self.shapes)
        params = tuple(
            Var(f"x{k}", TensorType(tuple(substitute(dim, sizes) for dim in shape), dtype))
            for k, (shape, dtype) in enumerate(zip(self.shapes, dtypes, strict=True))
        )
        return Function(params, self.body(*params))


def cases() -> Iterator[Case]:
    """Yield all cases."""
    yield Case(
        "tanh(x * y + z), rows broadcast",
        ((B, N, 32), (32,), (B, 1, 32)),
        lambda x, y, z: Call(Tanh(), (_add(Call(Multiply(), (x, y)), z),)),
    )
    yield Case("relu of (b, n)", ((B, N),), lambda x: Call(Relu(), (x,)))
    yield Case("sum along n", ((B, N),), lambda x: Call(Sum((1,)), (x,)))
    yield Case("sum across n", ((N, 96),), lambda x: Call(Sum((0,)), (x,)))
    yield Case("softmax over n", ((B, N),), lambda x: Call(Softmax(-1), (x,)))
    yield Case("softmax over 128", ((B, N, 128),), lambda x: Call(Softmax(-1), (x,)))
    yield Case(
        "layer norm over 256",
        ((B, N, 256), (256,), (256,)),
        lambda x, g, s: Call(LayerNorm(), (x, g, s)),
    )
    yield Case("dense (n, 256) by 256", ((N, 256), (256, 256)), lambda x, w: Call(Dense(), (x, w)))
    yield Case(
        "dense (b, n, 64) by 64, relu",
        ((B, N, 64), (64, 64)),
        lambda x, w: Call(Relu(), (Call(Dense(), (x, w)),)),
    )
    yield Case(
        "scores: (4, n, 64) by (4, n, 64)'",
        ((4, N, 64), (4, N, 64)),
        lambda q, k: Call(BatchMatmul(transpose_b=True), (q, k)),
    )
    yield Case(
        "scores by values: (4, n, n) by (4, n, 64)",
        ((4, N, N), (4, N, 64)),
        lambda p, v: Call(BatchMatmul(), (p, v)),
    )
    yield Case(
        "conv2d 3x3, batch n",
        ((N, 16, 14, 14), (32, 16, 3, 3)),
        lambda x, w: Call(Conv2D(padding=(1,)), (x, w)),
    )
    yield Case("max pool, batch n", ((N, 8, 16, 16),), lambda x: Call(MaxPool2D((2,), (2,)), (x,)))
    yield Case(
        "concatenate (n, 48), (b, 48)",
        ((N, 48), (B, 48)),
        lambda x, y: Call(Concatenate(0), (Tuple((x, y)),)),
    )
    yield Case("transpose (n, 96)", ((N, 96),), lambda x: Call(Transpose((1, 0)), (x,)))
    yield Case(
        "transpose (b, n, 8, 32)",
        ((B, N, 4, 32),),
        lambda x: Call(Transpose((0, 2, 1, 3)), (x,)),
    )
    yield Case(
        "slice (n, 16:80)",
        ((N, 96),),
        lambda x: Call(Exp(), (Call(StridedSlice((16,), (80,), axes=(1,)), (x,)),)),
    )
    yield Case(
        "take n rows of 64",
        ((1000, 64), (N,)),
        lambda x, i: Call(Take(axis=0), (x, i)),
        ("float32", "int64"),
    )


def _add(x: Expr, y: Expr) -> Expr:
    return Call(Add(), (x, y))


class Timed:
    """A native kernel with a native loop around it."""

    def __init__(self, function: Function) -> None:
        target = this_cpu()
        self.dims = dimensions(function)
        begin = time.thread_time()
        kernel = scheduled_kernel(function, target)
        (code,) = compile_kernels([kernel], target.machine, Options())
        self.compile_seconds = time.thread_time() - begin
        machine = target.machine
        text = _repeating(kernel, code)
        made = object_code(text, machine.triple, machine.cpu, machine.features, 1, False)
        around = ObjectCode(f"{code.symbol}_again", made, code.main, code.worker)
        counted = replace(kernel, scalars=(*kernel.scalars, Scalar("count")))
        self._call = Engine([code, around]).function(counted, around)

    def calls(
        self, arrays: Sequence[np.ndarray[Any, Any]], sizes: Sequence[int]
    ) -> Callable[[], float]:
        """Return a function that makes many calls and returns the time of one."""

        def spent(count: int) -> float:
            begin = time.thread_time()
            self._call(*arrays, *sizes, count)
            return time.thread_time() - begin

        count = 1
        while min(spent(count) for _ in range(3)) < _SECONDS / 2:
            count *= 4
        return lambda: spent(count) / count


def _repeating(kernel: Kernel, code: ObjectCode) -> str:
    """Return LLVM text of a function that calls a kernel many times."""
    pointers = [f"ptr %p{k}" for k in range(len(kernel.params))]
    sizes = [f"i64 %s{k}" for k in range(len(kernel.scalars))]
    listed = ", ".join([*pointers, *sizes, "ptr %workspace"])
    given = ", ".join([*pointers, *sizes, "i64 %count", "ptr %workspace"])
    types = ", ".join(["ptr"] * len(pointers) + ["i64"] * len(sizes) + ["ptr"])
    again = f"{code.symbol}_again"
    lines = [
        f"declare i32 @{code.symbol}({types})",
        f"define i32 @{again}({given}) {{",
        "entry:",
        "  br label %loop",
        "loop:",
        "  %i = phi i64 [ 0, %entry ], [ %n, %loop ]",
        f"  %r = call i32 @{code.symbol}({listed})",
        "  %n = add i64 %i, 1",
        "  %more = icmp slt i64 %n, %count",
        "  br i1 %more, label %loop, label %end",
        "end:",
        "  ret i32 0",
        "}",
    ]
    if code.workspace_bytes(1) is None:
        measure = f'@"{code.symbol}.workspace"'
        asked = ", ".join([*sizes, "i64 %workers"])
        counted = ", ".join([*sizes, "i64 %count", "i64 %workers"])
        lines += [
            f"declare i64 {measure}({', '.join(['i64'] * (len(sizes) + 1))})",
            f'define i64 @"{again}.workspace"({counted}) {{',
            f"  %b = call i64 {measure}({asked})",
            "  ret i64 %b",
            "}",
        ]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Row:
    """The measurements of one case: seconds by size, symbolic and static."""

    case: Case
    compile_seconds: float
    seconds: dict[int, tuple[float, float]]

    @property
    def ratios(self) -> dict[int, float]:
        """Return by size the time of the symbolic kernel over that of the static one."""
        return {size: symbolic / static for size, (symbolic, static) in self.seconds.items()}


def measure(case: Case, sizes: Sequence[int]) -> Row:
    """Measure a case for each size of its first symbol; a second one varies with it."""
    general = Timed(case.function({}))
    found: dict[int, tuple[float, float]] = {}
    for place, size in enumerate(sizes):
        known: dict[DimVar, Dim] = {N: size, B: (7, 4, 1, 16)[place % 4]}
        function = case.function(known)
        arrays = _arrays(function)
        values = [int(str(known[dim])) for dim in general.dims]
        both = general.calls(arrays, values), Timed(function).calls(arrays, ())
        rounds = [(both[0](), both[1]()) for _ in range(_ROUNDS)]
        found[size] = (min(one for one, _ in rounds), min(one for _, one in rounds))
    return Row(case, general.compile_seconds, found)


def _arrays(function: Function) -> list[np.ndarray[Any, Any]]:
    rng = np.random.default_rng(1)
    arrays: list[np.ndarray[Any, Any]] = []
    for param in function.params:
        ty = param.tensor_type
        made = rng.standard_normal(ty.static_shape) if ty.dtype.is_float else None
        arrays.append(
            rng.integers(0, 1000, ty.static_shape) if made is None else made.astype(ty.dtype.numpy)
        )
    result = function.body.tensor_type
    return [*arrays, np.empty(result.static_shape, result.dtype.numpy)]


def table(rows: Sequence[Row]) -> str:
    """Return the ratios as a page of Markdown."""
    every = [ratio for row in rows for ratio in row.ratios.values()]
    lines = [
        "# Kernels of symbolic sizes",
        "",
        "How much longer a call takes by the kernel that was compiled once for all sizes than by",
        "one that was compiled for the very size, over sizes from 1 to 257 (one thread, in cache).",
        "Written by `python -m benchmarks.symbolic`.",
        "",
        machine_line(),
        f"The mean of all ratios is {geometric_mean(every):.2f}, the largest is {max(every):.2f}.",
        "",
        "| kernel | mean | worst | at n = | ns there | ns, fixed | within 1.3 | compiled in |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in rows:
        ratios = row.ratios
        worst = max(ratios, key=lambda size: ratios[size])
        good = sum(ratio <= LIMIT for ratio in ratios.values())
        lines.append(
            f"| {row.case.name} | {geometric_mean(ratios.values()):.2f} | {ratios[worst]:.2f} "
            f"| {worst} | {row.seconds[worst][0] * 1e9:.1f} | {row.seconds[worst][1] * 1e9:.1f} "
            f"| {good} of {len(ratios)} | {row.compile_seconds:.2f} s |"
        )
    return "\n".join(lines) + "\n"


def picture(rows: Sequence[Row], path: Path) -> None:
    """Plot the ratios over the sizes."""
    mpl.use("svg")
    figure, axes = plt.subplots(figsize=(9, 6))
    for row in rows:
        axes.plot(list(row.ratios), list(row.ratios.values()), marker=".", label=row.case.name)
    axes.axhline(LIMIT, color="black", linestyle="--", linewidth=1)
    axes.axhline(1.0, color="black", linewidth=1)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    axes.set_xlabel("n")
    axes.set_ylabel("time of the symbolic kernel / of the static one")
    axes.legend(fontsize=6)
    figure.savefig(path)


def main() -> None:
    """Measure all cases, print the table, and store it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="part of the name of a case")
    parser.add_argument("--quick", action="store_true", help="fewer sizes, and nothing is kept")
    options = parser.parse_args()
    rows: list[Row] = []
    for case in cases():
        if options.only in case.name:
            row = measure(case, QUICK if options.quick else SIZES)
            rows.append(row)
            shown = " ".join(f"{size}:{ratio:.2f}" for size, ratio in row.ratios.items())
            print(f"{case.name:42} {row.compile_seconds:5.2f} s  {shown}", flush=True)
    print(table(rows))
    if not (options.quick or options.only):
        (_RESULTS / "symbolic.md").write_text(table(rows))
        picture(rows, _RESULTS / "symbolic.svg")


if __name__ == "__main__":
    main()
