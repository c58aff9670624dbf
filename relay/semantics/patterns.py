"""Types of the variables that patterns bind.

Dimension names in the definition of a data type are bound anew in each value. Where a match is in
the scope of the same name, the pattern's dimension is renamed.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from relay.ir.dims import Dim, DimVar, in_order
from relay.ir.expr import Expr
from relay.ir.match_dims import match_dims
from relay.ir.patterns import (
    Match,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
)
from relay.ir.types import (
    TupleType,
    Type,
    TypeCall,
    dim_variables,
    substitute_dims,
    substitute_types,
)
from relay.ir.walk import children
from relay.semantics.type_mismatch import Mismatch, TypedPlace, clash
from relay.semantics.unify import Unifier
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError

OwnNames: TypeAlias = Mapping[Pattern, Mapping[DimVar, DimVar]]
"""By patterns: the names that replace those in data type definitions."""


def names_in_patterns(order: Sequence[Expr]) -> OwnNames:
    """Return the dimension names that patterns bind in a function, given in post-order."""
    names = dict[Pattern, Mapping[DimVar, DimVar]]()
    matches = [expr for expr in order if isinstance(expr, Match)]
    clauses = [clause for expr in matches for clause in expr.clauses]
    if not any(_own(each) for clause in clauses for each in _inside(clause.pattern)):
        return names
    around = defaultdict[Expr, frozenset[DimVar]](frozenset)
    for expr in reversed(order):  # users before operands
        known = around[expr]
        for child in children(expr):
            around[child] |= known
        for clause in expr.clauses if isinstance(expr, Match) else ():
            taken = known
            for each in _inside(clause.pattern):
                own = in_order(_own(each))
                names[each] = {n: n.fresh() if n in taken else n for n in own}
                taken = taken.union(names[each].values())
            around[clause.body] |= taken
    return names


def told_in_clauses(expr: Match, names: OwnNames) -> frozenset[DimVar]:
    """Return the dimensions that the patterns of a match bind through data type definitions."""
    patterns = [each for clause in expr.clauses for each in _inside(clause.pattern)]
    return frozenset(name for each in patterns for name in names.get(each, {}).values())


def _inside(pattern: Pattern) -> Iterator[PatternConstructor]:
    """Yield the constructor patterns in a pattern; recursion is bounded by the pattern's depth."""
    match pattern:
        case PatternConstructor(_, patterns):
            yield pattern
        case PatternTuple(patterns):
            pass
        case _:
            return
    for inner in patterns:
        yield from _inside(inner)


def _own(pattern: PatternConstructor) -> frozenset[DimVar]:
    return dim_variables(*pattern.constructor.inputs)


def type_pattern(
    pattern: Pattern, whole: Type, types: dict[Expr, Type], unifier: Unifier, names: OwnNames
) -> None:
    """Assign types to the variables of a pattern matched against a value of type `whole`.

    Recursion is bounded by the pattern's own depth. Raises `T020` for a value of another type and
    `T023` for a constructor with another number of fields.
    """
    match pattern:
        case PatternVar(var):
            bound = types.setdefault(var, var.annotation or var.ty or unifier.hole())
            _equal(bound, whole, pattern, unifier)
        case PatternTuple(patterns):
            fields = tuple(unifier.hole() for _ in patterns)
            _equal(TupleType(fields), whole, pattern, unifier)
            for inner, field in zip(patterns, fields, strict=True):
                type_pattern(inner, field, types, unifier, names)
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
                raise RelayTypeError(ErrorCode.T023, message, span=pattern.span, help=help_)
            bindings: dict[Type, Type] = dict(zip(constructor.type_params, holes, strict=True))
            sizes = _sizes(pattern, names)
            for inner, ty in zip(patterns, constructor.inputs, strict=True):
                field = substitute_types(substitute_dims(ty, sizes), bindings)
                type_pattern(inner, field, types, unifier, names)
        case _:
            pass


def _sizes(pattern: PatternConstructor, names: OwnNames) -> dict[DimVar, Dim]:
    """Return the dimensions of a pattern that replace those of the definition.

    Variables of the pattern that are already typed determine dimensions, too.
    """
    pairs = zip(pattern.constructor.inputs, pattern.patterns, strict=True)
    typed = [(ty, p.var.ty) for ty, p in pairs if isinstance(p, PatternVar) and p.var.ty]
    known = match_dims([ty for ty, _ in typed], [ty for _, ty in typed])
    own = _own(pattern)
    said = {n: size for n, size in known.items() if n in own and isinstance(size, DimVar)}
    return {**names.get(pattern, {}), **said}


def _equal(expected: Type, found: Type, pattern: Pattern, unifier: Unifier) -> None:
    try:
        unifier.unify(expected, found)
    except Mismatch as why:
        shown = unifier.resolve(found), unifier.resolve(expected)
        raise clash(TypedPlace("a pattern"), *shown, why).at(pattern.span) from None
