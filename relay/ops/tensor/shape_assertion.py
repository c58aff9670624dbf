"""Operators that check at run time that a tensor has the sizes that types assert."""

from collections.abc import Sequence
from typing import cast

from relay.ir.dims import ANY, Dim, Shape, static
from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType, Type
from relay.kernels import te
from relay.opdef import checks
from relay.opdef.batched_call import Batched
from relay.opdef.definition import Fusion, OperatorDef
from relay.opdef.dim_constraints import Relation, constrain
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.families import type_of
from relay.ops.tensor.dim_arithmetic import dims
from relay.ops.tensor.element_movement import move
from relay.runtime.code.traps import misfit
from relay.support.error_codes import ErrorCode
from relay.support.errors import RunError
from relay.support.node import replace, set_field
from relay.support.span import Span


class SizeTest(OperatorDef):
    """The base of operators that return their argument unchanged, or trap because of a size."""

    __slots__ = ()
    fusion = Fusion.OPAQUE  # a check of sizes, not arithmetic

    @property
    def may_trap(self) -> bool:
        """Whether the operator may trap: always, because a size may be wrong."""
        return True

    def compute(self, x: te.Tensor) -> te.Tensor:
        """Return the formula, whose elements are those of the argument."""
        return move(x, cast("TensorType", self.infer(type_of(x))).shape, lambda indices: indices)

    def keeps_order(self, *types: TensorType) -> bool:
        """Whether the elements keep their order: always."""
        del types
        return True

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative unchanged."""
        del call
        return (d_out,)


@operator("fits")
class Fits(SizeTest):
    """Return `x` if it has the shape `shape`, else trap (`R054`); `?` matches any size.

    A type may assert sizes that are known only at run time: the type of a `let` variable, of a
    function's result, or of the content of data or of a reference. The compiler inserts this check
    there. `of` is the name of the variable for the error message, or `said` is the whole message,
    with `{size}` for the expected size and `{index}` for the actual one. Takes any element type.
    """

    shape: Shape
    of: str = ""
    said: str = ""

    examples = (
        Example("f32[2, 3]", shape=(2, 3)),
        Example("i64[4]", shape=(ANY,), of="x"),
        Example("bool[]", shape=()),
    )

    def __post_init__(self) -> None:
        set_field(self, "shape", dims(self.shape))

    def infer(self, x: TensorType) -> TensorType:
        checks.rank(self.name, "x", x, len(self.shape))
        pairs = [*zip(x.shape, self.shape, strict=True)]
        for axis, (size, wanted) in enumerate(pairs):
            constrain(self.name, wanted, size, message=self._message(axis, wanted))
        known = (size if wanted is ANY else wanted for size, wanted in pairs)
        return TensorType(tuple(known), x.dtype)

    def reference(self, x: Array) -> Array:
        """Return the array; raises `R054` if it has another shape."""
        for axis, (size, wanted) in enumerate(zip(x.shape, self.shape, strict=True)):
            if wanted is not ANY and wanted != size:
                message = self._message(axis, wanted).format(size=wanted, index=size)
                raise RunError(ErrorCode.R054, message)
        return x

    def _message(self, axis: int, wanted: Dim) -> str:
        return self.said or misfit(self.of, axis, "{index}", "{size}", wanted)

    def batched(self, types: Sequence[Type], mapped: Sequence[bool], size: Dim) -> Batched:
        del types, mapped, size
        return Batched(replace(self, shape=(ANY, *self.shape)))


def with_size(x: Expr, axis: int, size: Dim, said: str, span: Span | None) -> Expr:
    """Return a tensor with a check of its size along an axis; `said` is the error message."""
    shape: list[Dim] = [ANY] * x.tensor_type.rank
    shape[axis] = size
    return Call(Fits(tuple(shape), said=said), (x,), span=span)


@operator("assured")
class Assured(SizeTest):
    """Return `x` if two symbolic sizes satisfy a requirement, else trap (`R054`).

    `size` must be equal to `found`, or with `at_least`, not be below it. The compiler inserts this
    check when an operator decomposes into others that require less. `said` is the error message,
    with `{size}` and `{index}` for the two sizes. Takes any element type.
    """

    size: Dim
    found: Dim
    at_least: bool = False
    said: str = "expected {size}, found {index}"

    examples = (
        Example("f32[2, 3]", size=3, found=3),
        Example("i64[]", size=3, found=2, at_least=True),
    )

    def infer(self, x: TensorType) -> TensorType:
        relation = Relation.AT_LEAST if self.at_least else Relation.EQUAL
        constrain(self.name, self.size, self.found, relation=relation, message=self.said)
        return x

    def reference(self, x: Array) -> Array:
        """Return the array; raises `R054` if the sizes do not satisfy the requirement."""
        (size, found) = static((self.size, self.found))
        if size < found or (size > found and not self.at_least):
            raise RunError(ErrorCode.R054, self.said.format(size=size, index=found))
        return x

    def batched(self, types: Sequence[Type], mapped: Sequence[bool], size: Dim) -> Batched:
        del types, mapped, size
        return Batched(self)
