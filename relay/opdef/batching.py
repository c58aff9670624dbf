"""The result of batching an operator along a new leading axis."""

from collections.abc import Sequence

from relay.ir.dims import Dim, Shape
from relay.ir.expr import Operator
from relay.ir.types import TensorType, Type
from relay.support.node import Value, set_field, value


@value
class Batched(Value):
    """A call that replaces many: its operator, and the shapes of its arguments and its result.

    `views` has for each argument the shape to which it is reshaped; None, or no entry, means no
    reshape. The operator's result is reshaped to `result`. Both keep the order of the elements, so
    they cost nothing.
    """

    op: Operator
    views: tuple[Shape | None, ...] = ()
    result: Shape | None = None

    def __post_init__(self) -> None:
        set_field(self, "views", tuple(self.views))


def behind(axis: int) -> int:
    """Return an axis after a new first axis is added; negative axes stay the same.

    >>> behind(0), behind(-1)
    (1, -1)
    """
    return axis + 1 if axis >= 0 else axis


def aligned(
    types: Sequence[Type], mapped: Sequence[bool], size: Dim, rank: int
) -> tuple[Shape | None, ...]:
    """Return views of broadcast arguments: axes of size 1 follow the new axis, up to `rank`.

    >>> aligned((TensorType((4,)), TensorType((2, 4))), (True, True), 7, rank=2)
    ((7, 1, 4), None)
    """
    views: list[Shape | None] = []
    for ty, is_mapped in zip(types, mapped, strict=True):
        shape = ty.shape if isinstance(ty, TensorType) else ()
        short = is_mapped and len(shape) < rank
        views.append((size, *[1] * (rank - len(shape)), *shape) if short else None)
    return tuple(views)
