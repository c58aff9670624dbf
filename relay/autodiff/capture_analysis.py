"""Capture analysis: finds the variables that local functions use from enclosing scopes."""

from collections.abc import Iterator

from relay.ir.analysis.dims_in_scope import dims_in, enclosing_params
from relay.ir.dims import in_order
from relay.ir.expr import Expr, Function, Let, Var
from relay.ir.types import tensor_dim_vars
from relay.ir.walk import free_vars, outside_kernels, post_order
from relay.support.trampoline import Task, run


class Captures:
    """The variables from enclosing scopes that each function literal in a function captures.

    A variable that is bound to a literal is not a run-time value: the captures of that literal take
    its place. If a literal uses a dimension of an enclosing scope, it also captures a parameter
    whose type has that dimension.
    """

    def __init__(self, function: Function) -> None:
        order = post_order(function.body)
        lets = [each for each in order if isinstance(each, Let)]
        self.known = {each.var: each.value for each in lets if isinstance(each.value, Function)}
        self._own = {literal: var for var, literal in self.known.items()}
        self._found: dict[Function, tuple[Var, ...]] = {}
        self._around = enclosing_params(post_order(function, edges=outside_kernels))

    def of(self, literal: Function) -> tuple[Var, ...]:
        """Return the variables that a literal captures, each once."""
        return run(self._of(literal))

    def name_of(self, literal: Function) -> str:
        """Return the name of the variable that a literal is bound to, or `fn` if there is none."""
        return self._own[literal].name if literal in self._own else "fn"

    def is_named(self, literal: Function) -> bool:
        """Whether a literal is the value of a `let`."""
        return literal in self._own

    def _of(self, literal: Function) -> Task[tuple[Var, ...]]:
        if literal not in self._found:
            found: dict[Var, None] = {}
            for var in free_vars(literal):
                if var not in self.known:
                    found[var] = None
                elif var is not self._own.get(literal):
                    found.update(dict.fromkeys((yield self._of(self.known[var]))))
            for var in self._params_with_dims(literal, found):
                found[var] = None
            bound = {var for each in post_order(literal) for var in _binders(each)}
            self._found[literal] = tuple(var for var in found if var not in bound)
        return self._found[literal]

    def _params_with_dims(self, literal: Function, captured: dict[Var, None]) -> Iterator[Var]:
        """Yield enclosing parameters whose types have dimensions that a literal needs.

        `captured` are the variables that it captures already.
        """
        known = {name for var in (*literal.params, *captured) for name in tensor_dim_vars(var.type)}
        for name in in_order(dims_in(post_order(literal)) - known):
            teller = next(
                (v for v in self._around[literal] if name in tensor_dim_vars(v.type)), None
            )
            if teller is not None:
                yield teller


def _binders(expr: Expr) -> Iterator[Var]:
    if isinstance(expr, Let):
        yield expr.var
