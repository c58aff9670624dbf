"""Who calls whom in program code: which functions may be on the stack twice."""

from collections import Counter
from collections.abc import Sequence

from relay.runtime.code.function import CodeFunction
from relay.runtime.code.instructions import (
    CallClosure,
    CallFunction,
    Close,
    TailCall,
    TailCallClosure,
)
from relay.support.node import node


@node
class CallGraph:
    """The functions that each function calls, and which of them call each other in circles."""

    callees: tuple[frozenset[int], ...]
    circle: tuple[int, ...]
    recursive: frozenset[int]

    def in_one_circle(self, a: int, b: int) -> bool:
        """Whether two functions can call each other."""
        return self.circle[a] == self.circle[b]


def call_graph(functions: Sequence[CodeFunction]) -> CallGraph:
    """Return who calls whom; who calls a closure may call any function that closures hold."""
    held = frozenset(
        i.function for f in functions for b in f.blocks for i in b.body if isinstance(i, Close)
    )
    callees = tuple(_callees(function, held) for function in functions)
    circle = _strong_components(callees)
    sizes = Counter(circle)
    recursive = frozenset(
        i for i, called in enumerate(callees) if i in called or sizes[circle[i]] > 1
    )
    return CallGraph(callees, circle, recursive)


def _callees(function: CodeFunction, held: frozenset[int]) -> frozenset[int]:
    found: set[int] = set()
    for block in function.blocks:
        for instruction in (*block.body, block.end):
            if isinstance(instruction, CallFunction | TailCall):
                found.add(instruction.function)
            elif isinstance(instruction, CallClosure | TailCallClosure):
                found |= held
    return frozenset(found)


def _strong_components(edges: Sequence[frozenset[int]]) -> tuple[int, ...]:
    """Return a number for each node, the same for nodes that reach each other (Tarjan, 1972)."""
    order: list[int | None] = [None] * len(edges)
    low = [0] * len(edges)
    component = [-1] * len(edges)
    waiting: list[int] = []
    count = 0
    for root in range(len(edges)):
        stack = [(root, iter(edges[root]))] if order[root] is None else []
        while stack:
            node_, rest = stack[-1]
            if order[node_] is None:
                order[node_] = low[node_] = count
                count += 1
                waiting.append(node_)
            following = next((n for n in rest if component[n] < 0), None)
            if following is None:
                stack.pop()
                if low[node_] == order[node_]:
                    while component[node_] < 0:
                        component[waiting.pop()] = node_
                if stack:
                    low[stack[-1][0]] = min(low[stack[-1][0]], low[node_])
            elif order[following] is None:
                stack.append((following, iter(edges[following])))
            else:
                low[node_] = min(low[node_], low[following])
    return tuple(component)
