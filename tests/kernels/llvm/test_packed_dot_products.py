"""Dot products of words, by the instructions of some machines and without them, against NumPy."""

from dataclasses import replace

import numpy as np
import pytest
from kernels.interpret import run as interpret
from kernels.llvm.running import i64, run

from relay.kernels.cpu_model import CpuModel
from relay.kernels.loops import Allocate, Buffer, Kernel, Load, MemoryScope, Store
from relay.kernels.machine_names import machine_named
from relay.kernels.packed_dot_products import PARTS, DotProduct, parts_of
from relay.kernels.passes.validate_loops import complaints
from relay.kernels.scalar import Binary, Op, Ramp
from relay.support.dtype import bfloat16, dtype, float32, int32

HOST = CpuModel.host()
MACHINES = {
    "host": HOST,
    "without": replace(
        HOST, features=f"{HOST.features},-avx512vnni,-avxvnni,-avx512bf16,-dotprod,-i8mm,-bf16"
    ),
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
    parts = [
        Buffer(name, (lanes, parts_of(dtype(kind))), dtype(kind))
        for name, kind in zip("ab", kinds, strict=True)
    ]
    a, b = (Buffer(f"{x.name}_words", (lanes,), int32, MemoryScope.VIEW, of=x) for x in parts)
    at = Ramp(i64(0), i64(1), lanes) if lanes > 1 else i64(0)
    dot = DotProduct(Load(a, (at,)), Load(b, (at,)), (parts[0].dtype, parts[1].dtype))
    y = Buffer("y", (lanes,), float32 if parts[0].dtype.is_float else int32)
    store = Store(y, (at,), Binary(Op.ADD, Load(y, (at,)), dot))
    kernel = Kernel("dot", (*parts, y), (), Allocate(a, Allocate(b, store)))
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


@pytest.mark.parametrize("name", MACHINES)
def test_sums_of_bfloat16_are_float32(name: str):
    machine = MACHINES[name]
    if machine.is_x86 is not HOST.is_x86:
        pytest.skip("this machine runs no code of that one")
    rng = np.random.default_rng(7)
    for lanes in (1, 3, 8, 16, 20):
        a, b = (rng.standard_normal((lanes, 2)).astype(bfloat16.numpy) for _ in range(2))
        y = rng.standard_normal(lanes).astype("f4")
        expected = y + np.sum(a.astype("f8") * b.astype("f8"), 1)
        found = y.copy()
        run(product(("bfloat16", "bfloat16"), lanes), a, b, found, machine=machine)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)
        interpret(product(("bfloat16", "bfloat16"), lanes), a, b, y)
        np.testing.assert_allclose(y, expected, rtol=1e-6, atol=1e-6)


def test_infinities_and_nan_come_through():
    a = np.array([[np.inf, 1], [0, np.inf], [np.nan, 1], [-np.inf, np.inf]], bfloat16.numpy)
    b = np.array([[2, 1], [np.inf, 1], [1, 1], [1, 1]], bfloat16.numpy)
    for machine in (HOST, MACHINES["without"]):
        y = np.zeros(4, "f4")
        run(product(("bfloat16", "bfloat16"), 4), a, b, y, machine=machine)
        np.testing.assert_array_equal(y, np.array([np.inf, np.nan, np.nan, np.nan], "f4"))
