"""The operator `layout_transform`, which converts a tensor from one memory layout to another."""

from collections.abc import Sequence

from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType
from relay.kernels import te
from relay.opdef import checks
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.layout import Layout
from relay.opdef.table import operator
from relay.ops.families import type_of
from relay.ops.tensor.element_movement import move


@operator("layout_transform")
class LayoutTransform(OperatorDef):
    """Convert `x` from `src_layout` to `dst_layout`, for example from `NCHW` to `NCHW8c`.

    Both layouts name the same axes; a block must divide its axis (`T105`). Takes any element type.
    """

    src_layout: str
    dst_layout: str

    examples = (
        Example("f32[2, 6, 3, 4]", src_layout="NCHW", dst_layout="NHWC"),
        Example("f32[2, 8, 3, 4]", src_layout="NCHW", dst_layout="NCHW4c"),
        Example("f32[2, 2, 3, 4, 4]", src_layout="NCHW4c", dst_layout="NHWC"),
        Example("i64[4, 3, 2]", src_layout="NWC", dst_layout="NWC"),
        Example("f64[1, 2, 3, 4, 8]", src_layout="NCHW8c", dst_layout="NCHW4c"),
    )

    def __post_init__(self) -> None:
        before, after = self.layouts
        same = sorted(before.letters) == sorted(after.letters)
        checks.attribute(
            "layout_transform",
            same,
            f"src_layout {before} and dst_layout {after} must have the same axes",
        )

    @property
    def layouts(self) -> tuple[Layout, Layout]:
        """Return the source layout and the destination layout."""
        return Layout.parse(self.src_layout), Layout.parse(self.dst_layout)

    def infer(self, x: TensorType) -> TensorType:
        before, after = self.layouts
        checks.rank(self.name, "data", x, before.rank)
        return TensorType(after.shape(before.sizes(x.shape)), x.dtype)

    def keeps_order(self, *types: TensorType) -> bool:
        """Whether axes longer than 1 keep their order; axes of size 1 may move."""
        before, after = self.layouts
        source = _order(before, types[0])
        return len(set(source)) == len(source) and source == _order(after, self.infer(types[0]))

    def compute(self, x: te.Tensor) -> te.Tensor:
        before, after = self.layouts
        shape = self.infer(type_of(x)).shape
        return move(x, shape, lambda i: before.indices(after.coordinates(i)))

    def reference(self, x: Array) -> Array:
        before, after = self.layouts
        return after.from_plain(before.to_plain(x, before.letters), before.letters)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return (Call(LayoutTransform(self.dst_layout, self.src_layout), (d_out,)),)


def _order(layout: Layout, ty: TensorType) -> list[str]:
    """Return the letters of the axes longer than 1; adjacent parts of one axis count once."""
    letters = [a.letter for a, n in zip(layout.axes, ty.shape, strict=True) if n != 1]
    return [each for each, before in zip(letters, [None, *letters], strict=False) if each != before]
