"""The executable that consists of one native entry function."""

import time
from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any

import numpy as np

from relay.runtime.aligned_memory import address
from relay.runtime.arguments import Array
from relay.runtime.artefact import Container, Packer, write_container
from relay.runtime.call_boundary.call_layout import CallLayout, Functions
from relay.runtime.call_boundary.native_boundary import native_cross
from relay.runtime.code.interface_types import Field, TensorField, TupleField
from relay.runtime.code.traps import INTERRUPTED, counted_from, trapped
from relay.runtime.code.value_writers import ConstructorLayouts
from relay.runtime.compilation_report import Report, report_of
from relay.runtime.complex_arrays import cross_with_parts
from relay.runtime.donation import owned
from relay.runtime.executable import Executable
from relay.runtime.frame_pool import CallMemory, FramePool
from relay.runtime.interruptible_copies import copied, copy_elements
from relay.runtime.interrupts import address_of, interruptible, raised
from relay.runtime.json_fields import malformed
from relay.runtime.kernel_flops_and_bytes import work_of
from relay.runtime.library.write_library import unexportable
from relay.runtime.loader import NativeCode
from relay.runtime.profile import Profile, StepTime
from relay.runtime.profiled_program import ProfiledProgram
from relay.runtime.program import Location, MemoryRegion, Program, Step
from relay.runtime.program_json import program_from_json, program_to_json
from relay.runtime.thread_pool import pool
from relay.support.error_codes import ErrorCode
from relay.support.errors import RunError

BETWEEN = "between kernels"
"""The profile row of a program with control flow for the code outside its separate kernels."""

_NOTHING: Array = np.empty(0)  # placeholder for a result


class NativeExecutable(Executable):
    """A program linked into this process, called through its native entry function.

    Dynamic sizes are passed with each call, and results of dynamic size are copied from the
    program's memory. `threads` bounds the threads of a call (one per CPU by default; `R013` if out
    of range). If the program has loops or runs long, Python's signal handlers run during a call in
    the main thread, and an exception that they raise stops it, as Ctrl-C does with
    `KeyboardInterrupt`. A call in another thread is not interrupted. A result that reuses the
    memory of a donated input is the array that was passed, or a copy of it if that is read-only or
    shares memory with other inputs.
    """

    kind = "native"

    def __init__(self, program: Program, *, threads: int | None = None) -> None:
        assert self._leaves_values() or not program.signature.holds_addresses, (
            "values of data types are passed by an executable that knows their types"
        )
        super().__init__(program.signature)
        self.program = program
        self._code = NativeCode(program, threads)
        forget = self._code.kernel("relay_forget", 0, 0) if program.keeps_heap else None
        self._constants = address(program.constants.block)
        self._in_place = program.in_place
        outputs = program.signature.outputs
        has_heap = self._leaves_values() or not all(spec.is_static for spec in outputs)
        self._finish = self._code.kernel("relay_finish", 0, 0) if has_heap else None
        has_odd_values = program.signature.has_complex and self._leaves_values()
        is_odd = bool(program.in_place) or has_odd_values
        cross = None if is_odd else native_cross()
        if cross is not None and program.signature.has_complex:
            cross = cross_with_parts(cross, program.signature)
        self._cross = cross
        self._layout = self._laid_out()
        moved = [output for output, _ in program.in_place]
        own = [(i, slot) for i, slot in enumerate(self._layout.results) if i not in moved]
        # A program with a heap keeps all results there until it ends, and does not write to inputs.
        self._staged = moved if program.keeps_heap else ()
        self._made = [(i, slot) for i, slot in own if not slot.word]
        self._left = [(i, slot) for i, slot in own if slot.word]
        threads = self._code.threads
        self._frames = FramePool(program, self._layout, threads, pool().cpus, forget)
        self._run = _runner(program, self._code.entry)

    def __call__(self, /, *args: Any, **named: Any) -> Any:
        """Run the model through the native call boundary, or through Python if that is needed."""
        if self._cross is None or self.written:
            return super().__call__(*args, **named)
        if not self.defaults and not named:
            given = args
        elif len(args) == self._first and not named:
            given = (*args, *self._last)
        else:
            given = self.ordered(args, named)
        frame = self._frames.take()
        try:
            found = self._cross(frame.call, *given)
            if found.__class__ is int:
                raise self._stopped(found, frame)
        finally:
            self._frames.give(frame)
        return self._otherwise(given) if found is None else found

    def _otherwise(self, args: Sequence[Any]) -> Any:
        """Run a call whose arguments native code does not support, or raise its error."""
        found = self._called(args, {})
        self._layout.learn()
        return found

    def _laid_out(self) -> CallLayout:
        """Return the layout of the memory of this program's calls."""
        finish = 0 if self._finish is None else address_of(self._finish)
        functions = Functions(
            address_of(self._code.entry), self._constants, finish, self.program.interruptible
        )
        return CallLayout(functions, *self._crossing())

    def _crossing(self) -> tuple[ConstructorLayouts, Sequence[Field], Field]:
        """Return the types that cross the call boundary: data types, input fields, result field."""
        program = self.program.signature
        inputs = [TensorField(spec.shape, spec.dtype) for spec in program.inputs]
        outputs = [TensorField(spec.shape, spec.dtype) for spec in program.outputs]
        result = TupleField(tuple(outputs)) if program.is_tuple else outputs[0]
        return ConstructorLayouts(()), inputs, result

    def _leaves_values(self) -> bool:
        """Whether results are on the program's heap, because they are values of data types."""
        return False

    @property
    def threads(self) -> int:
        """Return the number of threads that one call may use."""
        return self._code.threads

    def compilation(self) -> Report:
        """Return the compilation report that is stored with the program."""
        return report_of(self.program)

    def invoke(self, arrays: Sequence[Array]) -> list[Array]:
        """Run the entry function; raises the error of its trap."""
        if self._in_place:
            arrays = owned(arrays, {given for _, given in self._in_place})
        frame = self._frames.take()
        results = self._place(frame, arrays)
        try:
            trap = self._run(frame)
            if trap:
                raise self._stopped(trap, frame)
            return self._moved(self._outputs(frame, results), arrays)
        finally:
            if self._finish is not None:
                self._finish(frame.arena)
            self._frames.give(frame)

    def _outputs(self, frame: CallMemory, results: list[Array]) -> list[Array]:
        """Add results in the program's memory: copies of tensors of dynamic size, or words."""
        for index, slot in self._left:
            results[index] = frame.left(slot)
        return results

    def _moved(self, results: list[Array], arrays: Sequence[Array]) -> list[Array]:
        """Replace results that reuse the memory of donated inputs by those inputs."""
        for output, given in self._in_place:
            if results[output] is not _NOTHING:
                copy_elements(arrays[given], results[output])
            results[output] = arrays[given]
        return results

    def seconds(self, arrays: Sequence[Array]) -> float:
        """Return the run time of the entry function, without conversions of inputs and results."""
        arrays = self._kept(arrays)
        frame = self._frames.take()
        results = self._place(frame, arrays)
        start = time.perf_counter()
        try:
            trap = self._run(frame)
        finally:
            if self._finish is not None:
                self._finish(frame.arena)
            stop = time.perf_counter()
            self._frames.give(frame)
        del results  # keeps the results alive until here
        if trap:
            raise self._stopped(trap, frame)
        return stop - start

    def measure(self, arrays: Sequence[Array], repeats: int) -> Profile:
        """Return the fastest time of each kernel; with control flow, a run counts the kernel calls.

        If kernels are called one by one from Python, their times include about a microsecond for
        the call.
        """
        check_repeats(repeats)
        arrays = self._kept(arrays)
        frame = self._frames.take()
        try:
            results = self._place(frame, arrays)
            profile = self._measured(frame, repeats)
            del results  # keeps the results alive until here
        finally:
            self._frames.give(frame)
        return profile

    def _measured(self, frame: CallMemory, repeats: int) -> Profile:
        steps = self.program.steps
        if not steps:
            return self._counted(frame, repeats)
        calls = self._calls(frame)
        with frame.interruptible():
            rounds = [self._time(calls, frame) for _ in range(repeats)]
        best = [min(times) / 1e6 for times in zip(*rounds, strict=True)]
        return Profile(
            tuple(
                StepTime(step.label, step.symbol, ms, step.flops, step.bytes)
                for step, ms in zip(steps, best, strict=True)
            )
        )

    def exportable(self) -> Program:
        """Return the program to export; raises `A017` if it has donated inputs."""
        if self._in_place:
            message = (
                f"{self!r} overwrites its inputs (option donate), which a C library does not "
                "support"
            )
            raise unexportable(message, "compile the model without donate")
        return self.program

    def pack(self) -> Container:
        """Return the program as the contents of a file."""
        packer = Packer()
        return packer.container(self.kind, self._body(packer))

    def _body(self, packer: Packer) -> dict[str, Any]:
        """Return the header of a file; code and constants are added as sections to `packer`."""
        return {"program": program_to_json(self.program, packer)}

    @classmethod
    def unpack(cls, container: Container, threads: int | None) -> "NativeExecutable":
        """Return the executable in a file, with its program linked into this process."""
        program = program_from_json(container.body.get("program"), container)
        if not program.entry:
            raise malformed("the program has no entry function")
        if program.signature.holds_addresses:
            raise malformed("the program takes or returns values of unknown data types")
        return cls(program, threads=threads)

    def _place(self, frame: CallMemory, arrays: Sequence[Array]) -> list[Array]:
        """Allocate the outputs, and store addresses of inputs and outputs in the call frame."""
        results: list[Array] = [_NOTHING] * len(self.program.signature.outputs)
        for slot, array in zip(self._layout.arguments, arrays, strict=True):
            frame.enter(slot, array)
        for index, slot in self._made:
            results[index] = frame.make(slot)
        for index in self._staged:
            results[index] = frame.staged(index)
        return results

    def _kept(self, arrays: Sequence[Array]) -> Sequence[Array]:
        """Return the inputs for a measurement: copies, if the program overwrites donated inputs."""
        return [copied(array) for array in arrays] if self._in_place else arrays

    def _calls(self, frame: CallMemory) -> list[Callable[[], int]]:
        return [self._bind(step, frame) for step in self.program.steps]

    def _counted(self, frame: CallMemory, repeats: int) -> Profile:
        """Return the time of each kernel in the fastest run, and the remaining time."""
        external = self._code.external.addresses
        counted = ProfiledProgram(self.program, work_of(self.program), self.threads, external)
        run_counted = _runner(self.program, counted.entry)

        def run() -> int:
            counted.reset()
            trap = run_counted(frame)
            counted.finish(frame.arena)
            return trap

        rounds = [(self._time([run], frame)[0] / 1e6, counted.times()) for _ in range(repeats)]
        whole, steps = min(rounds, key=lambda each: each[0])
        rest = whole - sum(step.milliseconds for step in steps)
        return Profile((*steps, StepTime(BETWEEN, self.program.entry, max(0.0, rest))))

    def _bind(self, step: Step, frame: CallMemory) -> Callable[[], int]:
        kernel = self._code.kernel(step.symbol, len(step.arguments), len(step.scalars))
        pointers = [self._resolve(location, frame) for location in step.arguments]
        return lambda: counted_from(step.trap, kernel(*pointers, *step.scalars, frame.workspace))

    def _resolve(self, location: Location, frame: CallMemory) -> int:
        match location.region:
            case MemoryRegion.INPUT:
                base = frame.base(self._layout.arguments[location.index])
            case MemoryRegion.OUTPUT:
                base = frame.base(self._layout.results[location.index])
            case MemoryRegion.CONSTANT:
                base = self._constants
            case MemoryRegion.ARENA:
                base = frame.arena
        return base + location.offset

    def _time(self, calls: Sequence[Callable[[], int]], frame: CallMemory) -> list[int]:
        times: list[int] = []
        for call in calls:
            start = time.perf_counter_ns()
            trap = call()
            times.append(time.perf_counter_ns() - start)
            if trap:
                raise self._stopped(trap, frame)
        return times

    def _stopped(self, trap: int, frame: CallMemory) -> BaseException:
        """Return the exception for a trap; for an interrupt, that of the signal handler."""
        if trap == INTERRUPTED:
            return raised()
        report = frame.report
        return self._code.external.explained(trapped(self.program.traps, trap, report), report)


def _runner(program: Program, entry: Callable[..., int]) -> Callable[[CallMemory], int]:
    """Return a function that calls an entry function of a program with a call frame.

    The call is interruptible if the program supports it.
    """
    constants = address(program.constants.block)
    guarded = interruptible(entry) if program.interruptible else None

    def run(frame: CallMemory) -> int:
        tables = (frame.input_table, frame.output_table, constants)
        if guarded is None:
            return entry(*tables, frame.arena, frame.workspace)
        return guarded(*tables, frame.arena, frame.workspace, frame.stop)

    return run


def check_repeats(repeats: int) -> None:
    """Raise `R013` unless at least one run is requested."""
    if repeats < 1:
        raise RunError(
            ErrorCode.R013,
            f"a program cannot be profiled {repeats} times",
            help="pass repeats=1 or more",
        )


def save_program(program: Program, path: str | PathLike[str]) -> None:
    """Write a program to a `.relay` file without linking it; it may be for another machine.

    Raises `A009` if the file cannot be written.
    """
    write_container(path, packed(program))


def packed(program: Program) -> Container:
    """Return a program as the contents of a file."""
    packer = Packer()
    body = {"program": program_to_json(program, packer)}
    return packer.container(NativeExecutable.kind, body)
