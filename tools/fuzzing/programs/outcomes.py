"""The outcome of a program, a value or a trap, and the set of right outcomes."""

from collections.abc import Callable
from typing import TypeAlias

from relay.ir.module import Module
from relay.semantics.collect_traps import collect
from relay.semantics.evaluator_values import Argument, Value
from relay.support.errors import RelayError, RunError
from relay.support.node import Value as Content
from relay.support.node import node, value
from tools.fuzzing.programs.values import same


@value
class Trapped(Content):
    """A trap of a program: the error code and the place."""

    error: str
    place: str


Outcome: TypeAlias = "Value | Trapped"


def outcome(run: Callable[[], Value]) -> Outcome:
    """Return the value of a program, or its trap."""
    try:
        return run()
    except RunError as error:
        return _trapped(error)


def _trapped(error: RelayError) -> Trapped:
    noted = [note.removeprefix("at ") for note in error.notes if note.startswith("at ")]
    place = str(error.span) if error.span is not None else "".join(noted)
    return Trapped(error.code, place)


@node
class Expected:
    """The right outcomes of a program: its value unless it must trap, or any of its traps.

    Traps are imprecise (`relay.semantics.collect_traps`): a program may report any one of several.
    """

    value: Value
    traps: frozenset[Trapped]
    must_trap: bool
    any_trap: bool = False

    @property
    def outcome(self) -> Outcome:
        """Return one right outcome: the value, if there is one."""
        return min(self.traps, key=repr) if self.must_trap else self.value

    def allows(
        self, found: Outcome, agrees: Callable[[Value, Value], bool] = same, *, placed: bool = True
    ) -> bool:
        """Whether an outcome is right; the place of a trap counts only if it is `placed`."""
        if not isinstance(found, Trapped):
            return not self.must_trap and agrees(found, self.value)
        if self.any_trap or found in self.traps:
            return True
        return not placed and found.error in {trap.error for trap in self.traps}


def expected(module: Module, *args: Argument) -> Expected:
    """Return the right outcomes of a program, by the evaluator."""
    try:
        found = collect(module, *args)
    except RunError as error:  # the arguments do not match
        return Expected((), frozenset({_trapped(error)}), must_trap=True)
    traps = frozenset(map(_trapped, found.traps))
    return Expected(found.value, traps, found.must_trap, found.any_trap)
