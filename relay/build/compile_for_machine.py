"""Compiles typed modules for a machine that is given by name."""

from relay.build.code.interface_types import has_data
from relay.build.compile import all_sizes_known, compile_module
from relay.build.compile_straight_line import build_program
from relay.build.flatten_results import with_flat_result
from relay.build.multi_device_steps import refuse_devices
from relay.build.pipeline import run_pipeline
from relay.build.straight_line_program import first_obstacle, straight_line
from relay.build.unsupported_types import refuse_unsupported_types
from relay.ir.expr import Expr
from relay.ir.module import ENTRY, Module
from relay.ir.types import dim_variables
from relay.kernels.kernel_cache import KernelCache
from relay.kernels.kernel_compiler import Options
from relay.runtime.executable import Executable
from relay.runtime.native_executable import NativeExecutable
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.targets.registry import target_for, target_here

_HELP = 'call relay.build(…, executor="aot"), relay.compile, or create_executor with "aot" or "vm"'


def compile_native(module: Module, target: str) -> Executable:
    """Compile a typed module to one native program for the machine `target`."""
    here = target_here(target) is target_for(None)
    return compile_module(module, target=None if here else target)


def compile_graph(module: Module, target: str) -> NativeExecutable:
    """Compile a typed module whose `main` has no control flow, for the machine `target`.

    Results in nested tuples become the fields of one flat tuple. Raises `U064` for a program with
    control flow, data types, or dynamic sizes.
    """
    module = module.with_function(ENTRY, with_flat_result(module.main))
    if has_data(module.main):
        raise _refused("it has inputs or results that are not tensors", module.main)
    if any(dim_variables(param.type) for param in module.main.params):
        raise _refused("it has dynamic sizes", module.main)
    refuse_unsupported_types(module)
    machine = target_here(target)
    optimised, _ = run_pipeline(module, machine)
    refuse_devices(optimised, "the graph executor runs programs for the CPU alone")
    if not all_sizes_known(optimised.main):
        raise _refused("it creates tensors of dynamic sizes", module.main)
    obstacle = first_obstacle(optimised.main)
    if obstacle is not None:
        raise _refused(
            f"it contains branches, loops or function calls ({type(obstacle).__name__})", obstacle
        )
    program = build_program(straight_line(optimised.main), machine, Options(), KernelCache())
    return NativeExecutable(program)


def _refused(why: str, where: Expr) -> UsageError:
    message = f"the graph executor cannot run this program: {why}"
    return UsageError(ErrorCode.U064, message, span=getattr(where, "span", None), help=_HELP)
