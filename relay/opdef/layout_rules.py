"""The results of layout rules: how an operator works on arguments that have certain layouts."""

from collections.abc import Sequence
from typing import TypeAlias

from relay.ir.dims import Shape
from relay.ir.expr import Operator
from relay.ir.types import TensorType, Type
from relay.opdef.layout import Layout, LayoutAxis
from relay.support.node import Value, set_field, value

ArgLayout: TypeAlias = Layout | tuple[Layout | None, ...] | None
"""The layout of an argument: None means plain; a tuple has a layout for each field."""


@value
class Relayout(Value):
    """A replacement of an operator, with the layouts of its arguments and of its result.

    A layout of None is the one of the program. An argument of lower rank than its layout is first
    extended by leading axes of size 1; on an axis of size 1, the layout's block must be 1.
    """

    op: Operator
    inputs: tuple[ArgLayout, ...]
    output: Layout | None

    def __post_init__(self) -> None:
        set_field(self, "inputs", tuple(self.inputs))


def follow_broadcast(
    op: Operator, types: Sequence[Type], layouts: Sequence[ArgLayout]
) -> Relayout | None:
    """Return an elementwise operator in the layout of one of its arguments; None if none fits.

    It is the layout of the first argument that has the result's rank, and the result's size on all
    blocked axes. An argument that is broadcast along a blocked axis gets a block of 1 there.
    """
    shapes = [_right_aligned(ty, types) for ty in types]
    for shape, layout in zip(shapes, layouts, strict=True):
        if isinstance(layout, Layout) and _is_full(layout, shape, shapes):
            inputs = tuple(_narrowed(layout, other) for other in shapes)
            return Relayout(op, inputs, layout)
    return None


def _right_aligned(ty: Type, types: Sequence[Type]) -> Shape:
    shapes = [each.shape for each in (ty, *types) if isinstance(each, TensorType)]
    return (1,) * (max(map(len, shapes)) - len(shapes[0])) + shapes[0]


def _is_full(layout: Layout, shape: Shape, shapes: Sequence[Shape]) -> bool:
    """Whether a tensor of `shape` in `layout` has the full size on blocked axes.

    The full size is that of the broadcast `shapes`.
    """
    if len(layout.letters) != len(shape):
        return False
    blocked = [i for i, letter in enumerate(layout.plain) if layout.blocks(letter)]
    return all(other[i] in (1, shape[i]) for other in shapes for i in blocked)


def _narrowed(layout: Layout, shape: Shape) -> Layout:
    """Return the layout with blocks of 1 on the axes along which `shape` has size 1."""
    sizes = dict(zip(layout.plain, shape, strict=True))
    axes = (
        LayoutAxis(axis.letter, 1) if axis.block and sizes[axis.letter] == 1 else axis
        for axis in layout.axes
    )
    return Layout(tuple(axes), layout.order)
