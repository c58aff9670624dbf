"""Compiles a fused module without control flow to a native program."""

from collections.abc import Hashable, Mapping, Sequence
from types import MappingProxyType

from relay.build.buffer_donation import with_donated
from relay.build.code.program_resources import Resources
from relay.build.compile_kernels import (
    AS_CHOSEN,
    CompiledKernel,
    Schedules,
    check_names,
    compile_functions,
    external_parts,
    label,
    objects_of,
    schedules_of,
)
from relay.build.emit_straight_line_entry import ENTRY, entry_text
from relay.build.kernel_flops_and_bytes import flops_of
from relay.build.memory_planning import MemoryPlan, plan_memory
from relay.build.straight_line_program import KernelCall, Storage, StraightLine
from relay.ir.dims import Dim
from relay.ir.equality import structural_key
from relay.ir.expr import Function
from relay.kernels.cpu_model import CpuModel
from relay.kernels.kernel_cache import KernelCache
from relay.kernels.kernel_compiler import ObjectCode, Options, compile_texts
from relay.runtime import program as runtime
from relay.runtime.aligned_memory import ALIGNMENT, align_up
from relay.runtime.host_requirements import HostRequirements as RuntimeMachine
from relay.runtime.multi_device_program import HOST
from relay.runtime.program import Constants, Location, MemoryRegion, Program, Step
from relay.support.kernel_error_record import RECORD_BYTES
from relay.support.node import node
from relay.support.progress_callback import Progress, silent
from relay.targets.target import HostTarget

LONG_WORK = 10**8  # operations and bytes: programs of about a millisecond or more are interruptible
ENTRY_LEVEL = 0  # the entry has nothing to optimise; at level 1 LLVM takes 9 times as long


@node
class _Called:
    """The properties that all calls of one kernel share: its code, readable name and work."""

    code: ObjectCode
    label: str
    flops: int


def build_program(
    line: StraightLine,
    target: HostTarget,
    options: Options,
    cache: KernelCache | None = None,
    progress: Progress = silent,
    schedules: Schedules = AS_CHOSEN,
    donated: Mapping[int, int] = MappingProxyType({}),
) -> Program:
    """Compile a fused function of static types for a target; its constants are moved.

    `donated` maps results to the inputs whose memory they take over. Raises `C103` for operators
    without a kernel.
    """
    line = with_donated(line, donated)
    plan = plan_memory(line)
    functions, calls = distinct_kernels(line.steps)
    compiled = compile_functions(functions, target, options, cache, progress, schedules)
    check_names(schedules, compiled)
    found = [_called(*pair) for pair in zip(functions, compiled, strict=True)]
    kernels = [found[number] for number in calls]
    constants = packed(plan.constants[HOST])
    offsets = [entry.offset for entry in constants.table]
    traps = Resources()
    steps = tuple(
        _step(call, kernel, plan, offsets, traps.kernel_traps(call.function))
        for call, kernel in zip(line.steps, kernels, strict=True)
    )
    distinct = {kernel.code.symbol: kernel.code for kernel in kernels}
    may_run_long = sum(map(_work, steps)) > LONG_WORK or any(k.polls for k in distinct.values())
    stop = align_up(plan.arena_bytes) if may_run_long else None
    workspace_bytes = max((code.main or 0 for code in distinct.values()), default=0)
    return Program(
        entry=ENTRY,
        signature=line.signature,
        constants=constants,
        objects=(
            _object(
                _entry(steps, plan, offsets, stop, workspace_bytes, target.machine, options, cache)
            ),
            *objects_of(compiled),
        ),
        machine=RuntimeMachine(*target.machine.llvm),
        arena_bytes=plan.arena_bytes if stop is None else stop + ALIGNMENT,
        workspace_bytes=workspace_bytes,
        worker_bytes=max((code.worker or 0 for code in distinct.values()), default=0),
        steps=steps,
        traps=traps.own_traps,
        metadata=(schedules_of(compiled),),
        interruptible=stop is not None,
        in_place=tuple(line.in_place.items()),
        external=external_parts(compiled),
    )


def packed(constants: Sequence[Storage]) -> Constants:
    """Move the constant storages of a device into one block, and return that."""
    return runtime.pack_constants(
        (storage.label or f"c{i}", array)
        for i, storage in enumerate(constants)
        if (array := storage.take()) is not None
    )


def distinct_kernels(steps: Sequence[KernelCall]) -> tuple[list[Function], list[int]]:
    """Return the distinct functions that steps call, and the index of each step's function."""
    keys: list[Hashable] = [structural_key(step.function) for step in steps]
    functions = dict(zip(keys, (step.function for step in steps), strict=True))
    places = {key: place for place, key in enumerate(functions)}
    return list(functions.values()), [places[key] for key in keys]


def _called(function: Function, compiled: CompiledKernel) -> _Called:
    return _Called(compiled.code, label(function), _known(flops_of(function)))


def _step(
    call: KernelCall, kernel: _Called, plan: MemoryPlan, offsets: Sequence[int], trap: int
) -> Step:
    storages = (*call.reads, *call.writes)
    return Step(
        symbol=kernel.code.symbol,
        label=kernel.label,
        arguments=tuple(with_byte_offset(plan[storage], offsets) for storage in storages),
        sizes=tuple(storage.nbytes for storage in storages),
        flops=kernel.flops,
        trap=trap,
    )


def with_byte_offset(location: Location, offsets: Sequence[int]) -> Location:
    """Return a location in which the index of a constant is replaced by its byte offset."""
    if location.region is MemoryRegion.CONSTANT:
        return Location(MemoryRegion.CONSTANT, offset=offsets[location.index])
    return location


def _work(step: Step) -> int:
    return step.flops + step.bytes


def _known(flops: Dim) -> int:
    assert isinstance(flops, int), "all sizes of a straight line are known"
    return flops


def _entry(
    steps: Sequence[Step], plan: MemoryPlan, offsets: Sequence[int],
    stop: int | None, workspace_bytes: int,
    machine: CpuModel, options: Options, cache: KernelCache | None,
) -> ObjectCode:  # fmt: skip
    copies = [
        (with_byte_offset(plan[storage], offsets), target, storage.nbytes)
        for storage, target in plan.copies
    ]
    text = entry_text(steps, copies, stop, has_record=workspace_bytes >= RECORD_BYTES)
    return compile_texts(ENTRY, [text], machine, options, ENTRY_LEVEL, cache)


def _object(code: ObjectCode) -> runtime.ObjectCode:
    return runtime.ObjectCode(code.symbol, code.code)
