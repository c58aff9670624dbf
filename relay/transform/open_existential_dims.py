"""Open existential dimensions: sizes that types leave unknown get names."""

from collections.abc import Iterator
from typing import cast

from relay.ir.dims import DimVar
from relay.ir.expr import (
    Call,
    Expr,
    Function,
    If,
    Let,
    Var,
)
from relay.ir.module import Module
from relay.ir.patterns import Match
from relay.ir.references import RefRead
from relay.ir.types import dim_variables
from relay.ir.walk import fold, outside_kernels, with_children
from relay.support.errors import RelayTypeError
from relay.support.node import replace, value
from relay.transform.dynamic_broadcast import stretched
from relay.transform.pipeline import Pass, is_optimizable
from relay.transform.size_names import fresh_names, with_names


@value
class OpenExistentialDims(Pass):
    """Put a fresh name in the place of each `Any` in the type of a tensor.

    1. A variable that a function, a pattern or a `let` binds: its tensors bring their sizes along.
    2. The result of a call, a branch, a match or a read cell: the sizes are known once it is there.
    3. What is computed from such values has types in those names; sizes that must be equal may have
       several, which the compiled program tests. One of two sizes that broadcast may also be 1.
    4. Where sizes that become known this way do not fit, a `let` tells them in their place: the
       program stops there, if it comes there.

    Sizes inside data types stay `Any`: each value in them has its own.
    """

    def transform(self, module: Module) -> Module:
        """Return the module with names in all functions; no two functions share one."""
        names = fresh_names()
        functions = {
            name: _named(function, names) if is_optimizable(function) else function
            for name, function in module.functions.items()
        }
        return module.with_functions(functions)


def _named(function: Function, names: Iterator[DimVar]) -> Function:
    def visit(old: Expr, new: list[Expr]) -> Expr:
        expr = _rebuilt(old, new, names) if new else old
        if isinstance(expr, Call):
            expr = stretched(expr, named)
        return named(expr, old)

    def named(expr: Expr, old: Expr | None = None) -> Expr:
        if isinstance(expr, Var | Call | If | Match | RefRead):
            known = old.ty if old is not None and _is_unknown(expr, old) else expr.ty
            ty = known if known is None else with_names(known, names)
            return expr if ty is expr.ty else replace(expr, ty=ty)
        return expr

    return cast("Function", fold(function, visit, edges=outside_kernels))


def _is_unknown(expr: Expr, old: Expr) -> bool:
    """Whether no type was found anew, or one with names that only a clause of a match may tell."""
    if expr.ty is None or old.ty is None:
        return expr.ty is None
    return isinstance(expr, Match) and not dim_variables(expr.ty) <= dim_variables(old.ty)


def _rebuilt(old: Expr, new: list[Expr], names: Iterator[DimVar]) -> Expr:
    """Return an expression of new parts, with case 4."""
    try:
        return with_children(old, new)
    except RelayTypeError:
        before = outside_kernels(old)
        parts = [_told(part, was, names) for part, was in zip(new, before, strict=True)]
        return with_children(old, parts)


def _told(part: Expr, before: Expr, names: Iterator[DimVar]) -> Expr:
    """Return a part whose sizes the program tells where their names were not known before."""
    named = before.ty and with_names(before.ty, names)
    if named is before.ty:
        return part
    var = Var("_", named, span=part.span, ty=named)
    return Let(var, part, var, span=part.span)
