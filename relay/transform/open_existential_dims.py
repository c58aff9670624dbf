"""Opening of existential dimensions: sizes that types leave unknown get fresh names."""

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
    """Put a fresh dimension in place of each `Any` in the type of a tensor.

    1. A variable that a function, a pattern or a `let` binds: its sizes are known from its tensors.
    2. The result of a call, a branch, a match or a read cell: its sizes are known once it is
       computed.
    3. The types of expressions over such values contain these dimensions. Equal sizes may have
       several names, whose equality the compiled program checks. Of two sizes that broadcast, one
       may also be 1.
    4. If the types of operands no longer fit, a `let` binds the sizes of each operand: the program
       traps there if it is evaluated.

    Sizes inside data types stay `Any`, because each value in them has its own sizes.
    """

    def transform(self, module: Module) -> Module:
        """Return the module with fresh dimensions, distinct in all functions."""
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
    """Whether no new type was inferred, or only a match has one with dimensions of its clauses."""
    if expr.ty is None or old.ty is None:
        return expr.ty is None
    return isinstance(expr, Match) and not dim_variables(expr.ty) <= dim_variables(old.ty)


def _rebuilt(old: Expr, new: list[Expr], names: Iterator[DimVar]) -> Expr:
    """Return an expression with new children, applying case 4 if they cause a type error."""
    try:
        return with_children(old, new)
    except RelayTypeError:
        before = outside_kernels(old)
        parts = [_told(part, was, names) for part, was in zip(new, before, strict=True)]
        return with_children(old, parts)


def _told(part: Expr, before: Expr, names: Iterator[DimVar]) -> Expr:
    """Return an operand bound by a let whose type has fresh dimensions for unknown sizes."""
    named = before.ty and with_names(before.ty, names)
    if named is before.ty:
        return part
    var = Var("_", named, span=part.span, ty=named)
    return Let(var, part, var, span=part.span)
