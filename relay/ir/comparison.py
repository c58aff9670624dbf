"""How types compare: what two have in common, whether they have the same sizes, or functions."""

from collections.abc import Iterable
from functools import lru_cache

from relay.ir.dims import ANY
from relay.ir.types import FuncType, TensorType, TupleType, Type, TypeCall, children
from relay.support.trampoline import Task, run


def join(a: Type, b: Type) -> Type | None:
    """Return the narrowest type that two values have in common: sizes that differ are `Any`.

    None where there is none. Types may be nested as deep as memory allows.

    >>> join(TensorType((2, 3)), TensorType((2, 4)))
    Tensor[(2, ?), float32]
    """
    return a if a is b else run(_join(a, b))


def common_type(types: Iterable[Type]) -> Type | None:
    """Return what types, at least one, are joined to; None where they have nothing in common."""
    first, *others = dict.fromkeys(types)
    joined: Type | None = first
    for ty in others:
        joined = None if joined is None else join(joined, ty)
    return joined


def _join(a: Type, b: Type) -> Task[Type | None]:
    if a is b:
        return a
    match a, b:
        case TensorType(shape, element), TensorType(other, also) if len(shape) == len(other):
            dims = zip(shape, other, strict=True)
            joined = tuple(x if x is y else ANY for x, y in dims)
            return TensorType(joined, element) if element is also else None
        case TupleType(fields), TupleType(others) if len(fields) == len(others):
            known: list[Type] = []
            for x, y in zip(fields, others, strict=True):
                found = yield _join(x, y)
                if found is None:
                    return None
                known.append(found)
            return TupleType(tuple(known))
        case TypeCall(head, args), TypeCall(other, others) if head is other:
            inner = yield _join(TupleType(args), TupleType(others))
            return TypeCall(head, inner.fields) if isinstance(inner, TupleType) else None
        case _:
            return None


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
