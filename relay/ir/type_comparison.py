"""Comparison of types: common supertypes, and equality of their dimensions."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import cast

from relay.ir.dims import ANY, Dim
from relay.ir.types import (
    FuncType,
    RefType,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    children,
    with_children,
)
from relay.support.trampoline import Task, run


def join(a: Type, b: Type) -> Type | None:
    """Return the join of two types, their most specific supertype.

    Differing dimensions become `Any`.

    Returns None if they have no common supertype. Parameters of functions are contravariant: those
    of the result are what both functions accept. Where their sizes differ, the result accepts any
    size, and the callee checks it at run time. There is no limit on the depth of types.

    >>> join(TensorType((2, 3)), TensorType((2, 4)))
    Tensor[(2, ?), float32]
    >>> two, some = TensorType((2,)), TensorType((ANY,))
    >>> join(FuncType((two,), some), FuncType((some,), two))
    fn (Tensor[(2,), float32]) -> Tensor[(?,), float32]
    >>> join(FuncType((two,), two), FuncType((TensorType((3,)),), two))
    fn (Tensor[(?,), float32]) -> Tensor[(2,), float32]
    """
    return a if a is b else run(_join((a, b)))


def common_type(types: Iterable[Type]) -> Type | None:
    """Return the join of one or more types; None if they have no common supertype."""
    return run(_join(tuple(types)))


def _join(types: Sequence[Type], *, contravariant: bool = False) -> Task[Type | None]:
    """Return the most specific common supertype of types.

    If `contravariant`, return their most general common subtype, for parameters of functions.
    """
    first, *others = dict.fromkeys(types)
    if not others:
        return first
    if not all(_have_same_structure(first, other) for other in others):
        return None
    if isinstance(first, TensorType):
        shapes = (first.shape, *(ty.shape for ty in others if isinstance(ty, TensorType)))
        dims = (_size(dims, contravariant=contravariant) for dims in zip(*shapes, strict=True))
        return TensorType(tuple(dims), first.dtype)
    inputs = len(first.params) if isinstance(first, FuncType) else 0
    parts: list[Type] = []
    for index, same in enumerate(zip(*map(children, (first, *others)), strict=True)):
        part = yield _join(
            same, contravariant=not contravariant if index < inputs else contravariant
        )
        if part is None:
            return None
        parts.append(part)
    return with_children(first, parts)


def _have_same_structure(a: Type, b: Type) -> bool:
    """Whether two types agree at the outermost level, apart from dimensions.

    Their component types are not compared.
    """
    match a, b:
        case TensorType(), TensorType():
            return a.rank == b.rank and a.dtype is b.dtype
        case TupleType(fields), TupleType(others):
            return len(fields) == len(others)
        case TypeCall(head, args), TypeCall(other, others):
            return head is other and len(args) == len(others)
        case FuncType(params, _, (), ()), FuncType(others, _, (), ()):
            return len(params) == len(others)
        case _:
            return False


def _size(dims: Sequence[Dim], *, contravariant: bool) -> Dim:
    """Return the common dimension of several in a joined type: `?` if they differ.

    If `contravariant`, it is the dimension that all types accept; functions with dimension
    variables of their own accept any size and check it when called.
    """
    different = dict.fromkeys(dims)
    if contravariant and len(different) > 1:
        different = dict.fromkeys(dim for dim in different if isinstance(dim, int))
    return next(iter(different)) if len(different) == 1 else ANY


def with_unknown_dims_of(ty: Type, like: Type) -> Type:
    """Return `ty` with the dimension `?` wherever `like`, a type of the same structure, has `?`.

    >>> with_unknown_dims_of(TensorType((2, 3)), TensorType((ANY, 3)))
    Tensor[(?, 3), float32]
    """
    return ty if ty is like else run(_opened(ty, like))


def _opened(ty: Type, like: Type) -> Task[Type]:
    match ty, like:
        case TensorType(shape, element), TensorType(other) if len(shape) == len(other):
            pairs = zip(shape, other, strict=True)
            return TensorType(tuple(ANY if b is ANY else a for a, b in pairs), element)
        case TupleType(fields), TupleType(others) if len(fields) == len(others):
            parts: tuple[Type, ...] = ()
            for pair in zip(fields, others, strict=True):
                parts += ((yield _opened(*pair)),)
            return TupleType(parts)
        case TypeCall(head, args), TypeCall(_, others):
            inner = yield _opened(TupleType(args), TupleType(others))
            return TypeCall(head, cast("TupleType", inner).fields)
        case FuncType(params, result, ()), FuncType(others, also, ()):
            taken = yield _opened(TupleType(params), TupleType(others))
            return FuncType(cast("TupleType", taken).fields, (yield _opened(result, also)))
        case RefType(content), RefType(other):
            return RefType((yield _opened(content, other)))
        case _:
            return ty


@lru_cache(maxsize=1 << 12)
def holds_functions(ty: Type) -> bool:
    """Whether a function type occurs in a type.

    >>> holds_functions(TupleType((FuncType((), TensorType(())),)))
    True
    """
    return any(isinstance(part, FuncType) for part in parts_of_types([ty]))


def parts_of_types(
    types: Iterable[Type], inside: Callable[[Type], Sequence[Type]] = children
) -> Iterator[Type]:
    """Yield types and all types in them, each once; `inside` returns the components of a type."""
    stack, seen = [*types][::-1], set[Type]()
    while stack:
        top = stack.pop()
        if top not in seen:
            seen.add(top)
            yield top
            stack.extend(reversed(inside(top)))


def same_sizes(a: Type, b: Type) -> bool:
    """Whether two types that differ at most in dimensions have the same dimensions.

    >>> same_sizes(TensorType((2,)), TensorType((ANY,)))
    False
    """
    stack, seen = [(a, b)], set[tuple[Type, Type]]()
    while stack:
        pair = stack.pop()
        if pair[0] is pair[1] or pair in seen:
            continue
        seen.add(pair)
        left, right = pair
        if isinstance(left, TensorType):
            return False
        stack.extend(zip(children(left), children(right), strict=False))
    return True
