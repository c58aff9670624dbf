"""Factors a reduction into independent partial reductions and their combination."""

from relay.kernels.scalar import Const, Op, Scalar, binary
from relay.kernels.schedule.iteration_state import rounded_up
from relay.kernels.schedule.stage import Stage
from relay.kernels.te.tensor import Axis, Computed, Reduce, Tensor, renamed
from relay.kernels.traverse_scalars import substitute
from relay.support.dtype import bool_, int64


def in_parts(tensor: Tensor, stage: Stage, axis: Axis, lanes: int) -> tuple[Computed, Computed]:
    """Return the partial reductions of a stage over every `lanes`-th element, and their total.

    The partial reductions have the tensor's axes and then one of extent `lanes`.
    """
    reduction = stage.body
    assert isinstance(reduction, Reduce), f"{stage.name} is not a reduction"
    tile, lane = Axis(f"{axis.name}o", int64, rounded_up(axis.extent, lanes)), _lane(axis, lanes)
    axes = renamed(stage.axes)
    index = tile * lanes + lane
    values: dict[Scalar, Scalar] = {axis: index, **dict(zip(stage.axes, axes, strict=True))}
    where = substitute(reduction.where, values)
    if not (isinstance(axis.extent, int) and axis.extent % lanes == 0):
        where = binary(Op.AND, where, index < axis.extent)
    running = tuple(tile if one is axis else one for one in reduction.axes)
    body = substitute(reduction.body, values)
    formula = Reduce(reduction.combiner, body, running, where, reduction.dtype)
    shape = (*tensor.shape, lanes)
    parts = Computed(f"{tensor.name}_parts", shape, tensor.dtype, (*axes, lane), formula)
    return parts, _whole(tensor, stage, parts, lanes, reduction)


def _whole(
    tensor: Tensor, stage: Stage, parts: Computed, lanes: int, reduction: Reduce
) -> Computed:
    axes, lane = renamed(stage.axes), Axis("lane", int64, lanes)
    body = Reduce(
        reduction.combiner, parts[*axes, lane], (lane,), Const(True, bool_), reduction.dtype
    )
    return Computed(tensor.name, tensor.shape, tensor.dtype, axes, body)


def _lane(axis: Axis, lanes: int) -> Axis:
    return Axis(f"{axis.name}l", int64, lanes)
