"""The kernels inside of programs with control flow are counted, and their work is known."""

import numpy as np
import pytest

import relay
from relay.runtime.kernel_work import KernelWork, work_of
from relay.runtime.native import NativeExecutable
from relay.support.dims import DimVar, maximum

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
            (step,) = [s for s in explanation.profile.steps if "dense" in s.label]
            assert step.calls == turns
            assert step.flops == turns * (2 * 24 * 16 * 16 + 24 * 16)
            assert step.bytes == turns * 4 * (2 * 24 * 16 + 16 * 16)
            assert 0 < step.milliseconds <= explanation.profile.total.milliseconds
            assert "part of the program" in str(explanation)
            assert f"{turns}" in next(r for r in str(explanation).splitlines() if "dense" in r)
    np.testing.assert_allclose(made(np.int32(0), x, w), x)  # what was counted goes on to work


def test_work_that_depends_on_sizes_is_read_back() -> None:
    n, m = DimVar("n"), DimVar("m")
    flops = maximum(3 * n * m + (n + 1) // 2, 5)
    made = relay.compile(relay.parse(LOOP))
    assert isinstance(made, NativeExecutable)
    (work,) = [each for each in work_of(made.program) if "dense" in each.label]
    assert work.in_call([10])[0] == 10 * 16 * 33
    assert KernelWork("k", "k", 1, (n, m), flops, n).in_call([4, 2]) == (26, 4)
    assert KernelWork("k", "k", 1, (n,), flops, n).in_call([4]) == (0, 4)  # m is not known
