"""Sine, cosine and tangent.

The argument is reduced by multiples of a quarter turn, with pi/2 in several parts. If the multiple
is too large for this to be exact enough, the C library computes the lanes, in a branch that is
almost never taken.
"""

from collections.abc import Callable

from relay.kernels.llvm.llvm_writer import Operand, lane_type, lanes_of, suffix
from relay.kernels.llvm.math.number_emitter import Number
from relay.support.node import Value, value

_TWO_OVER_PI = 0.6366197723675814


@value
class _Reduction(Value):
    """The parts of pi/2, largest first, and the largest argument that they reduce exactly."""

    parts: tuple[float, ...]
    limit: float


_FUSED = _Reduction((1.5707963705062866, -4.371138828673793e-08, -1.7151245100058e-15), 32768.0)
# Without a fused multiply-add, the parts have few bits, so that their products with n are exact.
_SEPARATE = _Reduction(
    (1.5703125, 0.0004837512969970703, 7.549533620476723e-08, 2.563344151594519e-12), 8192.0
)
_SIN = (
    -0.16666666663826582,
    0.008333331863560752,
    -0.00019840080719906868,
    2.7249146796316574e-06,
)
_COS = (0.04166666464410678, -0.001388830005341667, 2.4547298762496707e-05)


def sin(x: Number) -> Number:
    """Return the sine of a float32; NaN of the infinities."""
    return _guarded(x, "sinf", lambda: _wave(x, 0))


def cos(x: Number) -> Number:
    """Return the cosine of a float32; NaN of the infinities."""
    return _guarded(x, "cosf", lambda: _wave(x, 1))


def tan(x: Number) -> Number:
    """Return the tangent of a float32; NaN of the infinities."""
    return _guarded(x, "tanf", lambda: _tan(x))


def _wave(x: Number, quarter: int) -> Number:
    """Return the sine of x plus a number of quarter turns."""
    turns, r = _reduce(x)
    quadrant = turns.to_integer() + quarter
    sine, cosine = _sine(r), _cosine(r)
    size = (quadrant & 1).equals(0).choose(sine, cosine)
    sign = (quadrant & 2) << 30
    flipped = (size.bits() ^ sign).as_float()
    return flipped if quarter else x.equals(0.0).choose(x, flipped)


def _tan(x: Number) -> Number:
    turns, r = _reduce(x)
    sine, cosine = _sine(r), _cosine(r)
    even = (turns.to_integer() & 1).equals(0)
    ratio = even.choose(sine, -cosine) / even.choose(cosine, sine)
    return x.equals(0.0).choose(x, ratio)


def _reduction(x: Number) -> _Reduction:
    return _FUSED if x.ctx.machine.fma_ports else _SEPARATE


def _reduce(x: Number) -> tuple[Number, Number]:
    """Emit n and r with x = n pi/2 + r and |r| at most pi/4."""
    n = (x * _TWO_OVER_PI).rounded()
    r = x
    for part in _reduction(x).parts:
        r = n.times_plus(-part, r)
    return n, r


def _sine(r: Number) -> Number:
    square = r * r
    return (r * square).times_plus(square.polynomial(_SIN), r)


def _cosine(r: Number) -> Number:
    square = r * r
    rest = square * square * square.polynomial(_COS)
    return (1.0 - square * 0.5) + rest


def _guarded(x: Number, libm: str, fast: Callable[[], Number]) -> Number:
    """Emit `fast`, and a branch that calls the C library instead if some lane is too large."""
    w = x.ctx.w
    large = (abs(x) > _reduction(x).limit).operand
    if large.ty != "i1":
        large = w.call("i1", f"llvm.vector.reduce.or.{suffix(large.ty)}", (large,))
    slow_label, fast_label, join = w.fresh("slow"), w.fresh("fast"), w.fresh("join")
    w.branch_if(large, slow_label, fast_label)
    w.block(slow_label)
    slow = lane_by_lane(x, libm)
    w.branch(join)
    w.block(fast_label)
    quick = fast().operand
    w.branch(join)
    w.block(join)
    ty = quick.ty
    text = f"phi {ty} [ {slow.text}, %{slow_label} ], [ {quick.text}, %{fast_label} ]"
    return Number(x.ctx, w.op(ty, text), x.dtype)


def lane_by_lane(x: Number, libm: str, *others: Number) -> Operand:
    """Emit a call of a C library function for each lane."""
    w, ty = x.ctx.w, x.operand.ty
    operands = [x.operand, *(other.operand for other in others)]
    each = lane_type(ty)
    if ty == each:
        return w.call(ty, libm, operands)
    result = Operand(ty, "poison")
    for lane in range(lanes_of(ty)):
        one = [w.op(each, f"extractelement {operand}, i64 {lane}") for operand in operands]
        result = w.op(ty, f"insertelement {result}, {w.call(each, libm, one)}, i64 {lane}")
    return result
