"""`relay.image`: resizing and sampling of images.

What is not written here is generated from the operator `image.…` of that name.
"""

from relay.ops.functions.builder import builder
from relay.ops.functions.namespace import namespace
from relay.ops.image.resize import Resize1D, Resize2D, Resize3D

_ORDER = (
    "data size roi layout method coordinate_transformation_mode rounding_method cubic_alpha "
    "cubic_exclude extrapolation_value out_dtype"
)
resize1d = builder(Resize1D, _ORDER, rounding_method="")
resize2d = builder(Resize2D, _ORDER, rounding_method="")
resize3d = builder(Resize3D, _ORDER, rounding_method="")

__getattr__, __dir__ = namespace("image.", globals())
