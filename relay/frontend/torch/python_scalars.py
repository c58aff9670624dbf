"""Evaluate Python functions in PyTorch graphs: arithmetic on sizes, and tuple items."""

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

import torch

from relay.frontend.builders.size_expressions import size_number
from relay.frontend.builders.tensor_helpers import constant
from relay.ir.dims import Dim, Symbolic, maximum
from relay.ir.expr import Call, Expr, TupleGetItem
from relay.opdef.definition import OperatorDef
from relay.ops.binary import Divide
from relay.ops.cast import Cast
from relay.ops.comparison import Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual
from relay.ops.logical import LogicalNot
from relay.support.dtype import DType, float64, int64

_TORCH: Any = torch


def _part(whole: Any, index: Any) -> object:
    return TupleGetItem(whole, index) if isinstance(whole, Expr) else whole[index]


def _same(x: object) -> object:
    return x


def _minimum(a: Dim, b: Dim) -> Dim:
    return a + b - maximum(a, b)


def _quotient(a: Any, b: Any) -> object:
    """Return `a / b`: a number, or an expression if one of them is a size or an expression."""
    if isinstance(a, Symbolic | Expr) or isinstance(b, Symbolic | Expr):
        return Call(Divide(), (_float(a), _float(b)))
    return a / b


def _float(x: Any) -> Expr:
    if isinstance(x, Expr):
        return Call(Cast(float64), (x,))
    return (
        Call(Cast(float64), (size_number(x),)) if isinstance(x, Symbolic) else constant(x, float64)
    )


def compared(
    function: Callable[[Any, Any], Any], comparison: OperatorDef
) -> Callable[[Any, Any], object]:
    """Return a function that compares two numbers, at import if both are known.

    For sizes and expressions, it returns an expression with the operator `comparison`.
    """

    def compare(a: Any, b: Any) -> object:
        known = [x for x in (a, b) if isinstance(x, Expr)]
        if not known and not isinstance(a, Symbolic) and not isinstance(b, Symbolic):
            return function(a, b)
        number = float64 if isinstance(a, float) or isinstance(b, float) else int64
        dtype = known[0].tensor_type.dtype if known else number
        return Call(comparison, (_number(a, dtype), _number(b, dtype)))

    return compare


def _number(x: Any, dtype: DType) -> Expr:
    if isinstance(x, Expr):
        return x
    if not isinstance(x, Symbolic):
        return constant(x, dtype)
    return size_number(x) if dtype is int64 else Call(Cast(dtype), (size_number(x),))


def _not(x: Any) -> object:
    return Call(LogicalNot(), (x,)) if isinstance(x, Expr) else not x


_OPERATOR: Any = operator
_MATH: Any = math

_SAME_MEANING = (
    *(getattr(_OPERATOR, name) for name in (
        "add", "sub", "mul", "floordiv", "mod", "neg", "pow", "and_", "or_",
    )),
    *(getattr(_MATH, name) for name in ("ceil", "floor", "trunc")),
)  # fmt: skip

COMPARISONS: Mapping[Any, OperatorDef] = {
    operator.eq: Equal(),
    operator.ne: NotEqual(),
    operator.lt: Less(),
    operator.le: LessEqual(),
    operator.gt: Greater(),
    operator.ge: GreaterEqual(),
}
"""Python's comparisons, and Relay's."""

SCALAR_FUNCTIONS: Mapping[Any, Callable[..., Any]] = {
    **{function: function for function in _SAME_MEANING},
    **{function: compared(function, op) for function, op in COMPARISONS.items()},
    operator.not_: _not,
    operator.getitem: _part,
    operator.truediv: _quotient,
    _TORCH.sym_max: maximum,
    _TORCH.sym_min: _minimum,
    _TORCH.sym_float: _same,
    _TORCH.sym_int: _same,
    _TORCH.sym_not: _not,
}
"""Callables in a graph that are not operators."""
