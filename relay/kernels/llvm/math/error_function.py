"""The error function of float32."""

from relay.kernels.llvm.math.exponential import exp
from relay.kernels.llvm.math.number_emitter import Number

_NEAR = (
    0.12837916663832222,
    -0.3761263368813286,
    0.11283694149670129,
    -0.026859297260709687,
    0.005200729666596896,
    -0.0008138792384714873,
    8.351897077070762e-05,
)
_FAR = (
    -0.000362899332551837,
    1.1304466948861358,
    0.631373907300295,
    0.11061598977873298,
    -0.026813354805621952,
    0.004943877761405768,
    -0.0006525363405781796,
    5.6546689782689325e-05,
    -2.754702861972194e-06,
    5.148567374663064e-08,
)
_BORDER = 0.921875
_ONE = 3.96  # above this, the nearest float32 is 1


def erf(x: Number) -> Number:
    """Return the error function of a float32: an odd polynomial near 0, else 1 - e^-p(|x|)."""
    size = abs(x)
    near = x.times_plus((x * x).polynomial(_NEAR), x)
    far = 1.0 - exp(-size.at_most(_ONE).polynomial(_FAR))
    return (size < _BORDER).choose(near, far.with_sign_of(x))
