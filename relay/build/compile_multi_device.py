"""Compiles a fused module with parts on several devices."""

from collections.abc import Iterator, Mapping, Sequence

from relay.build.code.program_resources import Resources
from relay.build.compile_kernels import (
    AS_CHOSEN,
    CompiledKernel,
    Schedules,
    check_names,
    compile_functions,
    label,
    objects_of,
    schedules_of,
)
from relay.build.compile_straight_line import distinct_kernels, packed, with_byte_offset
from relay.build.kernel_flops_and_bytes import flops_of
from relay.build.memory_planning import MemoryPlan, plan_memory
from relay.build.multi_device_steps import PlacedLine, placed_line, unplaceable
from relay.build.pipeline import device_pipeline
from relay.build.program_signature import signature_of
from relay.build.straight_line_program import DeviceCopy, KernelCall, Storage
from relay.ir.expr import Function
from relay.ir.module import Module
from relay.kernels.kernel_cache import KernelCache
from relay.kernels.kernel_compiler import Options
from relay.runtime import program as runtime
from relay.runtime.host_requirements import HostRequirements as RuntimeMachine
from relay.runtime.multi_device_program import (
    HOST,
    DevicePart,
    Launch,
    Place,
    PlacedProgram,
    PlacedStep,
    Transfer,
)
from relay.runtime.program import Constants, Program
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError
from relay.support.node import replace
from relay.support.progress_callback import Progress, silent
from relay.targets.registry import device_target
from relay.targets.target import HostTarget, Target
from relay.transform.compilers.region_attributes import COMPILER, external_name
from relay.transform.devices.outline_devices import device_functions
from relay.transform.run_passes import run_passes


def build_placed(
    module: Module,
    host: HostTarget,
    options: Options,
    cache: KernelCache | None = None,
    progress: Progress = silent,
    schedules: Schedules = AS_CHOSEN,
) -> PlacedProgram:
    """Compile a fused module in which each part on a device is a function.

    Raises `C171` for a device without a package, `C172` for a kernel that its target has no rule
    for, `C174` for control flow.
    """
    parts = device_functions(module)
    names = [str(part.attrs[COMPILER]) for part in parts.values()]
    targets = {name: device_target(name) for name in names}
    fused = {n: _fused(f, targets[d]) for (n, f), d in zip(parts.items(), names, strict=True)}
    line = placed_line(module.main, fused, names)
    plan = plan_memory(line)
    known: list[Target] = [host, *(targets[name] for name in line.devices[1:])]
    kernels: dict[Function, CompiledKernel] = {}
    for device, target in enumerate(known):
        functions, calls = distinct_kernels(_calls_on(device, line))
        _refuse_external(functions)
        made = compile_functions(functions, target, options, cache, progress, schedules)
        called = [step.function for step in _calls_on(device, line)]
        kernels |= {function: made[n] for function, n in zip(called, calls, strict=True)}
    check_names(schedules, kernels.values())
    return _Assembly(line, plan, kernels, host).program(module.main)


def _fused(function: Function, target: Target) -> Function:
    """Return a device part with the preferred layouts and fused kernels of its target."""
    module = Module.of(replace(function, attrs={}))
    fused = run_passes(module, device_pipeline(target))[0].main
    if fused.body.type is not function.body.type:
        raise CompileError(
            ErrorCode.C175,
            f"the layouts that the device {target.name} prefers change the result type from "
            f"{function.body.type!r} to {fused.body.type!r}",
            span=function.body.span,
            help=(
                "report this to the authors of the device's package: layouts must not change "
                "result types"
            ),
        )
    return fused


def _refuse_external(functions: Sequence[Function]) -> None:
    """Raise `C174` for a kernel that is meant for an external compiler."""
    for function in functions:
        if external_name(function) is not None:
            raise unplaceable("external compilers compile parts of it", function.span)


def _calls_on(device: int, line: PlacedLine) -> list[KernelCall]:
    """Return the kernel calls that run on a device."""
    return [s for s in line.steps if isinstance(s, KernelCall) and _device(s) == device]


def _device(step: KernelCall | DeviceCopy) -> int:
    """Return the number of the device that runs a step; the host runs no copies."""
    return max(storage.device for storage in (*step.reads, *step.writes))


class _Assembly:
    """A builder of a placed program from its steps, memory plan and compiled kernels."""

    def __init__(
        self,
        line: PlacedLine,
        plan: MemoryPlan,
        kernels: Mapping[Function, CompiledKernel],
        host: HostTarget,
    ) -> None:
        self._line, self._plan, self._kernels, self._host = line, plan, kernels, host
        devices = range(len(line.devices))
        self._constants = [packed(plan.constants[device]) for device in devices]
        self._traps = Resources()

    def program(self, main: Function) -> PlacedProgram:
        """Return the compiled program of a function with parts on devices."""
        steps = with_waits([*self._steps(), *self._copies()])
        devices = range(1, len(self._line.devices))
        return PlacedProgram(self._native(main), tuple(map(self._part, devices)), steps)

    def _native(self, main: Function) -> Program:
        codes = [each.code for each in self._compiled(HOST)]
        return Program(
            entry="",
            signature=signature_of(main),
            constants=self._constants[HOST],
            objects=self._objects(HOST),
            machine=RuntimeMachine(*self._host.machine.llvm),
            arena_bytes=self._plan.arena_bytes,
            workspace_bytes=max((code.main or 0 for code in codes), default=0),
            worker_bytes=max((code.worker or 0 for code in codes), default=0),
            traps=self._traps.own_traps,
            metadata=(schedules_of(dict.fromkeys(self._kernels.values())),),
            exports=tuple(dict.fromkeys(code.symbol for code in codes)),
        )

    def _part(self, device: int) -> DevicePart:
        arena = self._plan.arenas.get(device, 0)
        constants = self._constants[device]
        return DevicePart(self._line.devices[device], self._objects(device), constants, arena)

    def _compiled(self, device: int) -> list[CompiledKernel]:
        return [self._kernels[call.function] for call in _calls_on(device, self._line)]

    def _objects(self, device: int) -> tuple[runtime.ObjectCode, ...]:
        return objects_of(self._compiled(device))

    def _steps(self) -> Iterator[PlacedStep]:
        for step in self._line.steps:
            reads, writes = (tuple(map(self._at, each)) for each in (step.reads, step.writes))
            if isinstance(step, DeviceCopy):
                yield Transfer(*reads, *writes)
                continue
            compiled = self._kernels[step.function]
            flops = flops_of(step.function)
            assert isinstance(flops, int), "all sizes of a straight line are known"
            yield Launch(
                _device(step),
                compiled.code.symbol,
                label(step.function),
                reads,
                writes,
                flops=flops,
                bytes=sum(place.nbytes for place in (*reads, *writes)),
                trap=self._traps.kernel_traps(step.function),
            )

    def _copies(self) -> Iterator[Transfer]:
        """Yield the copies of results that no step writes to their destinations."""
        for storage, place in self._plan.copies:
            yield Transfer(self._at(storage), Place(HOST, place, storage.nbytes))

    def _at(self, storage: Storage) -> Place:
        table: Constants = self._constants[storage.device]
        offsets = [entry.offset for entry in table.table]
        location = with_byte_offset(self._plan[storage], offsets)
        return Place(storage.device, location, storage.nbytes)


def with_waits(steps: Sequence[PlacedStep]) -> tuple[PlacedStep, ...]:
    """Return the steps, each with the steps of other devices that it must wait for.

    A device runs its steps in order, and the host finishes its own before it launches later ones.
    So a step waits, for each other device, for that device's last earlier step with which it has a
    data dependence.
    """
    found: list[PlacedStep] = []
    for number, step in enumerate(steps):
        last: dict[int, int] = {}
        for before in range(number):
            other = steps[before]
            if other.device not in (HOST, step.device) and _depends(step, other):
                last[other.device] = before
        found.append(replace(step, after=tuple(sorted(last.values()))))
    return tuple(found)


def _depends(step: PlacedStep, other: PlacedStep) -> bool:
    """Whether two steps access the same bytes and at least one of them writes."""
    (reads, writes), (seen, written) = _uses(step), _uses(other)
    pairs = [(a, b) for a in writes for b in (*seen, *written)]
    pairs += [(a, b) for a in reads for b in written]
    return any(_overlap(*pair) for pair in pairs)


def _uses(step: PlacedStep) -> tuple[Sequence[Place], Sequence[Place]]:
    """Return the memory that a step reads, and the memory that it writes."""
    match step:
        case Launch(reads=reads, writes=writes):
            return reads, writes
        case Transfer(source=source, target=target):
            return (source,), (target,)


def _overlap(one: Place, other: Place) -> bool:
    a, b = one.location, other.location
    if (one.device, a.region, a.index) != (other.device, b.region, b.index):
        return False
    return a.offset < b.offset + other.nbytes and b.offset < a.offset + one.nbytes
