"""Inverse trigonometric functions of float32."""

from relay.kernels.llvm.math.number_emitter import Number

_PI = 3.141592653589793
_ARCSINE = (
    0.16666673833280787,
    0.07498627666979324,
    0.045055693465608615,
    0.0261525938254073,
    0.038993296669013924,
)
_ARCTANGENT = (
    -0.3333333308107321,
    0.1999994932113916,
    -0.14284003794686753,
    0.11088261628368715,
    -0.08931826775820707,
    0.07031914246115148,
    -0.048960513967610024,
    0.026305001056263974,
    -0.009144629733945631,
    0.001488691933741332,
)


def asin(x: Number) -> Number:
    """Emit the arc sine, NaN outside [-1, 1]; above 1/2 the half-angle formula is used."""
    size = abs(x)
    small = size < 0.5
    root = ((1.0 - size) * 0.5).root()
    arc = _arcsine(small.choose(size, root))
    return small.choose(arc, _PI / 2 - (arc + arc)).with_sign_of(x)


def acos(x: Number) -> Number:
    """Emit the arc cosine, NaN outside [-1, 1]."""
    size = abs(x)
    small = size < 0.5
    root = ((1.0 - size) * 0.5).root()
    arc = _arcsine(small.choose(size, root))
    twice = arc + arc
    far = (x < 0.0).choose(_PI - twice, twice)
    return small.choose(_PI / 2 - arc.with_sign_of(x), far)


def atan(x: Number) -> Number:
    """Emit the arc tangent; above 1 it is π/2 minus the arc tangent of the reciprocal."""
    size = abs(x)
    steep = size > 1.0
    arc = _arctangent(steep.choose(1.0 / size, size))
    return steep.choose(_PI / 2 - arc, arc).with_sign_of(x)


def atan2(y: Number, x: Number) -> Number:
    """Emit the angle of the point (x, y), with signed zeros and infinities as in C."""
    across, up = abs(x), abs(y)
    steep = across < up
    ratio = steep.choose(across, up) / steep.choose(up, across)
    ratio = up.equals(across).choose(1.0, ratio)  # inf / inf
    ratio = up.equals(0.0).choose(0.0, ratio)  # 0 / 0
    arc = _arctangent(ratio)
    arc = steep.choose(_PI / 2 - arc, arc)
    arc = (x.bits() < 0).choose(_PI - arc, arc).with_sign_of(y)
    return (x + y).is_nan().choose(_only_nan(x, y, arc), arc)


def _only_nan(x: Number, y: Number, arc: Number) -> Number:
    """Emit NaN if x or y is NaN, else `arc`.

    The sum of x and y does not suffice, because it is also NaN for opposite infinities.
    """
    return x.is_nan().choose(x, y.is_nan().choose(y, arc))


def _arcsine(x: Number) -> Number:
    square = x * x
    return (x * square).times_plus(square.polynomial(_ARCSINE), x)


def _arctangent(x: Number) -> Number:
    square = x * x
    return (x * square).times_plus(square.polynomial(_ARCTANGENT), x)
