"""The operator `arange`, a range of numbers whose length may be known only at run time."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias, cast

import numpy as np

from relay.ir.dims import ANY, Dim, DimVar, Symbolic, floor_divide, maximum
from relay.ir.expr import Array, Call, Constant, Expr
from relay.ir.types import TensorType
from relay.kernels import te
from relay.kernels.scalar import Scalar
from relay.opdef import checks
from relay.opdef.definition import Fusion, Precision
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.binary import add, multiply
from relay.ops.cast import Cast, convert
from relay.ops.creation import optional_dtype
from relay.ops.families import NUMBERS, type_of
from relay.ops.tensor.dim_arithmetic import without_maxima
from relay.ops.tensor.reshape import Reshape
from relay.ops.tensor.run_time_sizes import (
    LARGEST,
    RangeLength,
    SizedAtRunTime,
    WithSizes,
    range_length,
)
from relay.support.dtype import DType, dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import RunError
from relay.support.node import set_field

Size: TypeAlias = Dim | float
"""A number or a symbolic dimension."""


def _of(element: str) -> list[str]:
    return [f"{element}[]"] * 3


@operator("arange")
class Arange(SizedAtRunTime):
    """The numbers `start`, `start + step`, … below `stop` (above it, for a negative step).

    The arguments are of rank 0 and one dtype, which is that of the result unless `dtype` is given.
    The attributes of the same names have the values of arguments that are constants; if all three
    are, the size of the result is `ceil((stop - start) / step)`, at least 0. Raises `T104` for a
    step of 0.
    """

    start: Size | None = None
    stop: Size | None = None
    step: Size | None = None
    dtype: DType | None = None

    fusion = Fusion.OPAQUE
    precision = Precision.NEVER
    examples = (
        Example(*_of("i64"), start=2, stop=11, step=3, values={0: 2, 1: 11, 2: 3}),
        Example(
            *_of("f32"),
            start=1.0,
            stop=-1.0,
            step=-0.25,
            values={0: 1.0, 1: -1.0, 2: -0.25},
            differentiable=False,  # by the convention of TVM's Relay all derivatives are zero
        ),
        Example(*_of("i32"), start=5, stop=3, step=1, dtype="float32", values={0: 5, 1: 3, 2: 1}),
    )

    def __post_init__(self) -> None:
        for name in ("start", "stop", "step"):
            set_field(self, name, _plain(getattr(self, name)))
        set_field(self, "dtype", optional_dtype(self.dtype))
        checks.attribute(self.name, self.step != 0, "step must not be 0")

    def infer(self, start: TensorType, stop: TensorType, step: TensorType) -> TensorType:
        checks.same_dtype(self.name, start, stop, step)
        checks.kind(self.name, "start", start, *NUMBERS)
        for name, ty in (("start", start), ("stop", stop), ("step", step)):
            checks.rank(self.name, name, ty, 0)
        result = TensorType((_length(self.start, self.stop, self.step),), self.dtype or start.dtype)
        checks.kind(self.name, "the result (dtype)", result, *NUMBERS)
        return result

    def compute(self, start: te.Tensor, stop: te.Tensor, step: te.Tensor) -> te.Tensor:
        ty = self.infer(*map(type_of, (start, stop, step)))

        def element(i: Scalar) -> Scalar:
            first, by = te.cast(start[()], ty.dtype), te.cast(step[()], ty.dtype)
            return first + te.cast(i, ty.dtype) * by

        return te.compute(ty.shape, element, name=self.name)

    def reference(self, start: Array, stop: Array, step: Array) -> Array:
        to = self.dtype or dtype(start.dtype)
        length = range_length(start.item(), stop.item(), step.item())
        if length < 0:
            raise RunError(
                ErrorCode.R053,
                "arange: the step is 0, or start, stop or step is not a finite number",
            )
        if length == LARGEST:
            raise MemoryError("arange: the range has more numbers than fit into memory")
        return convert(start, to) + np.arange(length).astype(to.numpy) * convert(step, to)

    def with_sizes(self, args: Sequence[Expr], names: Iterator[DimVar]) -> Expr:
        """Return `range * step + start`; the length of the range is a variable from `names`."""
        start, _, step = args
        to = self.dtype or start.tensor_type.dtype
        places = counted(Call(RangeLength(), tuple(args)), next(names))
        first, places, by = (Call(Cast(to), (each,)) for each in (start, places, step))
        return add(first, multiply(places, by))

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return no derivatives, as in TVM's Relay."""
        return (None, None, None)


def _plain(size: "Size | np.number[Any] | None") -> Size | None:
    """Return a NumPy number as a Python number, and other values unchanged."""
    return cast("int | float", size.item()) if isinstance(size, np.number) else size


def _length(start: Size | None, stop: Size | None, step: Size | None) -> Dim:
    if start is None or stop is None or step is None:
        return ANY
    if isinstance(start, Symbolic) or isinstance(stop, Symbolic) or isinstance(step, Symbolic):
        return _symbolic_length(start, stop, step)
    length = range_length(start, stop, step)
    problem = f"the range from {start} to {stop} in steps of {step} has no finite length"
    checks.attribute("arange", length >= 0, problem)
    return length


def _symbolic_length(start: Size, stop: Size, step: Size) -> Dim:
    """Return the length of a range with symbolic limits, for a positive integer step."""
    if isinstance(start, float) or isinstance(stop, float) or not isinstance(step, int) or step < 0:
        return ANY
    length = maximum(floor_divide(stop - start + (step - 1), step), 0)
    return without_maxima("arange", length)


def counted(length: Expr, name: DimVar) -> Expr:
    """Return the int64 numbers from 0 to `length`, exclusive; `name` is their symbolic size."""
    zero, one = (Constant(np.asarray(each, np.int64)) for each in (0, 1))
    first = Call(WithSizes((name,)), (zero, length))
    return Call(Arange(0, name, 1), (first, Call(Reshape(()), (length,)), one))
