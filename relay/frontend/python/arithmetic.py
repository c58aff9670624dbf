"""Python's operators on values: on plain numbers now, on written lists, on sizes, on tensors.

Where Python and NumPy disagree about a scalar, or Relay could not follow them, there is an error.
"""

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from relay.frontend.python.operations import describe, together
from relay.frontend.python.values import Group, Series, Static, Value
from relay.ir.dims import AnyDim, Dim
from relay.ir.expr import Call, Expr
from relay.ir.types import TensorType
from relay.numpy.arithmetic import power
from relay.numpy.errors import mistake
from relay.numpy.tensors import Size
from relay.numpy.tensors import convert as cast
from relay.opdef.table import OPERATORS
from relay.support.dtype import DType, bool_, float32
from relay.support.dtype import dtype as to_dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.support.node import replace
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

_PLAIN = bool | int | float | str
_ORDER = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_DIMENSIONS = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)
_ON_BOOLS: Mapping[type[ast.AST], str] = {ast.Add: "logical_or", ast.Mult: "logical_and"}
_BITS = (ast.BitAnd, ast.BitOr, ast.BitXor)
_SHIFTS = (ast.LShift, ast.RShift)


def binary(sign: type[ast.AST], left: Value, right: Value, span: Span | None) -> Value:
    """Return `left sign right`.

    1. What is known is computed now, by Python.
    2. Written lists are joined, repeated and compared, as in Python.
    3. Sizes stay sizes under `+ - * // %`, so that they can be used in shapes.
    4. All else is elementwise, after the element types have been made one.

    Raises `F112` for operands that do not fit.
    """
    if isinstance(left, Static) and isinstance(right, Static) and _is_known(left, right):
        return Static(_computed(sign, left.content, right.content, span))
    if isinstance(left, Group) or isinstance(right, Group):
        listed = _on_lists(sign, left, right, span)
        if listed is not None:
            return listed
    _refuse_series(sign, left, right, span)
    found = _on_tensors(sign, left, right, span)
    dim = _dimension(sign, left, right)
    if isinstance(dim, bool):
        return Static(dim)
    return found if dim is None else Size(dim, found)


def _is_known(left: Static, right: Static) -> bool:
    plain = isinstance(left.content, _PLAIN) and isinstance(right.content, _PLAIN)
    return plain or (left.number is None and right.number is None)


def _computed(sign: type[ast.AST], left: Any, right: Any, span: Span | None) -> object:
    written, _, meaning = BINARY[sign]
    if isinstance(left, DType) != isinstance(right, DType):
        left, right = _dtype(left), _dtype(right)
    try:
        return meaning(left, right)
    except (ArithmeticError, TypeError, ValueError) as error:
        raise mistake(ErrorCode.F112, f"{written}: {error}", span, "change the operands") from None


def _dtype(of: Any) -> object:
    """Return what may be a name of an element type as one: `x.dtype == np.float32`."""
    try:
        return to_dtype(of)
    except (RelayError, TypeError):
        return of


# Lists


def _on_lists(sign: type[ast.AST], left: Value, right: Value, span: Span | None) -> Value | None:
    """Return what Python's lists and tuples give (case 2); None if one side is a tensor."""
    match left, right:
        case Group(a, brackets), Group(b) if sign is ast.Add:
            return Group((*a, *b), brackets)
        case (Group(items, brackets), Static(int() as count)) | (
            Static(int() as count),
            Group(items, brackets),
        ) if sign is ast.Mult:
            return Group(items * count, brackets)
        case (Group(), count) | (count, Group()) if sign is ast.Mult and _counts(count):
            what = "how long this list becomes is known only when the program runs"
            advice = (
                "make a tensor: np.zeros(n, np.int32) or np.full(n, 1.5), and write to its parts"
            )
            raise mistake(ErrorCode.F112, what, span, advice)
        case Group(a), Group(b) if sign in (ast.Eq, ast.NotEq):
            return _equal(a, b, span, same=sign is ast.Eq)
        case Group(), Group():
            what = f"{BINARY[sign][0]} of two lists"
            advice = "make tensors of them: np.array([…])"
            raise mistake(ErrorCode.F112, what, span, advice)
        case _:
            return None


def _refuse_series(sign: type[ast.AST], left: Value, right: Value, span: Span | None) -> None:
    """Raise `F112` for a list of run-time length beside what is no tensor: Python would join."""
    others = [each for each in (left, right) if not isinstance(each, Series)]
    tensor = [isinstance(x, Expr) and isinstance(x.ty, TensorType) and x.ty.shape for x in others]
    if len(others) == 2 or any(tensor):
        return
    what = f"{BINARY[sign][0]} of a list whose length is known only when the program runs"
    raise mistake(ErrorCode.F112, what, span, "make it a tensor first: np.array([…])")


def _counts(value: Value) -> bool:
    """Whether a value is one whole number that is known only when the program runs."""
    if isinstance(value, Expr) and isinstance(value.ty, TensorType):
        return value.ty.dtype.is_integer and not value.ty.shape
    return isinstance(value, Size)


def _equal(a: Sequence[Value], b: Sequence[Value], span: Span | None, *, same: bool) -> Value:
    """Return whether two lists have equal items; as far as that is known, now."""
    found: Value = Static(len(a) == len(b))
    for one, other in zip(a, b, strict=False):
        each = binary(ast.Eq, one, other, span)
        if isinstance(each, Expr) and each.tensor_type.rank:
            advice = "compare tensors with np.array_equal(x, y)"
            raise mistake(ErrorCode.F112, "== of lists of tensors", span, advice)
        found = both(found, each, span)
    if same:
        return found
    if isinstance(found, Static):
        return Static(not found.content)
    return Call(OPERATORS.find("logical_not")(), tuple(together([found], span)), span=span)


def both(a: Value, b: Value, span: Span | None) -> Value:
    """Return whether both of two bools hold; one that is known decides now if it can."""
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Static):
            return other if one.content else one
    return Call(OPERATORS.find("logical_and")(), tuple(together([a, b], span)), span=span)


# Sizes


def _dimension(sign: type[ast.AST], left: Value, right: Value) -> Dim | bool | None:
    """Return the size that arithmetic on sizes gives (case 3), or what a comparison is sure of."""
    dims = [_size(value) for value in (left, right)]
    if dims[0] is None or dims[1] is None or not any(isinstance(v, Size) for v in (left, right)):
        return None
    if sign in _DIMENSIONS and not (sign in (ast.FloorDiv, ast.Mod) and dims[1] == 0):
        return BINARY[sign][2](*dims)
    if sign in _ORDER and dims[0] == dims[1]:
        return sign in (ast.Eq, ast.LtE, ast.GtE)
    return None


def _size(value: Value) -> Dim | None:
    if isinstance(value, Size):
        return value.dim if not isinstance(value.dim, AnyDim) else None
    number = value.content if isinstance(value, Static) else None
    return number if isinstance(number, int) and not isinstance(number, bool) else None


# Tensors


def _on_tensors(sign: type[ast.AST], left: Value, right: Value, span: Span | None) -> Expr:
    if sign is ast.Pow:
        return _power(left, right, span)
    a, b = together((left, right), span)
    name = BINARY[sign][1]
    if a.tensor_type.dtype is bool_ and sign not in (*_ORDER, *_BITS):
        return _on_bools(sign, a, b, span)
    if a.tensor_type.dtype.is_float and sign in (*_BITS, *_SHIFTS):
        what = f"{BINARY[sign][0]} of {describe(a)} and {describe(b)}"
        advice = "it works on bools and whole numbers: put comparisons in parentheses"
        raise mistake(ErrorCode.F112, what, span, advice)
    if sign is ast.Div and not a.tensor_type.dtype.is_float:
        a, b = cast(a, float32, span), cast(b, float32, span)
    _check_divisor(sign, a, right, span)
    return _applied(name, a, b, span)


def _power(base: Value, exponent: Value, span: Span | None) -> Expr:
    """Return `base ** exponent`; a negative exponent of one whole number gives a float."""
    a, b = together((base, exponent), span)
    negative = isinstance(exponent, Static) and (exponent.number or 0) < 0
    if negative and not a.tensor_type.dtype.is_float and not a.tensor_type.rank:
        return _applied("power", cast(a, float32, span), cast(b, float32, span), span)
    try:
        found = power(a, exponent.number if isinstance(exponent, Static) else b)
    except RelayError as error:
        raise error.at(span) from None
    return replace(found, span=span) if isinstance(found, Call) else found


def _on_bools(sign: type[ast.AST], a: Expr, b: Expr, span: Span | None) -> Expr:
    """Return `+` and `*` of bools as NumPy has them; Python's bools would be numbers."""
    ranks = a.tensor_type.rank, b.tensor_type.rank
    if sign is ast.Div:
        return _applied("divide", cast(a, float32, span), cast(b, float32, span), span)
    if any(ranks) and sign in _ON_BOOLS:
        return _applied(_ON_BOOLS[sign], a, b, span)
    what = f"{BINARY[sign][0]} of bools, which are numbers in Python and not in NumPy"
    raise mistake(ErrorCode.F112, what, span, "say it: int(a) + int(b), a.astype(int), or a & b")


def refuse_sign(sign: ast.unaryop, operand: Expr, span: Span) -> None:
    """Raise `F112` for `-x`, `+x` of bools, and `~x` of one, which is a number in Python."""
    if operand.tensor_type.dtype is not bool_:
        return
    if not isinstance(sign, ast.Invert):
        what = "a sign before bools, which are numbers in Python and not in NumPy"
        raise mistake(ErrorCode.F112, what, span, "say it: -int(a), or ~a for a tensor of bools")
    if not operand.tensor_type.rank:
        what = "~ of one bool, which in Python is -1 or -2"
        raise mistake(
            ErrorCode.F112, what, span, "write not a; of a tensor, ~ works on each element"
        )


def _check_divisor(sign: type[ast.AST], a: Expr, divisor: Value, span: Span | None) -> None:
    """Raise `F112` where Python would raise: a whole number is divided by a plain 0."""
    whole = a.tensor_type.dtype.is_integer and not a.tensor_type.rank
    plain = divisor.number if isinstance(divisor, Static) else None
    if whole and plain == 0 and sign in (ast.Div, ast.FloorDiv, ast.Mod):
        raise mistake(ErrorCode.F112, f"{BINARY[sign][0]} by zero", span, "change the numbers")


def _applied(name: str, a: Expr, b: Expr, span: Span | None) -> Expr:
    try:
        return Call(OPERATORS.find(name)(), (a, b), span=span)
    except RelayError as error:
        raise error.at(span) from None
