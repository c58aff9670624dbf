"""The precision in which optimizers and normalisations compute: at least float32.

Numbers such as `0.999`, step counts and sums of squares do not fit into 16-bit floats, so tensors
of these types are converted before the first operation and after the last one.
"""

from relay.ir.expr import Expr
from relay.numpy.tensor_conversion import convert
from relay.ops.families import accumulator_dtype


def widened(x: Expr) -> Expr:
    """Return `x` in the type to compute in: float32 for 16-bit floats, else its own."""
    return convert(x, accumulator_dtype(x.tensor_type.dtype))


def rounded(x: Expr, like: Expr) -> Expr:
    """Return `x` in the element type of `like`, which is kept between steps."""
    return convert(x, like.tensor_type.dtype)
