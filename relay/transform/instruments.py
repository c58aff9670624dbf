"""Instruments: observers of passes, which may also skip them.

A `PassContext` has instruments, whose methods are called when its block begins and ends, and before
and after each pass in it.
"""

import sys
import time
from collections.abc import Collection, Sequence
from contextvars import ContextVar
from typing import Any, NamedTuple, Protocol, TypeVar, cast

from relay.ir.module import Module
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError

_Class = TypeVar("_Class", bound=type)


class PassInfo(Protocol):
    """What instruments are told of a pass."""

    @property
    def name(self) -> str:
        """Return the name of the pass: a classic one, or that on the command line."""
        ...

    @property
    def opt_level(self) -> int:
        """Return the level from which a `PassContext` runs the pass."""
        ...


class PassInstrument:
    """The base of instruments; each method does nothing, and lets every pass run.

    `should_run` is asked of passes that have a classic name. What a compilation needs always runs.
    """

    def enter_pass_ctx(self) -> None:
        """Begin, at the begin of a `with PassContext(instruments=[…])` block."""

    def exit_pass_ctx(self) -> None:
        """End, at the end of that block."""

    def should_run(self, mod: Module, info: PassInfo) -> bool:
        """Whether a pass is to run; it does if all instruments say so."""
        del mod, info
        return True

    def run_before_pass(self, mod: Module, info: PassInfo) -> None:
        """Look at the module before a pass."""

    def run_after_pass(self, mod: Module, info: PassInfo) -> None:
        """Look at the module after a pass."""


def pass_instrument(cls: _Class) -> _Class:
    """Make a class of instruments of one that has some of the methods. To be used as a decorator.

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
    """Return instruments as a tuple; raises `U075` for what is none."""
    several = cast("Collection[object]", given) if isinstance(given, Collection) else (given,)
    found: list[PassInstrument] = []
    for each in () if given is None else several:
        if not isinstance(each, PassInstrument):
            help_ = "decorate its class with relay.transform.pass_instrument"
            raise UsageError(
                ErrorCode.U075, f"{type(each).__name__} is no pass instrument", help=help_
            )
        found.append(each)
    return tuple(found)


def enter_all(instruments: Sequence[PassInstrument]) -> None:
    """Let all begin; if one fails, those before it end, the last one first."""
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
    """Let all end."""
    for each in instruments:
        each.exit_pass_ctx()


class _Timed(NamedTuple):
    depth: int
    name: str
    seconds: float
    own: float


class PassTimingInstrument(PassInstrument):
    """Measures how long each pass takes; `render()` returns the times as a tree.

    >>> PassTimingInstrument().render()
    'no pass has run'
    """

    def __init__(self) -> None:
        self._times: list[_Timed | None] = []
        self._open: list[tuple[int, float, float]] = []  # its line, its begin, time of passes in it

    def enter_pass_ctx(self) -> None:
        """Forget what was measured before."""
        self._times.clear()
        self._open.clear()

    def run_before_pass(self, mod: Module, info: PassInfo) -> None:
        """Start the clock of a pass."""
        self._open.append((len(self._times), time.perf_counter(), 0.0))
        self._times.append(None)

    def run_after_pass(self, mod: Module, info: PassInfo) -> None:
        """Stop it; what is around the pass has not taken that time itself."""
        line, begin, inside = self._open.pop()
        seconds = time.perf_counter() - begin
        self._times[line] = _Timed(len(self._open), info.name, seconds, seconds - inside)
        if self._open:
            around, start, others = self._open.pop()
            self._open.append((around, start, others + seconds))

    def render(self) -> str:
        """Return a line for each pass: its name, its time, and that without the passes in it."""
        lines = [
            f"{'  ' * each.depth}{each.name}: {each.seconds * 1e3:.2f} ms ({each.own * 1e3:.2f} ms)"
            for each in self._times
            if each is not None
        ]
        return "\n".join(lines) or "no pass has run"


class PassPrintingInstrument(PassInstrument):
    """Prints the module before and after the passes that are named."""

    def __init__(
        self,
        print_before_pass_names: Collection[str] = (),
        print_after_pass_names: Collection[str] = (),
    ) -> None:
        self._before = frozenset(print_before_pass_names)
        self._after = frozenset(print_after_pass_names)

    def run_before_pass(self, mod: Module, info: PassInfo) -> None:
        """Print the module that a pass is given."""
        if info.name in self._before:
            print_module(mod, f"before {info.name}")

    def run_after_pass(self, mod: Module, info: PassInfo) -> None:
        """Print the module that a pass has made."""
        if info.name in self._after:
            print_module(mod, f"after {info.name}")


class PrintBeforeAll(PassInstrument):
    """Prints the module before each pass."""

    def run_before_pass(self, mod: Module, info: PassInfo) -> None:
        """Print it."""
        print_module(mod, f"before {info.name}")


class PrintAfterAll(PassInstrument):
    """Prints the module after each pass."""

    def run_after_pass(self, mod: Module, info: PassInfo) -> None:
        """Print it."""
        print_module(mod, f"after {info.name}")


def print_module(mod: Module, header: str, *, show_meta_data: bool = False) -> None:
    """Write a module to the standard output, under a comment."""
    sys.stdout.write(f"// {header}\n{mod.astext(show_meta_data).rstrip()}\n\n")
