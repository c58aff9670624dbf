"""Evaluate Python functions in PyTorch graphs: arithmetic on sizes, and tuple items."""

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

import torch

from relay.frontend.builders.tensors import constant
from relay.frontend.torch.symbolic_sizes import size_number
from relay.ir.dims import Dim, Symbolic, maximum
from relay.ir.expr import Call, Expr, TupleGetItem
from relay.ops.binary import Divide
from relay.ops.cast import Cast
from relay.support.dtype import float64

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


_OPERATOR: Any = operator
_MATH: Any = math

_SAME_MEANING = (
    *(getattr(_OPERATOR, name) for name in (
        "add", "sub", "mul", "floordiv", "mod", "neg", "pow", "eq", "ne", "lt", "le",
        "gt", "ge", "and_", "or_", "not_",
    )),
    *(getattr(_MATH, name) for name in ("ceil", "floor", "trunc")),
)  # fmt: skip

SCALAR_FUNCTIONS: Mapping[Any, Callable[..., Any]] = {
    **{function: function for function in _SAME_MEANING},
    operator.getitem: _part,
    operator.truediv: _quotient,
    _TORCH.sym_max: maximum,
    _TORCH.sym_min: _minimum,
    _TORCH.sym_float: _same,
    _TORCH.sym_int: _same,
    _TORCH.sym_not: operator.not_,
}
"""Callables in a graph that are not operators."""
