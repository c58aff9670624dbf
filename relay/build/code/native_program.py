"""Compiles a module with control flow to a native program."""

from collections.abc import Sequence

from relay.build.code.call_graph import call_graph
from relay.build.code.emit_function import polls_for_interrupts
from relay.build.code.emit_program import program_text
from relay.build.code.inline_kernels import inline_symbol, inline_text, tiny_kernel
from relay.build.code.interface_types import entry_signature
from relay.build.code.lowered_module import lower_program
from relay.build.code.native_runtime import (
    BOUNDARY,
    ENTRY,
    FINISH,
    FORGET,
    READ,
    inlined_texts,
    runtime_object,
)
from relay.build.compile_kernels import (
    AS_CHOSEN,
    CompiledKernel,
    Schedules,
    check_names,
    compile_functions,
    external_parts,
    objects_of,
    schedules_of,
)
from relay.build.kernel_flops_and_bytes import kernel_work
from relay.ir.module import Module
from relay.kernels.kernel_cache import KernelCache
from relay.kernels.kernel_compiler import ObjectCode, Options, compile_texts
from relay.runtime import program as runtime
from relay.runtime.code.function import ProgramCode
from relay.runtime.code.heap_layout import ARENA_BYTES
from relay.runtime.code.register_kinds import TAGS
from relay.runtime.host_requirements import HostRequirements as RuntimeMachine
from relay.runtime.kernel_flops_and_bytes import work_entry
from relay.runtime.program import Program
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError
from relay.support.kernel_error_record import RECORD_BYTES
from relay.support.progress_callback import Progress, silent
from relay.targets.target import HostTarget

LEVEL = 2


def build_native_code(
    module: Module,
    target: HostTarget,
    options: Options,
    cache: KernelCache | None = None,
    progress: Progress = silent,
    level: int = LEVEL,
    schedules: Schedules = AS_CHOSEN,
) -> Program:
    """Compile a module whose operators are grouped into kernels, with all its control flow.

    `level` is LLVM's optimization level for the code between kernels, at most that of the kernels
    themselves. Raises `C116` for a data type with more constructors than block tags can represent.
    """
    _check_tags(module)
    lowered = lower_program(module)
    wanted = lowered.kernels
    tiny = [tiny_kernel(function, target) for function in wanted]
    large = [f for f, kernel in zip(wanted, tiny, strict=True) if kernel is None]
    made = compile_functions(large, target, options, cache, progress, schedules)
    check_names(schedules, made)
    compiled = [each.code for each in made]
    rest = iter(compiled)
    symbols = [next(rest).symbol if k is None else inline_symbol(k) for k in tiny]
    measuring = {each.symbol for each in compiled if each.workspace_bytes(1) is None}
    code = lowered.code(symbols, measuring)
    distinct = {inline_symbol(kernel): kernel for kernel in tiny if kernel is not None}
    inlined = [inline_text(kernel, target.machine, options) for kernel in distinct.values()]
    texts = [program_text(code, target.machine), *inlined_texts(code, target.machine), *inlined]
    level = min(level, LEVEL, options.level)
    body = compile_texts(BOUNDARY, texts, target.machine, options, level, cache, READ)
    shared = runtime_object(target.machine, options, cache)
    uses = zip(wanted, code.kernels, strict=True)
    work = {use.symbol: kernel_work(function, use) for function, use in uses}
    metadata = (work_entry(work.values()), schedules_of(made))
    return _program(module, code, (body, shared), made, target, metadata)


def _check_tags(module: Module) -> None:
    """Raise `C116` for data types with more constructors than block tags can represent."""
    for name, data in module.types.items():
        count = len(data.constructors)
        if count > TAGS:
            message = (
                f"the data type {name} has {count} constructors, but compiled programs support "
                f"at most {TAGS}"
            )
            help_ = (
                'run the module with create_executor("vm"), or use one constructor with a '
                "number as a field"
            )
            raise CompileError(ErrorCode.C116, message, help=help_)


def _program(
    module: Module,
    code: ProgramCode,
    parts: Sequence[ObjectCode],
    made: Sequence[CompiledKernel],
    target: HostTarget,
    metadata: tuple[tuple[str, str], ...],
) -> Program:
    compiled = [each.code for each in made]
    return Program(
        entry=ENTRY,
        signature=entry_signature(module),
        constants=code.constants,
        objects=(
            *(runtime.ObjectCode(part.symbol, part.code) for part in parts),
            *objects_of(made),
        ),
        machine=RuntimeMachine(*target.machine.llvm),
        arena_bytes=ARENA_BYTES,
        workspace_bytes=max([RECORD_BYTES, *(each.main or 0 for each in compiled)]),
        worker_bytes=max((each.worker or 0 for each in compiled), default=0),
        traps=code.traps,
        metadata=metadata,
        exports=(FINISH, FORGET),
        interruptible=polls_for_interrupts(code, call_graph(code.functions))
        or any(each.polls for each in compiled),
        external=external_parts(made),
    )
