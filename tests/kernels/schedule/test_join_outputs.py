"""Outputs that are computed in the same loops."""

import numpy as np

from relay.kernels import te
from relay.kernels.cpu_model import CpuModel
from relay.kernels.kernel_compiler import Options, compile_kernels
from relay.kernels.llvm.execution_engine import Engine
from relay.kernels.loops import For, Kernel
from relay.kernels.passes.traverse_statements import statements
from relay.kernels.passes.validate_loops import complaints
from relay.kernels.schedule.default import default_schedule
from relay.kernels.schedule.lower import lower
from relay.targets.cpu.target import this_cpu
from relay.targets.kernel_expressions import Formulas

SHAPE = (3, 37)


def _formulas() -> Formulas:
    """Return a mean that moves towards `g`, and a sign and a root of the old mean."""
    m, g = te.placeholder(SHAPE, "float32", "m"), te.placeholder(SHAPE, "float32", "g")
    factor = te.placeholder((37,), "float32", "factor")
    scaled = te.compute(SHAPE, lambda i, j: te.tanh(g[i, j]) * factor[j], "scaled")
    mean = te.compute(SHAPE, lambda i, j: m[i, j] * 0.5 + scaled[i, j], "mean")
    turned = te.compute(SHAPE, lambda i, j: m[i, j] - scaled[i, j] * mean[i, j], "turned")
    return Formulas("update", (m, g, factor), (turned, mean), joint=True)


def _writes_over_its_inputs(kernel: Kernel) -> None:
    """Compare a kernel that overwrites both inputs with NumPy."""
    assert complaints(kernel) == []
    code = compile_kernels([kernel], CpuModel.host(), Options())
    rng = np.random.default_rng(3)
    m, g = rng.standard_normal((2, *SHAPE)).astype(np.float32)
    factor = rng.standard_normal(37).astype(np.float32)
    scaled = np.tanh(g) * factor
    mean = m * 0.5 + scaled
    turned = m - scaled * mean
    Engine(code).function(kernel, code[0])(m, g, factor, g, m)
    np.testing.assert_allclose(m, mean, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(g, turned, rtol=1e-5, atol=1e-6)


def test_every_element_is_computed_before_it_is_overwritten() -> None:
    """The first output overwrites `g`, the second `m`, which both are read by both."""
    made = _formulas()
    _writes_over_its_inputs(made.plain())
    choice = this_cpu().choose(made)
    assert choice is not None
    _writes_over_its_inputs(choice.kernel())


def test_there_is_one_nest_of_loops() -> None:
    made = _formulas()
    kernel = lower(default_schedule(made.outputs, joint=True), made.inputs)
    assert sum(isinstance(each, For) for each in statements(kernel.body)) == len(SHAPE)
