"""The operator `image.crop_and_resize`, which crops boxes out of images and resizes them."""

import numpy as np

from relay.ir.dims import Dim, product
from relay.ir.expr import Array, Call, Constant, Expr
from relay.ir.types import TensorType
from relay.opdef import checks
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.layout import Layout
from relay.opdef.table import operator
from relay.ops.binary import Maximum, Minimum, add, multiply, subtract
from relay.ops.cast import Cast, cast_like, convert
from relay.ops.creation import number
from relay.ops.elementwise import Floor
from relay.ops.families import FLOATS
from relay.ops.image.sampling import (
    Neighbour,
    combined,
    last_of,
    linear,
    neighbour_at,
    size_of,
    weighted_sum,
)
from relay.ops.tensor.dim_arithmetic import ints, require_integer
from relay.ops.tensor.gather import Take
from relay.ops.tensor.reshape import Reshape
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.transpose import Transpose
from relay.support.dtype import DType, dtype, int64
from relay.support.node import set_field

_ORDERS = {"NCHW": (0, 2, 3, 1), "NHWC": (0, 1, 2, 3)}
"""For each layout, the permutation of the axes that moves the channels last."""


@operator("image.crop_and_resize")
class CropAndResize(OperatorDef):
    """Crop the boxes `(n, 4)` out of images, and resize each to `crop_size`.

    A box is `y1, x1, y2, x2`, as fractions of the image's height and width; `box_indices` has the
    number of its image, or of the nearest one if there is none. `method` is `bilinear` or
    `nearest_neighbor` (halves go up); positions outside of the image give `extrapolation_value`.
    The result has the layout of the data with the boxes as its batch. Takes floats.
    """

    crop_size: tuple[int, ...]
    layout: str = "NCHW"
    method: str = "bilinear"
    extrapolation_value: float = 0.0
    out_dtype: DType | None = None

    examples = (
        Example(
            "f32[2, 3, 5, 6]", "f32[3, 4]", "i32[3]", crop_size=(3, 4), extrapolation_value=0.5,
            values={
                1: [[0.11, 0.22, 0.83, 0.91], [0.72, 0.31, 0.23, 1.17], [-0.13, 0.02, 0.97, 1.07]],
                2: [1, 0, 1],
            },
        ),
        Example(
            "f32[1, 4, 5, 2]", "f32[2, 4]", "i64[2]", crop_size=(1, 3), layout="NHWC",
            values={1: [[0.11, 0.22, 0.83, 0.93], [0.31, 0.3, 0.45, 0.71]], 2: [0, 0]},
        ),
        Example(
            "f32[1, 2, 5, 6]", "f32[1, 4]", "i32[1]", crop_size=(3, 4), method="nearest_neighbor",
            values={1: [[0.11, 0.22, 0.83, 0.91]], 2: [0]},
        ),
    )  # fmt: skip

    def __post_init__(self) -> None:
        set_field(self, "crop_size", ints(self.crop_size))
        set_field(self, "extrapolation_value", float(self.extrapolation_value))
        set_field(self, "out_dtype", dtype(self.out_dtype) if self.out_dtype else None)
        fits = len(self.crop_size) == 2 and min(self.crop_size) > 0
        for known, problem in (
            (fits, f"crop_size must be (height, width), not {self.crop_size}"),
            (self.layout in _ORDERS, f"layout must be NCHW or NHWC, not '{self.layout}'"),
            (
                self.method in ("bilinear", "nearest_neighbor"),
                f"method must be bilinear or nearest_neighbor, not '{self.method}'",
            ),
        ):
            checks.attribute(self.name, known, problem)

    def infer(self, data: TensorType, boxes: TensorType, box_indices: TensorType) -> TensorType:
        for name, ty, rank in (("data", data, 4), ("boxes", boxes, 2), ("indices", box_indices, 1)):
            checks.rank(self.name, name, ty, rank)
        checks.kind(self.name, "data", data, *FLOATS)
        checks.kind(self.name, "boxes", boxes, *FLOATS)
        require_integer(self.name, "box_indices", box_indices)
        checks.size(self.name, "number of coordinates of a box", 4, boxes.shape[1])
        checks.size(self.name, "box_indices", boxes.shape[0], box_indices.shape[0])
        layout = Layout.parse(self.layout)
        sizes: dict[str, Dim] = layout.sizes(data.shape)
        for letter in "NHW":
            checks.enough(
                self.name,
                sizes[letter],
                1,
                f"axis {letter} needs at least one element, not {{size}}",
            )
        sizes |= {"N": boxes.shape[0], **dict(zip("HW", self.crop_size, strict=True))}
        return TensorType(layout.shape(sizes), self.out_dtype or data.dtype)

    def decompose(self, data: Expr, boxes: Expr, box_indices: Expr) -> Expr:
        """Return an equivalent expression, which reads the neighbours of all positions."""
        order = _ORDERS[self.layout]
        last = data if order == (0, 1, 2, 3) else Call(Transpose(order), (data,))
        shape = last.tensor_type.shape
        rows = Call(Reshape((product(shape[:3]), shape[3]), allowzero=True), (last,))
        corners = cast_like(boxes, data)
        counts = [size_of(last, 1 + axis, data) for axis in (0, 1)]
        along = [self._taps(corners, axis, size) for axis, size in enumerate(counts)]
        number_of = Call(Cast(int64), (box_indices,))
        image = Call(Reshape((-1, 1, 1)), (self._nearest(number_of, size_of(last, 0, data)),))
        elements = multiply(*(Call(Cast(int64), (size,)) for size in counts))
        first = multiply(image, elements)
        taps = [
            Neighbour(add(each.place, first), each.weight, each.exists)
            for each in combined(along, counts)
        ]
        found = weighted_sum(rows, taps, Take(axis=0), number(self.extrapolation_value, data))
        if order != (0, 1, 2, 3):
            found = Call(Transpose((0, 3, 1, 2)), (found,))
        to = self.out_dtype
        return found if to in (None, data.tensor_type.dtype) else Call(Cast(to), (found,))

    def _nearest(self, image: Expr, count: Expr) -> Expr:
        """Return image indices clamped to the batch, which has `count` images."""
        above = subtract(Call(Cast(int64), (count,)), number(1, image))
        return Call(Maximum(), (Call(Minimum(), (image, above)), number(0, image)))

    def _taps(self, boxes: Expr, axis: int, size: Expr) -> list[Neighbour]:
        """Return the pixels that an axis of all boxes reads: `(n, h, 1)` or `(n, 1, w)`."""
        count = self.crop_size[axis]
        begin, end = (
            Call(StridedSlice((at,), (at + 1,), axes=(1,)), (boxes,)) for at in (axis, axis + 2)
        )
        steps = np.arange(count) / (count - 1) if count > 1 else np.array([0.5])
        along = Constant(steps.astype(boxes.tensor_type.dtype.numpy))
        whole = add(begin, multiply(subtract(end, begin), along))
        places = multiply(whole, last_of(size))
        places = Call(Reshape((-1, *((count, 1), (1, count))[axis])), (places,))
        outside = neighbour_at(places, None, size).exists
        if self.method == "bilinear":
            return [Neighbour(n.place, n.weight, outside) for n in linear(places, size)]
        near = Call(Floor(), (add(places, number(0.5, places)),))
        return [Neighbour(neighbour_at(near, None, size).place, None, outside)]

    def reference(self, data: Array, boxes: Array, box_indices: Array) -> Array:
        """Return the result, sampled element by element."""
        images = np.transpose(data, _ORDERS[self.layout]).astype(np.float64)
        sizes = np.array(images.shape[1:3])
        result = np.full((len(boxes), *self.crop_size, images.shape[3]), self.extrapolation_value)
        for box, y, x in np.ndindex(*result.shape[:3]):
            corners = boxes[box].astype(np.float64).reshape(2, 2)
            part = [
                at / (count - 1) if count > 1 else 0.5
                for at, count in zip((y, x), self.crop_size, strict=True)
            ]
            place = (corners[0] + (corners[1] - corners[0]) * part) * (sizes - 1)
            if ((place >= 0) & (place <= sizes - 1)).all():
                image = np.clip(box_indices[box], 0, len(images) - 1)
                result[box, y, x] = self._sample(images[image], place)
        if self.layout == "NCHW":
            result = np.transpose(result, (0, 3, 1, 2))
        computed = result.astype(data.dtype)
        return convert(computed, self.out_dtype) if self.out_dtype else computed

    def _sample(self, image: Array, place: Array) -> Array:
        if self.method != "bilinear":
            y, x = np.floor(place + 0.5).astype(int)
            return image[y, x]
        (y, x), (fy, fx) = np.floor(place).astype(int), place - np.floor(place)
        y1, x1 = np.ceil(place).astype(int)
        top = image[y, x] * (1 - fx) + image[y, x1] * fx
        return top * (1 - fy) + (image[y1, x] * (1 - fx) + image[y1, x1] * fx) * fy
