"""Powers of float32, computed in float64 so that the logarithm's error does not grow."""

from relay.kernels.llvm.math.exponential import exp
from relay.kernels.llvm.math.logarithm import log
from relay.kernels.llvm.math.number_emitter import Number

_WHOLE = 2.0**24  # from here on every float32 is even


def power(x: Number, y: Number) -> Number:
    """Return x to the power y, with the special cases of C's `pow`."""
    size = exp(log(abs(x).to_double()) * y.to_double()).to_single()
    size = abs(x).equals(1.0).choose(y.is_nan().choose(y, x.of(1.0)), size)
    halved = y * 0.5
    whole = y.rounded().equals(y)
    odd = halved.rounded().equals(halved).choose(x.of(0.0), 1.0)
    odd = (abs(y) < _WHOLE).choose(odd, 0.0)
    negative = x.bits() < 0
    signed = (odd > 0.0).choose(-size, size)
    of_negative = whole.choose(signed, (x < 0.0).choose(float_nan(x), size))
    of_negative = (abs(x) < float("inf")).choose(of_negative, whole.choose(signed, size))
    result = negative.choose(of_negative, size)
    result = x.is_nan().choose(x, result)
    one = x.equals(1.0).choose(x.of(1.0), result)
    return y.equals(0.0).choose(1.0, one)


def float_nan(x: Number) -> Number:
    """Return NaN in the type of x."""
    return x.of(float("nan"))
