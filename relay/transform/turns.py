"""When, among all that may stop a program, each node has its turn."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from relay.ir.expr import Call, Expr, Function
from relay.ir.patterns import Match
from relay.ir.walk import Edges, children
from relay.transform.purity import is_effect
from relay.transform.reasons import Reason, reason


class Turns:
    """How much of what may end a program otherwise comes before each node, in evaluation order.

    Calls of functions, matches that need not fit and `others` end it in their own way, or may not
    end. Operators end it for a `Reason`. A node that may stop the program must not change its turn:
    another error would be reported. Only those that read elements may among themselves: which one
    is told of several indices that are out of range is left to those who compile.

    >>> from relay.ir.expr import Tuple
    >>> Turns([Tuple(())]).reasons(Tuple(()))
    <Reason.NONE: 0>
    """

    def __init__(
        self,
        order: Sequence[Expr],
        others: AbstractSet[Expr] = frozenset(),
        edges: Edges = children,
    ) -> None:
        self._edges = edges
        self._before: dict[int, tuple[int, dict[Reason, int]]] = {}
        self._reasons: dict[int, Reason] = {}
        number, stops = 0, dict[Reason, int]()
        for expr in order:
            own = reason(expr)
            self._reasons[id(expr)] = own | self._below(expr)
            self._before[id(expr)] = number, stops
            if own:
                stops = {**stops, own: stops.get(own, 0) + 1}
            number += expr in others or (isinstance(expr, Call | Match) and is_effect(expr))

    def _below(self, expr: Expr) -> Reason:
        found = Reason.NONE
        for child in () if isinstance(expr, Function) else self._edges(expr):
            found |= self._reasons.get(id(child), Reason.NONE)
        return found

    def reasons(self, expr: Expr) -> Reason:
        """Return why the evaluation of a node may stop the program."""
        return self._reasons.get(id(expr), Reason.NONE)

    def before(self, expr: Expr, reasons: Reason) -> int:
        """Return how many nodes before one may end the program otherwise than for these reasons."""
        number, stops = self._before[id(expr)]
        return number + sum(n for each, n in stops.items() if differ(each, reasons))


def differ(one: Reason, other: Reason) -> bool:
    """Whether it shows which of two nodes stops the program that may do so for these reasons."""
    return bool(one and other) and one | other != Reason.ELEMENT
