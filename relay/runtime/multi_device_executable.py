"""The executable for programs on several devices, with asynchronous copies and launches."""

import time
from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from relay.runtime.aligned_memory import address, aligned_empty
from relay.runtime.arguments import Array
from relay.runtime.artefact import Container, Packer
from relay.runtime.code.traps import INTERRUPTED, counted_from, trapped
from relay.runtime.compilation_report import Report, report_of
from relay.runtime.device_interface import (
    Bytes,
    DeviceQueue,
    Event,
    LoadedKernel,
    Memory,
    Pointer,
    open_device,
)
from relay.runtime.executable import Executable
from relay.runtime.interrupts import raised
from relay.runtime.kernel_calls import KernelWorkspace
from relay.runtime.loader import Library
from relay.runtime.multi_device_program import (
    HOST,
    DevicePart,
    Launch,
    Place,
    PlacedProgram,
    PlacedStep,
    Transfer,
    placed_from_json,
    placed_to_json,
)
from relay.runtime.native_executable import check_repeats
from relay.runtime.profile import Profile, StepTime
from relay.runtime.program import MemoryRegion
from relay.support.errors import RelayError

_BYTES = np.dtype(np.uint8)


class _Part:
    """The resources of a program on one device, for the lifetime of the executable."""

    def __init__(self, part: DevicePart) -> None:
        self.arena_bytes = part.arena_bytes
        self.queue: DeviceQueue = open_device(part.name)
        self.kernels: dict[str, LoadedKernel] = {
            each.symbol: self.queue.load(each.symbol, each.code) for each in part.objects
        }
        self.constants = self.queue.allocate(part.constants.block.nbytes)
        self.queue.upload(part.constants.block, Pointer(self.constants), ()).wait()

    def __del__(self) -> None:
        if hasattr(self, "constants"):
            self.queue.free(self.constants)


class PlacedExecutable(Executable):
    """A program of which some parts run on devices other than the host.

    A call enqueues copies and launches on the devices in program order. It waits before the host
    reads memory that devices write, or writes memory that they read.
    """

    kind = "placed"

    def __init__(self, program: PlacedProgram, *, threads: int | None = None) -> None:
        super().__init__(program.native.signature)
        self.program = program
        self._library = Library(program.native, threads)
        self._parts = [_Part(part) for part in program.parts]

    @property
    def threads(self) -> int:
        """Return the number of threads that a kernel on the host may use."""
        return self._library.threads

    def compilation(self) -> Report:
        """Return the compilation report that is stored with the program."""
        return report_of(self.program.native)

    def invoke(self, arrays: Sequence[Array]) -> list[Array]:
        """Run the program; raises the error of a trap, or `R060` if a device fails."""
        return self._run(arrays)[0]

    def measure(self, arrays: Sequence[Array], repeats: int) -> Profile:
        """Run the program, waiting after each step; return the fastest time of each step."""
        check_repeats(repeats)
        rounds = [self._run(arrays, one_by_one=True)[1] for _ in range(repeats)]
        best = [min(times) * 1e3 for times in zip(*rounds, strict=True)]
        steps = zip(self.program.steps, best, strict=True)
        return Profile(tuple(self._timed(step, ms) for step, ms in steps))

    def pack(self) -> Container:
        """Return the program as the contents of a file."""
        packer = Packer()
        return packer.container(self.kind, placed_to_json(self.program, packer))

    @classmethod
    def unpack(cls, container: Container, threads: int | None) -> "PlacedExecutable":
        """Return the executable in a file, after linking its program and opening its devices."""
        return cls(placed_from_json(container.body, container), threads=threads)

    def _timed(self, step: PlacedStep, milliseconds: float) -> StepTime:
        if isinstance(step, Launch):
            return StepTime(step.label, step.symbol, milliseconds, step.flops, step.bytes)
        name = "" if step.device == HOST else self.program.parts[step.device - 1].name
        label = f"copy from {name}" if step.target.device == HOST else f"copy to {name}"
        return StepTime(label, "", milliseconds, bytes=step.source.nbytes)

    def _run(
        self, arrays: Sequence[Array], *, one_by_one: bool = False
    ) -> tuple[list[Array], list[float]]:
        """Run the program; return the outputs and each step's seconds, measured if `one_by_one`."""
        call = _Call(self.program, self._library, self._parts, arrays)
        seconds: list[float] = []
        try:
            with call.workspace.interruptible():
                for number, step in enumerate(self.program.steps):
                    start = time.perf_counter()
                    call.do(number, step)
                    if one_by_one:
                        call.wait_for([number])
                    seconds.append(time.perf_counter() - start)
            call.wait_for(range(len(self.program.steps)))
        finally:
            call.finish()
        return call.results, seconds


class _Call:
    """The memory of one call, and its pending device operations."""

    def __init__(
        self,
        program: PlacedProgram,
        library: Library,
        parts: Sequence[_Part],
        arrays: Sequence[Array],
    ) -> None:
        native = program.native
        self._program, self._library, self._parts = program, library, parts
        self._events: dict[int, Event] = {}
        self.results: list[Array] = [
            aligned_empty(spec.static_shape, spec.dtype.numpy) for spec in native.signature.outputs
        ]
        scratch_bytes = native.workspace_bytes + library.threads * native.worker_bytes
        self.workspace = KernelWorkspace(scratch_bytes)
        arena = _bytes_of(aligned_empty((native.arena_bytes,), _BYTES))
        self._host: dict[MemoryRegion, list[Bytes]] = {
            MemoryRegion.INPUT: list(map(_bytes_of, arrays)),
            MemoryRegion.OUTPUT: list(map(_bytes_of, self.results)),
            MemoryRegion.CONSTANT: [native.constants.block],
            MemoryRegion.ARENA: [arena],
        }
        self._arenas: list[Memory] = []
        for part in parts:
            self._arenas.append(part.queue.allocate(part.arena_bytes))

    def do(self, number: int, step: PlacedStep) -> None:
        """Run a step on the host, or enqueue it on its device."""
        if step.device == HOST:
            self.wait_for(step.after)
            self._do_here(step)
            return
        queue = self._parts[step.device - 1].queue
        after = [self._events[each] for each in step.after if each in self._events]
        self._events[number] = self._asked(queue, step, after)

    def _asked(self, queue: DeviceQueue, step: PlacedStep, after: Sequence[Event]) -> Event:
        match step:
            case Launch(device=device, symbol=symbol):
                kernel = self._parts[device - 1].kernels[symbol]
                return queue.launch(kernel, list(map(self._there, step.arguments)), after)
            case Transfer(source=source, target=target) if source.device == HOST:
                return queue.upload(self._here(source), self._there(target), after)
            case Transfer(source=source, target=target):
                return queue.download(self._there(source), self._here(target), after)

    def wait_for(self, steps: Sequence[int]) -> None:
        """Wait for the steps with these numbers that run on devices."""
        for number in steps:
            if number in self._events:
                self._events[number].wait()

    def finish(self) -> None:
        """Free device memory, after all operations in the queues have finished."""
        for event in self._events.values():
            with suppress(RelayError):  # the first failure is already being raised
                event.wait()
        for part, arena in zip(self._parts, self._arenas, strict=True):
            part.queue.free(arena)

    def _do_here(self, step: PlacedStep) -> None:
        if isinstance(step, Transfer):
            self._here(step.target)[:] = self._here(step.source)
            return
        kernel = self._library.kernel(step.symbol, len(step.arguments), 0)
        places = [address(self._here(place)) for place in step.arguments]
        found = counted_from(step.trap, kernel(*places, self.workspace.address))
        if found == INTERRUPTED:
            raise raised()
        if found:
            raise trapped(self._program.native.traps, found, self.workspace.report())

    def _here(self, place: Place) -> Bytes:
        """Return the bytes of a tensor in the host's memory."""
        block = self._host[place.location.region][place.location.index]
        return block[place.location.offset : place.location.offset + place.nbytes]

    def _there(self, place: Place) -> Pointer:
        """Return a pointer to a tensor in a device's memory."""
        is_constant = place.location.region is MemoryRegion.CONSTANT
        part, arena = self._parts[place.device - 1], self._arenas[place.device - 1]
        return Pointer(part.constants if is_constant else arena, place.location.offset)


def _bytes_of(array: Array) -> Bytes:
    """Return the elements of a contiguous array as bytes."""
    return array.reshape(-1).view(_BYTES)
