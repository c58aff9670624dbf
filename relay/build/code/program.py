"""From a module with control flow to a native program."""

from collections.abc import Sequence

from relay.build.code.emit import program_text
from relay.build.code.frames import place_in_frame
from relay.build.code.lower import ProgramLowering
from relay.build.code.native_text import ARENA_BYTES
from relay.build.code.ownership import count_references
from relay.build.kernels import compile_functions, label
from relay.build.signature import signature_of
from relay.build.straight_line import tensor_types
from relay.ir.expr import Array, Function
from relay.ir.module import Module
from relay.kernels.cache import KernelCache
from relay.kernels.compiler import ObjectCode, Options
from relay.kernels.llvm.codegen import object_code
from relay.runtime import program as runtime
from relay.runtime.code.function import Code, KernelUse
from relay.runtime.machine import Machine as RuntimeMachine
from relay.runtime.program import Program
from relay.support.progress import Progress, silent
from relay.targets.target import Target

ENTRY = "relay_run"
LEVEL = 2


def build_native_code(
    module: Module,
    target: Target,
    options: Options,
    cache: KernelCache | None = None,
    progress: Progress = silent,
) -> Program:
    """Compile a module, whose operators are gathered into kernels, with all its control flow."""
    lowering = ProgramLowering(module)
    functions = [count_references(place_in_frame(f)) for f in lowering.functions("main")]
    wanted = lowering.resources.kernels
    compiled = compile_functions(wanted, target, options, cache, progress)
    code = Code(
        tuple(functions),
        tuple(map(_use, wanted, compiled)),
        _constants(lowering.resources.constants),
        tuple(lowering.resources.traps),
    )
    return _program(module.main, code, compiled, target)


def _use(function: Function, code: ObjectCode) -> KernelUse:
    outputs = len(tensor_types(function.body.type))
    return KernelUse(code.symbol, label(function), len(function.params), outputs)


def _constants(arrays: Sequence[Array]) -> runtime.Constants:
    return runtime.pack_constants((f"c{i}", array) for i, array in enumerate(arrays))


def _program(main: Function, code: Code, compiled: Sequence[ObjectCode], target: Target) -> Program:
    machine = target.machine
    text = program_text(code, machine)
    entry = object_code(text, machine.triple, machine.cpu, machine.features, LEVEL, False)
    kernels = {each.symbol: each.code for each in compiled}
    return Program(
        entry=ENTRY,
        signature=signature_of(main),
        constants=code.constants,
        objects=(
            runtime.ObjectCode(ENTRY, entry),
            *(runtime.ObjectCode(symbol, each) for symbol, each in kernels.items()),
        ),
        machine=RuntimeMachine(machine.triple, machine.cpu, machine.features),
        arena_bytes=ARENA_BYTES,
        workspace_bytes=max((each.main or 0 for each in compiled), default=0),
        worker_bytes=max((each.worker or 0 for each in compiled), default=0),
        traps=code.traps,
    )
