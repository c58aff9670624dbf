"""Where a recursive program checks its stack: at one call of each cycle of the call graph."""

from collections.abc import Iterable, Sequence

from relay.build.code.recursive_functions import CallGraph, call_graph
from relay.build.code.resources import Resources
from relay.runtime.code.function import CodeFunction, ProgramCode
from relay.runtime.code.traps import STACK_EXHAUSTED
from relay.support.node import node, replace
from relay.support.span import Span


@node
class Made:
    """A call that the function of a number makes of another, or of a closure, in the source."""

    caller: int
    callee: int | None
    span: Span


def with_places(
    functions: Sequence[CodeFunction], calls: Iterable[Made], resources: Resources
) -> tuple[CodeFunction, ...]:
    """Return functions that say, where they find no stack left, which call led to them.

    Of several calls in their circle it is the first, so that none costs anything while all is well.
    These traps come after all others.
    """
    graph = call_graph(functions)
    places = _places(graph, calls)

    def placed(index: int, function: CodeFunction) -> CodeFunction:
        span = places.get((graph.circle[index], index), places.get((graph.circle[index], None)))
        if index not in graph.recursive or span is None:
            return function
        return replace(function, exhausted=resources.trap_at(STACK_EXHAUSTED, span))

    return tuple(placed(index, function) for index, function in enumerate(functions))


def _places(graph: CallGraph, calls: Iterable[Made]) -> dict[tuple[int, int | None], Span]:
    """Return the first call in each circle of each function, and of a closure."""
    found: dict[tuple[int, int | None], Span] = {}
    for call in calls:
        if call.callee is None or graph.in_one_circle(call.caller, call.callee):
            found.setdefault((graph.circle[call.caller], call.callee), call.span)
    return found


def exhausted_from(code: ProgramCode) -> int:
    """Return the number from which on all traps of a program say that it needs more stack."""
    placed = {function.exhausted for function in code.functions} - {STACK_EXHAUSTED}
    return min(placed, default=1 + max((trap.number for trap in code.traps), default=0))
