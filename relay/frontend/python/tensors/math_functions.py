"""Functions of `math` that differ from NumPy's: they take scalars, and some return integers."""

# ruff: noqa: A001 - NumPy's own names

from collections.abc import Sequence

from relay.ir.expr import Expr
from relay.numpy.argument_conversion import MaybeReal, Real, numpy_function
from relay.ops.derivatives_at_zero import root_of_squares
from relay.ops.functions import core


@numpy_function
def ceil(x: Real) -> Expr:
    """Return the smallest integer that is at least `x`."""
    return core.cast(core.ceil(x), "int32")


@numpy_function
def dist(p: Sequence[Real], q: Sequence[Real]) -> Expr:
    """Return the Euclidean distance of two points."""
    return root_of_squares(fsum([(a - b) * (a - b) for a, b in zip(p, q, strict=True)]))


@numpy_function
def erfc(x: Real) -> Expr:
    """Return the complementary error function, `1 - erf(x)`."""
    return 1.0 - core.erf(x)


@numpy_function
def floor(x: Real) -> Expr:
    """Return the largest integer that is at most `x`."""
    return core.cast(core.floor(x), "int32")


@numpy_function
def fsum(seq: Sequence[Real]) -> Expr:
    """Return the sum of several numbers."""
    found = seq[0]
    for each in seq[1:]:
        found = found + each
    return found


@numpy_function
def isclose(a: Real, b: Real, *, rel_tol: float = 1e-9, abs_tol: float = 0.0) -> Expr:
    """Return whether two numbers are equal up to a relative or an absolute tolerance."""
    scale = core.maximum(core.abs(a), core.abs(b)) * rel_tol
    near = core.less_equal(core.abs(a - b), core.maximum(scale, abs_tol))
    return core.logical_or(core.equal(a, b), core.logical_and(core.isfinite(scale), near))


@numpy_function
def log(x: Real, base: MaybeReal = None) -> Expr:
    """Return the logarithm of `x`, natural or to a given base."""
    return core.log(x) if base is None else core.log(x) / core.log(base)


@numpy_function
def pow(x: Real, y: Real) -> Expr:
    """Return `x ** y` as a float."""
    return core.power(x, y)


@numpy_function
def prod(iterable: Sequence[Expr]) -> Expr:
    """Return the product of several numbers."""
    found = iterable[0]
    for each in iterable[1:]:
        found = found * each
    return found


@numpy_function
def remainder(x: Real, y: Real) -> Expr:
    """Return the difference of `x` and the nearest multiple of `y`."""
    return x - core.rint(x / y) * y


@numpy_function
def trunc(x: Real) -> Expr:
    """Return `x` truncated to an integer."""
    return core.cast(core.trunc(x), "int32")
