"""Powers of a constant exponent: products, a quotient or a root instead of a logarithm."""

from collections.abc import Callable

from relay.kernels.llvm.math.number_emitter import Number


def fixed_power(x: Number, exponent: float) -> Number | None:
    """Return x to a power, with the special cases of C's `pow`; None without a short form.

    The error is that of one or two roundings: at most 1.5 ulp.
    """
    form = _FORMS.get(exponent)
    return None if form is None else form(x)


def _root(x: Number) -> Number:
    """Emit the square root as `pow` does: 0 for -0, infinity for -infinity."""
    infinity = float("inf")
    return x.equals(-infinity).choose(infinity, (x + 0.0).root())


_FORMS: dict[float, Callable[[Number], Number]] = {
    -1.0: lambda x: 1.0 / x,
    -0.5: lambda x: 1.0 / _root(x),
    0.5: _root,
    1.0: lambda x: x,
    2.0: lambda x: x * x,
    3.0: lambda x: x * x * x,
}
