"""Operators on values: numbers take the type of what they meet, and narrower types widen."""

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from typing import cast as cast_type

import numpy as np

from relay.frontend.python.errors import mistake
from relay.frontend.python.values import (
    Group,
    Local,
    Pending,
    Size,
    Static,
    Template,
    Undefined,
    Value,
)
from relay.ir.expr import Array, Call, Constant, Expr, Tuple
from relay.ir.types import FuncType, TensorType, TupleType, Type
from relay.opdef.table import OPERATORS
from relay.ops.cast import Cast
from relay.ops.tensor.gather import Take
from relay.support.dtype import DType, bool_, float32, int32
from relay.support.span import Span

BINARY: Mapping[type[ast.AST], tuple[str, str, Callable[..., Any]]] = {  # pyright: ignore[reportUnknownVariableType] - typeshed leaves most of `operator` untyped
    ast.Add: ("+", "add", operator.add),
    ast.Sub: ("-", "subtract", operator.sub),
    ast.Mult: ("*", "multiply", operator.mul),
    ast.Div: ("/", "divide", operator.truediv),
    ast.FloorDiv: ("//", "floor_divide", operator.floordiv),
    ast.Mod: ("%", "floor_mod", operator.mod),
    ast.Pow: ("**", "power", operator.pow),
    ast.BitAnd: ("&", "bitwise_and", operator.and_),
    ast.BitOr: ("|", "bitwise_or", operator.or_),
    ast.BitXor: ("^", "bitwise_xor", operator.xor),
    ast.LShift: ("<<", "left_shift", operator.lshift),
    ast.RShift: (">>", "right_shift", operator.rshift),
    ast.Eq: ("==", "equal", operator.eq),
    ast.NotEq: ("!=", "not_equal", operator.ne),
    ast.Lt: ("<", "less", operator.lt),
    ast.LtE: ("<=", "less_equal", operator.le),
    ast.Gt: (">", "greater", operator.gt),
    ast.GtE: (">=", "greater_equal", operator.ge),
}
"""For each sign of Python: how it is written, the operator, and its meaning for plain numbers."""


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
            return Group(tuple(outside(item, span) for item in items))
        case _:
            return Static(content)


def promote(dtypes: Sequence[DType]) -> DType:
    """Return the type that holds all: float before integer before bool, then the wider one."""
    return max(dtypes, key=lambda d: (d.is_float, d.is_integer, d.bits))


def cast(expr: Expr, dtype: DType, span: Span | None) -> Expr:
    """Return the elements in another type; the same expression if they have it."""
    if expr.tensor_type.dtype is dtype:
        return expr
    return Call(Cast(dtype), (expr,), span=span)


def size_of(size: Size, span: Span | None) -> Expr:
    """Return a dimension as an int32 scalar."""
    if isinstance(size.dim, int):
        return constant(size.dim, int32, span)
    shape = Call(OPERATORS.find("shape_of")(), (size.tensor,), span=span)
    place = Constant(np.asarray(size.axis, np.int32))
    return Call(Take(axis=0), (shape, place), span=span)


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
        value = size_of(value, span)
    if isinstance(value, Static) and value.number is not None:
        return value
    if isinstance(value, Expr) and isinstance(value.ty, TensorType):
        return value
    raise mistake(
        "F112",
        f"expected a tensor or a number, found {describe(value)}",
        span,
        "operators work on numbers and tensors; take fields out of tuples and data first",
    )


def binary(sign: type[ast.AST], left: Value, right: Value, span: Span | None) -> Value:
    """Return `left sign right`; two plain numbers are computed now."""
    written, name, meaning = BINARY[sign]
    known = [each.content for each in (left, right) if isinstance(each, Static)]
    if len(known) == 2 and all(isinstance(each, bool | int | float | str) for each in known):
        try:
            return Static(meaning(*known))
        except (ArithmeticError, TypeError, ValueError) as error:
            raise mistake("F112", f"{written}: {error}", span, "change the numbers") from None
    a, b = together((left, right), span)
    if sign is ast.Div and not a.tensor_type.dtype.is_float:
        a, b = cast(a, float32, span), cast(b, float32, span)
    return Call(OPERATORS.find(name)(), (a, b), span=span)


def describe(value: Value) -> str:
    """Return what a value is, for messages."""
    match value:
        case Expr() | Local():
            ty = value.ty if isinstance(value, Expr) else value.expr.ty
            return repr(ty)
        case Static(content):
            named = getattr(content, "__name__", None)
            return f"{type(content).__name__} {named}" if named else f"{content!r}"
        case Size():
            return "int32"
        case Group(items):
            return f"({', '.join(map(describe, items))})"
        case Template(name):
            return f"the function {name}"
        case Pending(name):
            return f"{name}(…)"
        case Undefined():
            return "nothing"


def same_dtype(a: Type | None, b: Type | None) -> bool:
    """Whether two types are tensors of one element type."""
    return isinstance(a, TensorType) and isinstance(b, TensorType) and a.dtype is b.dtype


def fits(found: Type | None, wanted: Type) -> bool:
    """Whether a value of one type can be used where the other is declared."""
    if found is wanted:
        return True
    match found, wanted:
        case TupleType(a), TupleType(b):
            return len(a) == len(b) and all(map(fits, a, b))
        case FuncType(a, x), FuncType(b, y):
            return len(a) == len(b) and all(map(fits, b, a)) and fits(x, y)
        case _:
            return False


def tuple_of(items: Sequence[Expr], span: Span | None) -> Tuple:
    """Return a tuple expression."""
    return Tuple(tuple(items), span=span)
