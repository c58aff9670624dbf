"""Operators that return a tensor unchanged, with other derivatives than those of its formula."""

from collections.abc import Sequence

from relay.ir.dims import Dim
from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType, Type
from relay.opdef import checks
from relay.opdef.batched_call import Batched
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator


class _OtherDerivative(OperatorDef):
    """The base of operators that return their first argument."""

    def decompose(self, *args: Expr) -> Expr:
        return args[0]

    def batched(self, types: Sequence[Type], mapped: Sequence[bool], size: Dim) -> Batched | None:
        """Return the operator itself: its decomposition would have other derivatives."""
        del types, mapped, size
        return Batched(self, spreads=True)

    def reference(self, *arrays: Array) -> Array:
        return arrays[0]


@operator("stop_gradient")
class StopGradient(_OtherDerivative):
    """Return `data`; its derivative is zero. Takes any shape and element type."""

    examples = (
        Example("f32[2, 3]", differentiable=False),
        Example("i64[]"),
    )

    def infer(self, data: TensorType) -> TensorType:
        return data

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return (None,)


@operator("with_derivatives_of")
class WithDerivativesOf(_OtherDerivative):
    """Return `data`; its derivatives are those of `formula`, a tensor of the same type.

    `formula` is computed only for derivatives, which may be of any order.
    """

    examples = (
        Example("f32[2, 3]", "f32[2, 3]", differentiable=False),
        Example("i64[]", "i64[]"),
    )

    def infer(self, data: TensorType, formula: TensorType) -> TensorType:
        checks.same_dtype(self.name, data, formula)
        checks.rank(self.name, "formula", formula, data.rank)
        for expected, found in zip(data.shape, formula.shape, strict=True):
            checks.size(self.name, "formula", expected, found)
        return data

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return None, d_out


def with_derivatives_of(formula: Expr, value: Expr) -> Expr:
    """Return an expression with the value `value` and the derivatives of `formula`."""
    return Call(WithDerivativesOf(), (value, formula))
