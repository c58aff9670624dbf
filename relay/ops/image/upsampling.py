"""Upsampling of images by factors, which is a resize to multiples of their sizes."""

from math import inf
from typing import ClassVar

import numpy as np

from relay.ir.dims import Dim, Shape, multiply
from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType
from relay.opdef import checks
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.layout import Layout
from relay.opdef.table import operator
from relay.ops.image.resize import Resize2D, Resize3D
from relay.ops.image.resize_base import Resize
from relay.ops.nn.pool_base import check_layout
from relay.support.node import set_field

METHODS = {
    "nearest_neighbor": "nearest_neighbor",
    "bilinear": "linear",
    "trilinear": "linear",
    "bicubic": "cubic",
}


class Upsample(OperatorDef):
    """The base of operators that multiply the spatial sizes by factors, rounded to integers."""

    __slots__ = ()
    spatial: ClassVar[str]
    layout: str
    method: str

    def __post_init__(self) -> None:
        for letter in self.spatial:
            set_field(self, f"scale_{letter.lower()}", float(self.scale(letter)))
            possible = 0 < self.scale(letter) < inf
            checks.attribute(self.name, possible, "scales must be positive numbers")
        checks.attribute(
            self.name,
            self.method in METHODS,
            f"method must be one of {', '.join(METHODS)}, not '{self.method}'",
        )
        check_layout(self.name, self.layout, self.spatial)

    def scale(self, letter: str) -> float:
        """Return the factor of the axis with this letter."""
        return getattr(self, f"scale_{letter.lower()}")

    def sizes(self, data: TensorType) -> dict[str, Dim]:
        """Return the sizes of the result, by axis letter."""
        layout = Layout.parse(self.layout)
        checks.rank(self.name, "data", data, layout.rank)
        sizes = layout.sizes(data.shape)
        for letter in self.spatial:
            size, factor = sizes[letter], self.scale(letter)
            if isinstance(size, int):
                sizes[letter] = round(size * factor)
            else:
                whole = factor.is_integer()
                checks.attribute(
                    self.name,
                    whole,
                    f"the size of axis {letter} must be known at compile time to be scaled by "
                    f"{factor}",
                )
                sizes[letter] = multiply(size, int(factor))
        return sizes

    def infer(self, data: TensorType) -> TensorType:
        """Return the type of the result, which is that of the resize."""
        return self.resize(data).infer(data)

    def resize(self, data: TensorType) -> Resize:
        """Return the resize that is equivalent to the upsampling of this data."""
        sizes = self.sizes(data)
        return self.resize_to(tuple(sizes[letter] for letter in self.spatial))

    def resize_to(self, sizes: Shape) -> Resize:
        """Return the resize operator for these spatial sizes."""
        raise AssertionError(f"{self.name} does not resize")

    def decompose(self, data: Expr) -> Expr:
        """Return the equivalent resize."""
        return Call(self.resize(data.tensor_type), (data,))

    def reference(self, data: Array) -> Array:
        """Return the result of the equivalent resize."""
        return self.resize(TensorType(data.shape, str(np.dtype(data.dtype)))).reference(data)


@operator("nn.upsampling")
class Upsampling(Upsample):
    """Multiply H and W by `scale_h` and `scale_w`: `nearest_neighbor`, `bilinear` or `bicubic`.

    Position `x` of the result reads position `x / scale` of the data, rounded down for
    `nearest_neighbor`. With `align_corners`, positions are scaled such that the corners coincide,
    except for `nearest_neighbor`.
    """

    scale_h: float
    scale_w: float
    layout: str = "NCHW"
    method: str = "nearest_neighbor"
    align_corners: bool = False

    spatial: ClassVar[str] = "HW"
    examples = (
        Example("f32[1, 2, 3, 4]", scale_h=2.0, scale_w=3.0),
        Example("f32[1, 3, 4, 2]", scale_h=2.0, scale_w=1.5, method="bilinear", layout="NHWC"),
        Example("f32[1, 2, 3, 4]", scale_h=2.0, scale_w=2.0, method="bicubic", align_corners=True),
    )

    def resize_to(self, sizes: Shape) -> Resize:
        """Return the two-dimensional resize to these sizes."""
        method = METHODS[self.method]
        corners = self.align_corners and method != "nearest_neighbor"
        return Resize2D(
            sizes,
            layout=self.layout,
            method=method,
            coordinate_transformation_mode="align_corners" if corners else "asymmetric",
            rounding_method="floor",
        )


@operator("nn.upsampling3d")
class Upsampling3D(Upsample):
    """Multiply D, H and W by their scales: `nearest_neighbor` (rounded down) or `trilinear`."""

    scale_d: float
    scale_h: float
    scale_w: float
    layout: str = "NCDHW"
    method: str = "nearest_neighbor"
    coordinate_transformation_mode: str = "half_pixel"

    spatial: ClassVar[str] = "DHW"
    examples = (
        Example("f32[1, 2, 2, 3, 2]", scale_d=2.0, scale_h=2.0, scale_w=3.0),
        Example("f32[1, 1, 2, 3, 2]", scale_d=2.0, scale_h=1.0, scale_w=2.0, method="trilinear"),
    )

    def resize_to(self, sizes: Shape) -> Resize:
        """Return the three-dimensional resize to these sizes."""
        method = METHODS[self.method]
        nearest = method == "nearest_neighbor"
        mode = "asymmetric" if nearest else self.coordinate_transformation_mode
        return Resize3D(
            sizes,
            layout=self.layout,
            method=method,
            coordinate_transformation_mode=mode,
            rounding_method="floor",
        )
