"""Source locations for stack overflows: each names a call in a cycle of the call graph."""

from collections.abc import Iterable, Sequence

from relay.build.code.call_graph import CallGraph, call_graph
from relay.build.code.program_resources import Resources
from relay.runtime.code.function import CodeFunction, ProgramCode
from relay.runtime.code.traps import STACK_EXHAUSTED
from relay.support.node import node, replace
from relay.support.span import Span


@node
class SourceCall:
    """A call in the source program, of the function number `callee`, or of a closure if None."""

    caller: int
    callee: int | None
    span: Span


def with_call_locations(
    functions: Sequence[CodeFunction], calls: Iterable[SourceCall], resources: Resources
) -> tuple[CodeFunction, ...]:
    """Return functions whose stack-overflow traps name a source location.

    The location is that of the first call in the same cycle of the call graph, so that the trap
    costs nothing at run time.
    These traps are numbered after all others.
    """
    graph = call_graph(functions)
    places = _places(graph, calls)

    def placed(index: int, function: CodeFunction) -> CodeFunction:
        span = places.get((graph.cycle[index], index), places.get((graph.cycle[index], None)))
        if index not in graph.recursive or span is None:
            return function
        return replace(function, exhausted=resources.trap_at(STACK_EXHAUSTED, span))

    return tuple(placed(index, function) for index, function in enumerate(functions))


def _places(graph: CallGraph, calls: Iterable[SourceCall]) -> dict[tuple[int, int | None], Span]:
    """Return the source location of the first call, by cycle and callee (None for closures)."""
    found: dict[tuple[int, int | None], Span] = {}
    for call in calls:
        if call.callee is None or graph.in_one_cycle(call.caller, call.callee):
            found.setdefault((graph.cycle[call.caller], call.callee), call.span)
    return found


def exhausted_from(code: ProgramCode) -> int:
    """Return the number from which on all traps of a program report a stack overflow."""
    placed = {function.exhausted for function in code.functions} - {STACK_EXHAUSTED}
    return min(placed, default=1 + max((trap.number for trap in code.traps), default=0))
