"""The executable for a named target machine, which may differ from this one."""

from collections.abc import Sequence
from functools import cached_property

from relay.runtime.arguments import Array
from relay.runtime.artefact import Container
from relay.runtime.compilation_report import Report, report_of
from relay.runtime.executable import Executable
from relay.runtime.library.object_files import assembled
from relay.runtime.native_executable import NativeExecutable, packed
from relay.runtime.profile import Profile
from relay.runtime.program import Program


class CrossExecutable(Executable):
    """A program for a named machine: saved and exported anywhere, called only on that machine.

    Its code stays bitcode until it is saved, exported or called. A call or a profile on another
    machine raises `A007` or `A008`. A saved program is loaded as a `NativeExecutable`.
    """

    def __init__(self, program: Program, *, threads: int | None = None) -> None:
        super().__init__(program.signature)
        self.program = program
        self._threads = threads

    @cached_property
    def native(self) -> NativeExecutable:
        """Return the same program, linked into this process; raises `A007` or `A008`."""
        self.program.machine.check_runs_here()
        return NativeExecutable(assembled(self.program), threads=self._threads)

    @property
    def threads(self) -> int:
        """Return the number of threads that one call may use."""
        return self.native.threads

    def compilation(self) -> Report:
        """Return the compilation report that is stored with the program."""
        return report_of(self.program)

    def exportable(self) -> Program:
        """Return the program to export as a C library."""
        return self.program

    def invoke(self, arrays: Sequence[Array]) -> list[Array]:
        """Run the program; raises `A007` or `A008` on another machine."""
        return self.native.invoke(arrays)

    def measure(self, arrays: Sequence[Array], repeats: int) -> Profile:
        """Profile the program; raises `A007` or `A008` on another machine."""
        return self.native.measure(arrays, repeats)

    def pack(self) -> Container:
        """Return the program as the contents of a file that the target machine can load."""
        return packed(assembled(self.program))

    @classmethod
    def unpack(cls, container: Container, threads: int | None) -> Executable:
        """Return the executable in a file, with its program linked into this process."""
        return NativeExecutable.unpack(container, threads)
