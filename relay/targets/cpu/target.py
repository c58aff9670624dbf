"""The definition of the CPU target: its layouts, schedules and fusion rules."""

import functools

from relay.kernels.cpu_model import CpuModel
from relay.kernels.kernel_compiler import compile_kernels
from relay.kernels.llvm.packed_dot_products import instructions_of
from relay.targets.cpu.fusable_producers import accepts
from relay.targets.cpu.layout_cost import layout_cost
from relay.targets.cpu.preferred_layouts import prefer
from relay.targets.cpu.schedules.rule_table import prepared, rules
from relay.targets.target import HostTarget
from relay.transform.convert_layout import Alternative, ConvertLayout
from relay.transform.loops.serpentine_traversal import SerpentineReads
from relay.transform.multi_output_fusion import MultiOutputFusion
from relay.transform.simplify.use_winograd import UseWinograd


@functools.cache
def cpu_target(machine: CpuModel) -> HostTarget:
    """Return the target for a CPU with the instruction set and the caches of `machine`.

    >>> cpu_target(CpuModel.host()) is cpu_target(CpuModel.host())
    True
    """
    return HostTarget(
        name="cpu",
        layouts=ConvertLayout(
            functools.partial(prefer, machine=machine),
            Alternative(
                functools.partial(prefer, machine=machine, in_blocks=True),
                functools.partial(layout_cost, machine=machine),
            ),
        ),
        accepts=accepts,
        products=instructions_of(machine),
        prepare=prepared,
        rules=rules(machine),
        rewrites=((3, UseWinograd(machine.vector_bytes, machine.fma_ports, machine.l2)),),
        passes=(
            (2, MultiOutputFusion()),
            (3, SerpentineReads(machine.l1, machine.l2)),  # adds `parity` inputs
        ),
        compile=functools.partial(compile_kernels, machine=machine),
        machine=machine,
    )


def this_cpu() -> HostTarget:
    """Return the target for this machine's CPU."""
    return cpu_target(CpuModel.host())
