"""The kernels inside of programs with control flow are counted, and their work is known."""

import ctypes
import re

import numpy as np
import pytest

import relay
from relay.runtime.host_compilation import compile_for_host
from relay.runtime.kernel_flops_and_bytes import KernelWork, work_of
from relay.runtime.loader import link
from relay.runtime.native_executable import NativeExecutable
from relay.runtime.profiling_wrappers import COUNTED, wrappers_text
from relay.support.dims.algebra import DimVar, FloorDiv
from relay.support.dims.bounds import broadcast, maximum

LOOP = """#[version = "0.0.5"]
def @loop(%i: int32, %x: Tensor[(n, 16), float32], %w: Tensor[(16, 16), float32]) {
  if (less(%i, 1)) { %x } else {
    let %y = tanh(nn.dense(%x, %w));
    @loop(subtract(%i, 1), %y, %w)
  }
}
def @main(%i: int32, %x: Tensor[(n, 16), float32], %w: Tensor[(16, 16), float32]) {
  @loop(%i, %x, %w)
}
"""


@pytest.mark.parametrize("rows", [24, None])
def test_calls_and_work_of_a_kernel_in_a_loop(rows: int | None, tmp_path) -> None:
    model = relay.parse(LOOP if rows is None else LOOP.replace("(n,", f"({rows},"))
    made = relay.compile(model)
    made.save(tmp_path / "loop.relay")
    x, w = np.ones((rows or 24, 16), np.float32), np.ones((16, 16), np.float32)
    for executable in (made, relay.Executable.load(tmp_path / "loop.relay")):
        for turns in (7, 3):
            explanation = executable.explain(np.int32(turns), x, w, repeats=2)
            (step,) = [s for s in explanation.profile.steps if "matmul" in s.label]
            assert step.calls == turns
            assert step.flops == turns * (2 * 24 * 16 * 16 + 24 * 16)
            assert step.bytes == turns * 4 * (2 * 24 * 16 + 16 * 16)
            assert 0 < step.milliseconds <= explanation.profile.total.milliseconds
            assert "part of the program" in str(explanation)
            rows_of = str(explanation).splitlines()
            assert any(re.match(rf"matmul\S* +{turns} ", row) for row in rows_of)
    np.testing.assert_allclose(made(np.int32(0), x, w), x)  # what was counted goes on to work


def test_work_that_depends_on_sizes_is_read_back() -> None:
    n, m = DimVar("n"), DimVar("m")
    flops = maximum(3 * n * m + (n + 1) // 2, 5)
    made = relay.compile(relay.parse(LOOP))
    assert isinstance(made, NativeExecutable)
    (work,) = [each for each in work_of(made.program) if "matmul" in each.label]
    assert counted(work, [10])[0] == 10 * 16 * 33
    assert counted(KernelWork("k", "k", 1, (n, m), flops, n), [4, 2]) == [26, 4]
    assert counted(KernelWork("k", "k", 1, (n,), flops, n), [4]) == [0, 4]  # m is not known
    quotients = KernelWork("k", "k", 0, (n, m), (n - 7) // m, FloorDiv(n, m))
    assert counted(quotients, [4, 2]) == [-2, 2]
    assert counted(quotients, [4, 0]) == [0, 0]
    stretched = KernelWork("k", "k", 0, (n, m), broadcast(n, m, 7), broadcast(n - 1, 5))
    assert counted(stretched, [1, 1]) == [7, 0]
    assert counted(stretched, [1, 3]) == [3, 0]
    assert counted(stretched, [2, 3]) == [2, 5]


def counted(kernel: KernelWork, sizes: list[int]) -> list[int]:
    """Return the operations and bytes that are counted of a call with these sizes."""
    nothing = ctypes.CFUNCTYPE(ctypes.c_int32)(lambda: 0)
    text = wrappers_text([kernel], [ctypes.cast(nothing, ctypes.c_void_p).value or 0])
    library = link([compile_for_host(text)], [kernel.symbol, "relay_seen"], 1)
    pointers = [ctypes.c_void_p] * kernel.pointers
    arguments = [*pointers, *[ctypes.c_int64] * len(sizes), ctypes.c_void_p]
    call = ctypes.CFUNCTYPE(ctypes.c_int32, *arguments)(library[kernel.symbol])
    call(*[None] * kernel.pointers, *sizes, None)
    return [*(ctypes.c_int64 * COUNTED).from_address(library["relay_seen"])][2:]


def test_calls_of_several_sizes_are_added_up() -> None:
    text = """#[version = "0.0.5"]
def @all(%k: int32, %x: Tensor[(?, 16), float32], %w: Tensor[(16, 16), float32]) -> float32 {
  if (less(%k, 1)) { 0f } else {
    let %y = tanh(nn.dense(%x, %w));
    sum(%y) + @all(%k - 1, concatenate((%y, %y), axis=0), %w)
  }
}
def @main(%k: int32, %x: Tensor[(n, 16), float32], %w: Tensor[(16, 16), float32]) {
  @all(%k, %x, %w)
}"""
    made = relay.compile(relay.parse(text))
    x, w = np.ones((3, 16), np.float32), np.ones((16, 16), np.float32)
    steps = made.explain(np.int32(4), x, w, repeats=1).profile.steps
    (step,) = [each for each in steps if "matmul" in each.label]
    assert step.calls == 4
    assert step.flops == (3 + 6 + 12 + 24) * (2 * 16 * 16 + 16)
