"""How types compare: what two have in common, whether they have the same sizes, or functions."""

from collections.abc import Iterable
from functools import lru_cache
from typing import cast

from relay.ir.dims import ANY, Dim
from relay.ir.types import FuncType, RefType, TensorType, TupleType, Type, TypeCall, children
from relay.support.trampoline import Task, run


def join(a: Type, b: Type) -> Type | None:
    """Return the narrowest type that two values have in common: sizes that differ are `Any`.

    None where there is none. A function takes what both of two can take. Types may be nested as
    deep as memory allows.

    >>> join(TensorType((2, 3)), TensorType((2, 4)))
    Tensor[(2, ?), float32]
    >>> two, some = TensorType((2,)), TensorType((ANY,))
    >>> join(FuncType((two,), some), FuncType((some,), two))
    fn (Tensor[(2,), float32]) -> Tensor[(?,), float32]
    """
    return a if a is b else run(_join(a, b))


def common_type(types: Iterable[Type]) -> Type | None:
    """Return what types, at least one, are joined to; None where they have nothing in common."""
    first, *others = dict.fromkeys(types)
    joined: Type | None = first
    for ty in others:
        joined = None if joined is None else join(joined, ty)
    return joined


def _join(a: Type, b: Type, *, taken: bool = False) -> Task[Type | None]:
    """Join two types; with `taken`, return what values have that both of them can take."""
    if a is b:
        return a
    match a, b:
        case TensorType(shape, element), TensorType(other, also) if len(shape) == len(other):
            dims = [_size(*pair, taken=taken) for pair in zip(shape, other, strict=True)]
            known = tuple(dim for dim in dims if dim is not None)
            fits = element is also and len(known) == len(dims)
            return TensorType(known, element) if fits else None
        case TupleType(fields), TupleType(others) if len(fields) == len(others):
            parts: list[Type] = []
            for x, y in zip(fields, others, strict=True):
                found = yield _join(x, y, taken=taken)
                if found is None:
                    return None
                parts.append(found)
            return TupleType(tuple(parts))
        case TypeCall(head, args), TypeCall(other, others) if head is other:
            inner = yield _join(TupleType(args), TupleType(others), taken=taken)
            return TypeCall(head, inner.fields) if isinstance(inner, TupleType) else None
        case FuncType(params, result, ()), FuncType(others, also, ()):
            given = yield _join(TupleType(params), TupleType(others), taken=not taken)
            found = yield _join(result, also, taken=taken)
            if not isinstance(given, TupleType) or found is None:
                return None
            return FuncType(given.fields, found)
        case _:
            return None


def _size(a: Dim, b: Dim, *, taken: bool) -> Dim | None:
    """Return the size of two that are joined, or the one that both can take.

    Functions with names of their own take tensors of any size, and test them when they are called.
    """
    if a is b or not taken:
        return a if a is b else ANY
    if isinstance(a, int) and isinstance(b, int):
        return None
    return next((dim for dim in (a, b) if isinstance(dim, int)), ANY)


def as_open(ty: Type, like: Type) -> Type:
    """Return a type without the sizes that are `?` in another one, as far as that is built alike.

    >>> as_open(TensorType((2, 3)), TensorType((ANY, 3)))
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
    """Whether a function type is a part of a type.

    >>> holds_functions(TupleType((FuncType((), TensorType(())),)))
    True
    """
    stack, seen = [ty], set[Type]()
    while stack:
        top = stack.pop()
        if isinstance(top, FuncType):
            return True
        if top not in seen:
            seen.add(top)
            stack.extend(children(top))
    return False


def same_sizes(a: Type, b: Type) -> bool:
    """Whether two types, which differ at most in sizes, have the same.

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
