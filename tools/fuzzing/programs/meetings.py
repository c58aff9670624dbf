"""Generate broadcasts of tensors whose lengths are symbolic, sums of symbols, or 1."""

from collections.abc import Callable, Sequence
from typing import Any

from relay.ir.dims import ANY
from relay.ir.expr import Expr, Tuple
from relay.ir.types import TensorType, has_any
from relay.ops.functions import core
from relay.support.dtype import float32
from tools.fuzzing.programs.choices import Choices
from tools.fuzzing.programs.operators import LARGEST

op: Any = core
"""Its members are generated; only its stub has their types."""

LOOSE = TensorType((ANY, 2), float32)
"""The type of tensors of unnamed length, which may be 1 and broadcast against longer ones."""

MET = TensorType((2,), float32)
"""The type of the result of a broadcast after its reduction."""

_MEETINGS: tuple[Callable[[Expr, Expr], Expr], ...] = (
    op.add,
    op.multiply,
    op.maximum,
    lambda a, b: op.where(op.less(a, b), a, b),
    lambda a, b: op.subtract(op.exp(op.minimum(a, b)), b),
)


def meeting(choices: Choices, tensors: Sequence[Expr]) -> Expr | None:
    """Return the sum of a broadcast of two tensors along their symbolic length.

    None if all lengths are named: for some values of the names the types would not match.
    """
    loose = [each for each in tensors if has_any(each.type)]
    if not loose:
        return None
    parts = [_part(choices, tensors), _part(choices, loose)]
    left, right = parts if choices.chance(2) else reversed(parts)
    met = choices.pick(_MEETINGS)(left, right)
    return op.clip(op.sum(met, axis=[0]), -LARGEST, LARGEST)


def _part(choices: Choices, tensors: Sequence[Expr]) -> Expr:
    """Return one of the tensors, or an expression of another length."""
    one, other = choices.pick(tensors), choices.pick(tensors)
    match choices.below(6):
        case 0:
            return op.concatenate(Tuple((one, other)), axis=0)
        case 1:
            return op.strided_slice(op.concatenate(Tuple((one, other)), axis=0), [1], [2**31 - 1])
        case 2:
            return op.tile(one, (2, 1))
        case 3:
            return op.reverse(one, axis=0)
        case _:
            return one
