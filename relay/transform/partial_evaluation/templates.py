"""Templates: static values with holes, which represent what several values have in common."""

from collections.abc import Callable, Iterator, Sequence

from relay.ir.type_comparison import join
from relay.support.trampoline import Task, run
from relay.transform.partial_evaluation.static_values import (
    Domain,
    Static,
    StaticCell,
    StaticClosure,
    StaticData,
    StaticTuple,
    Unknown,
    parts,
)

WIDEST = 64
"""The maximum number of holes of a template; a wider value becomes a single hole."""


def is_hole(value: Static) -> bool:
    """Whether a value is a hole: the values that the template represents differ there."""
    return isinstance(value, Unknown) and value.atom is None


def is_leaf(value: Static) -> bool:
    """Whether a value is unknown, or is a reference cell."""
    return isinstance(value, Unknown | StaticCell)


def leaves(
    template: Static, value: Static, holds: Callable[[Static], bool] = is_hole
) -> Iterator[Static]:
    """Yield the parts of `value` where `template` has holes, from left to right.

    `holds` decides which parts of the template are holes.
    """
    stack = [(template, value)]
    while stack:
        pattern, found = stack.pop()
        if holds(pattern):
            yield found
        elif pattern.outline.width:
            stack.extend(reversed(list(zip(parts(pattern), parts(found), strict=True))))


def filled(
    domain: Domain,
    template: Static,
    values: Iterator[Static],
    holds: Callable[[Static], bool] = is_hole,
) -> Static:
    """Return a template with its holes replaced by values, from left to right.

    `holds` decides which parts of the template are holes.
    """

    def visit(value: Static) -> Task[Static]:
        if holds(value):
            return next(values)
        if not value.outline.width:
            return value
        inner: list[Static] = []
        for part in parts(value):
            inner += ((yield visit(part)),)
        return domain.with_parts(value, inner)

    return run(visit(template))


def common(domain: Domain, first: Static, second: Static) -> Static:
    """Return the template of what two values have in common, with holes where they differ.

    Parts that are identical in both values are kept, whether known or not.
    """
    known: dict[tuple[Static, Static], Static] = {}

    def visit(a: Static, b: Static) -> Task[Static]:
        if a is b or (not a.outline.width and a.outline.number == b.outline.number):
            return a
        if (a, b) not in known:
            known[a, b] = yield inside(a, b)
        return known[a, b]

    def inside(a: Static, b: Static) -> Task[Static]:
        if not _are_built_alike(a, b):
            return domain.hole(join(a.ty, b.ty) or a.ty)
        inner: list[Static] = []
        for pair in zip(parts(a), parts(b), strict=True):
            inner += ((yield visit(*pair)),)
        made = domain.with_parts(a, inner)
        is_wide = made.outline.width > WIDEST
        return domain.hole(join(a.ty, b.ty) or a.ty) if is_wide else made

    return run(visit(first, second))


def template_of(domain: Domain, value: Static, holds: Callable[[Static], bool]) -> Static:
    """Return a value with holes for those unknown parts and cells that `holds` accepts."""
    found = (domain.hole(leaf.ty) for leaf in leaves(value, value, holds))
    is_wide = value.outline.width > WIDEST
    return domain.hole(value.ty) if is_wide else filled(domain, value, found, holds)


def narrowed(domain: Domain, values: Sequence[Static]) -> list[Static]:
    """Return values; each value with many unknown parts is replaced by a single hole."""
    kept: list[Static] = []
    for value in values:
        wide = value.outline.width > WIDEST
        kept.append(domain.hole(value.ty) if wide else value)
    return kept


def _are_built_alike(a: Static, b: Static) -> bool:
    match a, b:
        case StaticTuple(fields=fields), StaticTuple(fields=others):
            return len(fields) == len(others) > 0
        case StaticData(), StaticData():
            same = a.constructor is b.constructor and a.type_args == b.type_args
            return same and len(a.fields) > 0
        case StaticClosure(), StaticClosure():
            same = a.function is b.function and a.types.key == b.types.key
            return same and len(a.captured) > 0
        case _:
            return False
