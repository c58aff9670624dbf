"""Programs as plain Python: decorated functions that call each other without Relay."""

from collections.abc import Mapping
from types import CellType, FunctionType
from typing import cast

from relay.frontend.python.unit import Decorated


def plain(function: FunctionType) -> FunctionType:
    """Return the function as Python runs it, whatever decorated functions it reaches by name.

    The names outside of it are those of now.
    """
    return _Copies().function(function)


class _Copies:
    """Copies of functions, and of the namespaces in which they find each other."""

    def __init__(self) -> None:
        self._functions: dict[FunctionType, FunctionType] = {}
        self._names: dict[int, dict[str, object]] = {}

    def function(self, original: FunctionType) -> FunctionType:
        """Return the copy; recursion follows calls between files and enclosing functions."""
        if original not in self._functions:
            names, cells = self._namespace(original), original.__closure__ or ()
            copies = [CellType() for _ in cells]
            made = FunctionType(
                original.__code__, names, None, original.__defaults__, tuple(copies)
            )
            made.__kwdefaults__ = original.__kwdefaults__
            self._functions[original] = made
            for cell, copy in zip(cells, copies, strict=True):
                self._fill(cell, copy)
        return self._functions[original]

    def _namespace(self, original: FunctionType) -> dict[str, object]:
        names: Mapping[str, object] = original.__globals__
        if id(names) not in self._names:
            copy = self._names[id(names)] = dict(names)
            copy |= {name: self._object(each) for name, each in names.items()}
        return self._names[id(names)]

    def _fill(self, cell: CellType, copy: CellType) -> None:
        try:
            copy.cell_contents = self._object(cast("object", cell.cell_contents))
        except ValueError:  # assigned later, so it stays empty
            return

    def _object(self, content: object) -> object:
        return self.function(content.original) if isinstance(content, Decorated) else content
