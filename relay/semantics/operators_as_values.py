"""Replacement of operators that are used as values, as in `let %f = nn.relu; @map(%f, %xs)`.

An operator has no single type, so an operator that is used as a value is replaced by a function
that calls it. A variable that is bound to an operator is an alias: each call through it is a call
of the operator with a type of its own.
"""

from typing import cast

from relay.ir.expr import Call, Expr, Function, Let, Operator, Var
from relay.ir.walk import children, fold, post_order, with_children


def expand_operators(function: Function) -> Function:
    """Return a function in which operators occur only as callees, or itself if unchanged."""
    order = post_order(function)
    if not any(isinstance(value, Operator) for expr in order for value in _values(expr)):
        return function
    names: dict[Expr, Operator] = {}
    for expr in reversed(order):  # outer bindings before inner ones
        if isinstance(expr, Let) and expr.var.annotation is None:
            value = names.get(expr.value, expr.value)
            if isinstance(value, Operator):
                names[expr.var] = value

    def visit(expr: Expr, new: list[Expr]) -> Expr:
        if isinstance(expr, Let) and expr.var in names:
            return new[-1]
        known = names.get(expr)
        return _expanded(with_children(expr, new) if new else expr) if known is None else known

    return cast("Function", fold(function, visit, edges=children))


def _values(expr: Expr) -> tuple[Expr, ...]:
    return expr.args if isinstance(expr, Call) else children(expr)


def _expanded(expr: Expr) -> Expr:
    """Return a node in which operators that are used as values are replaced by functions."""
    if not any(isinstance(value, Operator) for value in _values(expr)):
        return expr
    new = [_function(p, expr) if isinstance(p, Operator) else p for p in children(expr)]
    if isinstance(expr, Call):
        new[-1] = expr.op
    return with_children(expr, new)


def _function(op: Operator, user: Expr) -> Function:
    """Return a function that calls an operator, with the source span of the operator's use."""
    params = tuple(Var(name, span=user.span) for name in op.arguments())
    return Function(params, Call(op, params, span=user.span), span=user.span)
