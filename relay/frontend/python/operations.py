"""Values as tensors: numbers take the type of what they meet, and narrower types widen."""

from collections.abc import Sequence
from functools import reduce
from typing import cast as cast_type

import numpy as np

from relay.frontend.python.errors import mistake
from relay.frontend.python.values import (
    Group,
    Late,
    Local,
    Pending,
    Series,
    Size,
    Static,
    Template,
    Undefined,
    Value,
)
from relay.ir.dims import ANY
from relay.ir.expr import Array, Call, Constant, Expr, Tuple, TupleGetItem
from relay.ir.types import FuncType, TensorType, TupleType, Type, dim_variables
from relay.opdef.table import OPERATORS
from relay.ops.cast import Cast
from relay.ops.tensor.gather import Take
from relay.ops.tensor.join import Stack
from relay.semantics.own_sizes import sized
from relay.support.dtype import DType, bool_, float32, int32
from relay.support.dtype import dtype as to_dtype
from relay.support.errors import RelayError
from relay.support.span import Span

_WRITTEN_OUT = 256
"""How many slices of a tensor are written out; each is translated by itself."""


def constant(number: object, dtype: DType, span: Span | None) -> Constant:
    """Return a number as a scalar of that element type; raises `F128` where it does not fit."""
    array: Array = np.asarray(number)
    with np.errstate(all="ignore"):
        made = array.astype(dtype.numpy)
    if not dtype.is_float and dtype is not bool_ and not np.array_equal(made, array):
        raise mistake(
            "F128",
            f"{number} does not fit into {dtype}",
            span,
            "choose a wider element type, or a float type for a fraction",
        )
    return Constant(made, span=span)


def default_dtype(number: object) -> DType:
    """Return the element type of a number that meets nothing: bool, int32 or float32."""
    if isinstance(number, bool):
        return bool_
    return int32 if isinstance(number, int) else float32


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


def promote(dtypes: Sequence[DType]) -> DType:
    """Return the type that holds all: float before integer before bool, then as NumPy promotes.

    A float keeps its width beside integers: float32 and int32 make float32.
    """
    best = max((d.is_float, d.is_integer) for d in dtypes)
    kind = {d for d in dtypes if (d.is_float, d.is_integer) == best}
    return reduce(_wider, sorted(kind, key=lambda d: d.bits))


def _wider(a: DType, b: DType) -> DType:
    try:
        return to_dtype(np.promote_types(a.numpy, b.numpy))
    except TypeError:  # the two 16-bit floats, which NumPy keeps apart
        return float32


def cast(expr: Expr, dtype: DType, span: Span | None) -> Expr:
    """Return the elements in another type; the same expression if they have it."""
    if expr.tensor_type.dtype is dtype:
        return expr
    return Call(Cast(dtype), (expr,), span=span)


def size(tensor: Expr, axis: int, span: Span | None) -> Static | Size:
    """Return a size of a tensor: a plain number, or a dimension and what it is at run time."""
    dim = tensor.tensor_type.shape[axis]
    if isinstance(dim, int):
        return Static(dim)
    shape = Call(OPERATORS.find("shape_of")(), (tensor,), span=span)
    return Size(dim, Call(Take(axis=0), (shape, Constant(np.asarray(axis, np.int32))), span=span))


def array_of(value: Group, span: Span | None) -> Expr:
    """Return the tensor that NumPy makes of a written list; recursion follows its nesting."""
    plain = plain_items(value)
    if plain is not None:
        try:
            array: Array = np.asarray(plain)
        except ValueError:
            what = "these numbers are no tensor: its rows differ in length"
            raise mistake("F112", what, span, "give all rows the same length") from None
        return Constant(narrowed(array), span=span)
    items = tuple(together(value.items, span))
    try:
        return Call(Stack(0), (Tuple(items, span=span),), span=span)
    except RelayError as error:
        raise error.at(span) from None


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


def narrowed(array: Array) -> Array:
    """Return Python's numbers in Relay's default types: int32 and float32."""
    if array.dtype == np.int64 and not np.array_equal(array, array.astype(np.int32)):
        return array
    return array.astype(
        {"float64": np.float32, "int64": np.int32}.get(array.dtype.name, array.dtype)
    )


def together(values: Sequence[Value], span: Span | None) -> list[Expr]:
    """Return the operands of an elementwise operator, all of one element type.

    Raises `F112` for an operand that is no tensor.
    """
    found = [_tensor(value, span) for value in values]
    dtypes = [each.tensor_type.dtype for each in found if isinstance(each, Expr)]
    for each in found:
        if isinstance(each, Static) and _widens(each.content, dtypes):
            dtypes.append(default_dtype(each.content))
    target = promote(dtypes)
    return [
        cast(each, target, span) if isinstance(each, Expr) else constant(each.content, target, span)
        for each in found
    ]


def _widens(number: object, dtypes: Sequence[DType]) -> bool:
    """Whether a plain number is of a wider kind than all the tensors that it meets."""
    own = default_dtype(number)
    kinds = [(d.is_float, d.is_integer) for d in dtypes]
    return not kinds or (own.is_float, own.is_integer) > max(kinds)


def _tensor(value: Value, span: Span | None) -> "Expr | Static":
    if isinstance(value, Size):
        return value.expr
    if isinstance(value, Series):
        return value.tensor
    if isinstance(value, Static) and value.number is not None:
        return value
    if isinstance(value, Group) and value.items:
        return array_of(value, span)
    if isinstance(value, Expr) and isinstance(value.ty, TensorType):
        return value
    advice = "operators work on numbers and tensors; take fields out of tuples and data first"
    if isinstance(value, Static) and isinstance(value.content, str):
        advice = "texts stay in Python: compute with numbers, and look the texts up there"
    what = f"expected a tensor or a number, found {describe(value)}"
    raise mistake("F112", what, span, advice)


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
