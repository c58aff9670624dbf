"""Reconstruction of data type definitions for a function that is not part of a module."""

from collections.abc import Iterator, Mapping

from relay.ir.expr import Constructor, Expr, Function
from relay.ir.match_patterns import Match, Pattern, PatternConstructor, PatternTuple
from relay.ir.module import TypeData
from relay.ir.types import GlobalTypeVar, TypeCall, TypeVar, all_parts
from relay.ir.walk import post_order


def implied_data_types(function: Function) -> Mapping[str, TypeData]:
    """Return the data types whose constructors a function uses, by name.

    If the function is not part of a module, the other constructors of these data types are
    unknown: placeholders stand for them. Data types that occur only in the types of parameters
    or fields are also returned, without constructors.
    """
    found: dict[GlobalTypeVar, dict[int, Constructor]] = {}
    for each in _constructors(function):
        if each.index >= 0:
            found.setdefault(each.belongs_to, {})[each.index] = each
    types = {head.name: _definition(head, known) for head, known in found.items()}
    written = [param.ty for param in function.params if param.ty is not None]
    fields = (ty for known in found.values() for each in known.values() for ty in each.inputs)
    for part in all_parts(*written, *fields):
        if isinstance(part, TypeCall) and part.head.name not in types:
            params = tuple(TypeVar(f"A{index}") for index in range(len(part.args)))
            types[part.head.name] = TypeData(part.head, params, ())
    return types


def _definition(head: GlobalTypeVar, known: Mapping[int, Constructor]) -> TypeData:
    params = next(iter(known.values())).type_params
    names = [f"{head.name}_{index}" for index in range(max(known) + 1)]
    placeholders = [Constructor(name, (), head, params, i) for i, name in enumerate(names)]
    constructors = tuple(known.get(index, other) for index, other in enumerate(placeholders))
    return TypeData(head, params, constructors)


def _constructors(function: Function) -> Iterator[Constructor]:
    for expr in post_order(function):
        yield from _of(expr)


def _of(expr: Expr) -> Iterator[Constructor]:
    match expr:
        case Constructor():
            yield expr
        case Match(_, clauses):
            for clause in clauses:
                yield from _of_pattern(clause.pattern)
        case _:
            pass


def _of_pattern(pattern: Pattern) -> Iterator[Constructor]:
    """Yield the constructors in a pattern; its depth is limited, so this function may recurse."""
    match pattern:
        case PatternConstructor(constructor, patterns):
            yield constructor
            for each in patterns:
                yield from _of_pattern(each)
        case PatternTuple(patterns):
            for each in patterns:
                yield from _of_pattern(each)
        case _:
            pass
