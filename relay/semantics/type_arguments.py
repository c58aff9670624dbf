"""Inference of type arguments when the types of arguments have dynamic dimensions.

`@map(fn (%y: Tensor[(2)]) { … }, %xs)`, where `%xs` is a `List[Tensor[(?)]]`, instantiates `@map`
for tensors of any size: the function that is passed checks the sizes of its arguments itself.
"""

from collections.abc import Iterator, Sequence
from enum import Enum, auto
from typing import TypeAlias

from relay.ir.type_comparison import join
from relay.ir.types import FuncType, RefType, Type, TypeCall, children, has_any
from relay.semantics.type_mismatch import Mismatch
from relay.semantics.unify import Unifier
from relay.semantics.variance import Variance


class _Position(Enum):
    """The variance of a position in a type: values flow in, out, or both (in a cell)."""

    IN = auto()
    OUT = auto()
    CELL = auto()


_Part: TypeAlias = tuple[Type, Type, _Position]
"""A component of an expected type, that of the actual type, and the variance of the position."""

_TURNED = {_Position.IN: _Position.OUT, _Position.OUT: _Position.IN, _Position.CELL: _Position.CELL}


def choose_types(
    holes: Sequence[Type],
    wanted: Sequence[Type],
    given: Sequence[Type],
    unifier: Unifier,
) -> None:
    """Fill unknown type arguments for which the types of arguments have dynamic dimensions.

    `holes` are these type arguments, `wanted` the types of parameters, and `given` those of
    arguments. A hole is left to unification if all dimensions are known, if the argument types have
    no common supertype, or if it is the type of a cell's content, which is invariant.
    """
    found: dict[Type, list[Type]] = {hole: [] for hole in holes}
    for part, ty, way in _parts(wanted, given, unifier):
        if way is _Position.CELL:
            found.pop(part, None)
        elif way is _Position.IN and part in found and ty.complete:
            found[part].append(ty)
    for hole, types in found.items():
        common = _common(types, unifier)
        if common is not None and has_any(common):
            unifier.unify(hole, common)


def _parts(wanted: Sequence[Type], given: Sequence[Type], unifier: Unifier) -> Iterator[_Part]:
    stack = [(part, ty, _Position.IN) for part, ty in zip(wanted, given, strict=True)]
    seen = set[_Part]()
    while stack:
        top = stack.pop()
        if top not in seen:
            seen.add(top)
            yield top
            stack += _inside(*top, unifier)


def _inside(part: Type, ty: Type, way: _Position, unifier: Unifier) -> Iterator[_Part]:
    match part, ty:
        case FuncType(params, result), FuncType(others, also, ()):
            for each, other in zip(params, others, strict=False):
                yield each, other, _TURNED[way]
            yield result, also, way
        case RefType(content), RefType(other):
            yield content, other, _Position.CELL
        case TypeCall(head, args), TypeCall(same, others) if head is same:
            for each, other, held in zip(
                args, others, unifier.variances(head, len(args)), strict=False
            ):
                yield each, other, _Position.CELL if held is Variance.CELL else way
        case _:
            for each, other in zip(children(part), children(ty), strict=False):
                yield each, other, way


def _common(types: Sequence[Type], unifier: Unifier) -> Type | None:
    """Return the common supertype of types with unknown parts; None if there is none."""
    common: Type | None = None
    for ty in dict.fromkeys(types):
        try:
            common = ty if common is None else unifier.unify(common, ty) and join(common, ty)
        except Mismatch:
            return None
    return common
