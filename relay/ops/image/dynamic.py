"""Resizing to sizes that data give: `dyn.image.resize2d`, `dyn.nn.upsampling`."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import ClassVar

from relay.ir.dims import ANY, Dim, DimVar
from relay.ir.expr import Array, Call, Constant, Expr, Operator, Tuple
from relay.ir.types import TensorType
from relay.opdef import checks
from relay.opdef.example import Example
from relay.opdef.layout import Layout
from relay.opdef.table import operator
from relay.ops.binary import multiply
from relay.ops.cast import Cast
from relay.ops.elementwise import Rint
from relay.ops.image.resize import Resize2D, Resize3D
from relay.ops.image.resize_base import Resize
from relay.ops.image.upsampling import METHODS
from relay.ops.nn.pool_base import check_layout
from relay.ops.tensor.dynamic import integers
from relay.ops.tensor.encode import ShapeOf
from relay.ops.tensor.join import Stack
from relay.ops.tensor.reshape import Reshape
from relay.ops.tensor.run_time_sizes import SizedAtRunTime, WithSizes
from relay.ops.tensor.sizes import integer
from relay.ops.tensor.slice import StridedSlice
from relay.support.dtype import DType, dtype, float64, int64
from relay.support.node import set_field

_REASON = "its sizes depend on data: image.resize2d with sizes that are known has a derivative"


@operator("dyn.image.resize2d")
class DynamicResize2D(SizedAtRunTime):
    """Resize `(N, C, H, W)` to the height and width that `size` has; see `image.resize2d`.

    `size` is a vector of two integers. `roi`, four floats, matters for tf_crop_and_resize only, and
    must then be known when the program is compiled (`T104`).
    """

    layout: str = "NCHW"
    method: str = "linear"
    coordinate_transformation_mode: str = "half_pixel"
    rounding_method: str = "round"
    cubic_alpha: float = -0.5
    cubic_exclude: int = 0
    extrapolation_value: float = 0.0
    out_dtype: DType | None = None

    undifferentiable = _REASON
    examples = (
        Example("f32[1, 2, 3, 4]", "i64[2]", "f32[4]", values={1: [5, 2]}),
        Example("f32[1, 3, 4, 2]", "i32[2]", "f32[4]", layout="NHWC", method="nearest_neighbor",
                values={1: [2, 6]}),
    )  # fmt: skip

    def __post_init__(self) -> None:
        set_field(self, "out_dtype", dtype(self.out_dtype) if self.out_dtype else None)
        self._fixed((1, 1), None)  # which checks the attributes

    def _fixed(self, size: Sequence[Dim], roi: Array | None) -> Resize2D:
        region = None if roi is None else tuple(map(float, roi.tolist()))
        names = self.__match_args__
        return Resize2D(tuple(size), region, **{name: getattr(self, name) for name in names})

    @property
    def _crops(self) -> bool:
        return self.coordinate_transformation_mode == "tf_crop_and_resize"

    def infer(self, data: TensorType, size: TensorType, roi: TensorType) -> TensorType:
        integer(self.name, "size", size)
        for name, ty, length in (("size", size, 2), ("roi", roi, 4)):
            checks.rank(self.name, name, ty, 1)
            checks.size(self.name, f"length of {name}", length, ty.shape[0])
        layout = Layout.parse(self.layout)
        shape = self._fixed((1, 1), None).infer(data).shape
        sizes: dict[str, Dim] = {**layout.sizes(shape), "H": ANY, "W": ANY}
        return TensorType(layout.shape(sizes), self.out_dtype or data.dtype)

    def static(self, constants: Sequence[Array | None]) -> Operator | None:
        """Return the static operator if the size, and the region where it matters, are known."""
        _, size, roi = constants
        if size is None or (self._crops and roi is None):
            return None
        return self._fixed(integers(size), roi if self._crops else None)

    def reference(self, data: Array, size: Array, roi: Array) -> Array:
        op = self._fixed(integers(size), roi if self._crops else None)
        op.infer(TensorType(data.shape, str(data.dtype)))
        return op.reference(data)

    def with_sizes(self, args: Sequence[Expr], names: Iterator[DimVar]) -> Expr:
        """Return the static operator, for sizes that are read."""
        data, size, roi = args
        region = roi.data if isinstance(roi, Constant) else None
        known = not self._crops or region is not None
        checks.attribute(self.name, known, "roi must be a constant for tf_crop_and_resize")
        read = tuple(islice(names, 2))
        named = Call(WithSizes(read), (data, Call(Cast(int64), (size,))))
        return Call(self._fixed(read, region if self._crops else None), (named,))


class DynamicUpsample(SizedAtRunTime):
    """Multiply the spatial sizes by factors that are tensors of rank 0, rounded to whole sizes."""

    __slots__ = ()
    spatial: ClassVar[str]
    undifferentiable = _REASON
    layout: str
    method: str

    def __post_init__(self) -> None:
        checks.attribute(self.name, self.method in METHODS, f"unknown method '{self.method}'")
        check_layout(self.name, self.layout, self.spatial)
        plain = Layout.parse(self.layout).is_plain
        checks.attribute(self.name, plain, f"layout {self.layout} has blocks")

    def fixed(self, sizes: Sequence[Dim]) -> Resize:
        """Return the resize to these sizes."""
        raise AssertionError(f"{self.name} does not resize")

    def typed(self, data: TensorType, *scales: TensorType) -> TensorType:
        """Type the result, of whose spatial sizes nothing is known."""
        for ty in scales:
            checks.rank(self.name, "a scale", ty, 0)
        layout = Layout.parse(self.layout)
        shape = self.fixed((1,) * len(self.spatial)).infer(data).shape
        sizes: dict[str, Dim] = layout.sizes(shape)
        for letter in self.spatial:
            sizes[letter] = ANY
        return TensorType(layout.shape(sizes), data.dtype)

    def reference(self, data: Array, *scales: Array) -> Array:
        """Resize to the sizes."""
        axes = map(Layout.parse(self.layout).position, self.spatial)
        sizes = [
            round(data.shape[axis] * float(scale)) for axis, scale in zip(axes, scales, strict=True)
        ]
        checks.natural(self.name, "a size", *sizes)
        return self.fixed(sizes).reference(data)

    def with_sizes(self, args: Sequence[Expr], names: Iterator[DimVar]) -> Expr:
        """Return the resize, for sizes that are computed and read."""
        data, *scales = args
        shape, found = Call(ShapeOf(int64), (data,)), list[Expr]()
        for letter, scale in zip(self.spatial, scales, strict=True):
            axis = Layout.parse(self.layout).position(letter)
            part = Call(StridedSlice((axis,), (axis + 1,)), (shape,))
            size = Call(Cast(float64), (Call(Reshape(()), (part,)),))
            whole = Call(Rint(), (multiply(size, Call(Cast(float64), (scale,))),))
            found.append(Call(Cast(int64), (whole,)))
        read = tuple(islice(names, len(found)))
        named = Call(WithSizes(read), (data, Call(Stack(0), (Tuple(tuple(found)),))))
        return Call(self.fixed(read), (named,))


@operator("dyn.nn.upsampling")
class DynamicUpsampling(DynamicUpsample):
    """Multiply H and W by factors that are tensors; see `nn.upsampling`."""

    layout: str = "NCHW"
    method: str = "nearest_neighbor"
    align_corners: bool = False

    spatial: ClassVar[str] = "HW"
    examples = (
        Example("f32[1, 2, 3, 4]", "f32[]", "f32[]", values={1: 2.0, 2: 1.5}),
        Example("f32[1, 3, 4, 2]", "f64[]", "f64[]", layout="NHWC", method="bilinear",
                align_corners=True, values={1: 1.5, 2: 2.0}),
    )  # fmt: skip

    def fixed(self, sizes: Sequence[Dim]) -> Resize:
        """Return the two-dimensional resize."""
        method = METHODS[self.method]
        corners = self.align_corners and method != "nearest_neighbor"
        return Resize2D(
            tuple(sizes),
            layout=self.layout,
            method=method,
            coordinate_transformation_mode="align_corners" if corners else "asymmetric",
            rounding_method="floor",
        )

    def infer(self, data: TensorType, scale_h: TensorType, scale_w: TensorType) -> TensorType:
        return self.typed(data, scale_h, scale_w)


@operator("dyn.nn.upsampling3d")
class DynamicUpsampling3D(DynamicUpsample):
    """Multiply D, H and W by factors that are tensors; see `nn.upsampling3d`."""

    layout: str = "NCDHW"
    method: str = "nearest_neighbor"
    coordinate_transformation_mode: str = "half_pixel"

    spatial: ClassVar[str] = "DHW"
    examples = (
        Example("f32[1, 1, 2, 3, 2]", "f32[]", "f32[]", "f32[]",
                values={1: 2.0, 2: 1.0, 3: 2.0}),
    )  # fmt: skip

    def fixed(self, sizes: Sequence[Dim]) -> Resize:
        """Return the three-dimensional resize."""
        method = METHODS[self.method]
        nearest = method == "nearest_neighbor"
        mode = "asymmetric" if nearest else self.coordinate_transformation_mode
        return Resize3D(
            tuple(sizes),
            layout=self.layout,
            method=method,
            coordinate_transformation_mode=mode,
            rounding_method="floor",
        )

    def infer(
        self, data: TensorType, scale_d: TensorType, scale_h: TensorType, scale_w: TensorType
    ) -> TensorType:
        return self.typed(data, scale_d, scale_h, scale_w)
