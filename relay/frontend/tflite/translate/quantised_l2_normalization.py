"""Translate quantised L2 normalisation, in TensorFlow Lite's fixed-point arithmetic.

The sum of squares is brought between 1 and 4 by a power of 4; five Newton steps compute its inverse
square root. Results have the scale 1/128.
"""

from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.tflite.integer_arithmetic import over_power, stored, without_zero
from relay.frontend.tflite.node import LiteNode
from relay.frontend.tflite.translate.quantised_softmax import (
    leading_zeros,
    product_of_high_halves,
    saturated,
    shifted_left,
)
from relay.ir.expr import Call, Expr
from relay.ops.binary import Maximum, multiply, square, subtract
from relay.ops.comparison import Less
from relay.ops.fixed_point import FixedPointMultiplyPerAxis
from relay.ops.logical import RightShift
from relay.ops.qnn.scale_and_zero_point import cast
from relay.ops.selection import where
from relay.ops.sum_and_mean_reductions import Sum
from relay.support.dtype import int32, int64
from relay.support.error_codes import ErrorCode

_ONE = 1 << 28  # with 28 fraction bits
_HALF_OF_3 = 3 << 27
_HALF_ROOT_OF_2 = 1518500250  # with 31 fraction bits
_STEPS = 5
_SCALE_BITS = 7  # results are multiples of 1/128


def quantised_l2_normalization(node: LiteNode) -> Expr:
    """Return rows divided by their norms; raises `F030` unless elements have 8 bits.

    A row of zeros, up to one step, is divided by 1.
    """
    source, to = node.tensor(0).dtype, node.result.dtype
    if source is not to or to is None or to.bits != 8:
        problem = f"an L2 normalisation from {source} to {to} is not supported"
        raise node.error(ErrorCode.F030, problem)
    x = without_zero(node, 0)
    total = cast(Call(Sum((-1,)), (square(x),)), int64)
    factor, places = _inverse_root(total)
    if node.result.element == "UINT8":
        x = multiply(x, constant(1 << _SCALE_BITS, int32))
    else:
        places = subtract(places, constant(_SCALE_BITS, int64))
    zero = constant(0, int64)
    left = Call(Maximum(), (subtract(zero, places), zero))
    right = Call(Maximum(), (places, zero))
    op = FixedPointMultiplyPerAxis(
        is_lshift_required=True,
        is_rshift_required=True,
        axes=tuple(range(x.tensor_type.rank - 1)),
        rounding="DOUBLE",
    )
    scaled = Call(op, (x, *(cast(each, int32) for each in (factor, left, right))), span=node.span)
    return stored(scaled, node.result)


def _inverse_root(total: Expr) -> tuple[Expr, Expr]:
    """Return 1 / sqrt(total), of integers, as 31-bit fractions over powers of 2, which they are."""
    one, zero = constant(1, int64), constant(0, int64)
    free = leading_zeros(Call(Maximum(), (total, one)))
    up = Call(RightShift(), (subtract(free, one), one))  # by how many powers of 4
    raised = shifted_left(total, multiply(up, constant(2, int64)))
    root = _newton(Call(RightShift(), (raised, constant(3, int64))))  # 28 fraction bits
    places = subtract(constant(12, int64), up)
    factor = shifted_left(root, Call(Maximum(), (subtract(zero, places), zero)))
    is_tiny = Call(Less(), (total, constant(2, int64)))
    most = constant((1 << 31) - 1, int64)
    return where(is_tiny, most, factor), where(is_tiny, zero, Call(Maximum(), (places, zero)))


def _newton(x: Expr) -> Expr:
    """Return `1 / sqrt(2x)` of numbers with 28 fraction bits."""
    half, root = over_power(x, 1), constant(_ONE, int64)
    for _ in range(_STEPS):
        square_ = product_of_high_halves(root, root)
        cube = _raised(product_of_high_halves(square_, root), 6)
        rest = product_of_high_halves(half, cube)
        root = _raised(subtract(product_of_high_halves(constant(_HALF_OF_3, int64), root), rest), 3)
    return product_of_high_halves(root, constant(_HALF_ROOT_OF_2, int64))


def _raised(x: Expr, places: int) -> Expr:
    """Return numbers times a power of two, limited to 32 bits."""
    return saturated(multiply(x, constant(1 << places, int64)))
