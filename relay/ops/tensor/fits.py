"""The test that a tensor has the sizes that a type promises."""

from collections.abc import Sequence

from relay.ir.dims import ANY, Dim, Shape
from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType, Type
from relay.kernels import te
from relay.opdef import checks
from relay.opdef.assumptions import assume
from relay.opdef.batching import Batched
from relay.opdef.definition import Fusion, OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.families import type_of
from relay.ops.tensor.movement import move
from relay.ops.tensor.sizes import dims
from relay.runtime.code.traps import misfit
from relay.support.errors import RunError
from relay.support.node import set_field


@operator("fits")
class Fits(OperatorDef):
    """Return `x`, which has this `shape`, or stop the program (`R054`); `?` fits every size.

    A type may promise sizes that are known only at run time: of what a `let` binds, a function
    gives, a data type or a cell holds. There the compiler puts this test; `of` is the name of the
    variable that the error speaks of. Any dtype.
    """

    shape: Shape
    of: str = ""

    fusion = Fusion.OPAQUE
    examples = (
        Example("f32[2, 3]", shape=(2, 3)),
        Example("i64[4]", shape=(ANY,), of="x"),
        Example("bool[]", shape=()),
    )

    def __post_init__(self) -> None:
        set_field(self, "shape", dims(self.shape))

    @property
    def may_stop(self) -> bool:
        """Sizes may be others, which only run time knows."""
        return True

    def infer(self, x: TensorType) -> TensorType:
        checks.rank(self.name, "x", x, len(self.shape))
        pairs = [*zip(x.shape, self.shape, strict=True)]
        for axis, (size, wanted) in enumerate(pairs):
            assume(wanted, size, said=misfit(self.of, axis, "{index}", "{size}", wanted))
        known = (size if wanted is ANY else wanted for size, wanted in pairs)
        return TensorType(tuple(known), x.dtype)

    def compute(self, x: te.Tensor) -> te.Tensor:
        return move(x, self.infer(type_of(x)).shape, lambda indices: indices)

    def reference(self, x: Array) -> Array:
        """Return the array; raises `R054` where it has another shape."""
        for axis, (size, wanted) in enumerate(zip(x.shape, self.shape, strict=True)):
            if wanted is not ANY and wanted != size:
                raise RunError("R054", misfit(self.of, axis, size, wanted, wanted))
        return x

    def keeps_order(self, *types: TensorType) -> bool:
        """Nothing moves."""
        del types
        return True

    def batched(self, types: Sequence[Type], mapped: Sequence[bool], size: Dim) -> Batched:
        del types, mapped, size
        return Batched(Fits((ANY, *self.shape), self.of))

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return (d_out,)
