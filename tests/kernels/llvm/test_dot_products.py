"""Dot products of words, by the instructions of some machines and without them, against NumPy."""

from dataclasses import replace

import numpy as np
import pytest
from kernels.interpret import run as interpret
from kernels.llvm.running import i64, run

from relay.kernels.dot_products import PARTS, DotProduct
from relay.kernels.loops import Allocate, Buffer, Kernel, Load, MemoryScope, Store
from relay.kernels.machine import CpuModel
from relay.kernels.machines import machine_named
from relay.kernels.passes.check import complaints
from relay.kernels.scalar import Binary, Op, Ramp
from relay.support.dtype import dtype, int32

HOST = CpuModel.host()
MACHINES = {
    "host": HOST,
    "without": replace(HOST, features=f"{HOST.features},-avx512vnni,-avxvnni,-dotprod,-i8mm"),
    "x86-64-v3": machine_named("x86-64-v3"),
    "x86-64": machine_named("x86-64"),
}
KINDS = [(a, b) for a in ("int8", "uint8") for b in ("int8", "uint8")]


def words(rng, kind: str, count: int) -> np.ndarray:
    """Return random bytes, among which are many of the largest ones."""
    info = np.iinfo(kind)
    drawn = rng.integers(info.min, info.max, (count, PARTS), kind, endpoint=True)
    ends = rng.choice([info.min, info.max], (count, PARTS)).astype(kind)
    return np.where(rng.random((count, PARTS)) < 0.5, ends, drawn)


def product(kinds: tuple[str, str], lanes: int) -> Kernel:
    """Return the kernel that adds to each lane the dot product of its words, read as views."""
    bytes_ = [Buffer(name, (lanes, PARTS), dtype(k)) for name, k in zip("ab", kinds, strict=True)]
    a, b = (Buffer(f"{x.name}_words", (lanes,), int32, MemoryScope.VIEW, of=x) for x in bytes_)
    y = Buffer("y", (lanes,), int32)
    at = Ramp(i64(0), i64(1), lanes) if lanes > 1 else i64(0)
    dot = DotProduct(Load(a, (at,)), Load(b, (at,)), (bytes_[0].dtype, bytes_[1].dtype))
    store = Store(y, (at,), Binary(Op.ADD, Load(y, (at,)), dot))
    kernel = Kernel("dot", (*bytes_, y), (), Allocate(a, Allocate(b, store)))
    assert complaints(kernel) == []
    return kernel


@pytest.mark.parametrize("kinds", KINDS, ids="-".join)
@pytest.mark.parametrize("name", MACHINES)
def test_sums_are_exact_and_wrap(name: str, kinds: tuple[str, str]):
    machine = MACHINES[name]
    if machine.is_x86 is not HOST.is_x86:
        pytest.skip("this machine runs no code of that one")
    rng = np.random.default_rng(7)
    for lanes in (1, 3, 8, 16, 20):
        a, b = (words(rng, kind, lanes) for kind in kinds)
        y = rng.integers(-(2**31), 2**31, lanes, "i4")
        expected = y + np.sum(a.astype("i4") * b.astype("i4"), 1, dtype="i4")
        found = y.copy()
        run(product(kinds, lanes), a, b, found, machine=machine)
        np.testing.assert_array_equal(found, expected)
        interpret(product(kinds, lanes), a, b, y)
        np.testing.assert_array_equal(y, expected)
