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
    keep the order of elements, so they cost nothing.
    """

    op: Operator
    views: tuple[Shape | None, ...] = ()
    result: Shape | None = None

    def __post_init__(self) -> None:
        set_field(self, "views", tuple(self.views))


def behind(axis: int) -> int:
    """Return the number of `axis` after a new first axis is inserted; negative axes do not change.

    >>> behind(0), behind(-1)
    (1, -1)
    """
    return axis + 1 if axis >= 0 else axis


def aligned(
    types: Sequence[Type], mapped: Sequence[bool], size: Dim, rank: int
) -> tuple[Shape | None, ...]:
    """Return, for each batched argument of lower rank, its shape with axes of size 1 inserted.

    >>> aligned((TensorType((4,)), TensorType((2, 4))), (True, True), 7, rank=2)
    ((7, 1, 4), None)
    """
    views: list[Shape | None] = []
    for ty, is_mapped in zip(types, mapped, strict=True):
        shape = ty.shape if isinstance(ty, TensorType) else ()
        short = is_mapped and len(shape) < rank
        views.append((size, *[1] * (rank - len(shape)), *shape) if short else None)
    return tuple(views)
