"""Flattens nested tuples in the results of graphs, and restores them after a call."""

from collections.abc import Iterator, Sequence
from typing import Any

from relay.ir.expr import Expr, Function, Let, Tuple, TupleGetItem, Var
from relay.ir.types import TensorType, TupleType, Type
from relay.support.node import replace


def leaves(ty: Type) -> list[Type]:
    """Return the types inside nested tuples, in order; the depth of the type bounds recursion."""
    return (
        [each for field in ty.fields for each in leaves(field)]
        if isinstance(ty, TupleType)
        else [ty]
    )


def is_nested(ty: Type) -> bool:
    """Whether a type is a tuple that contains tuples, and otherwise tensors only."""
    inner = isinstance(ty, TupleType) and any(isinstance(f, TupleType) for f in ty.fields)
    return inner and all(isinstance(each, TensorType) for each in leaves(ty))


def with_flat_result(main: Function) -> Function:
    """Return a function that returns the tensors of nested tuples as one flat tuple.

    >>> from relay.ir.types import scalar_type
    >>> x = Var("x", scalar_type("int32"))
    >>> with_flat_result(Function((x,), Tuple((x, Tuple((x, x)))))).body.type
    (int32, int32, int32)
    """
    if not is_nested(main.body.type):
        return main
    whole = Var("results", main.body.type)
    flat = Let(whole, main.body, Tuple(tuple(_fields(whole))))
    return replace(main, body=flat, result=None, ty=None)


def _fields(whole: Expr) -> Iterator[Expr]:
    """Yield the tensors in nested tuples; the recursion follows the type's depth."""
    if not isinstance(whole.type, TupleType):
        yield whole
        return
    for index in range(len(whole.type.fields)):
        yield from _fields(TupleGetItem(whole, index))


def in_nest(results: Sequence[Any], ty: Type) -> Any:
    """Return flat results as the nested tuples of a type; the type's depth bounds recursion."""
    return _nested(iter(results), ty)


def _nested(results: Iterator[Any], ty: Type) -> Any:
    if isinstance(ty, TupleType):
        return tuple(_nested(results, field) for field in ty.fields)
    return next(results)
