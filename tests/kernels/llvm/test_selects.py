"""Selects whose operands read memory: what is needed in any case is computed once."""

import pytest

from relay.kernels import te
from relay.kernels.cpu_model import CpuModel
from relay.kernels.llvm.buffer_placement import plan
from relay.kernels.llvm.emit_kernel_module import emit_kernel
from relay.kernels.llvm.emitter_context import Options
from relay.kernels.schedule.lower import lower
from relay.kernels.schedule.schedule import Schedule


@pytest.mark.parametrize("is_vector", [False, True])
def test_a_value_that_both_operands_need_is_computed_once(is_vector: bool):
    x = te.placeholder((8,), "float32", "x")

    def step(y: te.Scalar, z: te.Scalar) -> te.Scalar:
        return te.select(y < 0.5, te.sqrt(y) + z, y - z)

    schedule = Schedule([te.compute((8,), lambda i: step(step(step(x[i], x[i]), x[i]), x[i]), "y")])
    (stage,) = schedule.stages
    if is_vector:
        stage.vectorize(stage.axes[0])
    kernel = lower(schedule, [x])
    text = emit_kernel(kernel, "k", plan(kernel), CpuModel.host(), Options())
    assert text.count("@llvm.sqrt") - text.count("declare") == 3
