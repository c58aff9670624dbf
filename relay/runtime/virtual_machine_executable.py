"""The executable of the virtual machine, which interprets control flow and calls kernels.

Only the kernels of a program depend on the target machine, and each instruction can be traced.
"""

import time
from collections.abc import Iterator, Sequence
from os import PathLike
from typing import Any, TypeVar

import numpy as np

from relay.runtime.adt_executable_base import Admitted, DataSurface
from relay.runtime.arguments import Array
from relay.runtime.artefact import Container, Packer
from relay.runtime.code.check_code import check_code
from relay.runtime.code.function import CodeFunction, KernelUse, ProgramCode, Task
from relay.runtime.code.heap_blocks import Block, Held, make_block, read_block
from relay.runtime.code.interface_types import ExternalTypes
from relay.runtime.code.interface_types_json import (
    external_types_from_json,
    open_shape,
)
from relay.runtime.code.interpreter import Interpreter, Step, outside
from relay.runtime.code.printer import program_text
from relay.runtime.code.register_kinds import Kind, Object, Scalar, Tensor
from relay.runtime.code.signature import data_signature
from relay.runtime.compilation_report import Report, report_of
from relay.runtime.data_json import fields_from_json, fields_to_json
from relay.runtime.device import CPU, Device
from relay.runtime.executable import Executable
from relay.runtime.json_fields import malformed
from relay.runtime.kernel_calls import KernelCalls, TimedCalls, linked_kernel
from relay.runtime.loader import Library
from relay.runtime.native_executable import check_repeats
from relay.runtime.profile import Profile, StepTime
from relay.runtime.program import Program, TensorSpec
from relay.runtime.program_json import program_from_json, program_to_json
from relay.support.dtype import int64
from relay.support.error_codes import ErrorCode
from relay.support.errors import RunError, UsageError
from relay.support.missing_member import MissingMember
from relay.support.node import node

_Calls = TypeVar("_Calls", bound=KernelCalls)

VERSION = 5
"""The version of program code in files; a reader rejects other versions."""


@node
class VirtualProgram:
    """The program code, and a native program with its kernels, which has no entry function."""

    code: ProgramCode
    native: Program


@node
class _StoredCode:
    """The parts of program code that a file stores; the others are those of the native program."""

    functions: tuple[CodeFunction, ...]
    kernels: tuple[KernelUse, ...]
    tasks: tuple[Task, ...]


_CONSTANTS = "call executable.save(path): the file holds the constants"


def require_main(name: str) -> None:
    """Raise `U061` unless `name` is `main`."""
    if name != "main":
        raise UsageError(
            ErrorCode.U061,
            f"the executable has no function named '{name}'",
            help="call main: a module is compiled for its main function only",
        )


class VirtualExecutable(Executable):
    """A program that the virtual machine runs.

    Values are arrays and Python objects. Call frames are on Python's heap, not on the native stack;
    up to `relay.runtime.code.traps.MOST_CALLS` frames may exist.
    """

    kind = "vm"

    def __init__(self, program: VirtualProgram, *, threads: int | None = None) -> None:
        super().__init__(program.native.signature)
        self.program = program
        self._library = Library(program.native, threads)
        self._kernels = [linked_kernel(self._library, use) for use in program.code.kernels]
        self._machine = Interpreter(program.code)

    @property
    def threads(self) -> int:
        """Return the number of threads that one kernel may use."""
        return self._library.threads

    @property
    def text(self) -> str:
        """Return the program code as text."""
        return program_text(self.program.code)

    @property
    def lib(self) -> "VirtualExecutable":
        """Return the executable itself, which in TVM's interface has the kernels."""
        return self

    mod = lib

    @property
    def bytecode(self) -> str:
        """Return the program code as text, as `text` does (TVM's name)."""
        return self.text

    @property
    def globals(self) -> list[str]:
        """Return the names of the functions of the program code, in order."""
        return [function.name for function in self.program.code.functions]

    @property
    def primitives(self) -> list[str]:
        """Return the labels of the kernels of the program, in order."""
        return [use.label for use in self.program.code.kernels]

    primitive_ops = primitives

    get_function_arity = MissingMember("call len(executable.get_function_params())")
    load_late_bound_consts = MissingMember(_CONSTANTS)
    module = MissingMember("use executable.mod, or the executable itself")
    move_late_bound_consts = MissingMember(_CONSTANTS)

    @property
    def constants(self) -> list[Array]:
        """Return the constants of the program as read-only arrays."""
        held = self.program.native.constants
        return [held.array(entry) for entry in held.table]

    @property
    def virtual_devices(self) -> list[Device]:
        """Return the devices that the program runs on: the CPU."""
        return [CPU]

    @property
    def stats(self) -> str:
        """Return the numbers of functions, instructions, kernels and constant bytes, as text."""
        code, size = self.program.code, self.program.native.constants.block.nbytes
        steps = sum(len(block.body) for each in code.functions for block in each.blocks)
        counts = (
            f"{len(code.functions)} functions, {steps} instructions, {len(code.kernels)} kernels"
        )
        return f"{counts}, {size} bytes of constants"

    def save(self, path: str | PathLike[str] | None = None) -> Any:
        """Write the executable to a `.relay` file; without a path, return its code and library.

        `load_exec` restores the executable from these two.
        """
        return (self.to_bytes(), self) if path is None else super().save(path)

    @staticmethod
    def load_exec(bytecode: bytes, lib: object = None) -> Executable:
        """Restore an executable from the bytes that `save` returned, which include the kernels."""
        del lib
        return Executable.from_bytes(bytecode)

    def get_function_params(self, func_name: str = "main") -> list[str]:
        """Return the names of the parameters of `main`; raises `U061` for other functions."""
        require_main(func_name)
        return list(self.input_names)

    def compilation(self) -> Report:
        """Return the compilation report that is stored with the program."""
        return report_of(self.program.native)

    def invoke(self, arrays: Sequence[Array]) -> list[Any]:
        """Interpret the program; raises the error of its trap."""
        return self._run(arrays, self._calls(KernelCalls))

    def steps(self, /, *args: Any, **named: Any) -> Iterator[Step]:
        """Run the program, and yield each instruction with the values it read and wrote."""
        held = self._held(self.admit(args, named))
        return self._machine.steps(held, self._calls(KernelCalls))

    def measure(self, arrays: Sequence[Array], repeats: int) -> Profile:
        """Return the total time of each kernel, and the remaining time in the interpreter."""
        check_repeats(repeats)
        rounds = [self._timed(arrays) for _ in range(repeats)]
        best = [min(times) * 1e3 for times in zip(*rounds, strict=True)]
        labels = [(use.label, use.symbol) for use in self.program.code.kernels]
        named = zip([*labels, ("instructions", "")], best, strict=True)
        return Profile(tuple(StepTime(label, symbol, ms) for (label, symbol), ms in named))

    def pack(self) -> Container:
        """Return the program as the contents of a file."""
        packer = Packer()
        return packer.container(self.kind, self._body(packer))

    @classmethod
    def unpack(cls, container: Container, threads: int | None) -> "VirtualExecutable":
        """Check the program in a file, and link its kernels."""
        return cls(_read_program(container), threads=threads)

    def _body(self, packer: Packer) -> dict[str, Any]:
        code, native = self.program.code, program_to_json(self.program.native, packer)
        stored = fields_to_json(_StoredCode(code.functions, code.kernels, code.tasks), packer)
        return {"version": VERSION, "program": native, **stored}

    @property
    def _scratch_bytes(self) -> int:
        native = self.program.native
        return native.workspace_bytes + self.threads * native.worker_bytes

    def _calls(self, cls: type[_Calls]) -> _Calls:
        """Return the kernels for one run, as `KernelCalls` or its subclass `cls`."""
        return cls(self._kernels, self._scratch_bytes, self.threads)

    def _held(self, arrays: Sequence[Array]) -> list[Held]:
        """Return the values for the registers of `main`'s parameters when a run begins."""
        return list(arrays)

    def _run(self, arrays: Sequence[Array], calls: KernelCalls) -> list[Held]:
        try:
            with calls.workspace.interruptible():
                return [outside(held) for held in self._machine.run(self._held(arrays), calls)]
        except RunError as error:
            found = self._library.external.explained(error, calls.report())
            raise found from found.__cause__

    def _timed(self, arrays: Sequence[Array]) -> list[float]:
        """Return the seconds of each kernel, and finally the remaining seconds."""
        calls = self._calls(TimedCalls)
        start = time.perf_counter()
        self._run(arrays, calls)
        return [*calls.seconds, time.perf_counter() - start - sum(calls.seconds)]


class VirtualDataExecutable(DataSurface, VirtualExecutable):
    """A program for the virtual machine whose inputs or results are values of data types."""

    kind = "vm-data"

    def __init__(
        self, program: VirtualProgram, external: ExternalTypes, *, threads: int | None = None
    ) -> None:
        super().__init__(program, threads=threads)
        self.external_types = external
        self.signature = data_signature(external)

    def enter(self, ty: int, given: Any, name: str, held: list[Any]) -> Any:
        """Create the heap block for a value, and return its index among those of the call."""
        held.append(make_block(self.external_types.types, ty, given, name))
        return np.int64(len(held) - 1)

    def leave(self, ty: int, number: Any) -> Any:
        """Return the value that a heap block contains."""
        return read_block(self.external_types.types, ty, number)

    def invoke(self, arrays: Sequence[Array]) -> list[Any]:
        """Interpret the program and return its one result."""
        return [self.outside(super().invoke(arrays))]

    @classmethod
    def unpack(cls, container: Container, threads: int | None) -> "VirtualDataExecutable":
        """Check the program in a file, and link its kernels."""
        program = _read_program(container)
        external = external_types_from_json(container.body, container, program.native.signature)
        return cls(program, external, threads=threads)

    def _body(self, packer: Packer) -> dict[str, Any]:
        return {**super()._body(packer), **fields_to_json(self.external_types, packer)}

    def _held(self, arrays: Sequence[Array]) -> list[Held]:
        main = self.program.code.functions[0]
        blocks: Sequence[Block] = arrays.held if isinstance(arrays, Admitted) else ()
        pairs = zip(main.kinds, arrays, strict=False)
        return [blocks[int(a)] if isinstance(kind, Object) else a for kind, a in pairs]


def _read_program(container: Container) -> VirtualProgram:
    """Return the program in a file; raises `A006` if it is invalid."""
    record = container.record
    if record.number("version") != VERSION:
        raise malformed(f"its program code is of version {record.number('version')}, not {VERSION}")
    native = program_from_json(container.body.get("program"), container)
    stored = fields_from_json(_StoredCode, container.body, container)
    code = ProgramCode(
        stored.functions, stored.kernels, native.constants, native.traps, stored.tasks
    )
    check_code(code)
    main = code.functions[0]
    _check_kinds(main.kinds[: main.parameters], native.signature.inputs)
    _check_kinds(main.results, native.signature.outputs)
    known = native.symbols | {part.symbol for part in native.external}
    if not known.issuperset(name for use in code.kernels for name in use.symbols):
        raise malformed("a kernel is not among its native code")
    return VirtualProgram(code, native)


def _check_kinds(kinds: Sequence[Kind], specs: Sequence[TensorSpec]) -> None:
    """Raise an error unless parameters and results of the code match the signature."""
    expected = [(open_shape(spec.shape), spec.dtype) for spec in specs]
    if [_outer(kind) for kind in kinds] != expected:
        raise malformed("the signature is not that of the code")


def _outer(kind: Kind) -> object:
    match kind:
        case Tensor(shape, element):
            return shape, element
        case Scalar(element):
            return (), element
        case Object():
            return (), int64  # a number that represents the value
