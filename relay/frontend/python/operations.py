"""Values as tensors: numbers take the type of what they meet, and narrower types widen."""

from collections.abc import Sequence
from typing import cast as cast_type

import numpy as np

from relay.frontend.python.values import (
    Group,
    Late,
    Local,
    Pending,
    Series,
    Static,
    Template,
    Undefined,
    Value,
)
from relay.ir.dims import ANY
from relay.ir.expr import Array, Call, Constant, Expr, Tuple, TupleGetItem
from relay.ir.types import FuncType, TensorType, TupleType, Type, dim_variables
from relay.numpy import tensors
from relay.numpy.errors import mistake
from relay.numpy.tensors import Size
from relay.ops.tensor.gather import Take
from relay.semantics.quantified_dims import sized
from relay.support.error_codes import ErrorCode
from relay.support.span import Span

_WRITTEN_OUT = 256
"""How many slices of a tensor are written out; each is translated by itself."""


def outside(content: object, span: Span | None) -> Value:
    """Return what a Python object from outside the function stands for."""
    match content:
        case np.ndarray() | np.generic():
            return Constant(np.asarray(cast_type(Array, content)), span=span)
        case tuple() | list():
            items = cast_type("Sequence[object]", content)
            found = tuple(outside(item, span) for item in items)
            return Group(found, tuple if isinstance(content, tuple) else list)
        case _:
            return Static(content)


def size(tensor: Expr, axis: int, span: Span | None) -> Static | Size:
    """Return a size of a tensor: a plain number, or a dimension and what it is at run time."""
    found = tensors.size(tensor, axis, span)
    return Static(found) if isinstance(found, int) else found


def array_of(value: Group, span: Span | None) -> Expr:
    """Return the tensor that NumPy makes of a written list."""
    return together([value], span)[0]


def group_of(value: Value, span: Span | None) -> Group | None:
    """Return a tuple, written out or computed, as a list of its items; None for other values."""
    if isinstance(value, Expr) and isinstance(value.ty, TupleType):
        fields = range(len(value.ty.fields))
        return Group(tuple(TupleGetItem(value, index, span=span) for index in fields))
    return value if isinstance(value, Group) else None


def items_of(value: Value, span: Span | None) -> Group | None:
    """Return what Python would go through, if it is known how much: a tuple, or a tensor's slices.

    None for other values, and for tensors that are too long to write out.
    """
    listed = group_of(value, span)
    if listed is not None or not isinstance(value, Expr) or not isinstance(value.ty, TensorType):
        return listed
    size = value.ty.shape[0] if value.ty.shape else None
    if not isinstance(size, int) or size > _WRITTEN_OUT:
        return None
    places = [Constant(np.asarray(i, np.int32)) for i in range(size)]
    return Group(tuple(Call(Take(axis=0), (value, i), span=span) for i in places))


def plain_items(value: Value) -> object:
    """Return a written list of plain numbers as Python has it; None if others are in it."""
    if isinstance(value, Static):
        return value.number
    if not isinstance(value, Group):
        return None
    items = [plain_items(item) for item in value.items]
    return None if any(item is None for item in items) else items


def plain_value(value: Value) -> tuple[object] | None:
    """Return what is known of a value, as Python shows it; None for what the program computes."""
    match value:
        case Static(content):
            return (content,)
        case Size(dim):
            return (repr(dim),)
        case Group(items):
            known = [plain_value(item) for item in items]
            found = tuple(each[0] for each in known if each is not None)
            return (found,) if len(found) == len(known) else None
        case _:
            return None


def together(values: Sequence[Value], span: Span | None) -> list[Expr]:
    """Return the operands of an elementwise operator, all of one element type.

    Raises `F112` for an operand that is no tensor.
    """
    return tensors.together([_operand(value, span) for value in values], span)


def _operand(value: Value, span: Span | None) -> object:
    """Return a value as NumPy's functions take it; recursion follows the nesting of lists."""
    match value:
        case Size() | Expr(ty=TensorType()):
            return value
        case Series(tensor):
            return tensor
        case Static() if value.number is not None:
            return value.number
        case Group(items) if items:
            return [_operand(item, span) for item in items]
        case _:
            advice = (
                "operators work on numbers and tensors; take fields out of tuples and data first"
            )
            if isinstance(value, Static) and isinstance(value.content, str):
                advice = "texts stay in Python: compute with numbers, and look the texts up there"
            what = f"expected a tensor or a number, found {describe(value)}"
            raise mistake(ErrorCode.F112, what, span, advice)


def describe(value: Value) -> str:
    """Return what a value is, for messages."""
    match value:
        case Expr() | Local():
            ty = value.ty if isinstance(value, Expr) else value.expr.ty
            return repr(ty)
        case Static(content):
            named = getattr(content, "__name__", None)
            return f"{type(content).__name__} {named}" if named else repr(content)
        case Size():
            return "int32"
        case Group(items):
            return f"({', '.join(map(describe, items))})"
        case Series(tensor):
            return f"a list of {tensor.tensor_type.dtype}"
        case Template(name):
            return f"the function {name}"
        case Late(at):
            return f"the function {at.name}"
        case Pending(name):
            return f"{name}(…)"
        case Undefined():
            return "nothing"


def same_dtype(a: Type | None, b: Type | None) -> bool:
    """Whether two types are tensors of one element type."""
    return isinstance(a, TensorType) and isinstance(b, TensorType) and a.dtype is b.dtype


def fits(found: Type | None, wanted: Type) -> bool:
    """Whether a value of one type can be used where the other is declared.

    The sizes of functions may be their own: whether they are, inference decides.
    """
    if found is wanted:
        return True
    match found, wanted:
        case TensorType(shape, dtype), TensorType(other, also):
            if dtype is not also or len(shape) != len(other):
                return False
            pairs = zip(shape, other, strict=True)  # what is only found out is tested then
            return all(a == b or ANY in (a, b) for a, b in pairs)
        case TupleType(a), TupleType(b):
            return len(a) == len(b) and all(map(fits, a, b))
        case FuncType(), FuncType(b, y):
            known = sized(found, dim_variables(found), wanted)
            a, x = known.params, known.result
            return len(a) == len(b) and all(map(fits, b, a)) and fits(x, y)
        case _:
            return False


def tuple_of(items: Sequence[Expr], span: Span | None) -> Tuple:
    """Return a tuple expression."""
    return Tuple(tuple(items), span=span)
