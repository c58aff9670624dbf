"""Replaces wildcards in patterns by variables, for the parts that have a derivative."""

from relay.autodiff.tangent_types import Tangents
from relay.ir.constructor_field_types import field_types
from relay.ir.expr import Call, Expr, Tuple, Var
from relay.ir.match_patterns import (
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    PatternWildcard,
)
from relay.ir.types import TupleType, Type, TypeCall
from relay.support.node import replace


def with_variables(pattern: Pattern, ty: Type, tangents: Tangents) -> Pattern:
    """Return a pattern with variables in place of wildcards inside constructors and tuples.

    The cotangent of the whole value needs zeros for these parts, with the sizes of the values.
    """
    match pattern, ty:
        case PatternTuple(patterns), TupleType(types):
            pass
        case PatternConstructor(constructor, patterns), TypeCall():
            types = field_types(constructor, ty)
        case _:
            return pattern
    named = (_named(*pair, tangents) for pair in zip(patterns, types, strict=True))
    return replace(pattern, patterns=tuple(named))


def _named(pattern: Pattern, ty: Type, tangents: Tangents) -> Pattern:
    if isinstance(pattern, PatternWildcard) and tangents.has(ty):
        return PatternVar(Var("unread", ty, ty=ty))
    return with_variables(pattern, ty, tangents)


def zero_of(pattern: Pattern, ty: Type, tangents: Tangents) -> Expr:
    """Return the zero tangent of the value that a pattern matched, from the pattern's variables."""
    match pattern, ty:
        case PatternVar(var), _:
            return tangents.zero(var)
        case PatternTuple(patterns), TupleType(types) if tangents.has(ty):
            pairs = zip(patterns, types, strict=True)
            return Tuple(tuple(zero_of(*pair, tangents) for pair in pairs))
        case _, TypeCall() if tangents.has(ty):
            return Call(tangents.data(ty).zero, ())
        case _:
            return Tuple(())
