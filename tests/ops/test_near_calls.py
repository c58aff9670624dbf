"""Calls next to the examples of operators: they are refused, or computed as their types say."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, cast

import pytest

from relay.ir.expr import Expr, Tuple, Var
from relay.ir.types import TensorType, TupleType, Type
from relay.kernels import te
from relay.opdef.definition import OperatorDef
from relay.opdef.table import OPERATORS
from relay.support.dtype import DType, float32, float64, int32
from relay.support.errors import RelayTypeError
from relay.testing.example_types import fields_of
from relay.testing.operator_laws import instance, result_type

CLASSES = [cls for cls in OPERATORS.values() if issubclass(cls, OperatorDef)]


def near_types(types: Sequence[Type]) -> Iterator[list[Type]]:
    """Yield types of which one tensor differs: in its elements, its rank, or one of its sizes."""
    for place, ty in enumerate(types):
        fields = fields_of(ty)
        for index, field in enumerate(fields):
            for new in _near_type(field):
                all_fields = (*fields[:index], new, *fields[index + 1 :])
                whole = TupleType(all_fields) if isinstance(ty, TupleType) else new
                yield [*types[:place], whole, *types[place + 1 :]]


def _near_type(ty: TensorType) -> Iterator[TensorType]:
    shape = ty.static_shape
    yield from (TensorType(shape, kind) for kind in (float32, float64, int32) if kind != ty.dtype)
    yield TensorType((*shape, 2), ty.dtype)
    for axis, size in enumerate(shape):
        yield TensorType((*shape[:axis], *shape[axis + 1 :]), ty.dtype)
        yield TensorType((*shape[:axis], size + 1, *shape[axis + 1 :]), ty.dtype)


def near_operators(op: OperatorDef) -> Iterator[OperatorDef]:
    """Yield the operator with one of its integers, truth values and strings changed."""
    own: Mapping[str, Any] = {name: getattr(op, name) for name in op.__match_args__}
    for name, given in own.items():
        for new in _near_attribute(given):
            with suppress(RelayTypeError):
                yield type(op)(**{**own, name: new})


def _near_attribute(given: Any) -> Iterator[Any]:
    match given:
        case bool():
            yield not given
        case int():
            yield from {-1, 0, given + 1} - {given}
        case str():
            yield "?"
        case tuple() if given:
            yield given[:-1]
            items = cast("tuple[Any, ...]", given)
            for place, item in enumerate(items):
                yield from (
                    (*items[:place], new, *items[place + 1 :]) for new in _near_attribute(item)
                )
        case _:
            pass


def check(op: OperatorDef, types: Sequence[Type]) -> None:
    """Check that a call is refused, or that its formula has the shape and elements of its type."""
    try:
        expected = result_type(op, types)
    except RelayTypeError:
        return
    if not (op.has("compute") or op.has("decompose")):
        return
    for ty, (shape, kind) in zip(fields_of(expected), computed(op, types), strict=True):
        assert ty.dtype is kind
        assert len(ty.shape) == len(shape)
        pairs = zip(ty.shape, shape, strict=True)
        assert all(a == b for a, b in pairs if isinstance(a, int) and isinstance(b, int))


def computed(op: OperatorDef, types: Sequence[Type]) -> list[tuple[Sequence[object], DType]]:
    """Return the shapes and element types of what an operator's formula computes."""
    if op.has("compute"):
        inputs = [
            _each(ty, lambda one: te.placeholder(one.static_shape, one.dtype)) for ty in types
        ]
        result: Any = op.compute(*inputs)
        tensors = result if isinstance(result, tuple) else (result,)
        return [(each.shape, each.dtype) for each in cast("tuple[te.Tensor, ...]", tensors)]
    args = [_each(ty, lambda one: Var("x", one)) for ty in types]
    given: list[Expr] = [Tuple(each) if isinstance(each, tuple) else each for each in args]
    return [(field.shape, field.dtype) for field in fields_of(op.decompose(*given).type)]


def _each(ty: Type, make: Callable[[TensorType], Any]) -> Any:
    fields = tuple(map(make, fields_of(ty)))
    return fields if isinstance(ty, TupleType) else fields[0]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.name)
def test_arguments_next_to_examples(cls: type[OperatorDef]):
    for example in cls.examples[:1]:
        op = instance(cls, example)
        for types in near_types(example.types):
            check(op, types)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.name)
def test_attributes_next_to_examples(cls: type[OperatorDef]):
    for example in cls.examples[:1]:
        for op in near_operators(instance(cls, example)):
            check(op, example.types)
