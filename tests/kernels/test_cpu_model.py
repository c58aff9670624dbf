"""Machines: the one we run on, and others."""

import pytest
from kernels.llvm.running import scalar_map, vector_map

from relay.kernels.cpu_core_table import CORES
from relay.kernels.cpu_model import CpuModel
from relay.kernels.kernel_compiler import compile_kernels
from relay.kernels.machine_names import machine_named
from relay.kernels.processor_names import check_names
from relay.kernels.scalar import Apply, Binary, Fn, Op
from relay.support.dtype import bfloat16, bool_, float16, float32, float64, int8
from relay.support.errors import CompileError

OTHERS = [
    CpuModel.of("aarch64-unknown-linux-gnu", "cortex-a76", "+neon"),
    CpuModel.of("riscv64-unknown-linux-gnu", "generic-rv64", "+m,+a,+f,+d,+v"),
    CpuModel.of("wasm32-unknown-unknown", "generic", "+simd128"),
    CpuModel.of("x86_64-unknown-linux-gnu", "x86-64"),
    CpuModel.of("x86_64-unknown-linux-gnu", "haswell", "+avx,+avx2,+fma,+f16c"),
]


def test_the_host_knows_itself():
    host = CpuModel.host()
    assert host is CpuModel.host()
    assert host.vector_bytes in (16, 32, 64)
    assert host.lanes(float32) == host.vector_bytes // 4
    assert 4096 <= host.l1 <= host.l2


def test_lanes_are_those_in_which_a_dtype_is_computed():
    wide = CpuModel("x86_64-unknown-linux-gnu", vector_bytes=64)
    found = [wide.lanes(dtype) for dtype in (float64, float32, float16, bfloat16, int8, bool_)]
    assert found == [8, 16, 16, 16, 64, 64]


def test_cores_of_one_instruction_set_differ():
    def named(cpu):
        return machine_named(f"aarch64-linux-gnu -mcpu={cpu}")

    small, large = named("cortex-a72"), named("neoverse-v1")
    assert small.vector_bytes == large.vector_bytes == 16
    assert (small.loads, large.loads) == (1, 3)
    assert (small.fma_ports, large.fma_ports) == (2, 4)
    assert small.l1 < large.l1
    wide = machine_named("riscv64-linux-gnu -mcpu=sifive-x280 -mattr=+v,+zvl512b")
    assert (wide.vector_bytes, wide.fma_ports) == (64, 1)
    assert machine_named("x86-64 -mcpu=znver2").fma_ports == 0  # its features are not named


@pytest.mark.parametrize("cpu", CORES)
def test_llvm_knows_the_cores_of_the_table(cpu):
    arm, risc = cpu.startswith(("cortex", "neoverse", "apple")), cpu.startswith("sifive")
    check_names("aarch64-linux-gnu" if arm else "riscv64" if risc else "x86_64", cpu, "")


@pytest.mark.parametrize("machine", OTHERS, ids=lambda m: f"{m.triple}-{m.cpu}")
@pytest.mark.parametrize("fn", [Fn.EXP, Fn.SIN, Fn.POW, Fn.ERF, Fn.SQRT])
def test_kernels_compile_for_other_machines(machine: CpuModel, fn: Fn):
    def make(*xs):
        return Apply(fn, xs * (2 if fn is Fn.POW else 1), xs[0].dtype)

    kernels = [
        scalar_map(12, [float32], float32, make),
        vector_map(16, [float16], float16, make, 8),
        vector_map(16, [bfloat16], bfloat16, make, 4),
        vector_map(16, [float32], float32, lambda x: Binary(Op.MAX, x, x), 16),
    ]
    codes = compile_kernels(kernels, machine)
    assert all(code.code for code in codes)


def test_a_processor_that_llvm_does_not_know():
    with pytest.raises(CompileError) as caught:
        compile_kernels([scalar_map(4, [float32], float32, lambda x: x)], CpuModel("vax-dec-vms"))
    assert caught.value.code == "C002"
