"""`numpy.fft`, limited to what needs no complex numbers: frequencies and their order."""

from typing import Any

import numpy as np

from relay.ir.expr import Constant, Expr
from relay.numpy.argument_conversion import Apart, Axes, axes_of, known_shape, numpy_function
from relay.numpy.shapes import roll
from relay.numpy.unsupported_functions import refusals


def _shifted(x: Expr, axes: Axes, back: bool) -> Expr:
    places = axes_of(axes, x.tensor_type.rank)
    halves = tuple(known_shape(x)[axis] // 2 for axis in places)
    shifts = tuple(-half for half in halves) if back else halves
    return roll(x, shifts, places) if places else x


@numpy_function
def fftshift(x: Apart, axes: Axes = None) -> Expr:
    """Return the elements with frequency 0 in the middle."""
    return _shifted(x, axes, back=False)


@numpy_function
def ifftshift(x: Apart, axes: Axes = None) -> Expr:
    """Return the inverse of `fftshift`."""
    return _shifted(x, axes, back=True)


def _frequencies(found: Any, dtype: Any) -> Constant:
    return Constant(np.asarray(found, np.float32 if dtype is None else dtype))


@numpy_function
def fftfreq(n: int, d: float = 1.0, dtype: Any = None) -> Expr:
    """Return the frequencies of a transform of `n` elements."""
    return _frequencies(np.fft.fftfreq(n, d), dtype)


@numpy_function
def rfftfreq(n: int, d: float = 1.0, dtype: Any = None) -> Expr:
    """Return the frequencies of a transform of `n` real elements."""
    return _frequencies(np.fft.rfftfreq(n, d), dtype)


__getattr__ = refusals(np.fft)
