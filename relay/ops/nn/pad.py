"""Padding with constants, edge elements and mirror images: the operator `nn.pad`."""

from collections.abc import Sequence

import numpy as np

from relay.ir.dims import Dim, Symbolic, add, static
from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType
from relay.kernels import te
from relay.kernels.scalar import lift
from relay.opdef import checks
from relay.opdef.definition import OperatorDef, Precision
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.binary import add as plus
from relay.ops.binary import subtract
from relay.ops.cast import cast_like, convert
from relay.ops.creation import number
from relay.ops.families import extents, type_of
from relay.ops.nn.window_bounds_checks import conjunction
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.reshape import reshape_to
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.transpose import Reverse
from relay.support.dtype import dtype
from relay.support.error_codes import ErrorCode
from relay.support.node import set_field

Widths = tuple[tuple[Dim, Dim], ...]


def padded_type(operator: str, data: TensorType, widths: Widths) -> TensorType:
    """Return the type of data padded by `widths` before and after each axis (`T104`, `T105`)."""
    checks.attribute(
        operator,
        len(widths) == data.rank,
        f"pad_width has {len(widths)} pairs, but data has {data.rank} axes",
    )
    shape = tuple(
        add(dim, add(before, after))
        for dim, (before, after) in zip(data.shape, widths, strict=True)
    )
    for axis, dim in enumerate(shape):
        checks.enough(
            operator,
            dim,
            0,
            f"negative padding would leave {{size}} elements along axis {axis}",
            ErrorCode.T104,
        )
    return TensorType(shape, data.dtype)


def require_mirrorable(operator: str, data: TensorType, widths: Widths, extra: int) -> None:
    """Require that data has at least as many elements as its mirrored padding, plus `extra`."""
    for dim, pair in zip(data.shape, widths, strict=False):
        for width in pair:
            checks.enough(
                operator,
                width,
                0,
                "mirrored padding cannot be negative, but pad_width contains {size}",
                ErrorCode.T104,
            )
            if width != 0:
                of = f" of {width}" if isinstance(width, int) else ""
                said = (
                    f"mirrored padding{of} needs at least {{index}} elements, but the axis has "
                    "{size}"
                )
                checks.enough(operator, dim, width + extra, said, ErrorCode.T104)


def width_pairs(operator: str, widths: Sequence[Sequence[Dim]]) -> Widths:
    """Return padding widths as (before, after) pairs; raises `T104` if an axis has no pair."""
    both = all(len(each) == 2 for each in widths)
    checks.attribute(
        operator,
        both,
        (f"pad_width must have a pair (padding before, padding after) for each axis, not {widths}"),
    )
    return tuple((_width(before), _width(after)) for before, after in widths)


def static_width_pairs(widths: Widths) -> tuple[tuple[int, int], ...]:
    """Return padding widths as integers; they must be static."""
    flat = static(tuple(width for pair in widths for width in pair))
    return tuple(zip(flat[::2], flat[1::2], strict=True))


def _width(width: Dim) -> Dim:
    return width if isinstance(width, Symbolic) else int(width)


_NO_CROP = "padding must be at least 0, except with pad_mode='constant'"


@operator("nn.pad")
class Pad(OperatorDef):
    """Pad `data` by `pad_width` elements before and after each axis.

    `pad_mode` is `constant` (with `pad_value`, a scalar, converted to the data's dtype), `edge`
    (the nearest element) or `reflect` (mirrored at the edge, which is not repeated). Negative
    widths crop, with `constant` only. Takes any element type.
    """

    pad_width: Widths
    pad_mode: str = "constant"

    precision = Precision.FOLLOW
    examples = (
        Example("f32[2, 3]", "f32[]", pad_width=((1, 2), (0, 3))),
        Example("f32[4, 5]", "i32[]", pad_width=((0, 0), (-1, 2))),
        Example("f32[2, 3, 4]", "f32[]", pad_width=((0, 0), (1, 2), (3, 0)), pad_mode="edge"),
        Example("f32[3, 4]", "f32[]", pad_width=((2, 1), (0, 3)), pad_mode="reflect"),
        Example("i8[3]", "i8[]", pad_width=((1, 1),), domain=(-9, 9)),
    )

    def __post_init__(self) -> None:
        set_field(self, "pad_width", width_pairs(self.name, self.pad_width))
        known = self.pad_mode in ("constant", "edge", "reflect")
        checks.attribute(
            self.name, known, f"pad_mode must be constant, edge or reflect, not {self.pad_mode}"
        )
        crops = any(isinstance(w, int) and w < 0 for pair in self.pad_width for w in pair)
        checks.attribute(self.name, not crops or self.pad_mode == "constant", _NO_CROP)

    def infer(self, data: TensorType, pad_value: TensorType) -> TensorType:
        """Return the type of the result; `pad_value` must have one element."""
        checks.rank(self.name, "pad_value", pad_value, 0, 1)
        for size in pad_value.shape:
            checks.size(self.name, "pad_value", 1, size)
        if self.pad_mode == "reflect":
            require_mirrorable(self.name, data, self.pad_width, extra=1)
        if self.pad_mode == "edge":
            for dim, pair in zip(data.shape, self.pad_width, strict=False):
                for width in pair:
                    checks.enough(self.name, width, 0, _NO_CROP, ErrorCode.T104)
                if pair != (0, 0):
                    checks.enough(
                        self.name,
                        dim,
                        1,
                        "pad_mode edge needs at least one element, but axes have {size}",
                    )
        return padded_type(self.name, data, self.pad_width)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivatives: by the data, and by the constant that fills the padding.

        The derivative of repeated padding is added to the elements that it repeats.
        """
        data, value = call.args
        if self.pad_mode != "constant":
            return add_padding_to_sources(d_out, data, self.pad_width, self.pad_mode), None
        d_data = cropped(d_out, data, self.pad_width)
        if not value.tensor_type.dtype.is_float:
            return d_data, None
        frame = subtract(Call(Sum(), (d_out,)), Call(Sum(), (d_data,)))
        return d_data, reshape_to(cast_like(frame, value), value)

    def compute(self, data: te.Tensor, pad_value: te.Tensor) -> te.Tensor:
        """Return the formula: an element of the data, the constant, or a repeated element."""
        shape = padded_type(self.name, type_of(data), self.pad_width).shape
        widths = self.pad_width

        def element(*i: te.Scalar) -> te.Scalar:
            places = [at - before for at, (before, _) in zip(i, widths, strict=True)]
            if self.pad_mode != "constant":
                nearest = _clamped if self.pad_mode == "edge" else mirrored
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
        """Return the result by NumPy's `pad` and by slices."""
        pairs_ = static_width_pairs(self.pad_width)
        widths = [(max(0, before), max(0, after)) for before, after in pairs_]
        result: Array
        if self.pad_mode == "constant":
            fill = convert(pad_value.reshape(()), dtype(data.dtype))
            result = np.pad(data, widths, constant_values=fill)
        else:
            mode = "edge" if self.pad_mode == "edge" else "reflect"
            result = np.pad(data, widths, mode=mode)
        crop = (
            slice(max(0, -before), size - max(0, -after))
            for size, (before, after) in zip(result.shape, pairs_, strict=True)
        )
        return result[tuple(crop)]


def may_add_elements(width: Dim) -> bool:
    """Whether a padding width may add elements: it is positive or unknown."""
    return not isinstance(width, int) or width > 0


def _within(at: te.Scalar, size: Dim, pair: tuple[Dim, Dim]) -> list[te.Scalar]:
    before, after = pair
    low = [at >= 0] if may_add_elements(before) else []
    return low + ([at < size] if may_add_elements(after) else [])


def _clamped(at: te.Scalar, size: Dim, pair: tuple[Dim, Dim]) -> te.Scalar:
    """Return position `at`, clamped to an axis of this size; `pair` are its padding widths."""
    return from_source(at, size, pair, lift(0), lift(size - 1))


def mirrored(at: te.Scalar, size: Dim, pair: tuple[Dim, Dim]) -> te.Scalar:
    """Return position `at`, mirrored at the ends of an axis; the end elements are not repeated."""
    return from_source(at, size, pair, 0 - at, 2 * (size - 1) - at)


def from_source(
    at: te.Scalar, size: Dim, pair: tuple[Dim, Dim], before: te.Scalar, after: te.Scalar
) -> te.Scalar:
    """Return position `at`, or `before` or `after` in the padding on either side of the data.

    `pair` are the widths of the padding. Each test holds in the data, where loops are cut.
    """
    found = te.select(at < size, at, after) if may_add_elements(pair[1]) else at
    return te.select(at >= 0, found, before) if may_add_elements(pair[0]) else found


def cropped(d_out: Expr, data: Expr, widths: Widths) -> Expr:
    """Return `d_out` without its padding; elements of `data` that were cropped get zeros."""
    inverse = tuple((-before, -after) for before, after in widths)
    if all(isinstance(width, int) and width >= 0 for pair in widths for width in pair):
        begin = tuple(before for before, _ in widths)
        end = tuple(add(*each) for each in zip(begin, data.tensor_type.shape, strict=True))
        return Call(StridedSlice(begin, end), (d_out,))
    return Call(Pad(inverse), (d_out, number(0, d_out)))


def add_padding_to_sources(d_out: Expr, data: Expr, widths: Widths, mode: str) -> Expr:
    """Return the derivative by `data` of padding that repeats elements (`edge`, `reflect`).

    Axis by axis, `d_out` in the padding is added to `d_out` of the elements that it repeats.
    """
    for axis, ((before, after), size) in enumerate(
        zip(widths, data.tensor_type.shape, strict=True)
    ):
        if (before, after) != (0, 0):
            d_out = _folded(d_out, axis, (before, size, after), mode)
    return d_out


def _folded(d_out: Expr, axis: int, parts: tuple[Dim, Dim, Dim], mode: str) -> Expr:
    before, size, after = parts
    first, middle, last = (
        Call(StridedSlice((low,), (high,), axes=(axis,)), (d_out,))
        for low, high in (
            (0, before),
            (before, before + size),
            (before + size, before + size + after),
        )
    )
    if mode == "edge":
        sides = [Call(Sum((axis,), keepdims=True), (each,)) for each in (first, last)]
        places = ((0, size - 1), (size - 1, 0))
    else:
        sides = [Call(Reverse(axis), (each,)) for each in (first, last)]
        spare = 1 if mode == "reflect" else 0
        places = ((spare, size - spare - before), (size - spare - after, spare))
    for side, place in zip(sides, places, strict=True):
        widths = [(0, 0)] * axis + [place] + [(0, 0)] * (d_out.tensor_type.rank - axis - 1)
        middle = plus(middle, Call(Pad(tuple(widths)), (side, number(0, side))))
    return middle
