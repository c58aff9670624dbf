"""Matching of patterns against partially known values."""

from collections.abc import Iterator, Sequence

from relay.ir.expr import Var
from relay.ir.match_patterns import (
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
    PatternWildcard,
)
from relay.support.node import replace
from relay.transform.partial_evaluation.static_values import (
    Domain,
    Static,
    StaticData,
    StaticTuple,
    TypeContext,
)


def fits(pattern: Pattern, value: Static | None) -> bool | None:
    """Whether a pattern matches a partially known value; None if that is not known."""
    match pattern, value:
        case PatternConstructor(constructor), StaticData(constructor=made):
            if constructor.name != made.name:
                return False
        case PatternConstructor(), _:
            return None
        case _:
            pass
    found = [fits(*each) for each in _parts(pattern, value)]
    return False if False in found else None if None in found else True


def matched(pattern: Pattern, value: Static) -> Iterator[tuple[Var, Static, tuple[int, ...]]]:
    """Yield the variables of a matching pattern, each with a value and a path of fields.

    The path leads from an unknown tuple to the field that the variable is bound to.
    """
    stack: list[tuple[Pattern, Static, tuple[int, ...]]] = [(pattern, value, ())]
    while stack:
        top, found, path = stack.pop()
        match top:
            case PatternVar(var):
                yield var, found, path
            case PatternTuple(patterns) if not isinstance(found, StaticTuple):
                inside = [(p, found, (*path, index)) for index, p in enumerate(patterns)]
                stack.extend(reversed(inside))
            case _:
                known = [(p, v, ()) for p, v in _parts(top, found) if v is not None]
                stack.extend(reversed(known))


def copied(
    domain: Domain, pattern: Pattern, value: Static | None, types: TypeContext
) -> tuple[Pattern, list[tuple[Var, Static]]]:
    """Return a copy of a pattern, and the values of its variables if it matches a value.

    `types` replaces type parameters and dimensions. Known parts of the value need no variable.
    """
    match pattern:
        case PatternVar(var) if value is None:
            known = types(var.type)
            new = Var(var.name, known, span=var.span, ty=known)
            return replace(pattern, var=new), [(var, domain.unknown(new))]
        case PatternVar(var):
            assert value is not None, "the case before"
            return PatternWildcard(span=pattern.span), [(var, value)]
        case PatternConstructor() | PatternTuple():
            inner: list[Pattern] = []
            bound: list[tuple[Var, Static]] = []
            for part, known in _parts(pattern, value):
                new_part, more = copied(domain, part, known, types)
                inner.append(new_part)
                bound += more
            return replace(pattern, patterns=tuple(inner)), bound
        case _:
            return pattern, []


def _parts(pattern: Pattern, value: Static | None) -> Sequence[tuple[Pattern, Static | None]]:
    """Return the subpatterns of a pattern, each with the part of the value that it matches.

    A part is None if the value is unknown.
    """
    match pattern, value:
        case PatternConstructor(_, patterns), StaticData(fields=fields):
            return list(zip(patterns, fields, strict=False))
        case PatternTuple(patterns), StaticTuple(fields=fields):
            return list(zip(patterns, fields, strict=True))
        case PatternConstructor(_, patterns) | PatternTuple(patterns), _:
            return [(each, None) for each in patterns]
        case _:
            return []
