"""Padding by widths known only at run time: the operator `dyn.nn.pad`."""

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from relay.ir.dims import ANY, DimVar, Shape
from relay.ir.expr import Array, Call, Constant, Expr, Tuple
from relay.ir.types import TensorType
from relay.opdef import checks
from relay.opdef.example import Example
from relay.ops.binary import Maximum
from relay.ops.cast import Cast, cast_like
from relay.ops.comparison import less
from relay.ops.creation import number
from relay.ops.elementwise import Negative
from relay.ops.nn.pad import Pad
from relay.ops.selection import where
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.dim_arithmetic import require_integer, require_same_shape
from relay.ops.tensor.gather import TakeGrad
from relay.ops.tensor.position_tensors import positions
from relay.ops.tensor.reshape import Reshape, reshape_to
from relay.ops.tensor.run_time_attributes import Dynamic, Operand, dynamic, integers
from relay.ops.tensor.run_time_sizes import WithSizes
from relay.ops.tensor.shape_assertion import Fits
from relay.support.dtype import int64


def _matrix(name: str, parameter: str, ty: TensorType) -> Shape:
    require_integer(name, parameter, ty)
    checks.rank(name, parameter, ty, 2)
    return ty.shape


def _pairs(array: Array) -> tuple[tuple[int, ...], ...]:
    return tuple(map(integers, array))


WIDTHS = Operand((), _matrix, _pairs)
"""An argument that is a matrix of widths before and after each axis."""


@dynamic(Pad, pad_width=WIDTHS)
class DynamicPad(Dynamic):
    """Pad `data` by the widths in a matrix of integers, which has a row for each axis.

    A row has the widths before and after the axis; see `nn.pad`.
    """

    examples = (
        Example("f32[2, 3]", "f32[]", "i64[2, 2]", values={2: [[1, 2], [0, 3]]}),
        Example("f32[4, 5]", "i32[]", "i32[2, 2]", values={2: [[-1, 0], [2, -3]]}),
        Example(
            "f32[3, 4]", "f32[]", "i64[2, 2]", pad_mode="reflect", values={2: [[2, 1], [0, 3]]}
        ),
        Example("f32[2, 3]", "f32[]", "i64[2, 2]", pad_mode="edge", values={2: [[1, 2], [3, 0]]}),
    )

    def typed(self, *types: TensorType) -> TensorType:
        data, pad_value, pad_width = types
        (rows,) = self.seen((pad_width,))
        require_same_shape(self.name, "pad_width", (data.rank, 2), rows)
        self.static_operator(((0, 0),) * data.rank).infer(data, pad_value)
        return TensorType((ANY,) * data.rank, data.dtype)

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivatives: each element's is added to that of its source element.

        Sources are found by padding a tensor of positions.
        """
        data, value, widths = call.args
        places = Call(self, (positions(data), Constant(np.asarray(-1)), widths))
        outside, zero = less(places, Constant(np.asarray(0))), number(0, d_out)
        d_data = Call(TakeGrad(), (where(outside, zero, d_out), places, data))
        if not value.tensor_type.dtype.is_float:
            return d_data, None, None
        frame = Call(Sum(), (where(outside, d_out, zero),))
        return d_data, reshape_to(cast_like(frame, value), value), None

    def with_sizes(self, args: Sequence[Expr], names: Iterator[DimVar]) -> Expr:
        """Return the static operator with widths that are variables from `names`.

        A width that may be negative is the difference of two sizes.
        """
        data, value, widths = args
        rank = data.tensor_type.rank
        fitting = Call(Fits((rank, 2), "pad_width"), (widths,))
        given = Call(Reshape((2 * rank,)), (Call(Cast(int64), (fitting,)),))
        zero = Constant(np.asarray(0))
        signs = (Call(Maximum(), (each, zero)) for each in (given, Call(Negative(), (given,))))
        more, less = (tuple(islice(names, 2 * rank)) for _ in range(2))
        read = Call(Concatenate(0), (Tuple(tuple(signs)),))
        sized = Call(WithSizes((*more, *less)), (data, read))
        exact = tuple(a - b for a, b in zip(more, less, strict=True))
        rows = tuple(zip(exact[::2], exact[1::2], strict=True))
        return Call(self.static_operator(rows), (sized, value))
