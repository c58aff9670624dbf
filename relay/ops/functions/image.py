"""The functions of `relay.image`: resizing and sampling of images.

Functions not defined here are generated from the operator `image.…` of that name.
"""

from collections.abc import Sequence

from relay.ir.expr import Call, Constant, Expr, operands
from relay.ops.functions.call_builders import builder
from relay.ops.functions.generated_members import namespace
from relay.ops.functions.variables_and_constants import const
from relay.ops.image.dynamic_resize import DynamicResize2D
from relay.ops.image.resize import Resize1D, Resize2D, Resize3D
from relay.support.dtype import DType

_ORDER = (
    "data size roi layout method coordinate_transformation_mode rounding_method cubic_alpha "
    "cubic_exclude extrapolation_value out_dtype"
)
resize1d = builder(Resize1D, _ORDER, rounding_method="")
_resize2d = builder(Resize2D, _ORDER, rounding_method="")
resize3d = builder(Resize3D, _ORDER, rounding_method="")


def resize2d(
    data: Expr,
    size: Expr | int | Sequence[int],
    roi: Expr | Sequence[float] | None = None,
    layout: str = "NCHW",
    method: str = "linear",
    coordinate_transformation_mode: str = "half_pixel",
    rounding_method: str = "",
    cubic_alpha: float = -0.5,
    cubic_exclude: int = 0,
    extrapolation_value: float = 0.0,
    out_dtype: "DType | str | None" = None,
) -> Call:
    """Return images resized to a height and width, which may be given as a tensor."""
    attributes = {
        "layout": layout,
        "method": method,
        "coordinate_transformation_mode": coordinate_transformation_mode,
        "rounding_method": rounding_method,
        "cubic_alpha": cubic_alpha,
        "cubic_exclude": cubic_exclude,
        "extrapolation_value": extrapolation_value,
        "out_dtype": out_dtype,
    }
    known = not isinstance(size, Expr) or isinstance(size, Constant)
    if known and (not isinstance(roi, Expr) or isinstance(roi, Constant)):
        return _resize2d(data, size, roi, **attributes)
    region = roi if isinstance(roi, Expr) else const(list(roi or (0.0, 0.0, 1.0, 1.0)), "float32")
    sizes = size if isinstance(size, Expr) else const(size, "int64")
    return Call(DynamicResize2D.made(attributes), operands((data, sizes, region)))


__getattr__, __dir__ = namespace("image.", globals())
