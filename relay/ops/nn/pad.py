"""Padding, mirroring and spreading: the data in a larger frame."""

from collections.abc import Sequence

import numpy as np

from relay.ir.dims import Dim, Symbolic, add, maximum, multiply, static
from relay.ir.expr import Array
from relay.ir.types import TensorType
from relay.kernels import te
from relay.opdef import checks
from relay.opdef.definition import Fusion, OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.families import extents, type_of
from relay.ops.nn.predicates import conjunction
from relay.support.node import set_field

Widths = tuple[tuple[Dim, Dim], ...]


def padded_type(operator: str, data: TensorType, widths: Widths) -> TensorType:
    """Return the type with `widths` added before and after each axis (`T104`, `T105`)."""
    checks.attribute(
        operator,
        len(widths) == data.rank,
        f"pad_width has {len(widths)} pairs for data of rank {data.rank}",
    )
    shape = tuple(
        add(dim, add(before, after))
        for dim, (before, after) in zip(data.shape, widths, strict=True)
    )
    for axis, dim in enumerate(shape):
        checks.enough(operator, dim, 0, f"axis {axis} would have {{size}} elements", "T104")
    return TensorType(shape, data.dtype)


def mirrors(operator: str, data: TensorType, widths: Widths, spare: int) -> None:
    """Require that data is as wide as the frame that mirrors it, and `spare` elements more."""
    for dim, pair in zip(data.shape, widths, strict=False):
        for width in pair:
            checks.enough(operator, width, 0, "a frame of {size} elements is no mirror", "T104")
            if width != 0:
                said = f"cannot mirror {width} of {{size}} elements: {{index}} are needed"
                checks.enough(operator, dim, width + spare, said, "T104")


def pairs(widths: Sequence[Sequence[Dim]]) -> Widths:
    """Return the widths as pairs of integers, or of symbolic sizes."""
    return tuple((_width(before), _width(after)) for before, after in widths)


def static_pairs(widths: Widths) -> tuple[tuple[int, int], ...]:
    """Return widths that are known, as they are wherever a value is computed."""
    flat = static(tuple(width for pair in widths for width in pair))
    return tuple(zip(flat[::2], flat[1::2], strict=True))


def _width(width: Dim) -> Dim:
    return width if isinstance(width, Symbolic) else int(width)


_NO_CROP = "only constant padding crops"


@operator("nn.pad")
class Pad(OperatorDef):
    """Put `data` into a frame of `pad_width` elements before and after each axis.

    `pad_mode` is `constant` (the frame is `pad_value`, a scalar, converted to the data's dtype),
    `edge` (the nearest element) or `reflect` (mirrored at the edge, which is not repeated).
    Negative widths crop, with `constant` only. Any dtype.
    """

    pad_width: Widths
    pad_mode: str = "constant"

    fusion = Fusion.INJECTIVE
    examples = (
        Example("f32[2, 3]", "f32[]", pad_width=((1, 2), (0, 3))),
        Example("f32[4, 5]", "i32[]", pad_width=((0, 0), (-1, 2))),
        Example("f32[2, 3, 4]", "f32[]", pad_width=((0, 0), (1, 2), (3, 0)), pad_mode="edge"),
        Example("f32[3, 4]", "f32[]", pad_width=((2, 1), (0, 3)), pad_mode="reflect"),
        Example("i8[3]", "i8[]", pad_width=((1, 1),), domain=(-9, 9)),
    )

    def __post_init__(self) -> None:
        set_field(self, "pad_width", pairs(self.pad_width))
        known = self.pad_mode in ("constant", "edge", "reflect")
        checks.attribute(self.name, known, f"unknown pad_mode '{self.pad_mode}'")
        crops = any(isinstance(w, int) and w < 0 for pair in self.pad_width for w in pair)
        checks.attribute(self.name, not crops or self.pad_mode == "constant", _NO_CROP)

    def infer(self, data: TensorType, pad_value: TensorType) -> TensorType:
        """Type the frame; the value has one element."""
        checks.rank(self.name, "pad_value", pad_value, 0, 1)
        for size in pad_value.shape:
            checks.size(self.name, "pad_value", 1, size)
        if self.pad_mode == "reflect":
            mirrors(self.name, data, self.pad_width, spare=1)
        if self.pad_mode == "edge":
            for dim, pair in zip(data.shape, self.pad_width, strict=False):
                for width in pair:
                    checks.enough(self.name, width, 0, _NO_CROP, "T104")
                if pair != (0, 0):
                    checks.enough(self.name, dim, 1, "there is no edge: axes have {size} elements")
        return padded_type(self.name, data, self.pad_width)

    def compute(self, data: te.Tensor, pad_value: te.Tensor) -> te.Tensor:
        """Read the element at the place, or the value, or the element that stands for the place."""
        shape = padded_type(self.name, type_of(data), self.pad_width).shape
        widths = self.pad_width

        def element(*i: te.Scalar) -> te.Scalar:
            places = [at - before for at, (before, _) in zip(i, widths, strict=True)]
            if self.pad_mode != "constant":
                nearest = _clamped if self.pad_mode == "edge" else _mirrored
                sizes = zip(places, extents(data), widths, strict=True)
                return data[tuple(nearest(at, size, pair) for at, size, pair in sizes)]
            conditions = [
                condition
                for at, size, pair in zip(places, extents(data), widths, strict=True)
                for condition in _within(at, size, pair)
            ]
            holds = conjunction(conditions)
            if holds is None:
                return data[tuple(places)]
            fill = te.cast(pad_value[(0,) * len(pad_value.shape)], data.dtype)
            return te.select(holds, data[tuple(places)], fill)

        return te.compute(shape, element, name=self.name)

    def reference(self, data: Array, pad_value: Array) -> Array:
        """Pad and crop with NumPy."""
        pairs_ = static_pairs(self.pad_width)
        widths = [(max(0, before), max(0, after)) for before, after in pairs_]
        result: Array
        if self.pad_mode == "constant":
            fill = pad_value.reshape(()).astype(data.dtype)
            result = np.pad(data, widths, constant_values=fill)
        else:
            mode = "edge" if self.pad_mode == "edge" else "reflect"
            result = np.pad(data, widths, mode=mode)
        crop = (
            slice(max(0, -before), size - max(0, -after))
            for size, (before, after) in zip(result.shape, pairs_, strict=True)
        )
        return result[tuple(crop)]


def _adds(width: Dim) -> bool:
    """Whether there may be something of a frame: its width is above 0, or not known."""
    return not isinstance(width, int) or width > 0


def _within(at: te.Scalar, size: Dim, pair: tuple[Dim, Dim]) -> list[te.Scalar]:
    before, after = pair
    low = [at >= 0] if _adds(before) else []
    return low + ([at < size] if _adds(after) else [])


def _clamped(at: te.Scalar, size: Dim, pair: tuple[Dim, Dim]) -> te.Scalar:
    """Return the nearest position that exists."""
    low = te.maximum(at, 0) if _adds(pair[0]) else at
    return te.minimum(low, size - 1) if _adds(pair[1]) else low


def _mirrored(at: te.Scalar, size: Dim, pair: tuple[Dim, Dim]) -> te.Scalar:
    """Return the position mirrored at the edge, which is not repeated."""
    low = te.select(at < 0, -at, at) if _adds(pair[0]) else at
    return te.select(low >= size, 2 * (size - 1) - low, low) if _adds(pair[1]) else low


@operator("nn.mirror_pad")
class MirrorPad(OperatorDef):
    """Continue `data` by its mirror image: `SYMMETRIC` repeats the edge, `REFLECT` does not."""

    pad_width: Widths
    mode: str = "SYMMETRIC"

    fusion = Fusion.INJECTIVE
    examples = (
        Example("f32[3, 4]", pad_width=((1, 2), (0, 3))),
        Example("f32[3, 4]", pad_width=((1, 2), (0, 3)), mode="REFLECT"),
    )

    def __post_init__(self) -> None:
        set_field(self, "pad_width", pairs(self.pad_width))
        known = self.mode in ("SYMMETRIC", "REFLECT")
        checks.attribute(self.name, known, f"unknown mode '{self.mode}'")

    def infer(self, data: TensorType) -> TensorType:
        """Type the frame; it is at most as wide as the data."""
        mirrors(self.name, data, self.pad_width, spare=0 if self.mode == "SYMMETRIC" else 1)
        return padded_type(self.name, data, self.pad_width)

    def compute(self, data: te.Tensor) -> te.Tensor:
        """Read the element of which a place is the mirror image."""
        shape = padded_type(self.name, type_of(data), self.pad_width).shape
        widths = self.pad_width

        def element(*i: te.Scalar) -> te.Scalar:
            places = zip(i, extents(data), widths, strict=True)
            return data[tuple(self._source(at - pair[0], size, pair) for at, size, pair in places)]

        return te.compute(shape, element, name=self.name)

    def _source(self, at: te.Scalar, size: Dim, pair: tuple[Dim, Dim]) -> te.Scalar:
        if self.mode == "REFLECT":
            return _mirrored(at, size, pair)
        low = te.select(at < 0, -1 - at, at) if _adds(pair[0]) else at
        return te.select(low >= size, (2 * size - 1) - low, low) if _adds(pair[1]) else low

    def reference(self, data: Array) -> Array:
        """Pad with NumPy."""
        mode = "symmetric" if self.mode == "SYMMETRIC" else "reflect"
        return np.pad(data, static_pairs(self.pad_width), mode=mode)


@operator("nn.dilate")
class Dilate(OperatorDef):
    """Put `strides - 1` elements of `dilation_value` between neighbours along each axis."""

    strides: tuple[int, ...]
    dilation_value: float = 0.0

    fusion = Fusion.INJECTIVE
    examples = (
        Example("f32[3, 4]", strides=(2, 1)),
        Example("f32[2, 3, 4]", strides=(1, 3, 2), dilation_value=0.5),
    )

    def __post_init__(self) -> None:
        set_field(self, "strides", tuple(map(int, self.strides)))
        set_field(self, "dilation_value", float(self.dilation_value))
        checks.attribute(self.name, min(self.strides, default=1) > 0, "strides must be positive")

    def infer(self, data: TensorType) -> TensorType:
        """Return `(size - 1) · stride + 1` along each axis."""
        fits = len(self.strides) == data.rank
        checks.attribute(self.name, fits, f"{len(self.strides)} strides for rank {data.rank}")
        per_axis = zip(data.shape, self.strides, strict=True)
        shape = tuple(maximum(add(multiply(add(n, -1), s), 1), 0) for n, s in per_axis)
        return TensorType(shape, data.dtype)

    def compute(self, data: te.Tensor) -> te.Tensor:
        """Read an element where every index is a multiple of its stride."""
        fill = te.const(self.dilation_value, data.dtype)

        def element(*i: te.Scalar) -> te.Scalar:
            per_axis = list(zip(i, self.strides, strict=True))
            hits = conjunction([te.equal(at % s, 0) for at, s in per_axis if s > 1])
            source = data[tuple(at // s if s > 1 else at for at, s in per_axis)]
            return source if hits is None else te.select(hits, source, fill)

        return te.compute(self.infer(type_of(data)).shape, element, name=self.name)

    def reference(self, data: Array) -> Array:
        """Fill, then assign to every stride-th place."""
        shape = [max(0, (n - 1) * s + 1) for n, s in zip(data.shape, self.strides, strict=True)]
        result = np.full(shape, self.dilation_value, data.dtype)
        result[tuple(slice(None, None, s) for s in self.strides)] = data
        return result
