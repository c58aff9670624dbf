"""Resizing to sizes known only at run time: `dyn.image.resize2d`, `dyn.nn.upsampling`."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, cast

import numpy as np

from relay.ir.dims import ANY, Dim, DimVar, Shape
from relay.ir.expr import Array, Call, Constant, Expr, Operator, Tuple
from relay.ir.types import TensorType
from relay.opdef import checks
from relay.opdef.definition import OperatorDef
from relay.opdef.dim_constraints import Relation
from relay.opdef.example import Example
from relay.opdef.layout import Layout
from relay.ops.binary import multiply
from relay.ops.cast import Cast, cast_like
from relay.ops.elementwise import Rint
from relay.ops.image.resize import LinearResize, Resize1D, Resize2D
from relay.ops.image.upsampling import Upsample, Upsampling, Upsampling3D
from relay.ops.nn.separable_gradient import in_layout, plain_layout, separable_product
from relay.ops.tensor.concat_and_split import Concatenate, Stack
from relay.ops.tensor.dim_arithmetic import require_integer
from relay.ops.tensor.one_hot_and_shape_of import ShapeOf
from relay.ops.tensor.position_tensors import identity
from relay.ops.tensor.reshape import Reshape, Squeeze
from relay.ops.tensor.run_time_attributes import Dynamic, Operand, dynamic, integers
from relay.ops.tensor.run_time_sizes import WithSizes
from relay.ops.tensor.shape_assertion import Assured, with_size
from relay.ops.tensor.slice import StridedSlice
from relay.support.dtype import float64, int64


def _pair(name: str, parameter: str, ty: TensorType) -> Shape:
    require_integer(name, parameter, ty)
    checks.rank(name, parameter, ty, 1)
    checks.size(name, f"length of {parameter}", 2, ty.shape[0])
    return ANY, ANY


def _region(name: str, parameter: str, ty: TensorType) -> None:
    checks.rank(name, parameter, ty, 1)
    checks.size(name, f"length of {parameter}", 4, ty.shape[0])


def _factor(name: str, parameter: str, ty: TensorType) -> float:
    checks.rank(name, parameter, ty, 0)
    return 1.0


def _floats(array: Array) -> tuple[float, ...]:
    return tuple(map(float, array.tolist()))


PAIR = Operand((ANY, ANY), _pair, integers)
"""An argument that is a vector of two sizes."""

REGION = Operand(None, _region, _floats)
"""An argument that is a vector of four floats."""

FACTOR = Operand(1.0, _factor, float)
"""An argument that is a factor of rank 0; unless it is constant, 1 takes its place."""


@dynamic(Resize2D, size=PAIR, roi=REGION)
class DynamicResize2D(Dynamic):
    """Resize `(N, C, H, W)` to the height and width in `size`; see `image.resize2d`.

    `size` is a vector of two integers. `roi`, four floats, is used for tf_crop_and_resize only, and
    must then be a compile-time constant (`T104`).
    """

    coordinate_transformation_mode: str

    left_out = ("scales",)
    not_differentiated_by = ("roi",)
    examples = (
        Example("f32[1, 2, 3, 4]", "i64[2]", "f32[4]", values={1: [5, 2]}),
        Example("f32[1, 3, 4, 2]", "i32[2]", "f32[4]", layout="NHWC", method="nearest_neighbor",
                values={1: [2, 6]}),
    )  # fmt: skip

    @property
    def _crops(self) -> bool:
        return self.coordinate_transformation_mode == "tf_crop_and_resize"

    def static_operator(self, *values: Any) -> OperatorDef:
        size, roi = values
        return Dynamic.static_operator(self, size, roi if self._crops else None)

    def static(self, constants: Sequence[Array | None]) -> Operator | None:
        """Return the static operator if all arguments that it needs are constants."""
        *given, roi = constants
        return Dynamic.static(self, (*given, roi if self._crops else np.zeros(4)))

    def with_sizes(self, args: Sequence[Expr], names: Iterator[DimVar]) -> Expr:
        """Return the static operator, whose sizes are variables from `names`, bound to `size`."""
        data, size, roi = args
        region = REGION.read(roi.array) if isinstance(roi, Constant) else None
        known = not self._crops or region is not None
        checks.attribute(
            self.name, known, "roi must be a constant for the method tf_crop_and_resize"
        )
        if roi.tensor_type.shape != (4,):  # it is not read, but must have this length
            found = next(names)
            data = Call(WithSizes((found,)), (data, Call(ShapeOf(int64), (roi,))))
            data = Call(Assured(4, found, said=self._length("roi")), (data,))
        if size.tensor_type.shape != (2,):
            size = with_size(size, 0, 2, self._length("size"), None)
        read = tuple(islice(names, 2))
        named = Call(WithSizes(read), (data, Call(Cast(int64), (size,))))
        return Call(self.static_operator(read, region), (named,))

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative by the data; raises `T104` if `roi` is needed but not constant."""
        data, _, roi = call.args
        region = REGION.read(roi.array) if isinstance(roi, Constant) else None
        known = not self._crops or region is not None
        checks.attribute(
            self.name, known, "roi must be a constant for the method tf_crop_and_resize"
        )
        static = self.static_operator(PAIR.open, region if self._crops else None)
        return _derivative(cast("Resize2D", static), data, d_out), None, None

    def _length(self, of: str) -> str:
        return f"{self.name}: length of {of}: {Relation.EQUAL.value}"


class DynamicUpsample(Dynamic):
    """The base of operators that multiply spatial sizes by factors, tensors of rank 0.

    The new sizes are rounded to integers.
    """

    __slots__ = ()

    @property
    def _static_with_placeholders(self) -> Upsample:
        """Return the static operator, with placeholders in place of the factors."""
        return cast("Upsample", self.static_operator(*[FACTOR.open] * len(self.operands)))

    @property
    def _axes(self) -> list[int]:
        """Return the numbers of the spatial axes."""
        return [
            *map(
                Layout.parse(self._static_with_placeholders.layout).position,
                self._static_with_placeholders.spatial,
            )
        ]

    def typed(self, *types: TensorType) -> TensorType:
        """Return the type of the result, whose spatial sizes are unknown."""
        ty = cast("TensorType", Dynamic.typed(self, *types))
        shape: list[Dim] = [ANY if axis in self._axes else d for axis, d in enumerate(ty.shape)]
        return TensorType(tuple(shape), ty.dtype)

    def reference(self, *arrays: Array) -> Array:
        """Return the data, resized to the sizes that the factors determine."""
        data, *factors = arrays
        pairs = zip(self._axes, factors, strict=True)
        sizes: Shape = tuple(round(data.shape[axis] * float(factor)) for axis, factor in pairs)
        checks.natural(self.name, "a size", *sizes)
        return self._static_with_placeholders.resize_to(sizes).reference(data)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative by the data; factors have none."""
        open_sizes = (ANY,) * len(self.operands)
        static = cast("LinearResize", self._static_with_placeholders.resize_to(open_sizes))
        return _derivative(static, call.args[0], d_out), *[None] * len(self.operands)

    def with_sizes(self, args: Sequence[Expr], names: Iterator[DimVar]) -> Expr:
        """Return an expression that computes the new sizes, binds `names` to them, and resizes."""
        data, *factors = args
        shape, found = Call(ShapeOf(int64), (data,)), list[Expr]()
        for axis, factor in zip(self._axes, factors, strict=True):
            part = Call(StridedSlice((axis,), (axis + 1,)), (shape,))
            size = Call(Cast(float64), (Call(Reshape(()), (part,)),))
            whole = Call(Rint(), (multiply(size, Call(Cast(float64), (factor,))),))
            found.append(Call(Cast(int64), (whole,)))
        read = tuple(islice(names, len(found)))
        named = Call(WithSizes(read), (data, Call(Stack(0), (Tuple(tuple(found)),))))
        return Call(self._static_with_placeholders.resize_to(read), (named,))


def _derivative(resize: LinearResize, data: Expr, d_out: Expr) -> Expr:
    """Return the derivative by the data of a resize to the spatial sizes that `d_out` has.

    It is a product with a matrix for each axis: an identity matrix, resized along its rows.
    """
    plain = plain_layout(resize.spatial)
    image = in_layout(data, resize.layout, plain)
    given = in_layout(cast_like(d_out, data), resize.layout, plain)
    matrices = [
        _matrix(resize.one_dimensional(n), image, given, 2 + n) for n in range(len(resize.spatial))
    ]
    return in_layout(separable_product(given, matrices), plain, resize.layout)


def _matrix(resize: Resize1D, data: Expr, d_out: Expr, axis: int) -> Expr:
    rows = data.tensor_type.shape[axis]
    one = Call(Reshape((1, rows, 1, rows), allowzero=True), (identity(data, axis),))
    columns = Call(StridedSlice((axis,), (axis + 1,)), (Call(ShapeOf(int64), (d_out,)),))
    size = Call(Concatenate(0), (Tuple((Constant(np.ones(1, np.int64)), columns)),))
    start, end = resize.roi or (0.0, 1.0)
    op = DynamicResize2D(
        method=resize.method,
        coordinate_transformation_mode=resize.coordinate_transformation_mode,
        rounding_method=resize.rounding_method,
        cubic_alpha=resize.cubic_alpha,
        cubic_exclude=resize.cubic_exclude,
    )
    region = Constant(np.asarray((0, start, 1, end), np.float32))
    return Call(Squeeze((0, 2)), (Call(op, (one, size, region)),))


@dynamic(Upsampling, scale_h=FACTOR, scale_w=FACTOR)
class DynamicUpsampling(DynamicUpsample):
    """Multiply H and W by factors that are tensors; see `nn.upsampling`."""

    not_differentiated_by = ("scale_h", "scale_w")
    examples = (
        Example("f32[1, 2, 3, 4]", "f32[]", "f32[]", values={1: 2.0, 2: 1.5}),
        Example("f32[1, 3, 4, 2]", "f64[]", "f64[]", layout="NHWC", method="bilinear",
                align_corners=True, values={1: 1.5, 2: 2.0}),
    )  # fmt: skip


@dynamic(Upsampling3D, scale_d=FACTOR, scale_h=FACTOR, scale_w=FACTOR)
class DynamicUpsampling3D(DynamicUpsample):
    """Multiply D, H and W by factors that are tensors; see `nn.upsampling3d`."""

    not_differentiated_by = ("scale_d", "scale_h", "scale_w")
    examples = (
        Example("f32[1, 1, 2, 3, 2]", "f32[]", "f32[]", "f32[]",
                values={1: 2.0, 2: 1.0, 3: 2.0}),
    )  # fmt: skip
