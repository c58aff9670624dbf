"""The operators `cumsum` and `cumprod`: cumulative sums and products along an axis."""

from collections.abc import Sequence

import numpy as np

from relay.ir.dims import product
from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType
from relay.kernels import te
from relay.kernels.loops import Buffer, Stmt
from relay.opdef import checks
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.binary import add, multiply
from relay.ops.cast import cast_like, convert
from relay.ops.creation import optional_dtype
from relay.ops.families import ANYTHING, NUMBERS, extents
from relay.ops.tensor.element_movement import reshape_formula
from relay.ops.tensor.linear_recurrence import LinearRecurrence
from relay.ops.tensor.loop_nests import nest, rows
from relay.ops.tensor.reshape import Reshape, reshape_to
from relay.ops.tensor.transpose import Reverse
from relay.support.dtype import DType
from relay.support.node import set_field, value


@value
class Scan(OperatorDef):
    """The base of cumulative operators (scans); subclasses define how two numbers are combined.

    If `axis` is None, the tensor is flattened first. The result has `dtype`, by default that of the
    argument. `exclusive` excludes the element at each position itself. Takes numbers of any type,
    and truth values if `dtype` is a type of numbers; the rank is at least 1 if an axis is given.
    """

    axis: int | None = None
    dtype: DType | None = None
    exclusive: bool = False

    def __post_init__(self) -> None:
        set_field(self, "dtype", optional_dtype(self.dtype))
        set_field(self, "exclusive", bool(self.exclusive))

    @property
    def start(self) -> int:
        """Return the initial value of the running total: 0 for a sum, 1 for a product."""
        raise AssertionError(f"{self.name} has no start")

    def combine(self, total: te.Scalar, element: te.Scalar) -> te.Scalar:
        """Return the next running value: `total` combined with an element."""
        raise AssertionError(f"{self.name} does not combine")

    def accumulate(self, x: Array, axis: int) -> Array:
        """Return the inclusive scan of an array by NumPy, in the dtype of `x`."""
        raise AssertionError(f"{self.name} does not accumulate")

    def infer(self, x: TensorType) -> TensorType:
        """Return the type of the argument, flattened if `axis` is None.

        Raises `T102` if the elements of the result are not numbers.
        """
        checks.kind(self.name, "data", x, *ANYTHING)
        result = TensorType(x.shape, self.dtype or x.dtype)
        checks.kind(self.name, "the result (dtype)", result, *NUMBERS)
        if self.axis is None:
            return TensorType((product(x.shape),), result.dtype)
        checks.axis(self.name, self.axis, x.rank)
        return result

    def compute(self, x: te.Tensor) -> te.Tensor:
        """Return the scan of all lines along the axis, as kernel loops."""
        dtype = self.dtype or x.dtype
        data = reshape_formula(x, [product(extents(x))]) if self.axis is None else x
        axis = 0 if self.axis is None else self.axis % len(x.shape)

        is_strided = any(size != 1 for size in data.shape[axis + 1 :])

        def build(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
            b = te.LoopBuilder()
            scan = self._slices if is_strided else self._lines
            scan(b, inputs[0], outputs[0], axis)
            return b.finish()

        return te.loops([(data.shape, dtype)], [data], build, self.name)[0]

    def _lines(self, b: te.LoopBuilder, x: Buffer, out: Buffer, axis: int) -> None:
        """Generate loops that scan one line after another, each with a running value."""
        with rows(b, out.shape, axis) as (before, behind):
            total = b.cell(self.start, out.dtype, "total")
            with b.for_(out.shape[axis], "t") as t:
                i = (*before, t, *behind)
                element = te.cast(x[i], out.dtype)
                if self.exclusive:
                    b.store(out, i, total.value)
                total.value = self.combine(total.value, element)
                if not self.exclusive:
                    b.store(out, i, total.value)

    def _slices(self, b: te.LoopBuilder, x: Buffer, out: Buffer, axis: int) -> None:
        """Generate loops that scan all lines in parallel, one slice after another.

        This is faster if elements that are adjacent in memory belong to different lines.
        """
        size, start = out.shape[axis], te.const(self.start, out.dtype)
        with nest(b, out.shape[:axis]) as before:
            with b.for_(te.minimum(size, 1), "t") as t, nest(b, out.shape[axis + 1 :]) as behind:
                i = (*before, t, *behind)
                first = start if self.exclusive else self.combine(start, te.cast(x[i], out.dtype))
                b.store(out, i, first)
            with (
                b.for_(te.maximum(size - 1, 0), "t") as t,
                nest(b, out.shape[axis + 1 :]) as behind,
            ):
                last, present = (*before, t, *behind), (*before, t + 1, *behind)
                element = te.cast(x[last if self.exclusive else present], out.dtype)
                b.store(out, present, self.combine(out[last], element))

    def reference(self, x: Array) -> Array:
        """Return the scan by NumPy, shifted by one position if it is exclusive."""
        data = x.reshape(-1) if self.axis is None else x
        data = convert(data, self.dtype) if self.dtype else data
        axis = 0 if self.axis is None else self.axis % x.ndim
        result = self.accumulate(data, axis)
        if not self.exclusive or data.shape[axis] == 0:
            return result
        first = np.full_like(result.take([0], axis), self.start)
        return np.concatenate([first, result.take(range(data.shape[axis] - 1), axis)], axis)


@operator("cumsum")
class Cumsum(Scan):
    """Return the sum of the elements up to each position along `axis`.

    Summation is sequential, as in NumPy: the error of the n-th sum of floats is at most n · u ·
    Σ|x|, where u is the unit roundoff.
    """

    examples = (
        Example("f32[3, 4]", axis=1),
        Example("f64[2, 3]"),
        Example("i32[3, 2]", axis=-2, dtype="int64", exclusive=True),
        Example("f32[0, 2]", axis=0, exclusive=True),
        Example("f32[2, 5, 3, 4]", axis=1),
    )

    @property
    def start(self) -> int:
        return 0

    def combine(self, total: te.Scalar, element: te.Scalar) -> te.Scalar:
        return total + element

    def accumulate(self, x: Array, axis: int) -> Array:
        return np.cumsum(x, axis, dtype=x.dtype)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the sum of the derivatives of the results from each element on."""
        (x,) = call.args
        axis = 0 if self.axis is None else self.axis
        scan, turn = Cumsum(axis, None, self.exclusive), Reverse(axis)
        later = Call(turn, (Call(scan, (Call(turn, (d_out,)),)),))
        return (cast_like(reshape_to(later, x), x),)


@operator("cumprod")
class Cumprod(Scan):
    """Return the product of the elements up to each position along `axis`."""

    examples = (
        Example("f32[3, 4]", axis=1),
        Example("i64[2, 3]"),
        Example("f64[3, 2]", axis=-2, exclusive=True),
        Example("f64[5]", axis=0, values={0: [2.0, 0.0, 3.0, 0.0, 0.5]}),
        Example("f64[4]", axis=0, exclusive=True, values={0: [2.0, 0.0, 3.0, 0.0]}),
    )

    @property
    def start(self) -> int:
        return 1

    def combine(self, total: te.Scalar, element: te.Scalar) -> te.Scalar:
        return total * element

    def accumulate(self, x: Array, axis: int) -> Array:
        return np.cumprod(x, axis, dtype=x.dtype)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the product of the elements before each one, times a sum over the later results.

        The sum is a linear recurrence from the end, which does not divide by elements.
        """
        (x,) = call.args
        flat = Call(Reshape((-1,)), (x,)) if self.axis is None else x
        data, axis = cast_like(flat, d_out), 0 if self.axis is None else self.axis
        back = LinearRecurrence(axis, reverse=True)
        if self.exclusive:
            found = multiply(call, Call(back, (data, d_out)))
        else:
            before = Call(Cumprod(axis, None, exclusive=True), (data,))
            later = Call(back, (data, multiply(data, d_out)))
            found = multiply(before, add(d_out, later))
        return (cast_like(reshape_to(found, x), x),)
