"""Select between the results of two branches for `vmap`, and keep unused results harmless.

If a condition is mapped, both branches are computed for all elements, and each element keeps one of
the two results. The discarded results must neither trap nor contribute to derivatives, where an
infinite slope times zero is NaN. So a branch that might do either

1. is computed only if at least one element takes it;
2. computes, for the elements that do not take it, what one of the elements that take it computes:
   their operands are replaced (`substituted`), and derivatives do not follow the replacement.
"""

from collections.abc import Callable
from typing import TypeAlias

from relay.autodiff.let_emitter import Emitter
from relay.autodiff.tangent_types import has_floats
from relay.ir.dims import ANY, Dim
from relay.ir.expr import Call, Expr, Tuple, TupleGetItem
from relay.ir.types import TensorType, TupleType, Type, TypeCall
from relay.opdef.definition import OperatorDef
from relay.ops.binary import Add, Extreme, Multiply, Subtract
from relay.ops.broadcasting import BroadcastTo
from relay.ops.cast import Cast
from relay.ops.creation import Filled, FilledLike, Zeros
from relay.ops.elementwise import Abs, Clip, Copy, Negative, Rounding, Sign
from relay.ops.identity_operators import StopGradient, WithDerivativesOf
from relay.ops.max_min_reductions import Any, ArgMax
from relay.ops.nn.activations import LeakyRelu, Relu
from relay.ops.selection import Where
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.gather import Take
from relay.ops.tensor.reshape import Reshape
from relay.ops.transcendental import Atan, Cos, Erf, Sigmoid, Sin, Tanh
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError
from relay.transform.effects import Effectful, has_effect, may_trap

Join: TypeAlias = Callable[[Expr, Expr, Expr], Expr]
"""A function that selects between data: with a mask, the value for elements in it, and another."""

_FINITE_SLOPES = (
    *(Abs, Add, Atan, BroadcastTo, Cast, Clip, Copy, Cos, Erf, Extreme, Filled, FilledLike),
    *(LeakyRelu, Multiply, Negative, Relu, Reshape, Rounding, Sigmoid, Sign, Sin, StopGradient),
    *(Subtract, Sum, Take, Tanh, Where, WithDerivativesOf),
)
"""Operators whose derivatives are finite wherever their operands are."""


class Harmful(Effectful):
    """The set of nodes that must not be computed for elements that discard their results.

    A node is in the set if it has effects, may trap, calls a function, or may have an infinite
    derivative.
    """

    def __init__(self) -> None:
        super().__init__(lambda expr: has_effect(expr) or may_trap(expr) or _is_steep(expr))


def _is_steep(expr: Expr) -> bool:
    match expr:
        case Call(OperatorDef() as op):
            return not isinstance(op, _FINITE_SLOPES) and has_floats(expr.type)
        case _:
            return False


def selected(condition: Expr, then: Expr, other: Expr, size: Dim, join: Join) -> Expr:
    """Return `then` where `condition` is true and `other` elsewhere, for each field of tuples.

    `condition` has one element for each of the `size` elements of the new axis; `join` selects
    data. The nesting of tuples bounds the recursion.
    """
    match then.type:
        case TupleType(fields):
            indices = range(len(fields))
            parts = ((TupleGetItem(then, i), TupleGetItem(other, i)) for i in indices)
            return Tuple(tuple(selected(condition, *part, size, join) for part in parts))
        case TypeCall():
            return join(condition, then, other)
        case ty:
            assert isinstance(ty, TensorType), "mapped values without data are tensors"
            return Call(Where(), (_column(condition, ty.rank, size), then, other))


def _column(condition: Expr, rank: int, size: Dim) -> Expr:
    """Return a condition with the rank of the tensors between which it selects."""
    ones = (1,) * (rank - 1)
    view = Call(Reshape((size, *ones), allowzero=True), (condition,))
    return view if ones else condition


def any_of(mask: Expr) -> Expr:
    """Return whether at least one element of a mask is true."""
    return Call(Any(), (mask,))


class Substitution:
    """A rewriter of values: elements outside of `mask` get the value of the first element in it.

    Code that the rewriter adds to `emitter` is valid only where the mask has an element.
    """

    def __init__(self, mask: Expr, size: Dim, emitter: Emitter) -> None:
        self._mask, self._size, self._emitter = mask, size, emitter
        first = Call(ArgMax((0,)), (Call(Cast("int8"), (mask,)),))
        self._first = emitter.let(first, "first")

    def of(self, value: Expr) -> Expr:
        """Return a mapped value after the substitution.

        Data is returned unchanged. The nesting of tuples bounds the recursion.
        """
        match value.type:
            case TupleType(fields):
                parts = [self.of(self._emitter.field(value, i)) for i in range(len(fields))]
                return self._emitter.let(Tuple(tuple(parts)), "element")
            case TensorType(shape):
                row = Call(StopGradient(), (Call(Take(axis=0), (value, self._first)),))
                column = _column(self._mask, len(shape), self._size)
                return self._emitter.let(Call(Where(), (column, value, row)), "element")
            case _:
                return value


def zeros(ty: Type, origin: Expr, empty: Callable[[TypeCall], Expr] | None = None) -> Expr:
    """Return zeros of type `ty` in place of the result of `origin`, a branch that no element takes.

    For a data type, the value is that of `empty`. Raises `C120` if a size is unknown. The nesting
    of tuples bounds the recursion.
    """
    match ty:
        case TupleType(fields):
            return Tuple(tuple(zeros(each, origin, empty) for each in fields))
        case TypeCall() if empty is not None:
            return empty(ty)
        case TensorType(shape) if ANY not in shape:
            return Call(Zeros(shape, ty.dtype), ())
        case _:
            message = (
                "under vmap, a branch or loop that depends on mapped values cannot return a tensor "
                f"of unknown size: {ty!r}"
            )
            help_ = "return tensors of known sizes from the branches"
            raise CompileError(ErrorCode.C120, message, span=origin.span, help=help_)
