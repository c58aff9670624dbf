"""Powers: whole numbers stay whole, as in Python and NumPy."""

from itertools import pairwise

import numpy as np

from relay.frontend.python.errors import mistake
from relay.frontend.python.operations import cast, constant, together
from relay.frontend.python.stopping import stopped_unless
from relay.frontend.python.values import Static, Value
from relay.ir.expr import Call, Constant, Expr
from relay.opdef.table import OPERATORS
from relay.support.dtype import DType, Kind, bool_, float32, int32
from relay.support.span import Span


def power(base: Value, exponent: Value, span: Span | None) -> Expr:
    """Return `base ** exponent`, elementwise.

    1. Floats, or a mixture: the power of floats.
    2. Whole numbers to a plain exponent: products, which wrap around as NumPy's do.
    3. Whole numbers to others: one square and one product for each bit of the exponent.

    A negative exponent of a number gives a float, as in Python; one of a tensor raises `F112`, as
    NumPy does; one that is found at run time stops the program.
    """
    a, b = together((base, exponent), span)
    if a.tensor_type.dtype is bool_:
        a, b = cast(a, int32, span), cast(b, int32, span)
    if a.tensor_type.dtype.is_float:
        return _call("power", a, b, span)
    count = exponent.content if isinstance(exponent, Static) else None
    if not isinstance(count, int):
        return _by_bits(a, b, span)
    if count >= 0:
        return _product(a, count, span)
    if not a.tensor_type.rank:
        return _call("power", cast(a, float32, span), constant(count, float32, span), span)
    advice = "make it a float first: x.astype(np.float32) ** -1"
    raise mistake("F112", "whole numbers to a negative power", span, advice)


def _product(x: Expr, count: int, span: Span | None) -> Expr:
    """Return `x` multiplied by itself (case 2)."""
    result: Expr | None = None
    while count:
        if count & 1:
            result = x if result is None else _call("multiply", result, x, span)
        count >>= 1
        x = _call("multiply", x, x, span) if count else x
    return Call(OPERATORS.find("ones_like")(), (x,), span=span) if result is None else result


def _by_bits(x: Expr, exponent: Expr, span: Span | None) -> Expr:
    """Return `x ** exponent` for an exponent that is known at run time (case 3)."""
    dtype = exponent.tensor_type.dtype
    result: Expr = Call(OPERATORS.find("ones_like")(), (x,), span=span)
    bits = [_number(1 << bit, dtype) for bit in range(dtype.bits - (dtype.kind is Kind.INT))]
    one, zero = _number(1, x.tensor_type.dtype), _number(0, dtype)
    for bit, above in pairwise([*bits, None]):
        assert bit is not None, "only the last one has nothing above it"
        chosen = _call("not_equal", _call("bitwise_and", exponent, bit, span), zero, span)
        factor = Call(OPERATORS.find("where")(), (chosen, x, one), span=span)
        result = _call("multiply", result, factor, span)
        x = x if above is None else _call("multiply", x, x, span)
    if dtype.kind is not Kind.INT:
        return result
    whole = _call("greater_equal", exponent, zero, span)
    fits = Call(OPERATORS.find("all")(), (whole,), span=span) if whole.tensor_type.rank else whole
    why = "whole numbers to a negative power: make the base a float"
    return stopped_unless(fits, why, result, span)


def _number(number: int, dtype: DType) -> Constant:
    return Constant(np.asarray(number, dtype.numpy))


def _call(name: str, a: Expr, b: Expr, span: Span | None) -> Expr:
    return Call(OPERATORS.find(name)(), (a, b), span=span)
