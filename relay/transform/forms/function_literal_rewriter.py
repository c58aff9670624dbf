"""The base of rewriters of function literals (lambdas), and the analysis of their captures."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator
from typing import cast

from relay.ir.alpha_rename import fresh_var
from relay.ir.analysis.dims_in_scope import dims_in, enclosing_params
from relay.ir.dims import DimVar, in_order
from relay.ir.expr import Expr, Function, Let, Var
from relay.ir.types import tensor_dim_vars
from relay.ir.walk import (
    binders,
    fold,
    free_vars,
    outside_kernels,
    post_order,
    substitute,
    with_children,
)
from relay.transform.forms.to_basic_block_form import ToBasicBlockForm


def is_literal(expr: Expr) -> bool:
    """Whether an expression is a function literal `fn (…) {…}`, not a kernel or a region."""
    return isinstance(expr, Function) and not expr.attrs


def holds_literals(function: Function) -> bool:
    """Whether the body of a function contains function literals.

    A function literal that is itself the body does not count.
    """
    order = post_order(function.body, edges=outside_kernels)
    return any(is_literal(expr) for expr in order if expr is not function.body)


class LiteralRewriter(ABC):
    """The base of rewriters that replace the function literals in a function, the innermost first.

    `replacement` receives a function literal and its captures. These are its free variables, except
    the variable that is bound to it, and those enclosing parameters that determine the dimensions
    it uses. If no parameter determines one of these dimensions, `uncapturable_dims` is called.
    """

    def __init__(self, function: Function) -> None:
        self._function = ToBasicBlockForm().run(function)
        order = post_order(self._function, edges=outside_kernels)
        self._names = {e.value: e.var for e in order if isinstance(e, Let)}
        self._bound_dims = Counter(_dims_bound_inside(order))
        self._params = enclosing_params(order)

    @abstractmethod
    def replacement(self, literal: Function, own: Var | None, captured: list[Var]) -> Expr:
        """Return the replacement of a literal; `own` is the variable bound to it, if any."""

    def uncapturable_dims(self, literal: Function) -> Expr:
        """Return the replacement of a literal that uses a dimension no parameter determines."""
        return literal

    def run(self) -> Function:
        """Return the function with all function literals in it replaced."""

        def visit(old: Expr, new: list[Expr]) -> Expr:
            expr = with_children(old, new) if new else old
            is_inside = is_literal(old) and old is not self._function
            return self._lift(cast("Function", old), cast("Function", expr)) if is_inside else expr

        return cast("Function", fold(self._function, visit, edges=outside_kernels))

    def _lift(self, old: Function, literal: Function) -> Expr:
        own = self._names.get(old)
        captured = [var for var in free_vars(literal) if var is not own]
        sizes = self._params_with_sizes(old, literal, captured)
        if sizes is None:
            return self.uncapturable_dims(literal)
        return self.replacement(literal, own, captured + sizes)

    def _params_with_sizes(
        self, old: Function, literal: Function, captured: list[Var]
    ) -> list[Var] | None:
        """Return the enclosing parameters that determine a literal's dimensions, or None."""
        names = dims_in(post_order(literal, edges=outside_kernels))
        if not names:
            return []
        around = self._params[old]
        inside = Counter(_dims_bound_inside(post_order(old, edges=outside_kernels)))
        bound_around = {name for name, count in self._bound_dims.items() if count > inside[name]}
        missing = names & bound_around.union(*(tensor_dim_vars(var.type) for var in around))
        found: list[Var] = []
        for name in in_order(missing):
            if any(name in tensor_dim_vars(var.type) for var in (*captured, *found)):
                continue
            teller = next((var for var in around if name in tensor_dim_vars(var.type)), None)
            if teller is None:
                return None
            found.append(teller)
        return found


def with_own_name(literal: Function, own: Var | None, value: Expr) -> Function:
    """Return a recursive literal in which its own variable `own` is bound to `value`."""
    if own is None or own not in free_vars(literal):
        return literal
    again = fresh_var(own)
    inside = substitute(literal.body, {own: again})
    body = Let(again, value, inside, span=literal.span, ty=inside.ty)
    return cast("Function", with_children(literal, (*literal.params, body)))


def _dims_bound_inside(order: list[Expr]) -> Iterator[DimVar]:
    """Yield the dimension variables that lets and patterns bind, among the nodes `order`."""
    for expr in order:
        if not isinstance(expr, Function):
            for var in binders(expr):
                yield from tensor_dim_vars(var.type)
