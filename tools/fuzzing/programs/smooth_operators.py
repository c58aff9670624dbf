"""More operators on floats, for programs that are differentiated: one of each family at least.

Values stay finite and small, as those of `tools.fuzzing.programs.operators`.
"""

from functools import cache
from typing import Any

from relay.ir.dims import is_static
from relay.ir.types import TensorType
from relay.ops.functions import core, nn
from relay.support.dtype import int32
from tools.fuzzing.programs.operators import Maker, bounded

op: Any = core
"""Its members are generated; only its stub has their types."""


@cache
def smooth_makers(ty: TensorType) -> tuple[Maker, ...]:
    """Return the builders of a tensor of that type; none for integers and bools."""
    if not ty.dtype.is_float:
        return ()
    return tuple(_elementwise(ty) + (_structured(ty) if is_static(ty.shape) and ty.shape else []))


def _elementwise(ty: TensorType) -> list[Maker]:
    return [
        lambda at: op.sin(at(ty)),
        lambda at: op.cos(at(ty)),
        lambda at: op.erf(at(ty)),
        lambda at: op.atan(at(ty)),
        lambda at: op.log(op.abs(at(ty)) + 1.0),
        lambda at: op.rsqrt(op.abs(at(ty)) + 1.0),
        lambda at: op.divide(at(ty), op.abs(at(ty)) + 1.0),
        lambda at: op.power(op.abs(at(ty)) * 0.01 + 1.0, op.clip(at(ty), -3.0, 3.0)),
        lambda at: nn.gelu(at(ty)),
        lambda at: nn.softplus(at(ty)),
    ]


def _structured(ty: TensorType) -> list[Maker]:
    """Return the builders that relate elements with each other."""
    *outer, last = ty.static_shape
    wide = TensorType((*outer, 3), ty.dtype)
    twice = TensorType((*outer, 2 * last), ty.dtype)
    above = TensorType((4, *outer, last), ty.dtype)
    shifts = TensorType((last,), ty.dtype)
    weight = TensorType((last, 3), ty.dtype)
    found: list[Maker] = [
        lambda at: bounded(ty, nn.dense(at(wide), at(weight))),
        lambda at: bounded(ty, op.cumsum(at(ty), axis=-1)),
        lambda at: bounded(ty, op.prod(op.clip(at(above), -2.0, 2.0), axis=0)),
        lambda at: op.mean(at(above), axis=0),
        lambda at: op.sqrt(op.variance(at(above), axis=0) + 1.0),
        lambda at: bounded(ty, op.logsumexp(at(above), axis=0)),
        lambda at: op.split(at(twice), 2, axis=-1)[1],
        lambda at: op.strided_slice(at(twice), [0], [2 * last], [2], axes=[-1]),
        lambda at: op.reverse(at(ty), axis=-1),
        lambda at: op.sort(at(ty), axis=-1),
        lambda at: nn.bias_add(at(ty), at(shifts), axis=-1),
        lambda at: op.gather(at(twice), -1, _indices(at, ty, 2 * last)),
    ]
    return found if last == 0 else found + _normalizations(ty, shifts)


def _normalizations(ty: TensorType, shifts: TensorType) -> list[Maker]:
    return [
        lambda at: nn.softmax(at(ty), axis=-1),
        lambda at: bounded(ty, nn.log_softmax(at(ty), axis=-1)),
        lambda at: nn.layer_norm(at(ty), at(shifts), at(shifts), epsilon=0.1),
    ]


def _indices(at: Any, ty: TensorType, size: int) -> Any:
    return op.clip(at(TensorType(ty.shape, int32)), 0, max(size - 1, 0))
