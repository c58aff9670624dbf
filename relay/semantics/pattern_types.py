"""Type inference of patterns: the types and the dimensions of the variables that they bind.

Dimension variables in the definition of a data type may have a different size in each value, so
each pattern binds them anew. If a match is in the scope of a variable of the same name, the
pattern's is renamed.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from relay.ir.analysis.dims_in_scope import clause_dims as dims_of_clause
from relay.ir.analysis.dims_in_scope import enclosing_dims
from relay.ir.dims import Dim, DimVar, in_order
from relay.ir.expr import Expr, Function, Var
from relay.ir.match_dims import match_dims
from relay.ir.match_patterns import (
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
from relay.semantics.type_mismatch import Mismatch, TypedRole, mismatch_error
from relay.semantics.unify import Unifier
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError

OwnNames: TypeAlias = Mapping[Pattern, Mapping[DimVar, DimVar]]
"""For each pattern, the variables that replace the dimension variables of data type definitions."""


def pattern_dims(order: Sequence[Expr]) -> OwnNames:
    """Map each pattern of a function to the dimension variables that it binds.

    `order` is the function in post-order. The entry of a pattern maps dimensions of the data type's
    definition to the variables in the function.
    """
    names = dict[Pattern, Mapping[DimVar, DimVar]]()
    matches = [expr for expr in order if isinstance(expr, Match)]
    clauses = [clause for expr in matches for clause in expr.clauses]
    if not any(_own(each) for clause in clauses for each in _inside(clause.pattern)):
        return names
    around = defaultdict[Expr, frozenset[DimVar]](frozenset)
    for expr in reversed(order):  # users before operands
        known = around[expr] | _of_params(expr)
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


def _of_params(expr: Expr) -> frozenset[DimVar]:
    """Return the dimension variables in the parameters of a function; none for other nodes."""
    if not isinstance(expr, Function):
        return frozenset()
    types = [param.ty or param.annotation for param in expr.params]
    return dim_variables(*(ty for ty in types if ty is not None))


def dims_bound_by_matches(
    order: Sequence[Expr], names: OwnNames
) -> Mapping[Match, frozenset[DimVar]]:
    """Return the dimension variables that the clauses of each match of a function bind.

    1. They rename those of the definitions of data types, as in `names`.
    2. The types that are written for variables of patterns bind those that are not in scope yet.
    """
    found = {expr: _renamed(expr, names) for expr in order if isinstance(expr, Match)}
    written = {
        expr: frozenset[DimVar]().union(*(dims_of_clause(each, _written) for each in expr.clauses))
        for expr in order
        if isinstance(expr, Match)
    }
    if any(written.values()):
        around = enclosing_dims(order, _written)
        found = {expr: dims | (written[expr] - around[expr]) for expr, dims in found.items()}
    return found


def _written(var: Var) -> Type | None:
    return var.annotation or var.ty


def _renamed(expr: Match, names: OwnNames) -> frozenset[DimVar]:
    patterns = [each for clause in expr.clauses for each in _inside(clause.pattern)]
    return frozenset(name for each in patterns for name in names.get(each, {}).values())


def _inside(pattern: Pattern) -> Iterator[PatternConstructor]:
    """Yield the constructor patterns inside a pattern, including the pattern itself."""
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
    """Assign types to the variables of a pattern that matches a value of type `whole`.

    They are added to `types`; `names` has the dimensions that patterns bind. Raises `T020` if the
    value's type is not that of the pattern, and `T023` if the number of fields of a constructor is
    wrong.
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
                message = (
                    f"the constructor {constructor.name} has {count} fields, but the pattern "
                    f"has {len(patterns)}"
                )
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
    """Return a pattern's replacements for dimension variables of the constructor's definition.

    They are determined by variables of the pattern that have a type already, or else `names`.
    """
    own = _own(pattern)
    fields = zip(pattern.patterns, pattern.constructor.inputs, strict=True)
    typed = [pair for field in fields if own for pair in _typed_variables(*field)]
    known = match_dims([ty for ty, _ in typed], [ty for _, ty in typed])
    said = {n: size for n, size in known.items() if n in own and isinstance(size, DimVar)}
    return {**names.get(pattern, {}), **said}


def _typed_variables(pattern: Pattern, whole: Type) -> Iterator[tuple[Type, Type]]:
    """Yield for each typed variable of a pattern its type in a value of type `whole`, and its own.

    Dimensions in definitions of types inside `whole` are not those of `whole`: they get new names.
    """
    match pattern, whole:
        case PatternVar(var), _ if var.ty is not None:
            yield whole, var.ty
        case PatternTuple(patterns), TupleType(fields) if len(patterns) == len(fields):
            for each in zip(patterns, fields, strict=True):
                yield from _typed_variables(*each)
        case PatternConstructor(constructor, patterns), TypeCall(_, args) if args:
            apart: dict[DimVar, Dim] = {n: n.fresh() for n in _own(pattern)}
            bindings: dict[Type, Type] = dict(zip(constructor.type_params, args, strict=False))
            for inner, ty in zip(patterns, constructor.inputs, strict=False):
                field = substitute_types(substitute_dims(ty, apart), bindings)
                yield from _typed_variables(inner, field)
        case _:
            pass


def _equal(expected: Type, found: Type, pattern: Pattern, unifier: Unifier) -> None:
    try:
        unifier.unify(expected, found)
    except Mismatch as why:
        shown = unifier.resolve(found), unifier.resolve(expected)
        raise mismatch_error(TypedRole("a pattern"), *shown, why).at(pattern.span) from None
