"""Parts of a split tensor are read where they lie."""

from typing import cast

from relay.ir.expr import Call, Expr, Function, TupleGetItem
from relay.ir.types import TensorType
from relay.ir.walk import rewrite
from relay.ops.tensor.join import Split
from relay.ops.tensor.slice import StridedSlice
from relay.support.node import value
from relay.transform.pipeline import FunctionPass


@value
class SliceSplits(FunctionPass):
    """Replace `split(x).i` by a slice of `x`, which kernels can read through; a split copies."""

    def run(self, function: Function) -> Function:
        """Rewrite from the leaves up."""
        return cast("Function", rewrite(function, _sliced))


def _sliced(expr: Expr) -> Expr:
    match expr:
        case TupleGetItem(Call(Split() as op, (Expr(ty=TensorType(shape)) as x,)), index):
            axis = op.axis % len(shape)
            size = shape[axis]
            if not isinstance(size, int):
                return expr
            low, high = op.bounds(size)[index : index + 2]
            part = StridedSlice(begin=(low,), end=(high,), axes=(axis,))
            return Call(part, (x,), span=expr.span)
        case _:
            return expr
