"""The answer of an operator to batching along a new leading axis."""

from collections.abc import Sequence

from relay.ir.dims import Dim, Shape
from relay.ir.expr import Operator
from relay.ir.types import TensorType, Type
from relay.support.node import Value, set_field, value


@value
class Batched(Value):
    """One call that stands for many: its operator, and shapes in which tensors are seen around it.

    `views` has a shape for each argument, in which its elements are passed; None, or no entry,
    means: as it is. `result` is the shape in which the result is returned. Both keep the order of
    the elements, so that they cost nothing.
    """

    op: Operator
    views: tuple[Shape | None, ...] = ()
    result: Shape | None = None

    def __post_init__(self) -> None:
        set_field(self, "views", tuple(self.views))


def behind(axis: int) -> int:
    """Return where an axis is once there is one before all others; negative ones stay.

    >>> behind(0), behind(-1)
    (1, -1)
    """
    return axis + 1 if axis >= 0 else axis


def aligned(
    types: Sequence[Type], mapped: Sequence[bool], size: Dim, rank: int
) -> tuple[Shape | None, ...]:
    """Return views of arguments that broadcast: axes of size 1 behind the new axis, up to `rank`.

    >>> aligned((TensorType((4,)), TensorType((2, 4))), (True, True), 7, rank=2)
    ((7, 1, 4), None)
    """
    views: list[Shape | None] = []
    for ty, is_mapped in zip(types, mapped, strict=True):
        shape = ty.shape if isinstance(ty, TensorType) else ()
        short = is_mapped and len(shape) < rank
        views.append((size, *[1] * (rank - len(shape)), *shape) if short else None)
    return tuple(views)
