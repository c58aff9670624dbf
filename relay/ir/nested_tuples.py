"""Take nested tuples apart, and put them together; the nesting of types bounds the recursion."""

from collections.abc import Iterator

from relay.ir.expr import Expr, Tuple, TupleGetItem
from relay.ir.types import TupleType, Type


def fields(whole: Expr) -> tuple[Expr, ...]:
    """Return the fields of a tuple as expressions."""
    if isinstance(whole, Tuple):
        return whole.fields
    ty = whole.type
    assert isinstance(ty, TupleType), "only tuples have fields"
    return tuple(TupleGetItem(whole, index) for index in range(len(ty.fields)))


def leaves(whole: Expr) -> Iterator[Expr]:
    """Yield the values in nested tuples, in order; a value of another type yields itself."""
    if isinstance(whole.type, TupleType):
        for field in fields(whole):
            yield from leaves(field)
    else:
        yield whole


def leaf_types(ty: Type) -> Iterator[Type]:
    """Yield the types inside nested tuple types, in order; another type yields itself."""
    if isinstance(ty, TupleType):
        for field in ty.fields:
            yield from leaf_types(field)
    else:
        yield ty


def nested(ty: Type, parts: Iterator[Expr]) -> Expr:
    """Return a value of type `ty`; the next of `parts` are the values in its nested tuples."""
    if isinstance(ty, TupleType):
        return Tuple(tuple(nested(each, parts) for each in ty.fields))
    return next(parts)
