"""`relay.loops`, a module of TVM: `while_loop` as a recursive function."""

from collections.abc import Callable, Sequence

from relay.ir.expr import Call, Expr, Function, If, Let, Tuple, Var
from relay.ir.types import FuncType, TupleType, Type
from relay.ops.functions.scope_builder import ScopeBuilder


def while_loop(
    cond: Callable[..., Expr],
    loop_vars: Sequence[Var | Expr],
    loop_bodies: Callable[..., Sequence[Expr]],
) -> Let:
    """Return a recursive function that loops while a condition holds, and returns its state.

    `cond` and `loop_bodies` are called once with the loop variables: the first returns the
    condition, the second the values for the next iteration. `loop_vars` are the names and types of
    the loop variables. The function is called with the initial values:

    >>> from relay.ops.functions import const, var
    >>> i = var("i", "int32")
    >>> loop = while_loop(lambda i: i < 10, [i], lambda i: [i + 3])
    >>> from relay.semantics.evaluate import evaluate_expr
    >>> evaluate_expr(loop(const(0)))
    (array(12, dtype=int32),)
    """
    names = [v.name if isinstance(v, Var) else f"arg{i}" for i, v in enumerate(loop_vars)]
    types = [each.ty for each in loop_vars]
    params = tuple(Var(name, ty) for name, ty in zip(names, types, strict=True))
    loop = Var("while_loop", _loop_type([ty for ty in types if ty is not None], len(types)))
    again = Call(loop, tuple(loop_bodies(*params)))
    body = If(cond(*params), again, Tuple(params))
    return Let(loop, Function(params, body), loop)


def _loop_type(types: Sequence[Type], count: int) -> FuncType | None:
    """Return the type of the loop function; None if the type of a variable is unknown."""
    return FuncType(tuple(types), TupleType(tuple(types))) if len(types) == count else None


__all__ = ["ScopeBuilder", "while_loop"]
