"""Operators as values: `let %f = nn.relu; @map(%f, %xs)`.

An operator is no function: it has no one type. Where one stands as a value it becomes the function
that calls it, so that nothing behind inference meets it; a variable that is bound to an operator is
another name of it, and each call by that name is a call of the operator, with a type of its own.
"""

from typing import cast

from relay.ir.expr import Call, Expr, Function, Let, Operator, Var
from relay.ir.walk import children, fold, post_order, with_children


def expand_operators(function: Function) -> Function:
    """Return a function in which operators are called only; the same one if they are already."""
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
    """Return the parts of a node that are values: all but what a call calls."""
    return expr.args if isinstance(expr, Call) else children(expr)


def _expanded(expr: Expr) -> Expr:
    """Return a node with functions in place of the operators among its values."""
    if not any(isinstance(value, Operator) for value in _values(expr)):
        return expr
    new = [_function(p, expr) if isinstance(p, Operator) else p for p in children(expr)]
    if isinstance(expr, Call):
        new[-1] = expr.op
    return with_children(expr, new)


def _function(op: Operator, user: Expr) -> Function:
    """Return the function that calls an operator; it stands where it is used."""
    params = tuple(Var(name, span=user.span) for name in op.arguments())
    return Function(params, Call(op, params, span=user.span), span=user.span)
