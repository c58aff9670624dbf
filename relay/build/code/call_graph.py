"""The call graph of program code, and which of its functions are recursive."""

from collections.abc import Mapping, Sequence

from relay.runtime.code.function import CodeFunction
from relay.runtime.code.instructions import (
    CallClosure,
    CallFunction,
    Close,
    TailCall,
    TailCallClosure,
)
from relay.support.node import node
from relay.support.strong_components import strong_components


@node
class CallGraph:
    """The call graph: each function's callees and its cycle, and which functions are recursive."""

    callees: tuple[frozenset[int], ...]
    cycle: Mapping[int, int]
    recursive: frozenset[int]

    def in_one_cycle(self, a: int, b: int) -> bool:
        """Whether two functions are in the same cycle of the call graph."""
        return self.cycle[a] == self.cycle[b]


def call_graph(functions: Sequence[CodeFunction]) -> CallGraph:
    """Return the call graph; a closure call may reach any function that a closure holds."""
    held = frozenset(
        i.function for f in functions for b in f.blocks for i in b.body if isinstance(i, Close)
    )
    callees = tuple(_callees(function, held) for function in functions)
    groups = strong_components(dict(enumerate(callees)))
    cycle = {index: number for number, group in enumerate(groups) for index in group}
    recursive = frozenset(i for group in groups for i in group if len(group) > 1 or i in callees[i])
    return CallGraph(callees, cycle, recursive)


def _callees(function: CodeFunction, held: frozenset[int]) -> frozenset[int]:
    found: set[int] = set()
    for block in function.blocks:
        for instruction in (*block.body, block.end):
            if isinstance(instruction, CallFunction | TailCall):
                found.add(instruction.function)
            elif isinstance(instruction, CallClosure | TailCallClosure):
                found |= held
    return frozenset(found)
