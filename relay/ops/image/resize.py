"""The resizing operators: `image.resize1d`, `image.resize2d`, `image.resize3d`."""

from typing import ClassVar

from relay.opdef.definition import Precision
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.image.resize_base import Resize


class LinearResize(Resize):
    """The base of resize operators that act on each axis separately, as their derivative does."""

    __slots__ = ()

    def one_dimensional(self, axis: int) -> "Resize1D":
        """Return the resize of one spatial axis, as W of `(N, C, W)`; 0 outside of the data."""
        scale = self.scale(axis)
        return Resize1D(
            self.size[axis : axis + 1],
            self.region(axis),
            method=self.method,
            coordinate_transformation_mode=self.coordinate_transformation_mode,
            rounding_method=self.rounding_method,
            cubic_alpha=self.cubic_alpha,
            cubic_exclude=self.cubic_exclude,
            scales=None if scale is None else (scale,),
        )


@operator("image.resize1d")
class Resize1D(LinearResize):
    """Resize `(N, C, W)`; the attributes are explained in `Resize`."""

    layout: str = "NCW"

    spatial: ClassVar[str] = "W"
    examples = (
        Example("f32[1, 2, 5]", size=8),
        Example("f32[1, 2, 5]", size=3, method="cubic", cubic_alpha=-0.75),
    )


@operator("image.resize2d")
class Resize2D(LinearResize):
    """Resize `(N, C, H, W)`; the attributes are explained in `Resize`."""

    layout: str = "NCHW"

    spatial: ClassVar[str] = "HW"
    precision = Precision.FOLLOW
    examples = (
        Example("f32[1, 2, 4, 5]", size=(8, 10)),
        Example("f32[1, 2, 7, 9]", size=(3, 4), coordinate_transformation_mode="align_corners"),
        Example(
            "f32[1, 2, 4, 5]",
            size=(8, 15),
            method="nearest_neighbor",
            coordinate_transformation_mode="asymmetric",
            rounding_method="floor",
        ),
        Example(
            "f32[1, 2, 4, 5]",
            size=(7, 3),
            method="nearest_neighbor",
            rounding_method="round_prefer_floor",
        ),
        Example("f32[1, 2, 4, 5]", size=(9, 6), method="cubic", tolerance=1e-4),
        Example("f32[1, 2, 4, 5]", size=(9, 6), method="cubic", cubic_exclude=1, tolerance=1e-4),
        Example(
            "f32[1, 2, 4, 5]",
            size=(3, 3),
            roi=(0.25, -0.5, 1.25, 0.75),
            coordinate_transformation_mode="tf_crop_and_resize",
            extrapolation_value=7.0,
        ),
        Example("f32[1, 4, 5, 3]", size=(2, 11), layout="NHWC"),
        Example("f32[1, 2, 3, 3, 4]", size=(6, 6), layout="NCHW4c"),
        Example("u8[1, 2, 3, 3]", size=(6, 6), method="nearest_neighbor", domain=(0, 200)),
    )


@operator("image.resize3d")
class Resize3D(LinearResize):
    """Resize `(N, C, D, H, W)`; the attributes are explained in `Resize`."""

    layout: str = "NCDHW"

    spatial: ClassVar[str] = "DHW"
    examples = (
        Example("f32[1, 2, 2, 3, 4]", size=(4, 6, 5)),
        Example(
            "f32[1, 1, 2, 3, 4]", size=(3, 3, 3), method="nearest_neighbor", rounding_method=""
        ),
    )
