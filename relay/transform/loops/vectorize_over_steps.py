"""Vectorises an operator over the steps of a loop: one call computes its values at all steps."""

from collections.abc import Sequence

import numpy as np

from relay.ir.dims import Shape
from relay.ir.expr import Array, Call, Constant, Expr, Var
from relay.ir.types import TensorType
from relay.ops.nn.matmul import Dense, MatrixProduct
from relay.ops.tensor.gather import Take
from relay.ops.tensor.reshape import Reshape
from relay.ops.tensor.slice import StridedSlice
from relay.support.node import node
from relay.transform.effects import Effectful, elements_may_trap
from relay.transform.fold_constants import FoldConstants
from relay.transform.loops.recognize_loops import Counter
from relay.transform.vmap import Mapped, mapped_call


@node
class Steps:
    """The values of an expression at all steps, stacked along a new leading axis in `all`.

    `products` is true if a matrix product is among the operators that compute them.
    """

    all: Expr
    products: bool = False


Operand = Expr | Steps


class OverSteps:
    """A builder of tensors that hold the values of operators at all steps of a counted loop.

    1. The counter becomes a range. A row that the counter selects becomes the tensor of all rows.
    2. All other operators use their batched form (`relay.transform.vmap`).
    """

    def __init__(self, counter: Counter) -> None:
        self.length = counter.length
        self.numbers = Steps(_numbers(counter))

    def of(self, call: Call, operands: Sequence[Operand]) -> Steps | None:
        """Return the values of a call at all steps as one tensor; None if that is impossible.

        `operands` are the values of its arguments, at all steps if they differ.
        """
        if not isinstance(call.type, TensorType):
            return None
        found = self._rows(call, operands)
        if found is None:
            found = self._mapped(call, operands)
        if found is None:
            return None
        steps = [operand for operand in operands if isinstance(operand, Steps)]
        multiplies = isinstance(call.op, Dense | MatrixProduct)
        products = multiplies or any(each.products for each in steps)
        return Steps(FoldConstants().folded(found, Effectful()), products)

    def _rows(self, call: Call, operands: Sequence[Operand]) -> Expr | None:
        """Return the rows that the counter selects at all steps; None in other cases."""
        match call.op, operands:
            case Take(batch_dims=0, axis=0), (Expr() as data, Steps(Var())):
                return data if data.tensor_type.shape[0] == self.length else None
            case Take(batch_dims=0, axis=0) as take, (Expr() as data, Steps(Constant(numbers))):
                stretch = _as_slice(data, numbers.reshape(-1))
                if stretch is None:
                    return _without_bounds_check(take, data, numbers)
                return _with_shape(stretch, (*numbers.shape, *data.tensor_type.shape[1:]))
            case _:
                return None

    def _mapped(self, call: Call, operands: Sequence[Operand]) -> Expr | None:
        """Return the call's batched form over all steps, if there is one.

        A counter with a dynamic end has no tensor of values. A call that may trap is excluded,
        because some steps may not evaluate it.
        """
        if isinstance(self.numbers.all, Var) and self.numbers in operands:
            return None
        if elements_may_trap(call):
            return None
        args = [
            Mapped(each.all, True) if isinstance(each, Steps) else Mapped(each, False)
            for each in operands
        ]
        return mapped_call(call, args, self.length) if any(a.is_mapped for a in args) else None


def _numbers(counter: Counter) -> Expr:
    """Return the values of a counter at all steps as a constant.

    The result is the counter's variable if the number of steps is unknown.
    """
    if not isinstance(counter.stop, int):
        return counter.var
    dtype = counter.var.tensor_type.dtype.numpy
    return Constant(np.arange(counter.start, counter.stop, dtype=dtype))


def _as_slice(data: Expr, numbers: Array) -> Expr | None:
    """Return the rows of a tensor at indices `numbers` as a slice.

    None if they are not contiguous.
    """
    size = data.tensor_type.shape[0]
    if not isinstance(size, int) or not _is_range(numbers, size):
        return None
    first, count = int(numbers[0]), len(numbers)
    if count == size:
        return data
    return Call(StridedSlice((first,), (first + count,), axes=(0,)), (data,))


def _with_shape(x: Expr, shape: Shape) -> Expr:
    return x if x.tensor_type.shape == shape else Call(Reshape(shape, allowzero=True), (x,))


def _without_bounds_check(take: Take, data: Expr, numbers: Array) -> Expr | None:
    """Return the rows at indices `numbers` if these are all within bounds, else None."""
    found = FoldConstants().folded(Call(take, (data, Constant(numbers))), Effectful())
    return found if take.may_trap and not elements_may_trap(found) else None


def _is_range(numbers: Array, size: int) -> bool:
    inside = len(numbers) > 0 and numbers[0] >= 0 and numbers[-1] < size
    return bool(inside and (np.diff(numbers.astype(np.int64)) == 1).all())
