"""Parts, conjugates and angles of complex numbers; real numbers are their own real parts."""

import numpy as np

from relay.ir.expr import Expr
from relay.numpy.argument_conversion import Apart, Real, numpy_function
from relay.numpy.arithmetic import is_bool
from relay.numpy.tensor_conversion import convert, like
from relay.ops.functions import core
from relay.support.dtype import int8


def is_complex(x: Expr) -> bool:
    """Whether the elements are complex numbers."""
    return x.tensor_type.dtype.is_complex


@numpy_function
def isreal(x: Apart) -> Expr:
    """Return whether elements are real: their imaginary part is 0."""
    return core.logical_not(iscomplex(x))


@numpy_function
def iscomplex(x: Apart) -> Expr:
    """Return whether elements have an imaginary part."""
    part = imag(x)
    return core.not_equal(part, core.zeros_like(part))


@numpy_function
def isrealobj(x: Apart) -> bool:
    """Return whether the element type is real."""
    return not is_complex(x)


@numpy_function
def iscomplexobj(x: Apart) -> bool:
    """Return whether the element type is complex."""
    return is_complex(x)


@numpy_function
def real(val: Apart) -> Expr:
    """Return the real parts; a real tensor itself."""
    return core.real(val) if is_complex(val) else val


@numpy_function
def imag(val: Apart) -> Expr:
    """Return the imaginary parts; zeros for real numbers."""
    return core.imag(val) if is_complex(val) else core.zeros_like(val)


@numpy_function
def conjugate(x: Apart) -> Expr:
    """Return the conjugates; real numbers themselves, in a new array, and int8 for booleans."""
    if is_complex(x):
        return core.conj(x)
    return convert(x, int8) if is_bool(x) else core.copy(x)


conj = conjugate


@numpy_function
def real_if_close(a: Apart, tol: float = 100) -> Expr:
    """Return the tensor itself: its elements do not decide on the type of the result."""
    del tol
    return a


@numpy_function
def angle(z: Real, deg: bool = False) -> Expr:
    """Return the angles in radians; those of real numbers are 0, or π for negative ones."""
    found = core.angle(z)
    return core.multiply(found, like(180 / np.pi, found)) if deg else found
