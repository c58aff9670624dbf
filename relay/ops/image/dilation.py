"""The operator `image.dilation2d`, the morphological dilation of grey-scale images."""

from typing import Any

import numpy as np

from relay.ir.dims import Dim
from relay.ir.expr import Array, Call, Constant, Expr
from relay.ir.types import TensorType
from relay.opdef import checks
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.binary import FloorDivide, add, multiply
from relay.ops.cast import Cast, convert
from relay.ops.families import FLOATS
from relay.ops.max_min_reductions import Max
from relay.ops.nn import windows
from relay.ops.nn.pad import Pad
from relay.ops.nn.separable_gradient import in_layout
from relay.ops.tensor.gather import Take
from relay.ops.tensor.position_tensors import counting, length
from relay.ops.tensor.reshape import Reshape
from relay.support.dtype import DType, dtype
from relay.support.node import set_field


@operator("image.dilation2d")
class Dilation2D(OperatorDef):
    """Take the maximum of `data + weight` over a window of each channel.

    The data is `(N, C, H, W)`, the weight `(C, H, W)`; `data_layout` may be NHWC, `kernel_layout`
    HWI. Padding is ignored. Takes floats; `out_dtype` is the element type of the result.
    """

    strides: tuple[int, ...] = (1, 1)
    padding: tuple[int, ...] = (0, 0)
    dilations: tuple[int, ...] = (1, 1)
    data_layout: str = "NCHW"
    kernel_layout: str = "IHW"
    out_dtype: DType | None = None

    examples = (
        Example("f32[2, 3, 5, 6]", "f32[3, 2, 3]", padding=1),
        Example("f32[1, 6, 7, 2]", "f32[3, 2, 2]", strides=2, dilations=(1, 2),
                data_layout="NHWC", kernel_layout="HWI"),
    )  # fmt: skip

    def __post_init__(self) -> None:
        set_field(self, "padding", windows.per_side(self.name, self.padding, 2))
        for field in ("strides", "dilations"):
            set_field(self, field, windows.per_axis(self.name, field, getattr(self, field), 2))
        set_field(self, "out_dtype", dtype(self.out_dtype) if self.out_dtype else None)
        for text, known in (
            (self.data_layout, ("NCHW", "NHWC")),
            (self.kernel_layout, ("IHW", "HWI")),
        ):
            said = f"layout must be one of {', '.join(known)}, not '{text}'"
            checks.attribute(self.name, text in known, said)

    def infer(self, data: TensorType, weight: TensorType) -> TensorType:
        checks.rank(self.name, "data", data, 4)
        checks.rank(self.name, "weight", weight, 3)
        checks.kind(self.name, "data", data, *FLOATS)
        checks.same_dtype(self.name, data, weight)
        x = dict(zip(self.data_layout, data.shape, strict=True))
        w = dict(zip(self.kernel_layout, weight.shape, strict=True))
        checks.size(self.name, "channels of the weight", x["C"], w["I"])
        x.update(zip("HW", self._counts(x, w), strict=True))
        shape = tuple(x[letter] for letter in self.data_layout)
        return TensorType(shape, self.out_dtype or data.dtype)

    def _counts(self, x: dict[str, Dim], w: dict[str, Dim]) -> list[Dim]:
        return [
            windows.count(
                self.name, x[letter], windows.reach(w[letter], dilation), stride,
                self.padding[n] + self.padding[n + 2],
            )
            for n, (letter, stride, dilation) in enumerate(
                zip("HW", self.strides, self.dilations, strict=True)
            )
        ]  # fmt: skip

    def decompose(self, data: Expr, weight: Expr) -> Expr:
        """Return an expression that cuts the windows out, adds the weight, and maximises."""
        image, kernel = in_layout(data, self.data_layout, "NCHW"), weight
        kernel = in_layout(kernel, self.kernel_layout, "IHW")
        least = Constant(np.asarray(-np.inf, data.tensor_type.dtype.numpy))
        sides = zip(self.padding[:2], self.padding[2:], strict=True)
        cut: Expr = Call(Pad(((0, 0), (0, 0), *sides)), (image, least))
        channels, *taps = kernel.tensor_type.shape
        for n in range(2):
            cut = Call(
                Take(axis=2 + 2 * n, mode="fast"), (cut, self._tap_positions(cut, kernel, n))
            )
        around = Call(Reshape((channels, 1, taps[0], 1, taps[1]), allowzero=True), (kernel,))
        found = in_layout(Call(Max((3, 5)), (add(cut, around),)), "NCHW", self.data_layout)
        to = self.out_dtype
        return found if to in (None, data.tensor_type.dtype) else Call(Cast(to), (found,))

    def _tap_positions(self, padded: Expr, kernel: Expr, axis: int) -> Expr:
        """Return the positions of all windows' taps along one axis of padded data."""
        at, stride, dilation = 2 + 2 * axis, self.strides[axis], self.dilations[axis]
        size, taps = padded.tensor_type.shape[at], kernel.tensor_type.shape[1 + axis]
        count = windows.count(self.name, size, windows.reach(taps, dilation), stride, 0)

        def constant(of: int) -> Expr:
            return Constant(np.asarray(of))

        span = multiply(add(length(kernel, 1 + axis), constant(-1)), constant(dilation))
        room = add(add(length(padded, at), constant(-1)), multiply(span, constant(-1)))
        many = add(Call(FloorDivide(), (room, constant(stride))), constant(1))
        first = multiply(counting(count, many), constant(stride))
        column = Call(Reshape((count, 1), allowzero=True), (first,))
        within = counting(taps, length(kernel, 1 + axis))
        return add(column, multiply(within, constant(dilation)))

    def reference(self, data: Array, weight: Array) -> Array:
        """Return the maximum over a view of all windows."""
        image = data.transpose([self.data_layout.index(c) for c in "NCHW"])
        kernel = weight.transpose([self.kernel_layout.index(c) for c in "IHW"])
        sides: Any = zip(self.padding[:2], self.padding[2:], strict=True)
        padded = np.pad(image, [(0, 0), (0, 0), *sides], constant_values=-np.inf)
        spans = [(k - 1) * d + 1 for k, d in zip(kernel.shape[1:], self.dilations, strict=True)]
        counts = [
            (n - span) // stride + 1
            for n, span, stride in zip(padded.shape[2:], spans, self.strides, strict=True)
        ]
        view = windows.slide(padded, kernel.shape[1:], self.strides, self.dilations, counts)
        result = (view + kernel[:, None, None]).max(axis=(4, 5))
        result = result.transpose(["NCHW".index(c) for c in self.data_layout])
        computed = result.astype(data.dtype)
        return convert(computed, self.out_dtype) if self.out_dtype else computed
