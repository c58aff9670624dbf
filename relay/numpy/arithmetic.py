"""NumPy's arithmetic, comparisons and bitwise functions: those behind Python's operators.

For booleans, NumPy's `+` is "or", `*` is "and", and `-` raises an error.
"""

# ruff: noqa: A001 - NumPy's own names

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from relay.ir.expr import Call, Constant, Expr, Function, If, Let, Var
from relay.ir.trap import failure
from relay.ir.types import FuncType
from relay.numpy.argument_conversion import Apart, Given, Real, numpy_function
from relay.numpy.errors import mistake
from relay.numpy.tensor_conversion import convert, like, together
from relay.ops.functions import core
from relay.support.dtype import DType, Kind, bool_, int8, int32, uint8
from relay.support.error_codes import ErrorCode


def is_bool(x: Expr) -> bool:
    """Whether the elements are booleans."""
    return x.tensor_type.dtype is bool_


def is_float(x: Expr) -> bool:
    """Whether the elements are floats or complex numbers."""
    return x.tensor_type.dtype.has_derivatives


def _refuse_bools(name: str, x: Expr, help: str) -> None:
    if is_bool(x):
        raise mistake(ErrorCode.F112, f"the function {name} does not accept booleans", None, help)


@numpy_function
def add(x1: Expr, x2: Expr) -> Expr:
    """Return `x1 + x2`; logical or for booleans."""
    return core.logical_or(x1, x2) if is_bool(x1) else core.add(x1, x2)


@numpy_function
def subtract(x1: Expr, x2: Expr) -> Expr:
    """Return `x1 - x2`; raises `F112` for booleans."""
    _refuse_bools("subtract", x1, "write a ^ b, or convert to integers: x.astype(int)")
    return core.subtract(x1, x2)


@numpy_function
def multiply(x1: Expr, x2: Expr) -> Expr:
    """Return `x1 * x2`; logical and for booleans."""
    return core.logical_and(x1, x2) if is_bool(x1) else core.multiply(x1, x2)


@numpy_function
def divide(x1: Real, x2: Real) -> Expr:
    """Return `x1 / x2` as floats."""
    return core.divide(x1, x2)


def _integers(x1: Expr, x2: Expr) -> tuple[Expr, Expr]:
    """Return booleans as the narrowest integers, which NumPy uses for division."""
    return (convert(x1, uint8), convert(x2, uint8)) if is_bool(x1) else (x1, x2)


@numpy_function
def floor_divide(x1: Expr, x2: Expr) -> Expr:
    """Return the quotient rounded down; integer division by 0 gives 0."""
    return core.floor_divide(*_integers(x1, x2))


@numpy_function
def remainder(x1: Expr, x2: Expr) -> Expr:
    """Return the remainder with the sign of `x2`; for integers 0 if `x2` is 0."""
    return core.floor_mod(*_integers(x1, x2))


@numpy_function
def fmod(x1: Expr, x2: Expr) -> Expr:
    """Return the remainder with the sign of `x1`; for integers 0 if `x2` is 0."""
    return core.trunc_mod(*_integers(x1, x2))


@numpy_function
def divmod(x1: Expr, x2: Expr) -> tuple[Expr, Expr]:
    """Return quotients and remainders."""
    return floor_divide(x1, x2), remainder(x1, x2)


@numpy_function
def negative(x: Expr) -> Expr:
    """Return `-x`; raises `F112` for booleans."""
    _refuse_bools("negative", x, "write ~x")
    return core.negative(x)


@numpy_function
def positive(x: Expr) -> Expr:
    """Return the numbers themselves, in a new array; raises `F112` for booleans."""
    _refuse_bools("positive", x, "write x.copy()")
    return core.copy(x)


# Comparisons


@numpy_function
def equal(x1: Expr, x2: Expr) -> Expr:
    """Return whether elements are equal."""
    return core.equal(x1, x2)


@numpy_function
def not_equal(x1: Expr, x2: Expr) -> Expr:
    """Return whether elements are not equal."""
    return core.not_equal(x1, x2)


@numpy_function
def less(x1: Expr, x2: Expr) -> Expr:
    """Return whether elements of `x1` are less."""
    return core.less(x1, x2)


@numpy_function
def less_equal(x1: Expr, x2: Expr) -> Expr:
    """Return whether elements of `x1` are less or equal."""
    return core.less_equal(x1, x2)


@numpy_function
def greater(x1: Expr, x2: Expr) -> Expr:
    """Return whether elements of `x1` are greater."""
    return core.greater(x1, x2)


@numpy_function
def greater_equal(x1: Expr, x2: Expr) -> Expr:
    """Return whether elements of `x1` are greater or equal."""
    return core.greater_equal(x1, x2)


# Bits


def _bits(name: str, x: Expr) -> None:
    if is_float(x):
        advice = "use bools or integers; put comparisons in parentheses: (a > 0) & (b > 0)"
        raise mistake(
            ErrorCode.F112,
            f"the operator {name} does not accept a tensor of type {x.ty!r}",
            None,
            advice,
        )


@numpy_function
def bitwise_and(x1: Expr, x2: Expr) -> Expr:
    """Return the bitwise and; raises `F112` for floats."""
    _bits("bitwise_and", x1)
    return core.bitwise_and(x1, x2)


@numpy_function
def bitwise_or(x1: Expr, x2: Expr) -> Expr:
    """Return the bitwise or; raises `F112` for floats."""
    _bits("bitwise_or", x1)
    return core.bitwise_or(x1, x2)


@numpy_function
def bitwise_xor(x1: Expr, x2: Expr) -> Expr:
    """Return the bitwise exclusive or; raises `F112` for floats."""
    _bits("bitwise_xor", x1)
    return core.bitwise_xor(x1, x2)


@numpy_function
def invert(x: Expr) -> Expr:
    """Return the bitwise complement; logical not for booleans."""
    _bits("invert", x)
    return core.logical_not(x) if is_bool(x) else core.bitwise_not(x)


def _shift(name: str, operator: Callable[..., Expr], x1: Expr, x2: Expr) -> Expr:
    _bits(name, x1)
    return operator(*_integers(x1, x2))


@numpy_function
def left_shift(x1: Expr, x2: Expr) -> Expr:
    """Return integers shifted left."""
    return _shift("left_shift", core.left_shift, x1, x2)


@numpy_function
def right_shift(x1: Expr, x2: Expr) -> Expr:
    """Return integers shifted right arithmetically."""
    return _shift("right_shift", core.right_shift, x1, x2)


# Powers


@numpy_function
def power(x1: Given, x2: Given) -> Expr:
    """Return `x1 ** x2`.

    The computation depends on the operands:

    1. If one of them is a float, the result is the power of floats.
    2. If both are integers and the exponent is one constant, `x1` is multiplied by itself.
    3. If both are integers and the exponent is not, the power is computed by squaring.

    Integers wrap around.

    A negative integer exponent raises `F112` if it is constant, and traps at run time otherwise.
    """
    a, b = together((x1, x2))
    if is_bool(a):
        a, b = convert(a, int32), convert(b, int32)
    if is_float(a):
        return core.power(a, b)
    if not isinstance(b, Constant) or b.tensor_type.rank:
        return _power_by_squaring(a, b)
    count = int(b.array)
    if count < 0:
        advice = "convert it to a float first: x.astype(np.float32) ** -1"
        raise mistake(
            ErrorCode.F112, "an integer cannot be raised to a negative exponent", None, advice
        )
    return _repeated_product(a, count)


@numpy_function
def float_power(x1: Real, x2: Real) -> Expr:
    """Return powers as floats."""
    return core.power(x1, x2)


def _repeated_product(x: Expr, count: int) -> Expr:
    """Return `x` multiplied by itself (case 2)."""
    result: Expr | None = None
    while count:
        if count & 1:
            result = x if result is None else core.multiply(result, x)
        count >>= 1
        x = core.multiply(x, x) if count else x
    return core.ones_like(x) if result is None else result


def _power_by_squaring(x: Expr, exponent: Expr) -> Expr:
    """Return `x ** exponent` for an exponent known only at run time (case 3)."""
    dtype = exponent.tensor_type.dtype
    result: Expr = core.ones_like(x)
    bits = [_number(1 << bit, dtype) for bit in range(dtype.bits - (dtype.kind is Kind.INT))]
    one, zero = like(1, x), like(0, exponent)
    for bit, above in pairwise([*bits, None]):
        assert bit is not None, "only the last one has nothing above it"
        chosen = core.not_equal(core.bitwise_and(exponent, bit), zero)
        result = core.multiply(result, core.where(chosen, x, one))
        x = x if above is None else core.multiply(x, x)
    if dtype.kind is not Kind.INT:
        return result
    whole = core.greater_equal(exponent, zero)
    fits = core.all(whole) if whole.tensor_type.rank else whole
    why = "an integer cannot be raised to a negative exponent: convert the base to a float first"
    return If(fits, result, failure(result.type, why))


def _number(number: int, dtype: DType) -> Constant:
    return Constant(np.asarray(number, dtype.numpy))


# Logic


def truth(x: Expr) -> Expr:
    """Return whether elements are nonzero."""
    return convert(x, bool_)


@numpy_function
def logical_and(x1: Apart, x2: Apart) -> Expr:
    """Return whether both elements are nonzero."""
    return core.logical_and(truth(x1), truth(x2))


@numpy_function
def logical_or(x1: Apart, x2: Apart) -> Expr:
    """Return whether at least one element is nonzero."""
    return core.logical_or(truth(x1), truth(x2))


@numpy_function
def logical_xor(x1: Apart, x2: Apart) -> Expr:
    """Return whether exactly one element is nonzero."""
    return core.logical_xor(truth(x1), truth(x2))


@numpy_function
def logical_not(x: Apart) -> Expr:
    """Return whether elements are zero."""
    return core.logical_not(truth(x))


@numpy_function
def maximum(x1: Expr, x2: Expr) -> Expr:
    """Return the larger of two elements; NaN if either is NaN."""
    return core.logical_or(x1, x2) if is_bool(x1) else core.maximum(x1, x2)


@numpy_function
def minimum(x1: Expr, x2: Expr) -> Expr:
    """Return the smaller of two elements; NaN if either is NaN."""
    return core.logical_and(x1, x2) if is_bool(x1) else core.minimum(x1, x2)


@numpy_function
def fmax(x1: Expr, x2: Expr) -> Expr:
    """Return the larger of two elements, ignoring a single NaN."""
    if not is_float(x1):
        return maximum(x1, x2)
    return core.where(core.logical_or(core.greater_equal(x1, x2), core.isnan(x2)), x1, x2)


@numpy_function
def fmin(x1: Expr, x2: Expr) -> Expr:
    """Return the smaller of two elements, ignoring a single NaN."""
    if not is_float(x1):
        return minimum(x1, x2)
    return core.where(core.logical_or(core.less_equal(x1, x2), core.isnan(x2)), x1, x2)


@numpy_function
def gcd(x1: Expr, x2: Expr) -> Expr:
    """Return the greatest common divisor of integers, by Euclid's steps."""
    return _divisor(*_whole("gcd", x1, x2))


@numpy_function
def lcm(x1: Expr, x2: Expr) -> Expr:
    """Return the least common multiple of integers; it wraps around."""
    a, b = _whole("lcm", x1, x2)
    divisor = _divisor(a, b)
    return core.multiply(core.floor_divide(a, divisor), b)  # 0 // 0 is 0 for integers


def _whole(name: str, x1: Expr, x2: Expr) -> tuple[Expr, Expr]:
    _bits(name, x1)
    _refuse_bools(name, x1, "convert them to integers: x.astype(int)")
    return core.abs(x1), core.abs(x2)


def _divisor(a: Expr, b: Expr) -> Expr:
    """Return the greatest common divisor: a loop until all remainders are 0."""
    a, b = core.add(a, core.zeros_like(b)), core.add(b, core.zeros_like(a))
    x, y = Var("a", a.type), Var("b", b.type)
    loop = Var("loop", FuncType((a.type, b.type), a.type))
    zero = like(0, y)
    last = core.equal(y, zero)
    ended = core.all(last) if last.tensor_type.rank else last
    step = core.where(last, x, y), core.where(last, y, core.trunc_mod(x, y))
    body = If(ended, x, Call(loop, step))
    found = Let(loop, Function((x, y), body, a.type), Call(loop, (a, b)))
    return core.abs(found)  # remainders of the most negative integer are negative


@numpy_function
def reciprocal(x: Expr) -> Expr:
    """Return `1 / x`; for integers truncated, and 0 for 0."""
    x = convert(x, int8) if is_bool(x) else x
    one = like(1, x)
    return core.divide(one, x) if is_float(x) else core.trunc_divide(one, x)


bitwise_not = bitwise_invert = invert
true_divide = divide
mod = remainder
pow = power
bitwise_left_shift, bitwise_right_shift = left_shift, right_shift
