"""Operators whose first argument and result may be in any layout, which one attribute names."""

from typing import TypeAlias

from relay.ir.dims import is_static, static
from relay.ir.expr import Call, Expr
from relay.opdef.layout import Layout
from relay.opdef.layout_rules import Relayout
from relay.ops.image.resize_base import Resize
from relay.ops.image.upsampling import Upsample
from relay.ops.nn.adaptive_pool_base import TargetPool
from relay.ops.nn.pool_base import Pool
from relay.ops.nn.space_to_depth_and_batch import PixelShuffle
from relay.ops.qnn.pooling import QuantisedAvgPool2D
from relay.ops.vision.roi_align import RoiAlign
from relay.ops.vision.roi_pool import RoiPool
from relay.support.node import replace

DEFAULT = "default"
"""The layout name that leaves the layout of an argument to the operator."""

Convertible: TypeAlias = (
    Pool | TargetPool | Resize | Upsample | PixelShuffle | RoiAlign | RoiPool | QuantisedAvgPool2D
)


def in_named_layout(call: Call, op: Convertible, name: str) -> Relayout | None:
    """Return an operator in the layout `name`; None if it is there, or if blocks do not divide."""
    if name == DEFAULT:
        return None
    now = Layout.parse(op.layout)
    layout = Layout.parse(name).of(now.letters)
    rest = (None,) * (len(call.args) - 1)
    if not now.is_plain or layout == now:
        return None
    if not (divides(layout, now, call.args[0]) and divides(layout, now, call)):
        return None
    follows = isinstance(op, Pool | TargetPool | Resize)
    if follows and op.relayout([arg.type for arg in call.args], (layout, *rest)) is None:
        return None
    return Relayout(with_layouts(op, str(layout), ""), (layout, *rest), layout)


def with_layouts(op: Convertible, layout: str, out_layout: str) -> Convertible:
    """Return an operator with another layout, and with that of its result if it has one."""
    has_another = isinstance(op, Pool | TargetPool | QuantisedAvgPool2D)
    return replace(op, layout=layout, **({"out_layout": out_layout} if has_another else {}))


def out_layout_of(op: Convertible) -> str:
    """Return the layout of an operator's result; empty if it is that of the data."""
    return op.out_layout if isinstance(op, Pool | TargetPool | QuantisedAvgPool2D) else ""


def divides(layout: Layout, before: Layout, expr: Expr) -> bool:
    """Whether the block sizes of a layout divide the axes of a tensor, which is in another one."""
    shape = expr.tensor_type.shape
    if layout.is_plain:
        return True
    if not is_static(shape):
        return False
    sizes = before.static_sizes(static(shape))
    return all(sizes[letter] % layout.block(letter) == 0 for letter in layout.letters)
