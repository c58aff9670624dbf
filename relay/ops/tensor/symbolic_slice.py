"""The operator `dyn.part`: a strided slice with symbolic begins and sizes."""

from collections.abc import Sequence

import numpy as np

from relay.ir.dims import Shape, static
from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType
from relay.kernels import te
from relay.opdef import checks
from relay.opdef.definition import OperatorDef
from relay.opdef.dim_constraints import Relation, constrain
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.families import type_of
from relay.ops.tensor.dim_arithmetic import dims, ints
from relay.ops.tensor.element_movement import Indices, move
from relay.ops.tensor.position_tensors import gradient_of_movement
from relay.support.node import set_field


@operator("dyn.part")
class Part(OperatorDef):
    """Read `size` elements along each of `axes`, from `begin` with steps `strides`; all must exist.

    Sizes and begins may be symbolic. Sizes are those of the result type: nothing is clamped, unlike
    in `strided_slice`.
    """

    axes: tuple[int, ...]
    begin: Shape
    size: Shape
    strides: tuple[int, ...]

    examples = (
        Example("f32[6, 5]", axes=(0,), begin=(1,), size=(2,), strides=(3,)),
        Example("f32[2, 6, 5]", axes=(2, 1), begin=(4, 1), size=(1, 5), strides=(2, 1)),
        Example("bool[4]", axes=(0,), begin=(4,), size=(0,), strides=(1,)),
    )

    def __post_init__(self) -> None:
        for name in ("begin", "size"):
            set_field(self, name, dims(getattr(self, name)))
        for name in ("axes", "strides"):
            set_field(self, name, ints(getattr(self, name)))
        lengths = {len(each) for each in (self.axes, self.begin, self.size, self.strides)}
        checks.attribute(
            self.name,
            len(lengths) == 1,
            "begin, size and strides must have one entry for each axis in axes",
        )
        checks.attribute(self.name, min(self.strides, default=1) > 0, "strides must be positive")
        checks.natural(self.name, "a begin", *self.begin)
        checks.natural(self.name, "a size", *self.size)

    def infer(self, x: TensorType) -> TensorType:
        shape = list(x.shape)
        sliced = checks.axes(self.name, self.axes, x.rank)
        from_front = sliced == tuple(sorted(self.axes))
        checks.attribute(self.name, from_front, "axes must not be negative")
        for axis, begin, count, stride in zip(
            self.axes, self.begin, self.size, self.strides, strict=True
        ):
            room, wanted = shape[axis] + (stride - 1), begin + count * stride
            if isinstance(room, int) and isinstance(wanted, int):
                checks.attribute(
                    self.name,
                    wanted <= room,
                    f"the slice reaches beyond the end of an axis of {x!r}",
                )
            else:
                constrain(self.name, room, wanted, relation=Relation.AT_LEAST)
            shape[axis] = count
        return TensorType(tuple(shape), x.dtype)

    def compute(self, x: te.Tensor) -> te.Tensor:
        parts = dict(zip(self.axes, zip(self.begin, self.strides, strict=True), strict=True))

        def source(indices: Indices) -> Indices:
            pairs = ((index, *parts.get(axis, (0, 1))) for axis, index in enumerate(indices))
            return [index * stride + begin for index, begin, stride in pairs]

        return move(x, self.infer(type_of(x)).shape, source)

    def reference(self, x: Array) -> Array:
        rows = zip(self.axes, static(self.begin), static(self.size), self.strides, strict=True)
        for axis, first, count, step in rows:
            x = x.take(first + step * np.arange(count), axis)
        return x

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        (x,) = call.args
        return (gradient_of_movement(lambda places: Call(self, (places,)), d_out, x),)
