"""The pass that substitutes sizes for symbolic dimensions."""

from collections.abc import Mapping
from typing import cast

from relay.ir.attribute_dims import substitute_attributes
from relay.ir.dims import Dim, DimVar
from relay.ir.expr import (
    Call,
    Expr,
    Function,
    If,
    Operator,
    Var,
)
from relay.ir.match_patterns import Match
from relay.ir.module import ENTRY, Module
from relay.ir.types import substitute_dims
from relay.ir.walk import children, post_order, rewrite
from relay.support.node import replace, set_field, value
from relay.transform.fold_known_branches import rebuilt
from relay.transform.pipeline import FunctionPass


@value
class Specialize(FunctionPass):
    """Substitute sizes for the entry's symbolic dimensions, which `sizes` gives by name.

    Other functions have separate dimensions, and may be called with other sizes. The places:

    1. In the types of variables and of function results; other types are inferred from these.
    2. In attributes of operators that hold dimensions, in tuples at any depth.
    3. In type arguments of calls.
    4. A branch that these sizes decide becomes the chosen side; a side with a type error traps.

    Other dimensions stay symbolic; a substituted size may itself be symbolic.
    """

    sizes: tuple[tuple[str, Dim], ...]
    entry: str = ENTRY

    def __post_init__(self) -> None:
        set_field(self, "sizes", tuple(sorted(dict(self.sizes).items(), key=str)))

    def transform(self, module: Module) -> Module:
        """Return the module with the sizes substituted in the entry."""
        return module.with_function(self.entry, self.run(module[self.entry]))

    def run(self, function: Function) -> Function:
        """Return the function with the sizes substituted."""
        return substitute_sizes(function, {DimVar(name): size for name, size in self.sizes})


def substitute_sizes(function: Function, sizes: Mapping[DimVar, Dim]) -> Function:
    """Rebuild a function from the leaves up, with sizes for its symbolic dimensions.

    Constructors compute the new types; the cases are those of `Specialize`.
    """

    def rule(expr: Expr) -> Expr:
        match expr:
            case Var(_, annotation) if expr.ty is not None:
                ty = substitute_dims(expr.ty, sizes)
                kept = None if annotation is None else ty
                return expr if ty is expr.ty else replace(expr, annotation=kept, ty=ty)
            case Call(Operator() as op, args):
                static = substitute_attributes(op, sizes)
                return expr if static is op else Call(static, args, span=expr.span)
            case Call(op, args, type_args) if type_args:
                new = tuple(substitute_dims(ty, sizes) for ty in type_args)
                return expr if new == type_args else Call(op, args, new, span=expr.span)
            case Function(result=result) if expr.ty is not None:
                ty = substitute_dims(expr.ty, sizes)
                given = None if result is None else substitute_dims(result, sizes)
                is_same = ty is expr.ty and given is result
                return expr if is_same else replace(expr, result=given, ty=ty)
            case Match(_, ()) if expr.ty is not None:
                ty = substitute_dims(expr.ty, sizes)
                return expr if ty is expr.ty else replace(expr, ty=ty)
            case _:
                return expr

    if any(isinstance(expr, If) for expr in post_order(function)):
        return cast("Function", rebuilt(function, rule))
    return cast("Function", rewrite(function, rule, edges=children))
