"""Types of the variables that patterns bind."""

from relay.ir.patterns import (
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
)
from relay.ir.types import TupleType, Type, TypeCall, substitute_types
from relay.semantics.blame import Mismatch, Place, clash
from relay.semantics.unify import Unifier
from relay.support.errors import TypeError_


def type_pattern(pattern: Pattern, whole: Type, types: dict[int, Type], unifier: Unifier) -> None:
    """Give types to what a pattern binds when it is matched against a value of type `whole`.

    Recursion is bounded by the pattern's own depth. Raises `T020` for a value of another type and
    `T023` for a constructor with another number of fields.
    """
    match pattern:
        case PatternVar(var):
            bound = types.setdefault(id(var), var.annotation or var.ty or unifier.hole())
            _equal(bound, whole, pattern, unifier)
        case PatternTuple(patterns):
            fields = tuple(unifier.hole() for _ in patterns)
            _equal(TupleType(fields), whole, pattern, unifier)
            for inner, field in zip(patterns, fields, strict=True):
                type_pattern(inner, field, types, unifier)
        case PatternConstructor(constructor, patterns):
            holes = tuple(unifier.hole() for _ in constructor.type_params)
            _equal(TypeCall(constructor.belongs_to, holes), whole, pattern, unifier)
            if len(patterns) != len(constructor.inputs):
                count = len(constructor.inputs)
                message = f"{constructor.name} has {count} fields, the pattern {len(patterns)}"
                drawn = (
                    f"{constructor.name}({', '.join('_' * count)})" if count else constructor.name
                )
                help_ = f"write {drawn}"
                raise TypeError_("T023", message, span=pattern.span, help=help_)
            bindings: dict[Type, Type] = dict(zip(constructor.type_params, holes, strict=True))
            for inner, ty in zip(patterns, constructor.inputs, strict=True):
                type_pattern(inner, substitute_types(ty, bindings), types, unifier)
        case _:
            pass


def _equal(expected: Type, found: Type, pattern: Pattern, unifier: Unifier) -> None:
    try:
        unifier.unify(expected, found)
    except Mismatch as why:
        shown = unifier.resolve(found), unifier.resolve(expected)
        raise clash(Place("a pattern"), *shown, why).at(pattern.span) from None
