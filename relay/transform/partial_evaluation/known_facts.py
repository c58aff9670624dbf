"""Tables of the facts known at a point of the program being written, with undo."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from relay.ir.expr import Expr
from relay.support.node import node
from relay.transform.partial_evaluation.static_values import Static, StaticCell

Mark: TypeAlias = int
"""A position in the log of changes; `Knowledge.undo` restores the state at that position."""


class _Absent:
    """A marker for a key that a table does not contain."""


_ABSENT = _Absent()


@node
class Learned:
    """The facts learned since a mark: a map from pairs of table number and key to the new fact."""

    entries: Mapping[tuple[int, Static], object]

    def makes(self, cell: StaticCell) -> bool:
        """Whether the written program creates a reference cell, which a variable then holds."""
        return isinstance(self.entries.get((_ATOMS, cell)), Expr)

    def content(self, cell: StaticCell, before: Static | None) -> Static | None:
        """Return the content of a reference cell after these facts; None if it is unknown.

        `before` is the content before these facts.
        """
        found = self.entries.get((_CONTENTS, cell), before)
        return found if isinstance(found, Static) else None

    def cells(self) -> list[StaticCell]:
        """Return the reference cells whose content was learned or forgotten."""
        return list(dict.fromkeys(k for _, k in self.entries if isinstance(k, StaticCell)))


class Knowledge:
    """Tables of the facts known at a point of the written program, with a log to undo changes.

    `atoms` maps known values to the variables in scope that hold them. `contents` maps reference
    cells to their values. The content of a cell that unknown code cannot reach is always known;
    that of another cell is known until unknown code may have written to it.
    """

    def __init__(self) -> None:
        self.atoms: dict[Static, Expr] = {}
        self.contents: dict[Static, Static] = {}
        self._shared: dict[Static, Static] = {}  # the contents of cells that have atoms
        self._tables: tuple[dict[Static, Any], ...] = (self.atoms, self.contents, self._shared)
        self._log: list[tuple[int, Static, object]] = []

    def name(self, value: Static, atom: Expr) -> None:
        """Record the variable or constant of the written program that holds a value."""
        self._set(_ATOMS, value, atom)
        if isinstance(value, StaticCell) and value in self.contents:
            self._set(_SHARED, value, self.contents[value])

    def write(self, cell: StaticCell, content: Static) -> None:
        """Record the content of a reference cell."""
        self._set(_CONTENTS, cell, content)
        if cell in self.atoms:
            self._set(_SHARED, cell, content)

    def forget(self, cells: Sequence[Static] | None = None) -> None:
        """Forget the contents of the given reference cells; by default, of all reachable ones.

        Reachable are those that unknown code may reach.
        """
        for cell in [*self._shared] if cells is None else cells:
            self._set(_CONTENTS, cell, _ABSENT)
            self._set(_SHARED, cell, _ABSENT)

    def mark(self) -> Mark:
        """Return a mark that identifies the present state of the tables."""
        return len(self._log)

    def undo(self, mark: Mark) -> None:
        """Restore the tables to their state at a mark."""
        while len(self._log) > mark:
            index, key, before = self._log.pop()
            self._put(index, key, before)

    def since(self, mark: Mark) -> Learned:
        """Return the facts learned since a mark."""
        keys = dict.fromkeys((index, key) for index, key, _ in self._log[mark:])
        return Learned({(i, key): self._tables[i].get(key, _ABSENT) for i, key in keys})

    def learn(self, learned: Learned) -> None:
        """Replay facts that were learned elsewhere."""
        for (index, key), entry in learned.entries.items():
            self._set(index, key, entry)

    def _set(self, index: int, key: Static, entry: object) -> None:
        self._log.append((index, key, self._tables[index].get(key, _ABSENT)))
        self._put(index, key, entry)

    def _put(self, index: int, key: Static, entry: object) -> None:
        if entry is _ABSENT:
            self._tables[index].pop(key, None)
        else:
            self._tables[index][key] = entry


_ATOMS, _CONTENTS, _SHARED = range(3)
