"""The result of batching an operator: one call that replaces many, along a new leading axis."""

from collections.abc import Sequence

from relay.ir.dims import Dim, Shape
from relay.ir.expr import Operator
from relay.ir.types import TensorType, Type
from relay.support.node import Value, set_field, value


@value
class Batched(Value):
    """One call that replaces many: its operator, and the shapes of its arguments and result.

    `views` has, for each argument, the shape to which it is reshaped before the call; None, or a
    missing entry, means no reshape. The operator's result is reshaped to `result`. These reshapes
    keep the order of elements, so they cost nothing. With `spreads`, arguments without the new axis
    are broadcast along it first.
    """

    op: Operator
    views: tuple[Shape | None, ...] = ()
    result: Shape | None = None
    spreads: bool = False

    def __post_init__(self) -> None:
        set_field(self, "views", tuple(self.views))


def shifted_axis(axis: int) -> int:
    """Return an axis number after a new first axis is inserted; negative ones do not change.

    >>> shifted_axis(0), shifted_axis(-1)
    (1, -1)
    """
    return axis + 1 if axis >= 0 else axis


def aligned_shapes(
    types: Sequence[Type], mapped: Sequence[bool], size: Dim, rank: int
) -> tuple[Shape | None, ...]:
    """Return the shapes by which batched arguments of different rank still broadcast.

    `types` are the types of a single call. Each argument in `mapped` has a new first axis of
    `size`; if its own rank is below `rank`, its shape gets axes of size 1 after the first. Others
    have None.

    >>> aligned_shapes((TensorType((4,)), TensorType((2, 4))), (True, True), 7, rank=2)
    ((7, 1, 4), None)
    """
    views: list[Shape | None] = []
    for ty, is_mapped in zip(types, mapped, strict=True):
        shape = ty.shape if isinstance(ty, TensorType) else ()
        short = is_mapped and len(shape) < rank
        views.append((size, *[1] * (rank - len(shape)), *shape) if short else None)
    return tuple(views)
