"""Find containers that are referenced only from Python's call stack.

These are local variables of callers and operands under evaluation.
"""

import sys
from collections.abc import Container, Generator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from relay.frontend.python.tracing.mutable_state import State
from relay.frontend.python.tracing.path_merging import held_by


class PythonStack:
    """The active Python frames above the one that started the trace."""

    def __init__(self, unit: Any) -> None:
        self._unit = unit
        self._bottom = sys._getframe(2)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - what Python has
        self._unseen = 0  # how many calls of libraries are active that call functions of the user
        self._waiting: dict[FrameType, list[tuple[Any, int, int]]] = {}

    @contextmanager
    def unseen(self) -> Generator[None]:
        """Record that library code runs, which may hold values that cannot be inspected."""
        self._unseen += 1
        try:
            yield
        finally:
            self._unseen -= 1

    def waiting(self, value: Any, first: int, last: int) -> Any:
        """Return `value`, which is on Python's stack during these lines, and record it."""
        frame = sys._getframe(1)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - what Python has
        held = [each for each in self._waiting.get(frame, ()) if each[1:] == (first, last)]
        self._waiting[frame] = [*held, (value, first, last)]
        return value

    def holds(self, before: State) -> Container[int]:
        """Return the ids of the containers and array memories that active Python frames refer to.

        Their local variables and pending operands are searched. References of library code are
        invisible: if it is active, all containers that existed in the state `before` are included.
        """
        found = set[int]()
        frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - what Python has
        while frame is not None and frame is not self._bottom:
            code, home = frame.f_code, str(frame.f_globals.get("__name__"))
            if self._unit.is_own_code(code):
                closed = (*code.co_cellvars, *code.co_freevars)
                own = [each for name, each in frame.f_locals.items() if name not in closed]
                lines = self._waiting.get(frame, ())
                own += [each for each, a, b in lines if a <= frame.f_lineno <= b]
                found |= {id(part) for each in own for part in held_by(each)}
            elif not home.startswith("relay.") or self._unseen:
                return before.held
            frame = frame.f_back
        return found
