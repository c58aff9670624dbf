"""A loop taken apart: what a step computes, where it decides, and how it ends."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from relay.ir.expr import Call, Expr, Function, If, Var
from relay.ir.types import is_dynamic
from relay.ir.walk import children, post_order
from relay.transform.loops.recognize import changing, ways


@dataclass(frozen=True)
class Branch:
    """A decision between two ways to go on."""

    condition: Expr
    then: "Region"
    other: "Region"


@dataclass(frozen=True)
class Region:
    """Nodes to write at a step, children first, and what comes then: a call or result is itself."""

    order: list[Expr]
    end: "End"


End: TypeAlias = Branch | Expr


class Loop:
    """A function that calls itself last, prepared for its steps to be written.

    `whole` is what a step does, in `nodes` nodes; with `is_static` all that it carries has a type
    without open sizes.
    """

    def __init__(self, function: Function, var: Var) -> None:
        self.function, self.var = function, var
        self._changing = changing(function)
        self.whole = self._region(function.body)
        self.nodes = max(1, len(self._changing))
        carried = [*(param.type for param in function.params), function.body.type]
        self.is_static = not any(map(is_dynamic, carried))

    def _region(self, root: Expr) -> Region:
        """Nesting of branches in tail position bounds the recursion."""
        match root:
            case If(condition) if self._goes_on(root):
                branch = Branch(condition, self._region(root.then), self._region(root.other))
                return Region(self._order(condition), branch)
            case Call(op, args) if op is self.var:
                return Region(self._order(*args), root)
            case _:
                return Region(self._order(root), root)

    def _goes_on(self, root: Expr) -> bool:
        """Whether one way through a decision leads to another step."""
        return any(isinstance(end, Call) and end.op is self.var for end in ways(root))

    def _order(self, *roots: Expr) -> list[Expr]:
        """List what changes from step to step and the roots need."""

        def edges(expr: Expr) -> Sequence[Expr]:
            return children(expr) if id(expr) in self._changing else ()

        return [each for each in post_order(*roots, edges=edges) if id(each) in self._changing]
