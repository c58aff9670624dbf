"""The limits of one core: measured peak arithmetic, and bandwidth by size of the data."""

import ctypes
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import llvmlite.binding as llvm
import numpy as np

READS = 8  # as many vectors in a row as hide the latency of loads from the second cache
CHAINS = 24  # independent sums: more than latency × throughput of any core's FMA units
STEPS = 200_000
COPY_SIZES = (1 << 18, 1 << 21, 1 << 24, 1 << 27)  # inside L2, near its end, L3, memory


@dataclass(frozen=True)
class Roofline:
    """The limits of one core: operations per second, and bandwidth by size of the data."""

    peak: float
    bandwidths: tuple[tuple[int, float], ...]

    def bandwidth(self, traffic: float) -> float:
        """Return the bandwidth of the smallest measured size that holds `traffic` bytes."""
        fitting = (rate for size, rate in self.bandwidths if size >= traffic)
        return next(fitting, self.bandwidths[-1][1])

    def seconds(self, flops: float, traffic: float) -> float:
        """Return the minimum time for `flops` operations and `traffic` bytes."""
        return max(flops / self.peak, traffic / self.bandwidth(traffic))

    @staticmethod
    def measure() -> "Roofline":
        """Measure this machine; takes about a second."""
        return Roofline(peak(), tuple((size, _copy_rate(size)) for size in COPY_SIZES))


def _least_seconds(call: Callable[[], object], repeats: int) -> float:
    times: list[float] = []
    for _ in range(repeats):
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    return min(times)


def _copy_rate(size: int) -> float:
    """Return the read plus write bandwidth of a copy whose arrays have `size` bytes together."""
    source = np.ones(size // 8, np.float32)
    target = np.zeros_like(source)
    repeats = max(5, min(2000, (1 << 28) // size))
    return size / _least_seconds(lambda: np.copyto(target, source), repeats)


def _lanes() -> int:
    features = llvm.get_host_cpu_features()
    if features.get("avx512f"):
        return 16
    return 8 if features.get("avx") else 4


def read_rate(size: int) -> float:
    """Return the bandwidth at which a loop of multiply-adds reads `size` bytes repeatedly."""
    lanes = _lanes()
    line = READS * 4 * lanes
    lines = max(1, size // line)
    total = max(lines, (1 << 22) // line)  # of lines: a call from Python is nothing beside them
    data = np.zeros((lines * line + 64) // 4, np.float32)
    start = data.ctypes.data + -data.ctypes.data % 64
    arguments = (ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)
    reader = _compiled(_reader_source(lanes), "reader", *arguments)
    return total * line / _least_seconds(lambda: reader(total, lines, start), 100)


def _reader_source(lanes: int) -> str:
    """Return LLVM text of a loop that reads lines of `READS` vectors, each added to its own sum.

    It runs `total` iterations, over `lines` repeatedly.
    """
    vector, chains = f"<{lanes} x float>", range(READS)
    phis = [f"%s{i} = phi {vector} [ zeroinitializer, %entry ], [ %t{i}, %loop ]" for i in chains]
    fma = f"call {vector} @llvm.fma.v{lanes}f32"
    reads = [
        f"%p{i} = getelementptr {vector}, ptr %line, i64 {i}\n"
        f"%v{i} = load {vector}, ptr %p{i}, align {4 * lanes}\n"
        f"%t{i} = {fma}({vector} %v{i}, {vector} %v{i}, {vector} %s{i})"
        for i in chains
    ]
    return "\n".join(
        [
            f"declare {vector} @llvm.fma.v{lanes}f32({vector}, {vector}, {vector})",
            "define void @reader(i64 %total, i64 %lines, ptr %data) {",
            "entry:",
            "br label %loop",
            "loop:",
            "%k = phi i64 [ 0, %entry ], [ %k1, %loop ]",
            "%j = phi i64 [ 0, %entry ], [ %j2, %loop ]",
            *phis,
            f"%at = mul i64 %j, {READS}",
            f"%line = getelementptr {vector}, ptr %data, i64 %at",
            *reads,
            "%j1 = add i64 %j, 1",
            "%again = icmp eq i64 %j1, %lines",
            "%j2 = select i1 %again, i64 0, i64 %j1",
            "%k1 = add i64 %k, 1",
            "%more = icmp ult i64 %k1, %total",
            "br i1 %more, label %loop, label %end",
            "end:",
            *_sum(vector, READS),
            "ret void",
            "}",
        ]
    )


def _sum(vector: str, count: int) -> list[str]:
    """Return LLVM text that stores the sum of `%t0`, `%t1` …, so that nothing is optimised away."""
    names = ["t0", *(f"r{i}" for i in range(1, count))]
    adds = [f"%r{i} = fadd {vector} %{names[i - 1]}, %t{i}" for i in range(1, count)]
    return [*adds, f"store {vector} %r{count - 1}, ptr %data, align 4"]


def _probe_source(lanes: int) -> str:
    """Return LLVM text of a loop of `CHAINS` independent multiply-adds on registers."""
    vector, chains = f"<{lanes} x float>", range(CHAINS)
    phis = [f"%s{i} = phi {vector} [ %x, %entry ], [ %t{i}, %loop ]" for i in chains]
    adds = [
        f"%t{i} = call {vector} @llvm.fma.v{lanes}f32({vector} %s{i}, {vector} %x, {vector} %y)"
        for i in chains
    ]
    return "\n".join(
        [
            f"declare {vector} @llvm.fma.v{lanes}f32({vector}, {vector}, {vector})",
            "define void @probe(i64 %steps, ptr %data) {",
            "entry:",
            f"%x = load {vector}, ptr %data, align 4",
            f"%next = getelementptr {vector}, ptr %data, i64 1",
            f"%y = load {vector}, ptr %next, align 4",
            "br label %loop",
            "loop:",
            "%k = phi i64 [ 0, %entry ], [ %k1, %loop ]",
            *phis,
            *adds,
            "%k1 = add i64 %k, 1",
            "%more = icmp ult i64 %k1, %steps",
            "br i1 %more, label %loop, label %end",
            "end:",
            *_sum(vector, CHAINS),
            "ret void",
            "}",
        ]
    )


def peak(lanes: int | None = None) -> float:
    """Return the peak operations per second of one core; a multiply-add counts as two.

    Vectors have `lanes` floats; those of the widest instructions by default.
    """
    lanes = lanes or _lanes()
    probe = _compiled(_probe_source(lanes), "probe", ctypes.c_int64, ctypes.c_void_p)
    data = np.full(2 * lanes, 0.5, np.float32)
    seconds = _least_seconds(lambda: probe(STEPS, data.ctypes.data), 50)
    return 2.0 * STEPS * CHAINS * lanes / seconds


def _compiled(source: str, name: str, *arguments: Any) -> Callable[..., None]:
    """Return a function that is written in LLVM IR."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=3
    )
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(source), machine)
    engine.finalize_object()
    function: Any = ctypes.CFUNCTYPE(None, *arguments)(engine.get_function_address(name))
    function.engine = engine  # the code lives in it
    return function
