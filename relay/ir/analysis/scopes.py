"""Scopes: how the operands of an expression are divided into scopes, in three views."""

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
from relay.ir.patterns import Match
from relay.ir.references import RefCreate, RefRead, RefWrite
from relay.ir.walk import Edges, bound_by, children

Parts: TypeAlias = tuple[Sequence[Expr], Sequence[Sequence[Expr]]]
"""The parts of an expression: those in its own scope, and those in each nested scope."""

Scoping: TypeAlias = Callable[[Expr], Parts]
"""A division of the subexpressions into scopes; their order is that of the traversal."""


def is_word(expr: Expr) -> bool:
    """Whether an expression is a leaf that is written inline wherever it is used."""
    return isinstance(expr, _WORDS)


_WORDS = (Var, GlobalVar, Constant, Operator, Constructor)


def is_atom(expr: Expr) -> bool:
    """Whether an expression is inline or a kernel: evaluating it computes nothing."""
    return is_word(expr) or (isinstance(expr, Function) and expr.is_primitive)


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
    """Return the subexpressions that are computed in the scope of the expression itself."""
    found = _OPERANDS.get(type(expr))
    return () if found is None else found(expr)


def blocks(expr: Expr) -> Sequence[Expr]:
    """Return the subexpressions that have a scope of their own in text."""
    found = _BLOCKS.get(type(expr))
    return () if found is None else found(expr)


def text_scopes(expr: Expr) -> Parts:
    """Return the parts by textual scope; a `let` also opens scopes, and binders are left out."""
    return operands(expr), [(block,) for block in blocks(expr)]


_BODIES: dict[type[Expr], Callable[[Any], Parts]] = {
    If: lambda expr: ((expr.condition,), ((expr.then,), (expr.other,))),
    Match: lambda expr: ((expr.data,), [(*bound_by(c.pattern), c.body) for c in expr.clauses]),
    Function: lambda expr: ((), () if expr.is_primitive else ((*expr.params, expr.body),)),
}


def body_scopes(expr: Expr) -> Parts:
    """Return the parts by scope, where bodies, branches and clauses are scopes; kernels are leaves.

    The last part in a scope is its value; the other parts are bound there.
    """
    found = _BODIES.get(type(expr))
    return (children(expr), ()) if found is None else found(expr)


def function_scopes(
    edges: Edges = children, counts: Callable[[Function], bool] = lambda _: True
) -> Scoping:
    """Return a view in which each function that `counts` accepts opens one scope."""

    def parts(expr: Expr) -> Parts:
        inner = edges(expr)
        return ((), (inner,)) if isinstance(expr, Function) and counts(expr) else (inner, ())

    return parts
