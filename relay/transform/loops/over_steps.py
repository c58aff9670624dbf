"""Values of all steps of a loop at once: an axis of steps before all others."""

from collections.abc import Callable, Sequence

import numpy as np

from relay.ir.dims import Dim, product
from relay.ir.expr import Call, Constant, Expr, Var
from relay.ir.types import TensorType
from relay.opdef.definition import OperatorDef
from relay.ops.cast import Cast
from relay.ops.families import Broadcast, Elementwise
from relay.ops.nn.matmul import Dense
from relay.ops.tensor.gather import Take
from relay.ops.tensor.reshape import Reshape, Reshaping
from relay.ops.tensor.slice import StridedSlice
from relay.support.node import node
from relay.transform.fold_constants import FoldConstants
from relay.transform.loops.recognize import Counter


@node
class Steps:
    """What a value is at every step: `all` has one more axis, the first; `products` are in it."""

    all: Expr
    products: bool = False


Operand = Expr | Steps


class OverSteps:
    """Finds what operators compute at all steps of a counted loop.

    1. The counter is a range. A row that it chooses is the whole tensor.
    2. An elementwise operator works on all steps, its operands aligned.
    3. A dense layer multiplies all rows at once.
    4. A reshape keeps the axis of steps.
    """

    def __init__(self, counter: Counter) -> None:
        self.length = counter.length
        self.numbers = Steps(_numbers(counter))

    def of(self, call: Call, operands: Sequence[Operand]) -> Steps | None:
        """Return the value of a call at all steps; None where no rule says how."""
        if not isinstance(call.op, OperatorDef) or not isinstance(call.type, TensorType):
            return None
        rule = self._rule(call.op)
        if rule != self._rows and not self._are_known(operands):
            return None
        found = None if rule is None else rule(call, operands)
        if found is None:
            return None
        products = isinstance(call.op, Dense) or any(
            operand.products for operand in operands if isinstance(operand, Steps)
        )
        return Steps(FoldConstants().folded(found), products)

    def _are_known(self, operands: Sequence[Operand]) -> bool:
        """Whether none is the range of a counter whose end only run time knows."""
        return isinstance(self.length, int) or self.numbers not in operands

    def _rule(self, op: OperatorDef) -> "Callable[[Call, Sequence[Operand]], Expr | None] | None":
        match op:
            case Take(batch_dims=0, axis=0):
                return self._rows
            case Elementwise() | Broadcast() | Cast():
                return self._aligned
            case Dense():
                return self._dense
            case Reshaping():
                return self._reshaped
            case _:
                return None

    def _rows(self, call: Call, operands: Sequence[Operand]) -> Expr | None:
        """Case 1."""
        data, indices = operands
        if isinstance(data, Steps) or not isinstance(indices, Steps):
            return None
        size = data.tensor_type.shape[0]
        match indices.all:
            case Var():
                return data if size == self.length else None
            case Constant(numbers) if isinstance(size, int) and _is_range(numbers, size):
                first, count = int(numbers[0]), len(numbers)
                if count == size:
                    return data
                return Call(StridedSlice((first,), (first + count,), axes=(0,)), (data,))
            case numbers:
                return Call(call.op, (data, numbers), span=call.span)

    def _aligned(self, call: Call, operands: Sequence[Operand]) -> Expr:
        """Case 2."""
        rank = call.tensor_type.rank
        return Call(call.op, tuple(self._wide(each, rank) for each in operands), span=call.span)

    def _wide(self, operand: Operand, rank: int) -> Expr:
        """Return an operand so that its axes meet those of a result of this rank, steps first."""
        if not isinstance(operand, Steps):
            return operand
        shape = operand.all.tensor_type.shape[1:]
        if len(shape) == rank:
            return operand.all
        return self._shaped(operand.all, (*(1,) * (rank - len(shape)), *shape))

    def _dense(self, call: Call, operands: Sequence[Operand]) -> Expr | None:
        """Case 3."""
        data, weight = operands
        if isinstance(weight, Steps) or not isinstance(data, Steps):
            return None
        *leading, inner = data.all.tensor_type.shape
        rows = _reshape(data.all, (product(leading), inner))
        return self._shaped(Call(call.op, (rows, weight), span=call.span), _shape(call))

    def _reshaped(self, call: Call, operands: Sequence[Operand]) -> Expr | None:
        """Case 4."""
        data = operands[0]
        return self._shaped(data.all, _shape(call)) if isinstance(data, Steps) else None

    def _shaped(self, expr: Expr, shape: Sequence[Dim]) -> Expr:
        return _reshape(expr, (self.length, *shape))


def _numbers(counter: Counter) -> Expr:
    """Return the numbers that a counter takes; itself if it is not known how many."""
    if not isinstance(counter.stop, int):
        return counter.var
    dtype = counter.var.tensor_type.dtype.numpy
    return Constant(np.arange(counter.start, counter.stop, dtype=dtype))


def _reshape(expr: Expr, shape: Sequence[Dim]) -> Expr:
    if expr.tensor_type.shape == tuple(shape):
        return expr
    return Call(Reshape(tuple(shape), allowzero=True), (expr,))


def _shape(call: Call) -> tuple[Dim, ...]:
    return call.tensor_type.shape


def _is_range(numbers: np.ndarray, size: int) -> bool:
    """Whether indices are a stretch of neighbours inside of an axis."""
    inside = len(numbers) > 0 and numbers[0] >= 0 and numbers[-1] < size
    return bool(inside and (np.diff(numbers.astype(np.int64)) == 1).all())
