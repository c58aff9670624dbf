"""The operators `nn.mirror_pad`, which pads by a mirror image, and `nn.dilate`."""

from collections.abc import Sequence

import numpy as np

from relay.ir.dims import Dim, add, maximum, multiply
from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType
from relay.kernels import te
from relay.opdef import checks
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.cast import convert
from relay.ops.families import extents, literal, type_of
from relay.ops.nn.pad import (
    Widths,
    add_padding_to_sources,
    from_source,
    mirrored,
    padded_type,
    require_mirrorable,
    static_width_pairs,
    width_pairs,
)
from relay.ops.nn.window_bounds_checks import conjunction
from relay.ops.tensor.slice import StridedSlice
from relay.support.dtype import dtype
from relay.support.node import set_field


@operator("nn.mirror_pad")
class MirrorPad(OperatorDef):
    """Pad `data` by its mirror image: `SYMMETRIC` repeats the edge, `REFLECT` does not."""

    pad_width: Widths
    mode: str = "SYMMETRIC"

    examples = (
        Example("f32[3, 4]", pad_width=((1, 2), (0, 3))),
        Example("f32[3, 4]", pad_width=((1, 2), (0, 3)), mode="REFLECT"),
    )

    def __post_init__(self) -> None:
        set_field(self, "pad_width", width_pairs(self.name, self.pad_width))
        known = self.mode in ("SYMMETRIC", "REFLECT")
        checks.attribute(self.name, known, f"mode must be SYMMETRIC or REFLECT, not {self.mode}")

    def infer(self, data: TensorType) -> TensorType:
        """Return the type of the result; the padding must not be wider than the data."""
        require_mirrorable(
            self.name, data, self.pad_width, extra=0 if self.mode == "SYMMETRIC" else 1
        )
        return padded_type(self.name, data, self.pad_width)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return `d_out` without its padding; each padding element's is added to its source."""
        return (add_padding_to_sources(d_out, call.args[0], self.pad_width, self.mode.lower()),)

    def compute(self, data: te.Tensor) -> te.Tensor:
        """Return the formula, which reads the element that a position mirrors."""
        shape = padded_type(self.name, type_of(data), self.pad_width).shape
        widths = self.pad_width

        def element(*i: te.Scalar) -> te.Scalar:
            places = zip(i, extents(data), widths, strict=True)
            return data[tuple(self._source(at - pair[0], size, pair) for at, size, pair in places)]

        return te.compute(shape, element, name=self.name)

    def _source(self, at: te.Scalar, size: Dim, pair: tuple[Dim, Dim]) -> te.Scalar:
        if self.mode == "REFLECT":
            return mirrored(at, size, pair)
        return from_source(at, size, pair, -1 - at, 2 * size - 1 - at)

    def reference(self, data: Array) -> Array:
        """Return the result of NumPy's `pad`."""
        mode = "symmetric" if self.mode == "SYMMETRIC" else "reflect"
        return np.pad(data, static_width_pairs(self.pad_width), mode=mode)


@operator("nn.dilate")
class Dilate(OperatorDef):
    """Insert `strides - 1` elements of `dilation_value` between neighbours along each axis.

    `dilation_value` is converted to the element type as `cast` does. Takes any element type.
    """

    strides: tuple[int, ...]
    dilation_value: float = 0.0

    examples = (
        Example("f32[3, 4]", strides=(2, 1)),
        Example("f32[2, 3, 4]", strides=(1, 3, 2), dilation_value=0.5),
    )

    def __post_init__(self) -> None:
        set_field(self, "strides", tuple(map(int, self.strides)))
        set_field(self, "dilation_value", float(self.dilation_value))
        checks.attribute(self.name, min(self.strides, default=1) > 0, "strides must be positive")

    def infer(self, data: TensorType) -> TensorType:
        """Return the type, whose sizes are `(size - 1) · stride + 1`."""
        fits = len(self.strides) == data.rank
        checks.attribute(
            self.name,
            fits,
            f"strides has {len(self.strides)} entries, but data has {data.rank} axes",
        )
        per_axis = zip(data.shape, self.strides, strict=True)
        shape = tuple(maximum(add(multiply(add(n, -1), s), 1), 0) for n, s in per_axis)
        return TensorType(shape, data.dtype)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative, read at the multiples of the strides."""
        ends = d_out.tensor_type.shape
        return (Call(StridedSlice((0,) * len(ends), ends, self.strides), (d_out,)),)

    def compute(self, data: te.Tensor) -> te.Tensor:
        """Return the formula: an element if all indices are multiples of strides, else fill."""
        fill = literal(self.dilation_value, data.dtype)

        def element(*i: te.Scalar) -> te.Scalar:
            per_axis = list(zip(i, self.strides, strict=True))
            hits = conjunction([te.equal(at % s, 0) for at, s in per_axis if s > 1])
            source = data[tuple(at // s if s > 1 else at for at, s in per_axis)]
            return source if hits is None else te.select(hits, source, fill)

        return te.compute(self.infer(type_of(data)).shape, element, name=self.name)

    def reference(self, data: Array) -> Array:
        """Return the result by NumPy: a filled array with elements at multiples of strides."""
        shape = [max(0, (n - 1) * s + 1) for n, s in zip(data.shape, self.strides, strict=True)]
        fill = convert(np.asarray(self.dilation_value), dtype(data.dtype))
        result = np.full(shape, fill)
        result[tuple(slice(None, None, s) for s in self.strides)] = data
        return result
