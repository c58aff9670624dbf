"""The executable with one native program for each combination of input shapes."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future

from relay.runtime.arguments import ArgumentChecker, Array
from relay.runtime.artefact import Container, Packer
from relay.runtime.compilation_report import Report, report_of
from relay.runtime.data_json import fields_to_json
from relay.runtime.executable import Executable
from relay.runtime.json_fields import malformed
from relay.runtime.library.write_library import unexportable
from relay.runtime.native_executable import NativeExecutable
from relay.runtime.profile import Profile
from relay.runtime.program import Program, Shape, Signature
from relay.runtime.program_json import (
    program_from_json,
    program_to_json,
    signature_from_json,
)
from relay.runtime.thread_pool import pool
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, RunError

Shapes = tuple[Shape, ...]
"""The shapes of all inputs, in order."""


class Specialising(Executable):
    """A model that is compiled again for each new combination of input shapes.

    `specialise` compiles the program for given shapes; without it only the programs in `programs`
    can run (`R011` for other shapes). The `capacity` most recently used programs stay linked.
    Threads that need the same shapes simultaneously wait for one compilation.
    """

    kind = "specialising"

    def __init__(
        self,
        signature: Signature,
        specialise: Callable[[Shapes], Program] | None = None,
        *,
        programs: Iterable[Program] = (),
        threads: int | None = None,
        capacity: int = 8,
    ) -> None:
        super().__init__(signature)
        self._specialise = specialise
        self._given = {_shapes(program): program for program in programs}
        self._threads = threads
        self._capacity = capacity
        self._linked: OrderedDict[Shapes, Future[NativeExecutable]] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def specialisations(self) -> tuple[Shapes, ...]:
        """Return the combinations of input shapes that `save` would write."""
        return tuple(self._programs())

    def prepare(self, *shapes: Sequence[int]) -> None:
        """Compile and link the program for inputs of these shapes now, ahead of calls."""
        wanted = tuple(tuple(shape) for shape in shapes)
        self._checker.check_shapes(wanted)
        pairs = zip(wanted, self.entry_signature.inputs, strict=True)
        self._executable(tuple((*s, 2) if spec.is_complex else s for s, spec in pairs))

    @property
    def threads(self) -> int:
        """Return the number of threads that one call may use."""
        return pool().threads(self._threads)

    def compilation(self) -> Report:
        """Return the report of the most recently used program."""
        programs = list(self._programs().values())
        return report_of(programs[-1]) if programs else Report()

    def invoke(self, arrays: Sequence[Array]) -> list[Array]:
        """Run the program for the shapes of `arrays`, compiling it the first time."""
        return self._executable(tuple(a.shape for a in arrays)).invoke(arrays)

    def measure(self, arrays: Sequence[Array], repeats: int) -> Profile:
        """Profile the program for the shapes of `arrays`."""
        return self._executable(tuple(a.shape for a in arrays)).measure(arrays, repeats)

    def exportable(self) -> Program:
        """Raise `A017`: a C library is one program, for one combination of shapes."""
        loose = [spec for spec in self.signature.inputs if not spec.is_static]
        raise unexportable(
            "a C library needs sizes that are known at compile time, but this model has "
            f"{', '.join(map(str, loose))}",
            f"pass the sizes to relay.compile: relay.compile(model, shapes={{'{loose[0].name}': "
            "(…)})",
        )

    def pack(self) -> Container:
        """Return the signature and the compiled programs as the contents of a file."""
        packer = Packer()
        programs = [program_to_json(p, packer) for p in self._programs().values()]
        body = {"signature": fields_to_json(self.entry_signature, packer), "programs": programs}
        return packer.container(self.kind, body)

    @classmethod
    def unpack(cls, container: Container, threads: int | None) -> "Specialising":
        """Return the executable in a file; its programs are linked on first use."""
        signature = signature_from_json(container.body.get("signature"), container)
        listed = container.record.items("programs")
        programs = [program_from_json(each, container) for each in listed]
        for program in programs:
            _check_fits(program, signature)
            program.machine.check_runs_here()
        return cls(signature, programs=programs, threads=threads)

    def _programs(self) -> dict[Shapes, Program]:
        with self._lock:
            futures = list(self._linked.items())
        made = {shapes: f.result().program for shapes, f in futures if _succeeded(f)}
        return self._given | made

    def _executable(self, shapes: Shapes) -> NativeExecutable:
        """Return the linked program for `shapes`, from the cache or compiled by this call."""
        with self._lock:
            future = self._linked.get(shapes)
            if future is not None:
                self._linked.move_to_end(shapes)
                owner = False
            else:
                future = self._linked[shapes] = Future()
                owner = True
                while len(self._linked) > self._capacity:
                    self._linked.popitem(last=False)
        if owner:
            self._fulfil(future, shapes)
        return future.result()

    def _fulfil(self, future: "Future[NativeExecutable]", shapes: Shapes) -> None:
        """Compile and link the program, and set `future` to it; failures are not cached."""
        try:
            program = self._program(shapes)
            assert _shapes(program) == shapes, "the program is for the shapes that were asked for"
            future.set_result(NativeExecutable(program, threads=self._threads))
        except BaseException as error:  # noqa: BLE001 - `result` raises it, here and in waiters
            with self._lock:
                if self._linked.get(shapes) is future:
                    del self._linked[shapes]
            future.set_exception(error)

    def _program(self, shapes: Shapes) -> Program:
        if shapes in self._given:
            return self._given[shapes]
        if self._specialise is not None:
            return self._specialise(shapes)
        raise RunError(
            ErrorCode.R011,
            f"the file has no compiled code for inputs of the shapes {self._describe(shapes)}",
            notes=[f"it has code for {self._describe(known)}" for known in self._given],
            help="compile the model for these shapes, and save it again",
        )

    def _describe(self, shapes: Shapes) -> str:
        named = zip(self.signature.inputs, shapes, strict=True)
        return ", ".join(f"{spec.name}: {list(shape)}" for spec, shape in named)


def _shapes(program: Program) -> Shapes:
    return tuple(spec.static_shape for spec in program.signature.inputs)


def _succeeded(future: "Future[NativeExecutable]") -> bool:
    return future.done() and future.exception() is None


def _check_fits(program: Program, signature: Signature) -> None:
    """Raise `A006` if a program in a file does not match the file's signature."""
    own = program.signature
    if not own.is_static:
        raise malformed("a program of this kind has symbolic dimensions")
    types = [[s.outer.dtype for s in (*sig.inputs, *sig.outputs)] for sig in (own, signature)]
    if types[0] != types[1] or len(own.inputs) != len(signature.inputs):
        raise malformed("a program does not fit the signature")
    try:
        ArgumentChecker(signature).check_shapes([s.static_shape for s in own.outer.inputs])
    except RelayError as error:
        raise malformed(f"a program does not fit the signature: {error.message}") from error
