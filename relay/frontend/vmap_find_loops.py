"""Find the loops of a program for `vmap`: functions that call each other in tail position.

A loop of a source program is a function that calls itself in tail position. A loop in a loop that
the source leaves by `return` becomes several functions that call each other in tail position.
"""

from collections.abc import Collection, Mapping

from relay.ir.analysis.call_graph import CallGraph
from relay.ir.analysis.tail_positions import tail_calls
from relay.ir.custom_derivatives import derivative_names
from relay.ir.expr import Call, Constant, Constructor, Expr, Function, GlobalVar, Tuple, Var
from relay.ir.expr import TupleGetItem as Item
from relay.ir.module import Module
from relay.ir.walk import children, post_order
from relay.opdef.definition import OperatorDef
from relay.support.node import node

_VARIANT = -1  # in place of an index: a parameter that gets different values


@node
class TailLoop:
    """Functions that call each other, always in tail position; `calls` are these calls."""

    functions: Mapping[str, Function]
    calls: Mapping[str, list[Call]]

    def invariants(self, entry: str) -> dict[Var, int]:
        """Return the parameters that always have the value of one parameter of `entry`.

        They are mapped to the index of that parameter.
        """
        params = self._params
        found: dict[Expr, int] = {v: i for i, v in enumerate(self.functions[entry].params)}
        before: dict[Expr, int] = {}
        while found != before:
            before = dict(found)
            for var, arg in self._assignments():
                index = found.get(arg) if arg in params else _VARIANT
                if index is not None and found.setdefault(var, index) != index:
                    found[var] = _VARIANT
        return {var: found[var] for var in params if found.get(var, _VARIANT) != _VARIANT}

    @property
    def _params(self) -> dict[Var, None]:
        functions = self.functions.values()
        return dict.fromkeys(param for function in functions for param in function.params)

    def _assignments(self) -> list[tuple[Var, Expr]]:
        return [
            pair
            for name, calls in self.calls.items()
            for call in calls
            for pair in zip(self.functions[name].params, call.args, strict=True)
        ]


def tail_loops(module: Module) -> dict[str, TailLoop]:
    """Return the loop of each function that belongs to one.

    Functions with custom derivatives do not form loops.
    """
    found: dict[str, TailLoop] = {}
    graph = CallGraph(module)
    for names in graph.components:
        functions = {name: module[name] for name in names}
        calls = _tail_calls_among(functions) if graph.is_recursive(names[0]) else None
        if calls is not None:
            found.update(dict.fromkeys(names, TailLoop(functions, calls)))
    return found


def _tail_calls_among(functions: Mapping[str, Function]) -> dict[str, list[Call]] | None:
    """Return all calls of functions by each other, or None if one is not a tail call."""
    if any(True for function in functions.values() for _ in derivative_names(function)):
        return None
    last = tail_calls(functions.values())
    found: dict[str, list[Call]] = {name: [] for name in functions}
    for expr in post_order(*functions.values()):
        names = [e.name for e in children(expr) if isinstance(e, GlobalVar) and e.name in found]
        if names and not (isinstance(expr, Call) and expr in last and len(names) == 1):
            return None
        for name in names:
            assert isinstance(expr, Call), "uses that are not calls were excluded"
            found[name].append(expr)
    return found


def calls_one_of(expr: Expr, names: Collection[str]) -> bool:
    """Whether an expression is a call of one of these global functions."""
    return isinstance(expr, Call) and isinstance(expr.op, GlobalVar) and expr.op.name in names


class ValueNumbers:
    """Numbers of values, equal only for values that are the same whenever both are computed."""

    def __init__(self) -> None:
        self._of_var: dict[Expr, object] = {}
        self._of_key: dict[object, object] = {}

    def bind(self, var: Var, value: Expr) -> None:
        """Give a variable the number of the value that it is bound to."""
        self._of_var[var] = self.of(value)

    def of(self, expr: Expr) -> object:
        """Return the number of a value in A-normal form."""
        match expr:
            case Constant(data) if data.size == 1:
                return self._number((expr.ty, data.tobytes()))
            case Tuple(fields):
                return self._number((Tuple, *map(self.of, fields)))
            case Item(whole, index):
                return self._number((Item, self.of(whole), index))
            case Call(OperatorDef() as op, args) if not op.stateful:
                return self._number((op, *map(self.of, args)))
            case Call(Constructor() as op, args):
                return self._number((op, *map(self.of, args)))
            case _:
                return self._of_var.get(expr, expr)

    def _number(self, key: object) -> object:
        return self._of_key.setdefault(key, object())
