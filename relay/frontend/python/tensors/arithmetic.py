"""Python's operators on values of the program: symbolic sizes and tensors.

If Python and NumPy disagree about a scalar, or Relay cannot represent the result, it is an error.
"""

import operator
from collections.abc import Callable, Mapping
from typing import Any

from relay.frontend.python.values.error_suggestions import describe
from relay.frontend.python.values.traced_values import is_plain
from relay.ir.dims import AnyDim, Dim
from relay.ir.expr import Call, Expr
from relay.numpy.arithmetic import power
from relay.numpy.errors import mistake
from relay.numpy.tensor_conversion import Size, together
from relay.numpy.tensor_conversion import convert as cast
from relay.opdef.table import OPERATORS
from relay.ops.derivatives_at_zero import absolute
from relay.ops.functions import core
from relay.ops.nn.matmul import BatchMatmul, Matmul
from relay.support.dtype import bool_, float32
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.support.node import replace
from relay.support.span import Span

BINARY: Mapping[str, tuple[str, str, Callable[..., Any]]] = {  # pyright: ignore[reportUnknownVariableType] - typeshed leaves most of `operator` untyped
    "add": ("+", "add", operator.add),
    "sub": ("-", "subtract", operator.sub),
    "mul": ("*", "multiply", operator.mul),
    "truediv": ("/", "divide", operator.truediv),
    "floordiv": ("//", "floor_divide", operator.floordiv),
    "mod": ("%", "floor_mod", operator.mod),
    "pow": ("**", "power", operator.pow),
    "and": ("&", "bitwise_and", operator.and_),
    "or": ("|", "bitwise_or", operator.or_),
    "xor": ("^", "bitwise_xor", operator.xor),
    "lshift": ("<<", "left_shift", operator.lshift),
    "rshift": (">>", "right_shift", operator.rshift),
    "eq": ("==", "equal", operator.eq),
    "ne": ("!=", "not_equal", operator.ne),
    "lt": ("<", "less", operator.lt),
    "le": ("<=", "less_equal", operator.le),
    "gt": (">", "greater", operator.gt),
    "ge": (">=", "greater_equal", operator.ge),
}
"""For each operator: its notation, Relay's operator, and its function on Python numbers."""

_ORDER = ("eq", "ne", "lt", "le", "gt", "ge")
_DIMENSIONS = ("add", "sub", "mul", "floordiv", "mod")
_ON_BOOLS: Mapping[str, str] = {"add": "logical_or", "mul": "logical_and"}
_BITS, _SHIFTS = ("and", "or", "xor"), ("lshift", "rshift")

Operand = Any
"""An operand that `relay.numpy` accepts: an expression, size, number, array, or list of them."""


def binary(name: str, left: Operand, right: Operand, span: Span) -> Expr | Size | bool:
    """Return the result of a binary Python operator; its `name` is, for example, `add` for `+`.

    1. Sizes remain sizes under `+ - * // %`, so that they can be used in shapes.
    2. All other operands are converted to one element type and combined elementwise.

    Raises `F112` for operands that do not match.
    """
    if name == "matmul":
        return matmul(left, right, span)
    dim = _dimension(name, left, right)
    if isinstance(dim, bool):
        return dim
    try:
        found = _on_tensors(name, left, right, span)
    except RelayError as error:
        raise error.at(span) from None
    return found if dim is None else Size(dim, found)


# Sizes


def _dimension(name: str, left: Operand, right: Operand) -> Dim | bool | None:
    """Return the size that an operator on sizes yields, or the result of a certain comparison."""
    if not isinstance(left, Size) and not isinstance(right, Size):
        return None
    dims = _size(left), _size(right)
    if dims[0] is None or dims[1] is None:
        return None
    if name in _DIMENSIONS and not (name in ("floordiv", "mod") and dims[1] == 0):
        return BINARY[name][2](*dims)
    if name in _ORDER and dims[0] == dims[1]:
        return name in ("eq", "le", "ge")
    return None


def _size(value: Operand) -> Dim | None:
    if isinstance(value, Size):
        return None if isinstance(value.dim, AnyDim) else value.dim
    return value if isinstance(value, int) and not isinstance(value, bool) else None


# Tensors


def _on_tensors(name: str, left: Operand, right: Operand, span: Span) -> Expr:
    if name == "pow":
        return _power(left, right, span)
    a, b = together((left, right), span)
    if a.tensor_type.dtype is bool_ and name not in (*_ORDER, *_BITS):
        return _on_bools(name, a, b, span)
    if a.tensor_type.dtype.has_derivatives and name in (*_BITS, *_SHIFTS):
        what = f"the operator {BINARY[name][0]} does not accept the types {a.ty!r} and {b.ty!r}"
        advice = "use it on bools and integers; put comparisons in parentheses: (a > 0) & (b > 0)"
        raise mistake(ErrorCode.F112, what, span, advice)
    if name == "truediv" and not a.tensor_type.dtype.has_derivatives:
        a, b = cast(a, float32, span), cast(b, float32, span)
    whole = a.tensor_type.dtype.is_integer and not a.tensor_type.rank
    if whole and is_plain(right) and right == 0 and name in ("truediv", "floordiv", "mod"):
        raise mistake(
            ErrorCode.F112,
            f"the right side of {BINARY[name][0]} is the constant 0",
            span,
            "divide by a constant other than 0",
        )
    return _applied(BINARY[name][1], a, b, span)


def _power(base: Operand, exponent: Operand, span: Span) -> Expr:
    """Return `base ** exponent`; a negative exponent of an integer scalar yields a float."""
    a, b = together((base, exponent), span)
    plain = is_plain(exponent)
    if (
        plain
        and exponent < 0
        and not a.tensor_type.dtype.has_derivatives
        and not a.tensor_type.rank
    ):
        return _applied("power", cast(a, float32, span), cast(b, float32, span), span)
    found = power(a, exponent if plain else b)
    return replace(found, span=span) if isinstance(found, Call) else found


def _on_bools(name: str, a: Expr, b: Expr, span: Span) -> Expr:
    """Return `+` and `*` of booleans by NumPy's rules, which differ from Python's."""
    if name == "truediv":
        return _applied("divide", cast(a, float32, span), cast(b, float32, span), span)
    if (a.tensor_type.rank or b.tensor_type.rank) and name in _ON_BOOLS:
        return _applied(_ON_BOOLS[name], a, b, span)
    what = f"the operator {BINARY[name][0]} has different results for bools in Python and in NumPy"
    raise mistake(
        ErrorCode.F112,
        what,
        span,
        "convert them: int(a) + int(b) or a.astype(int), or write a & b",
    )


def unary(name: str, x: Expr, span: Span) -> Expr:
    """Return `-x`, `+x`, `~x` or `abs(x)`; raises `F112` for signs of booleans."""
    if x.tensor_type.dtype is bool_ and name in ("neg", "pos"):
        what = "a sign before a bool has different results in Python and in NumPy"
        raise mistake(ErrorCode.F112, what, span, "write -int(a), or ~a for a tensor of bools")
    if x.tensor_type.dtype is bool_ and name == "invert" and not x.tensor_type.rank:
        advice = "write `not a`; the sign ~ negates a tensor of bools"
        raise mistake(
            ErrorCode.F112,
            "~ of a single bool gives -1 or -2 in Python, not the opposite bool",
            span,
            advice,
        )
    if name == "abs" and x.tensor_type.dtype is not bool_:
        return replace(absolute(x), span=span)
    known = {"neg": "negative", "invert": "bitwise_not", "abs": "abs", "pos": "copy"}[name]
    try:
        return Call(OPERATORS.find(known)(), (x,), span=span)
    except RelayError as error:
        raise error.at(span) from None


def _applied(name: str, a: Expr, b: Expr, span: Span) -> Expr:
    return Call(OPERATORS.find(name)(), (a, b), span=span)


def matmul(left: Operand, right: Operand, span: Span) -> Expr:
    """Return `left @ right` for vectors, matrices and batches of matrices."""
    a, b = together((left, right), span)
    ranks = a.tensor_type.rank, b.tensor_type.rank
    if 0 in ranks or (max(ranks) > 3 and 1 not in ranks):
        what = (
            f"the operator @ needs two tensors with matching sizes, not {describe(a)} @ "
            f"{describe(b)}"
        )
        raise mistake(
            ErrorCode.F112, what, span, "check the shapes; to multiply with a scalar, write *"
        )
    try:
        made = _product(a, b, ranks)
    except RelayError as error:
        raise error.at(span) from None
    return replace(made, span=span) if isinstance(made, Call) else made


def _product(a: Expr, b: Expr, ranks: tuple[int, int]) -> Expr:
    if ranks == (1, 1):
        return core.sum(core.multiply(a, b))
    if max(ranks) > 2 and 1 in ranks:  # many matrices and a vector
        first = ranks[0] == 1
        wide = (core.expand_dims(a, 1), b) if first else (a, b)
        return core.sum(core.multiply(*wide), axis=-2 if first else -1)
    if 1 not in ranks:  # a matrix beside a batch serves all of it: the operators broadcast
        return Call((BatchMatmul if ranks[1] == 3 else Matmul)(), (a, b))
    axis = 0 if ranks[0] == 1 else 1
    wide = tuple(core.expand_dims(x, axis) if x.tensor_type.rank == 1 else x for x in (a, b))
    return core.squeeze(Call(Matmul(), wide), axis=(axis,))
