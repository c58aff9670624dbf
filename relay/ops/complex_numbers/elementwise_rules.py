"""The rules of elementwise operators and conversions on complex numbers."""

from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import cast

from relay.ir.expr import Call, Expr, Operator
from relay.opdef.complex_rules import ComplexTensor, Operand, complex_rule
from relay.opdef.definition import OperatorDef
from relay.ops.binary import Divide, Multiply
from relay.ops.cast import Cast, CastLike
from relay.ops.comparison import Equal, NotEqual
from relay.ops.complex_numbers import arithmetic, elementary_functions, inverse_functions
from relay.ops.complex_numbers.operators import Angle, Complex, Conj, Imag, Real
from relay.ops.complex_numbers.real_functions import call
from relay.ops.creation import number
from relay.ops.elementwise import Abs, IsFinite, IsInf, IsNan, Sign
from relay.ops.logical import LogicalAnd, LogicalOr
from relay.ops.selection import Where, where
from relay.ops.transcendental import (
    Acos,
    Acosh,
    Asin,
    Asinh,
    Atan,
    Atanh,
    Cos,
    Cosh,
    Exp,
    FastExp,
    FastTanh,
    Log,
    Log2,
    Log10,
    Power,
    Rsqrt,
    Sigmoid,
    Sin,
    Sinh,
    Sqrt,
    Tan,
    Tanh,
)
from relay.support.dtype import DType, bool_


@complex_rule(IsNan, IsInf)
def _any_part(op: OperatorDef, x: ComplexTensor) -> Operand:
    return call(LogicalOr, *(Call(op, (part,)) for part in x.parts))


@complex_rule(IsFinite)
def _every_part(op: IsFinite, x: ComplexTensor) -> Operand:
    return call(LogicalAnd, *(Call(op, (part,)) for part in x.parts))


@complex_rule(Cast)
def _cast(op: Cast, x: Expr | ComplexTensor) -> Operand:
    return converted(x, op.dtype)


def converted(x: Expr | ComplexTensor, dtype: DType) -> Expr | ComplexTensor:
    """Return numbers converted to an element type: the real part, if that is real."""
    if not dtype.is_complex:
        if isinstance(x, Expr):
            return _with_type(x, dtype)
        return _truth(x) if dtype is bool_ else _with_type(x.real, dtype)
    if isinstance(x, Expr):
        return arithmetic.of_real(_with_type(x, dtype.part))
    return ComplexTensor(*(_with_type(part, dtype.part) for part in x.parts))


def _with_type(x: Expr, dtype: DType) -> Expr:
    return x if x.tensor_type.dtype is dtype else Call(Cast(dtype), (x,))


def _where(condition: Expr | ComplexTensor, x: Operand, y: Operand) -> Operand:
    chosen = _truth(condition) if isinstance(condition, ComplexTensor) else condition
    if isinstance(x, ComplexTensor) and isinstance(y, ComplexTensor):
        pairs = zip(x.parts, y.parts, strict=True)
        return ComplexTensor(*(where(chosen, a, b) for a, b in pairs))
    return where(chosen, cast("Expr", x), cast("Expr", y))  # both have one element type


def _cast_like(x: Expr | ComplexTensor, like: Expr | ComplexTensor) -> Operand:
    dtype = like.tensor_type.dtype
    return converted(x, dtype.as_complex if isinstance(like, ComplexTensor) else dtype)


def _truth(x: ComplexTensor) -> Expr:
    """Return whether numbers are not zero."""
    return call(LogicalOr, *(call(NotEqual, part, number(0, part)) for part in x.parts))


_FUNCTIONS: dict[type[Operator], Callable[..., Operand]] = {
    Real: attrgetter("real"),
    Imag: attrgetter("imaginary"),
    Abs: arithmetic.length,
    Sign: arithmetic.direction,
    Angle: arithmetic.angle,
    Complex: arithmetic.of_parts,
    Equal: arithmetic.are_equal,
    NotEqual: arithmetic.are_different,
    Where: _where,
    CastLike: _cast_like,
    Multiply: arithmetic.product,
    Divide: arithmetic.quotient,
    Power: elementary_functions.power,
    Conj: arithmetic.conjugate,
    Sqrt: elementary_functions.square_root,
    Exp: elementary_functions.exponential,
    FastExp: elementary_functions.exponential,
    Log: elementary_functions.logarithm,
    Log2: partial(elementary_functions.logarithm_to, 2.0),
    Log10: partial(elementary_functions.logarithm_to, 10.0),
    Sin: elementary_functions.sine,
    Cos: elementary_functions.cosine,
    Tan: elementary_functions.tangent,
    Sinh: elementary_functions.hyperbolic_sine,
    Cosh: elementary_functions.hyperbolic_cosine,
    Tanh: elementary_functions.hyperbolic_tangent,
    FastTanh: elementary_functions.hyperbolic_tangent,
    Rsqrt: elementary_functions.reciprocal_root,
    Sigmoid: elementary_functions.sigmoid,
    Asin: inverse_functions.inverse_sine,
    Acos: inverse_functions.inverse_cosine,
    Atan: inverse_functions.inverse_tangent,
    Asinh: inverse_functions.inverse_hyperbolic_sine,
    Acosh: inverse_functions.inverse_hyperbolic_cosine,
    Atanh: inverse_functions.inverse_hyperbolic_tangent,
}
"""The functions of operands that are the results of operators without attributes."""


@complex_rule(*_FUNCTIONS)
def _function(op: OperatorDef, *operands: Operand) -> Operand:
    return _FUNCTIONS[type(op)](*operands)
