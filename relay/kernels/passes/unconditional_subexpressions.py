"""Finds subexpressions that are evaluated unconditionally, whichever operands selects choose.

A load in an operand of a select is valid only where the operand is chosen. An expression that is
also needed elsewhere, or by both operands, is evaluated once, before the choice.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from relay.kernels.scalar import Scalar, Select

Edges: TypeAlias = Callable[[Scalar], Sequence[Scalar]]


class NeededValues:
    """A memoised function that returns the subexpressions that an expression always needs.

    `operands` returns the operands that an expression always needs: of a select, its condition,
    and also its alternatives if they may be evaluated without being chosen.

    >>> from relay.kernels.scalar import Var, select
    >>> x, y, z = Var("x"), Var("y"), Var("z")
    >>> needed = NeededValues(lambda e: (e.condition,) if isinstance(e, Select) else e.parts)
    >>> {x, y, z} & needed.of(select(x < 0, x + y, y * z)) == {x, y}
    True
    """

    def __init__(self, operands: Edges) -> None:
        self._operands = operands
        self._known: dict[Scalar, frozenset[Scalar]] = {}

    def of(self, root: Scalar) -> frozenset[Scalar]:
        """Return the subexpressions that `root` always needs, with itself.

        It recurses on the nesting of selects in each other's alternatives.
        """
        known = self._known.get(root)
        if known is None:
            known = self._known[root] = self._found(root)
        return known

    def _found(self, root: Scalar) -> frozenset[Scalar]:
        found: set[Scalar] = set()
        stack = [root]
        while stack:
            top = stack.pop()
            if top in found:
                continue
            found.add(top)
            operands = self._operands(top)
            stack += operands
            if isinstance(top, Select) and len(operands) == 1:
                stack += self.of(top.then) & self.of(top.other)
        return frozenset(found)

    def shared(self, choice: Select, root: Scalar) -> list[Scalar]:
        """Return the largest parts of the alternatives of `choice` that `root` always needs."""
        needed, seen = self.of(root), set[Scalar]()
        found: list[Scalar] = []
        stack = [choice.then, choice.other]
        while stack:
            top = stack.pop()
            if top in seen:
                continue
            seen.add(top)
            if top in needed:
                found.append(top)
            else:
                stack += self._operands(top)
                if isinstance(top, Select):
                    stack += (top.then, top.other)
        return found
