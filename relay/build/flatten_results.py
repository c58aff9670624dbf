"""Flattens nested tuples in the results of graphs, and restores them after a call."""

from collections.abc import Iterator, Sequence
from typing import Any

from relay.ir.expr import Function, Let, Tuple, Var
from relay.ir.nested_tuples import leaf_types, leaves
from relay.ir.types import TensorType, TupleType, Type
from relay.support.node import replace


def is_nested(ty: Type) -> bool:
    """Whether a type is a tuple that contains tuples, and otherwise tensors only."""
    inner = isinstance(ty, TupleType) and any(isinstance(f, TupleType) for f in ty.fields)
    return inner and all(isinstance(each, TensorType) for each in leaf_types(ty))


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
    flat = Let(whole, main.body, Tuple(tuple(leaves(whole))))
    return replace(main, body=flat, result=None, ty=None)


def in_nest(results: Sequence[Any], ty: Type) -> Any:
    """Return flat results as the nested tuples of a type; the type's depth bounds recursion."""
    return _nested(iter(results), ty)


def _nested(results: Iterator[Any], ty: Type) -> Any:
    if isinstance(ty, TupleType):
        return tuple(_nested(results, field) for field in ty.fields)
    return next(results)
