"""Find code that `vmap` cannot run for only some of the elements: references and random numbers."""

from functools import cached_property

from relay.ir.analysis.call_graph import CallGraph
from relay.ir.expr import Call, Expr, GlobalVar
from relay.ir.module import Module
from relay.ir.reference_cells import RefCreate, RefRead, RefWrite
from relay.ir.walk import post_order
from relay.opdef.definition import OperatorDef


class EffectsOfCalls:
    """The effects of expressions and of the functions that they call; traps do not count."""

    def __init__(self, module: Module) -> None:
        self._module = module

    def has(self, expr: Expr) -> bool:
        """Whether an expression uses references or random numbers, also in functions it calls."""
        return any(map(self._is_effect, post_order(expr)))

    def _is_effect(self, part: Expr) -> bool:
        is_global = isinstance(part, GlobalVar)
        return _is_own_effect(part) or (is_global and part.name in self._functions)

    @cached_property
    def _functions(self) -> set[str]:
        """Return the functions that have effects, themselves or through calls."""
        graph, functions = CallGraph(self._module), self._module.functions
        own = {
            name
            for name, function in functions.items()
            if any(map(_is_own_effect, post_order(function.body)))
        }
        return {name for name in functions if own & {name, *graph.reachable(name)}}


def _is_own_effect(expr: Expr) -> bool:
    match expr:
        case RefCreate() | RefRead() | RefWrite():
            return True
        case Call(OperatorDef() as op):
            return op.stateful
        case _:
            return False
