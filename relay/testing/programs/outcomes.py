"""What comes of a program: a value, or the reason why it stopped."""

from collections.abc import Callable
from typing import TypeAlias

from relay.semantics.values import Value
from relay.support.errors import RunError
from relay.support.node import Value as Content
from relay.support.node import value
from relay.testing.programs.values import same


@value
class Stopped(Content):
    """That a program stopped: the code of the error, and where."""

    error: str
    place: str


Outcome: TypeAlias = "Value | Stopped"


def outcome(run: Callable[[], Value]) -> Outcome:
    """Return what a program gives, or why and where it stopped."""
    try:
        return run()
    except RunError as error:
        noted = [note.removeprefix("at ") for note in error.notes if note.startswith("at ")]
        place = str(error.span) if error.span is not None else "".join(noted)
        return Stopped(error.code, place)


def alike(a: Outcome, b: Outcome) -> bool:
    """Whether two programs gave the same, or stopped for one reason, wherever that was."""
    if isinstance(a, Stopped) or isinstance(b, Stopped):
        return isinstance(a, Stopped) and isinstance(b, Stopped) and a.error == b.error
    return same(a, b)
