"""Division of an expression's operands into scopes: by text, by control flow, or by functions."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from relay.ir.expr import (
    Call,
    Constant,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Operator,
    Tuple,
    TupleGetItem,
    Var,
)
from relay.ir.match_patterns import Match
from relay.ir.reference_cells import RefCreate, RefRead, RefWrite
from relay.ir.walk import Edges, bound_by, children

Parts: TypeAlias = tuple[Sequence[Expr], Sequence[Sequence[Expr]]]
"""The subexpressions of a node: those in its own scope, and those in each nested scope."""

Scoping: TypeAlias = Callable[[Expr], Parts]
"""A function that divides a node's subexpressions into scopes, in the order of traversal."""


def is_inline_leaf(expr: Expr) -> bool:
    """Whether an expression is a variable, constant, operator or constructor."""
    return isinstance(expr, _WORDS)


_WORDS = (Var, GlobalVar, Constant, Operator, Constructor)


def is_atom(expr: Expr) -> bool:
    """Whether evaluation is free: a variable, constant, operator, constructor or fused kernel."""
    return is_inline_leaf(expr) or (isinstance(expr, Function) and expr.is_primitive)


_OPERANDS: dict[type[Expr], Callable[[Any], Sequence[Expr]]] = {
    Call: lambda call: call.args if isinstance(call.op, Operator) else (*call.args, call.op),
    Tuple: lambda expr: expr.fields,
    TupleGetItem: lambda expr: (expr.tuple_value,),
    If: lambda expr: (expr.condition,),
    Match: lambda expr: (expr.data,),
    RefCreate: lambda expr: (expr.value,),
    RefRead: lambda expr: (expr.ref,),
    RefWrite: lambda expr: (expr.ref, expr.value),
}

_BLOCKS: dict[type[Expr], Callable[[Any], Sequence[Expr]]] = {
    Let: lambda expr: (expr.value, expr.body),
    If: lambda expr: (expr.then, expr.other),
    Function: lambda expr: (expr.body,),
    Match: lambda expr: [clause.body for clause in expr.clauses],
}


def operands(expr: Expr) -> Sequence[Expr]:
    """Return the subexpressions that are always evaluated with an expression, in its scope."""
    found = _OPERANDS.get(type(expr))
    return () if found is None else found(expr)


def blocks(expr: Expr) -> Sequence[Expr]:
    """Return the subexpressions that the text format writes in braces, such as branches."""
    found = _BLOCKS.get(type(expr))
    return () if found is None else found(expr)


def text_scopes(expr: Expr) -> Parts:
    """Divide a node's subexpressions into its own scope and the scopes it opens in program text.

    Those are blocks in braces and, for a `let`, its value and its body. Bound variables are left
    out.
    """
    return operands(expr), [(block,) for block in blocks(expr)]


_BODIES: dict[type[Expr], Callable[[Any], Parts]] = {
    If: lambda expr: ((expr.condition,), ((expr.then,), (expr.other,))),
    Match: lambda expr: ((expr.data,), [(*bound_by(c.pattern), c.body) for c in expr.clauses]),
    Function: lambda expr: ((), () if expr.is_primitive else ((*expr.params, expr.body),)),
}


def body_scopes(expr: Expr) -> Parts:
    """Divide a node's subexpressions: function bodies, branches and clauses are scopes.

    Fused kernels are leaves. The last entry of a scope is its result; the others are variables
    bound there.
    """
    found = _BODIES.get(type(expr))
    return (children(expr), ()) if found is None else found(expr)


def function_scopes(
    edges: Edges = children, counts: Callable[[Function], bool] = lambda _: True
) -> Scoping:
    """Return a function that divides a node's subexpressions into scopes.

    Only the functions that `counts` accepts open a scope. `edges` returns all subexpressions of a
    node.
    """

    def parts(expr: Expr) -> Parts:
        inner = edges(expr)
        return ((), (inner,)) if isinstance(expr, Function) and counts(expr) else (inner, ())

    return parts
