"""Translate Python's own functions in a graph: arithmetic on sizes, and items of results."""

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

import torch

from relay.ir.dims import Dim, maximum
from relay.ir.expr import Expr, TupleGetItem

_TORCH: Any = torch


def _part(whole: Any, index: Any) -> object:
    return TupleGetItem(whole, index) if isinstance(whole, Expr) else whole[index]


def _same(x: object) -> object:
    return x


def _minimum(a: Dim, b: Dim) -> Dim:
    return a + b - maximum(a, b)


_OPERATOR: Any = operator
_MATH: Any = math

_SAME_MEANING = (
    *(getattr(_OPERATOR, name) for name in (
        "add", "sub", "mul", "floordiv", "mod", "neg", "truediv", "pow", "eq", "ne", "lt", "le",
        "gt", "ge", "and_", "or_", "not_",
    )),
    *(getattr(_MATH, name) for name in ("ceil", "floor", "trunc")),
)  # fmt: skip

SCALAR_FUNCTIONS: Mapping[Any, Callable[..., Any]] = {
    **{function: function for function in _SAME_MEANING},
    operator.getitem: _part,
    _TORCH.sym_max: maximum,
    _TORCH.sym_min: _minimum,
    _TORCH.sym_float: _same,
    _TORCH.sym_int: _same,
    _TORCH.sym_not: operator.not_,
}
"""Callables in a graph that are not operators."""
