"""From a fused module to a `Program`: kernels, constants, memory, the entry function."""

from collections.abc import Hashable, Mapping, Sequence
from types import MappingProxyType

from relay.build.code.resources import Resources
from relay.build.donation import with_donated
from relay.build.entry import ENTRY, entry_text
from relay.build.kernels import compile_functions, label
from relay.build.memory import MemoryPlan, plan_memory
from relay.build.signature import signature_of
from relay.build.straight_line import KernelCall, straight_line
from relay.build.work import flops_of
from relay.ir.dims import Dim
from relay.ir.equality import structural_key
from relay.ir.expr import Function
from relay.kernels.cache import KernelCache
from relay.kernels.compiler import ObjectCode, Options, compile_texts
from relay.kernels.machine import Machine
from relay.runtime import machine as runtime_machine
from relay.runtime import program as runtime
from relay.runtime.memory import ALIGNMENT, align_up
from relay.runtime.program import Location, Program, Region, Step
from relay.support.node import node
from relay.support.progress import Progress, silent
from relay.targets.target import Target

LONG_WORK = 10**8  # operations and bytes: what takes a millisecond or more can be stopped between
ENTRY_LEVEL = 0  # the entry function has nothing to optimise; at 1 LLVM takes 9 times as long


@node
class Compiled:
    """What all calls of one kernel have in common: its code, its name for people, its work."""

    code: ObjectCode
    label: str
    flops: int


def build_program(
    main: Function,
    target: Target,
    options: Options,
    cache: KernelCache | None = None,
    progress: Progress = silent,
    donated: Mapping[int, int] = MappingProxyType({}),
) -> Program:
    """Compile a fused function of static types for a target.

    `donated` are inputs whose memory results take, by the number of the result. Raises `C103` for
    operators without a kernel.
    """
    line = with_donated(straight_line(main), donated)
    plan = plan_memory(line)
    kernels = _compile_steps(line.steps, target, options, cache, progress)
    constants = runtime.pack_constants(
        (storage.label or f"c{i}", storage.constant)
        for i, storage in enumerate(plan.constants)
        if storage.constant is not None
    )
    offsets = [entry.offset for entry in constants.table]
    traps = Resources()
    steps = tuple(
        _step(call, kernel, plan, offsets, traps.kernel_traps(call.function))
        for call, kernel in zip(line.steps, kernels, strict=True)
    )
    distinct = {kernel.code.symbol: kernel.code for kernel in kernels}
    stop = align_up(plan.arena_bytes) if sum(map(_work, steps)) > LONG_WORK else None
    return Program(
        entry=ENTRY,
        signature=signature_of(main),
        constants=constants,
        objects=(
            _object(_entry(steps, plan, offsets, stop, target.machine, options, cache)),
            *map(_object, distinct.values()),
        ),
        machine=_runtime_machine(target.machine),
        arena_bytes=plan.arena_bytes if stop is None else stop + ALIGNMENT,
        workspace_bytes=max((code.main or 0 for code in distinct.values()), default=0),
        worker_bytes=max((code.worker or 0 for code in distinct.values()), default=0),
        steps=steps,
        traps=traps.own_traps,
        interruptible=stop is not None,
        in_place=tuple(line.in_place.items()),
    )


def _compile_steps(
    steps: Sequence[KernelCall],
    target: Target,
    options: Options,
    cache: KernelCache | None,
    progress: Progress,
) -> list[Compiled]:
    """Compile each distinct function once, all together; return the kernel of each step."""
    keys: list[Hashable] = [structural_key(step.function) for step in steps]
    distinct = dict(zip(keys, (step.function for step in steps), strict=True))
    codes = compile_functions(list(distinct.values()), target, options, cache, progress)
    kernels = {
        key: Compiled(code, label(function), _known(flops_of(function)))
        for (key, function), code in zip(distinct.items(), codes, strict=True)
    }
    return [kernels[key] for key in keys]


def _step(
    call: KernelCall, kernel: Compiled, plan: MemoryPlan, offsets: Sequence[int], trap: int
) -> Step:
    storages = (*call.reads, *call.writes)
    return Step(
        symbol=kernel.code.symbol,
        label=kernel.label,
        arguments=tuple(_location(plan[storage], offsets) for storage in storages),
        flops=kernel.flops,
        bytes=sum(storage.nbytes for storage in storages),
        trap=trap,
    )


def _location(location: Location, offsets: Sequence[int]) -> Location:
    """Turn the place of a constant in the table into its bytes in the block."""
    if location.region is Region.CONSTANT:
        return Location(Region.CONSTANT, offset=offsets[location.index])
    return location


def _work(step: Step) -> int:
    return step.flops + step.bytes


def _known(flops: Dim) -> int:
    assert isinstance(flops, int), "all sizes of a straight line are known"
    return flops


def _entry(
    steps: Sequence[Step], plan: MemoryPlan, offsets: Sequence[int],
    stop: int | None, machine: Machine, options: Options, cache: KernelCache | None,
) -> ObjectCode:  # fmt: skip
    copies = [
        (_location(plan[storage], offsets), target, storage.nbytes)
        for storage, target in plan.copies
    ]
    text = entry_text(steps, copies, stop)
    return compile_texts(ENTRY, [text], machine, options, ENTRY_LEVEL, cache)


def _object(code: ObjectCode) -> runtime.ObjectCode:
    return runtime.ObjectCode(code.symbol, code.code)


def _runtime_machine(machine: Machine) -> runtime_machine.Machine:
    return runtime_machine.Machine(machine.triple, machine.cpu, machine.features)
