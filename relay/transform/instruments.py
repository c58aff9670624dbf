"""Pass instruments: objects whose methods are called around each pass, and which may skip passes.

A `PassContext` has instruments. Their methods are called when its block begins and ends, and before
and after each pass in it.
"""

import sys
import time
from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar, cast

from relay.ir.field_validation import names_in
from relay.ir.module import Module
from relay.semantics.well_formed import check_types, check_well_formed
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError, RelayError, UsageError
from relay.support.late_binding import module_above
from relay.support.write_file import make_folder, write_text

_Class = TypeVar("_Class", bound=type)


class PassInfo(Protocol):
    """The description of a pass that instruments receive."""

    @property
    def name(self) -> str:
        """The name of the pass in TVM; for passes that TVM lacks, that on the command line."""
        ...

    @property
    def opt_level(self) -> int:
        """Return the lowest level at which a `PassContext` runs the pass."""
        ...

    @property
    def traceable(self) -> bool:
        """Return false: no pass is recorded by traces, which only TVM's `PassContext` has."""
        ...


class PassInstrument:
    """The base of instruments; by default, each method does nothing, and every pass runs.

    `should_run` is called for TVM's passes, for those of users, and for the passes of a compilation
    that run at a level above 0. Passes that a compilation needs, or that another pass requires,
    always run.
    """

    def enter_pass_ctx(self) -> None:
        """Start observing, at the beginning of a `with PassContext(instruments=[…])` block."""

    def exit_pass_ctx(self) -> None:
        """Stop observing, at the end of a `with PassContext(instruments=[…])` block."""

    def should_run(self, mod: Module, info: PassInfo) -> bool:
        """Whether a pass may run; it runs if all instruments agree."""
        del mod, info
        return True

    def run_before_pass(self, mod: Module, info: PassInfo) -> None:
        """Observe the module before a pass."""

    def run_after_pass(self, mod: Module, info: PassInfo) -> None:
        """Observe the module after a pass."""


def pass_instrument(cls: _Class) -> _Class:
    """Return an instrument class that extends a class with some of the methods; a decorator.

    >>> @pass_instrument
    ... class Names:
    ...     def run_before_pass(self, mod, info):
    ...         print(info.name)
    >>> isinstance(Names(), PassInstrument)
    True
    """
    made: Any = type(cls.__name__, (cls, PassInstrument), {"__doc__": cls.__doc__})
    return made


ACTIVE: ContextVar[tuple[PassInstrument, ...]] = ContextVar("relay pass instruments", default=())
"""The instruments of the innermost context."""


def instruments_of(given: object) -> tuple[PassInstrument, ...]:
    """Return one instrument or a collection of them as a tuple.

    Raises `U075` for objects that are not instruments.
    """
    several = cast("Collection[object]", given) if isinstance(given, Collection) else (given,)
    found: list[PassInstrument] = []
    for each in () if given is None else several:
        if not isinstance(each, PassInstrument):
            help_ = "write @relay.transform.pass_instrument above its class"
            raise UsageError(
                ErrorCode.U075,
                f"an object of the class {type(each).__name__} is not a pass instrument",
                help=help_,
            )
        found.append(each)
    return tuple(found)


def enter_all(instruments: Sequence[PassInstrument]) -> None:
    """Notify all instruments that a context begins.

    If one of them fails, those before it are notified that the context ends, the last one first.
    """
    entered: list[PassInstrument] = []
    try:
        for each in instruments:
            each.enter_pass_ctx()
            entered.append(each)
    except BaseException:
        for each in reversed(entered):
            each.exit_pass_ctx()
        raise


def exit_all(instruments: Sequence[PassInstrument]) -> None:
    """Notify all instruments that the context ends."""
    for each in instruments:
        each.exit_pass_ctx()


@contextmanager
def user_code() -> Generator[None]:
    """Mark exceptions of the block, which calls code of users: no pass is to blame for them.

    This code is that of instruments, rules, and predicates of patterns.
    """
    try:
        yield
    except BaseException as error:
        vars(error)[_BY_USER] = True
        raise


def is_of_user(error: BaseException) -> bool:
    """Whether an instrument or a user's function raised an exception, and not the pass itself."""
    return _BY_USER in vars(error)


_BY_USER = "_relay_raised_by_user"
"""The attribute of exceptions that instruments raised."""


class _Timed(NamedTuple):
    depth: int
    name: str
    seconds: float
    own: float


class PassTimingInstrument(PassInstrument):
    """An instrument that measures the time of each pass; `render()` returns the times as a tree.

    >>> PassTimingInstrument().render()
    'no pass has run'
    """

    def __init__(self) -> None:
        self._times: list[_Timed | None] = []
        self._open: list[tuple[int, float, float]] = []  # line, start, time of nested passes

    def enter_pass_ctx(self) -> None:
        """Discard the measurements of earlier contexts."""
        self._times.clear()
        self._open.clear()

    def run_before_pass(self, mod: Module, info: PassInfo) -> None:
        """Record the time at which a pass begins."""
        self._open.append((len(self._times), time.perf_counter(), 0.0))
        self._times.append(None)

    def run_after_pass(self, mod: Module, info: PassInfo) -> None:
        """Record the duration of a pass, and subtract it from that of the enclosing pass."""
        line, begin, inside = self._open.pop()
        seconds = time.perf_counter() - begin
        self._times[line] = _Timed(len(self._open), info.name, seconds, seconds - inside)
        if self._open:
            around, start, others = self._open.pop()
            self._open.append((around, start, others + seconds))

    def render(self) -> str:
        """Return a line for each pass: its name, total time, and time without nested passes."""
        lines = [
            f"{'  ' * each.depth}{each.name}: {each.seconds * 1e3:.2f} ms ({each.own * 1e3:.2f} ms)"
            for each in self._times
            if each is not None
        ]
        return "\n".join(lines) or "no pass has run"


_NAMES = 'print_before_pass_names=["fold-constants"]'


def require_passes(names: Collection[str]) -> None:
    """Require that each string is the name of a pass, here or in TVM; raises `U320` otherwise."""
    if names:
        module_above("relay.transform.parse_passes").require_names(names)


class PassPrintingInstrument(PassInstrument):
    """An instrument that prints the module before and after the named passes."""

    def __init__(
        self,
        print_before_pass_names: Collection[str] = (),
        print_after_pass_names: Collection[str] = (),
    ) -> None:
        self._before = frozenset(
            names_in("print_before_pass_names", print_before_pass_names, _NAMES)
        )
        self._after = frozenset(names_in("print_after_pass_names", print_after_pass_names, _NAMES))
        self._seen: set[str] = set()

    def exit_pass_ctx(self) -> None:
        """Raise `U320` for a name that neither a pass of Relay nor a pass defined by users has."""
        if sys.exception() is None:
            require_passes((self._before | self._after) - self._seen)

    def run_before_pass(self, mod: Module, info: PassInfo) -> None:
        """Print the module if it must be printed before this pass."""
        self._seen.add(info.name)
        if info.name in self._before:
            print_module(mod, f"before {info.name}")

    def run_after_pass(self, mod: Module, info: PassInfo) -> None:
        """Print the module if it must be printed after this pass."""
        if info.name in self._after:
            print_module(mod, f"after {info.name}")


class PrintBeforeAll(PassInstrument):
    """An instrument that prints the module before each pass."""

    def run_before_pass(self, mod: Module, info: PassInfo) -> None:
        """Print the module before the pass."""
        print_module(mod, f"before {info.name}")


class PrintAfterAll(PassInstrument):
    """An instrument that prints the module after each pass."""

    def run_after_pass(self, mod: Module, info: PassInfo) -> None:
        """Print the module after the pass."""
        print_module(mod, f"after {info.name}")


class PassDumpInstrument(PassInstrument):
    """An instrument that writes the module before and after each pass to files of a folder.

    The files are named by a number and the pass: `007-fold-constants-before.rly`. The values of
    large constants are left out. Raises `U015` if a file cannot be written.
    """

    def __init__(self, folder: str | PathLike[str]) -> None:
        self._folder = Path(folder)
        self._count = 0
        self._open: list[int] = []

    def run_before_pass(self, mod: Module, info: PassInfo) -> None:
        """Write the module before the pass to a numbered file."""
        self._open.append(self._count)
        self._count += 1
        self._write(mod, self._open[-1], f"{info.name}-before")

    def run_after_pass(self, mod: Module, info: PassInfo) -> None:
        """Write the module after the pass to a file with the number of its first file."""
        self._write(mod, self._open.pop(), f"{info.name}-after")

    def _write(self, mod: Module, number: int, name: str) -> None:
        path = self._folder / f"{number:03}-{name}.rly"
        make_folder(self._folder)
        write_text(path, mod.astext(show_meta_data=False))


class PassCheckInstrument(PassInstrument):
    """An instrument that checks the scopes and types of the module after each pass (`C040`)."""

    def run_after_pass(self, mod: Module, info: PassInfo) -> None:
        """Check scopes and types of the module; raise `C040` if the pass has broken them."""
        try:
            check_well_formed(mod)
            check_types(mod)
        except RelayError as error:
            message = f"the pass {info.name} made the program invalid: {error.message}"
            help_ = "report this defect of the pass to its authors, with the program"
            raise CompileError(ErrorCode.C040, message, span=error.span, help=help_) from error


def print_module(mod: Module, header: str, *, show_meta_data: bool = False) -> None:
    """Write a module to the standard output, after the comment `header`."""
    sys.stdout.write(f"// {header}\n{mod.astext(show_meta_data).rstrip()}\n\n")
