"""The base class of all executables.

`Executable` has a signature, a call, a profile and a file. How a program runs depends on its
*kind*, a subclass: `NativeExecutable` calls one native function, `Specialising` has one native
program for each combination of shapes. A new kind subclasses `Executable`, implements `invoke`,
`measure`, `pack` and `unpack`, and sets `kind`; checks of arguments, names, results and files are
inherited. `docs/artefact.md` has an example and its file.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Self

from relay.runtime.arguments import ArgumentChecker, Array
from relay.runtime.artefact import (
    Container,
    container_bytes,
    container_from_bytes,
    parse_container,
    write_container,
)
from relay.runtime.code.signature import DataSignature
from relay.runtime.compilation_report import Report
from relay.runtime.complex_arrays import outer_arrays
from relay.runtime.explanation import Explanation, sample_inputs
from relay.runtime.input_defaults import Defaults, completed, defaults_of, with_defaults
from relay.runtime.library.files_for_python import (
    ARCHIVE,
    artefact_in,
    write_archive,
    write_without_functions,
)
from relay.runtime.library.write_library import (
    SHARED,
    refuse_library_name,
    unexportable,
    write_library,
)
from relay.runtime.profile import Profile
from relay.runtime.program import Program, Signature, TensorSpec
from relay.runtime.roofline import roofline
from relay.runtime.session_names import SessionNames
from relay.runtime.written_inputs import writable, write_back
from relay.support.error_codes import ErrorCode
from relay.support.errors import ArtefactError, UsageError
from relay.support.misspelt_options import suggests_options


class Executable(SessionNames, ABC):
    """A compiled model that is called with arrays; the base of all kinds of executables."""

    kind: ClassVar[str]
    """The name of the kind in artefacts; every class has its own."""

    def __init__(self, signature: Signature) -> None:
        self.signature: Signature | DataSignature = signature.outer
        self.defaults: Defaults = {}
        self.written: Sequence[int] = ()
        self._last: tuple[Any, ...] = ()  # the defaults of the last inputs
        self._first = 0  # the number of the inputs before them
        self._checker = ArgumentChecker(signature)
        self._has_complex = signature.has_complex

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.signature}>"

    def __call__(self, /, *args: Any, **named: Any) -> Any:
        """Run the model; inputs are passed by position or by name, as NumPy or DLPack arrays.

        Returns one new array, or a tuple of arrays if the model returns a tuple. Several threads
        may call simultaneously. Raises run errors (`R…`) for invalid arguments and for traps.
        """
        return self._writing(args, named) if self.written else self._called(args, named)

    def with_defaults(self, defaults: Defaults) -> Self:
        """Set defaults of inputs by name, which calls may then omit; return the executable.

        An array is read at each call, so later writes to it have an effect.
        """
        self.defaults, names = dict(defaults), list(self.input_names)
        self._first = len(names)
        while self._first and names[self._first - 1] in defaults:
            self._first -= 1
        self._last = tuple(defaults[name] for name in names[self._first :])
        return self

    def with_written(self, names: Sequence[str]) -> Self:
        """Let calls copy the results after the first to the inputs `names`; return this executable.

        Calls return the first result only; `run` and `invoke` return all. Calls raise `R016` for an
        input that is not writable.
        """
        known = list(self.input_names)
        self.written = tuple(map(known.index, names))
        return self

    def _writing(self, args: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Run a call; return its first result, and copy the others to inputs."""
        given = self.ordered(args, named)
        arrays = writable(given, self.written, self.input_names)
        return write_back(self._called(given, {}), arrays)

    @property
    def entry_signature(self) -> Signature:
        """Return the signature of the arrays that `admit` and `invoke` return.

        It equals `signature`, except that tuples are flattened, values are represented by numbers,
        and complex arrays by real ones with a last axis of size 2.
        """
        return self._checker.signature

    @property
    def input_names(self) -> Sequence[str]:
        """Return the names of the inputs, in order."""
        return [spec.name for spec in self.signature.inputs]

    def _called(self, args: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Return the result of a call, made through the Python call path."""
        results = self.outer_results(self.invoke(self.admit(args, named)))
        return tuple(results) if self.signature.is_tuple else results[0]

    def outer_results(self, results: list[Any]) -> list[Any]:
        """Return what `invoke` returned as callers get it: with complex arrays."""
        specs = self.entry_signature.outputs
        return outer_arrays(results, specs) if self._has_complex else results

    def run(self, /, *args: Any, **named: Any) -> dict[str, Array]:
        """Run the model like a call, and return its outputs by name."""
        found = self(*args, **named)
        results = found if self.signature.is_tuple else (found,)
        return {spec.name: r for spec, r in zip(self.signature.outputs, results, strict=True)}

    def profile(self, *args: Any, repeats: int = 10, **named: Any) -> Profile:
        """Run the model step by step, `repeats` times, and return the fastest time of each step."""
        return self.measure(self.admit(args, named), repeats)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the executable to a `.relay` file, which atomically replaces an existing file.

        Raises `A009` if the file cannot be written, `A015` if it has the name of a C library.
        """
        refuse_library_name(path)
        write_container(path, self._container())

    def to_bytes(self) -> bytes:
        """Return the content of the executable's `.relay` file, which `from_bytes` restores."""
        return container_bytes(self._container())

    @staticmethod
    def from_bytes(content: bytes, *, threads: int | None = None) -> "Executable":
        """Restore an executable from the content of a `.relay` file; raises as `load` does."""
        return _unpacked(container_from_bytes(content), threads)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return a function and its arguments that restore the executable, for pickle and copy."""
        return _from_pickle, (self.to_bytes(), self.threads)

    def _container(self) -> Container:
        packed = self.pack()
        if self.written:
            body = {**packed.body, "written": list(self.written)}
            packed = Container(packed.kind, body, packed.sections)
        return with_defaults(packed, self.defaults) if self.defaults else packed

    def export(self, path: str | PathLike[str]) -> None:
        """Write the model as a C library that contains its weights, and a header.

        `m.so` is a shared library, `m.o` an object file to link; both need neither Python nor
        Relay. Its functions start with the name of the file: `m_run`. Raises `A009` if a file
        cannot be written, `A013`…`A017` if the model cannot be exported.
        """
        write_library(self.exportable(), path)

    def export_library(self, path: str | PathLike[str]) -> None:
        """Write a file that `load` and `relay.runtime.load_module` open (TVM's name of `save`).

        The suffix determines the format: `.relay`, `.tar` (an archive with a `.relay` file), or a
        shared library with a `.relay` file inside. The library also has the C functions of
        `export`, if the model can be exported. A `.o` file is only for C.
        """
        suffix = Path(path).suffix
        if suffix == ".relay":
            self.save(path)
        elif suffix == ARCHIVE:
            write_archive(path, self.to_bytes())
        elif suffix in SHARED:
            self._export_with_artefact(path)
        else:
            self.export(path)

    def _export_with_artefact(self, path: str | PathLike[str]) -> None:
        """Write a shared library that contains the `.relay` file."""
        try:
            write_library(self.exportable(), path, self._container())
        except ArtefactError as error:
            if error.code != ErrorCode.A017:
                raise
            write_without_functions(path, self._container())

    @staticmethod
    @suggests_options
    def load(
        path: str | PathLike[str], *, threads: int | None = None, verify: bool = True
    ) -> "Executable":
        """Open a `.relay` file, or a library or archive of `export_library`, which contains one.

        Constants stay in the file and are mapped into memory.
        `threads` bounds the threads of a call (one per CPU by default). `verify=False` skips the
        checksums of the file's sections. Raises artefact errors (`A…`).
        """
        return _unpacked(parse_container(artefact_in(path), verify=verify), threads)

    def exportable(self) -> Program:
        """Return the program to export as a C library; raises `A017` if there is none."""
        raise unexportable(
            f"{self!r} is not a single native program, which a C library needs to be",
            "export a model that `relay.compile` returned",
        )

    def admit(self, args: Sequence[Any], named: Mapping[str, Any]) -> list[Array]:
        """Return the arrays for the arguments of a call; raises `R…` if they are invalid.

        The list keeps alive all objects to which the arrays refer.
        """
        return self._checker.admit(args, self.completed(args, named))

    def samples(self) -> list[Array]:
        """Return generated inputs for measurements; raises `U018` if they cannot be generated."""
        return sample_inputs(self.entry_signature)

    def ordered(self, args: Sequence[Any], named: Mapping[str, Any]) -> Sequence[Any]:
        """Return the arguments of a call in the order of the inputs; `R…` if any is missing."""
        return self._checker.order(args, self.completed(args, named))

    def completed(self, args: Sequence[Any], named: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the named arguments of a call, plus defaults for the inputs that it omits."""
        if not self.defaults:
            return named
        return completed(self.input_names, args, named, self.defaults)

    @property
    def report(self) -> tuple[tuple[str, float], ...]:
        """Return pairs of a pass of the compilation and its seconds; none if they are unknown."""
        return self.compilation().seconds

    def explain(self, *args: Any, repeats: int = 10, **named: Any) -> Explanation:
        """Return what the compiler did, and the time of each kernel relative to hardware limits.

        Print the result. Inputs are as in a call; without inputs, generated ones are measured,
        which raises `U018` for a model with dynamic dimensions.
        """
        return self.explained(self.admit(args, named) if args or named else self.samples(), repeats)

    def explained(self, arrays: Sequence[Array], repeats: int) -> Explanation:
        """Return the explanation of a run with inputs that `admit` returned."""
        profile = self.measure(arrays, repeats)
        return Explanation(self.compilation(), profile, roofline(), self.threads)

    def each(self, inputs: Iterable[Any], *args: Any, **named: Any) -> list[Any]:
        """Return the result for each of many inputs; requires compilation with `batch=True`.

        This and the two methods below raise `U065` for other executables.
        """
        del inputs, args, named
        raise self._one_at_a_time()

    def profile_each(
        self, inputs: Iterable[Any], *args: Any, repeats: int = 10, **named: Any
    ) -> Profile:
        """Profile one run over many inputs; see `profile` and `each`."""
        del inputs, args, repeats, named
        raise self._one_at_a_time()

    def explain_each(
        self, inputs: Iterable[Any], *args: Any, repeats: int = 10, **named: Any
    ) -> Explanation:
        """Explain one run over many inputs; see `explain` and `each`."""
        del inputs, args, repeats, named
        raise self._one_at_a_time()

    def _one_at_a_time(self) -> UsageError:
        """Return the error `U065`: the executable does not take many inputs."""
        if all(isinstance(spec, TensorSpec) for spec in self.signature.inputs):
            return UsageError(
                ErrorCode.U065,
                "executable.each needs a model that takes a data type, but this model takes "
                "tensors only",
                notes=[repr(self)],
                help="call the model for each input, or add a batch axis to its tensors",
            )
        return UsageError(
            ErrorCode.U065,
            "this executable takes one input at a time, so it has no `each`",
            notes=[repr(self)],
            help="compile the model with relay.compile(model, batch=True) to use `each`",
        )

    @property
    def threads(self) -> int:
        """Return the number of threads that a call may use: 1, unless a subclass overrides it."""
        return 1

    def compilation(self) -> Report:
        """Return the report of the compilation; an empty one if it is unknown."""
        return Report()

    @abstractmethod
    def invoke(self, arrays: Sequence[Array]) -> list[Array]:
        """Run the program with inputs that `admit` returned; return the outputs in order."""

    @abstractmethod
    def measure(self, arrays: Sequence[Array], repeats: int) -> Profile:
        """Run the program `repeats` times; return the fastest time of each step."""

    @abstractmethod
    def pack(self) -> Container:
        """Return the file contents from which `unpack` restores this executable."""

    @classmethod
    @abstractmethod
    def unpack(cls, container: Container, threads: int | None) -> "Executable":
        """Return the executable whose file contents, made by `pack`, are in `container`."""


def _unpacked(container: Container, threads: int | None) -> Executable:
    for cls in _kinds(Executable):
        if cls.kind == container.kind:
            made = cls.unpack(container, threads).with_defaults(defaults_of(container))
            written = container.record.numbers("written") if "written" in container.body else ()
            return made.with_written([made.input_names[place] for place in written])
    raise ArtefactError(
        ErrorCode.A010,
        (f"the file holds an executable of the kind '{container.kind}', which is not known here"),
        help="import the package that defines this kind, or use a newer Relay",
    )


def _from_pickle(content: bytes, threads: int) -> Executable:
    return Executable.from_bytes(content, threads=threads)


def _kinds(root: type[Executable]) -> list[type[Executable]]:
    """Return all concrete subclasses of `root` that are defined in this process."""
    found: list[type[Executable]] = []
    pending = [root]
    while pending:
        cls = pending.pop()
        pending += cls.__subclasses__()
        if "kind" in cls.__dict__:
            found.append(cls)
    return found
