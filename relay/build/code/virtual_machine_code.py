"""Compiles a module for the virtual machine: interpreted program code with native kernels."""

from relay.build.code.interface_types import entry_signature
from relay.build.code.lowered_module import lower_program
from relay.build.compile_kernels import compile_functions, external_parts, objects_of, schedules_of
from relay.ir.module import Module
from relay.kernels.kernel_cache import KernelCache
from relay.kernels.kernel_compiler import Options
from relay.kernels.llvm.emit_kernel_module import workspace_symbol
from relay.runtime.host_requirements import HostRequirements as RuntimeMachine
from relay.runtime.program import Program
from relay.runtime.virtual_machine_executable import VirtualProgram
from relay.support.kernel_error_record import RECORD_BYTES
from relay.support.progress_callback import Progress, silent
from relay.targets.target import HostTarget


def build_virtual_code(
    module: Module,
    target: HostTarget,
    options: Options,
    cache: KernelCache | None = None,
    progress: Progress = silent,
) -> VirtualProgram:
    """Compile the kernels of a module, and keep the rest as program code."""
    lowered = lower_program(module)
    made = compile_functions(lowered.kernels, target, options, cache, progress)
    compiled = [each.code for each in made]
    measuring = {each.symbol for each in compiled if each.workspace_bytes(1) is None}
    code = lowered.code([each.symbol for each in compiled], measuring)
    objects = objects_of(made)
    native = Program(
        entry="",
        signature=entry_signature(module),
        constants=code.constants,
        objects=objects,
        machine=RuntimeMachine(*target.machine.llvm),
        workspace_bytes=max([RECORD_BYTES, *(each.main or 0 for each in compiled)]),
        worker_bytes=max((each.worker or 0 for each in compiled), default=0),
        traps=code.traps,
        metadata=(schedules_of(made),),
        exports=(*(each.symbol for each in objects), *map(workspace_symbol, sorted(measuring))),
        external=external_parts(made),
    )
    return VirtualProgram(code, native)
