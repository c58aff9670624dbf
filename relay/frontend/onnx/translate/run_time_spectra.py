"""Build signals and spectra whose length is computed at run time, along the last axis."""

from collections.abc import Sequence

from relay.frontend.builders.run_time_slices import first_of
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.onnx.translate.run_time_tensors import joined, part, sizes_of
from relay.ir.expr import Call, Expr, Tuple
from relay.ops.binary import FloorDivide, add, multiply, subtract
from relay.ops.comparison import Less
from relay.ops.selection import Where
from relay.ops.tensor.arange import Arange
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.tensor.dynamic_shapes import DynamicBroadcastTo
from relay.ops.tensor.gather import Take
from relay.support.dtype import int64


def half_of(length: Expr) -> Expr:
    """Return the number of frequencies that determine a real signal of a length, a scalar."""
    return add(Call(FloorDivide(), (length, constant(2, int64))), constant(1, int64))


def resized_to(x: Expr, length: Expr) -> Expr:
    """Crop the last axis, or pad it with zeros, to a length, a scalar."""
    last, row = x.tensor_type.rank - 1, reshape(length, (1,))
    shape = joined(part(sizes_of(x), 0, last), row)
    zeros = Call(DynamicBroadcastTo(), (constant(0, x.tensor_type.dtype), shape))
    return first_of(Call(Concatenate(last), (Tuple((x, zeros)),)), row, last)


def whole_spectrum_of(parts: Sequence[Expr], length: Expr) -> list[Expr]:
    """Return all frequencies of real signals of a length; `parts` have the lower half.

    The upper frequencies are conjugates of the lower ones; too many are cut off, and missing ones
    are zero.
    """
    last, half = parts[0].tensor_type.rank - 1, half_of(length)
    places = Call(Arange(), (constant(0, int64), length, constant(1, int64)))
    is_lower = Call(Less(), (places, half))
    mirrored = Call(Where(), (is_lower, places, subtract(length, places)))
    real, imaginary = (Call(Take(axis=last), (resized_to(each, half), mirrored)) for each in parts)
    element = imaginary.tensor_type.dtype
    signs = Call(Where(), (is_lower, constant(1, element), constant(-1, element)))
    return [real, multiply(imaginary, signs)]
