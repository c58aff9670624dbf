"""The operator `vision.yolo_reorg`, Darknet's rearrangement of spatial blocks to channels."""

import numpy as np

from relay.ir.dims import Dim, floor_divide, multiply
from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType
from relay.opdef import checks
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.tensor.reshape import Reshape
from relay.ops.tensor.transpose import Transpose
from relay.support.node import set_field


@operator("vision.yolo_reorg")
class YoloReorg(OperatorDef):
    """Rearrange `(N, C, H, W)` to `(N, C · s², H / s, W / s)` for a `stride` s, as Darknet does.

    Darknet reads the data as `(N, C / s², H · s, W · s)`, moves its spatial blocks into channels,
    and reinterprets the memory in the new shape. `s` divides H and W, and `s²` divides C (`T105`).
    Takes any element type.
    """

    stride: int = 1

    examples = (
        Example("f32[2, 8, 4, 6]", stride=2),
        Example("i32[1, 9, 3, 3]", stride=3),
        Example("f64[1, 2, 3, 2]"),
    )

    def __post_init__(self) -> None:
        set_field(self, "stride", int(self.stride))
        checks.attribute(self.name, self.stride > 0, "stride must be positive")

    def infer(self, data: TensorType) -> TensorType:
        checks.rank(self.name, "data", data, 4)
        n, c, h, w = data.shape
        s = self.stride
        for size, by in ((c, s * s), (h, s), (w, s)):
            checks.divides(self.name, size, by, f"the size {size} is not a multiple of {by}")
        shape = (n, multiply(c, s * s), floor_divide(h, s), floor_divide(w, s))
        return TensorType(shape, data.dtype)

    def decompose(self, data: Expr) -> Expr:
        """Return an expression of two reshapes, with a transposition of the blocks between them."""
        n, c, h, w = data.tensor_type.shape
        s = self.stride
        outer: Dim = floor_divide(c, s * s)
        split = Call(Reshape((n, outer, h, s, w, s), allowzero=True), (data,))
        moved = Call(Transpose((0, 3, 5, 1, 2, 4)), (split,))
        shape = self.infer(data.tensor_type).shape
        return Call(Reshape(shape, allowzero=True), (moved,))

    def reference(self, data: Array) -> Array:
        """Return the result by NumPy, copied element by element as in Darknet."""
        n, c, h, w = data.shape
        s = self.stride
        outer = c // (s * s)
        source, result = data.reshape(-1), np.empty(data.size, data.dtype)
        for b, k, j, i in np.ndindex(*data.shape):
            offset, channel = divmod(k, outer)
            row, column = j * s + offset // s, i * s + offset % s
            place = column + w * s * (row + h * s * (channel + outer * b))
            result[i + w * (j + h * (k + c * b))] = source[place]
        return result.reshape(n, c * s * s, h // s, w // s)
