"""Translate the parts of TensorFlow's complex numbers, and Fourier transforms."""

from collections.abc import Sequence
from math import prod

from relay.frontend.builders.fourier import (
    fourier,
    reals_of_spectrum,
    resized,
    spectrum_of_reals,
)
from relay.frontend.node_errors import static_sizes
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.registry import tf_operator
from relay.ir.expr import Call, Expr
from relay.ops.complex_numbers.operators import Angle, Complex, Conj, Imag, Real
from relay.ops.elementwise import Abs
from relay.support.error_codes import ErrorCode

_FORWARD = ("FFT", "FFT2D", "FFT3D", "FFTND")
_BACK = tuple(f"I{name}" for name in _FORWARD)
_OF_REALS = tuple(f"R{name}" for name in _FORWARD)
_TO_REALS = tuple(f"IR{name}" for name in _FORWARD)

_OPERATORS = {
    "Angle": Angle,
    "Complex": Complex,
    "ComplexAbs": Abs,
    "Conj": Conj,
    "Imag": Imag,
    "Real": Real,
}


@tf_operator(*_OPERATORS)
def part(node: TfNode) -> Expr:
    """Translate the functions between complex numbers and their parts."""
    return Call(_OPERATORS[node.op](), tuple(node.exprs()), span=node.span)


@tf_operator(*_FORWARD, "BatchFFT", "BatchFFT2D", "BatchFFT3D")
def forward(node: TfNode) -> Expr:
    """Translate `FFT`, `FFT2D`, `FFT3D` and `FFTND` of complex numbers."""
    axes = _axes(node)
    return fourier(_fitted(_numbers(node), axes, _lengths(node)), axes)


@tf_operator(*_BACK, "BatchIFFT", "BatchIFFT2D", "BatchIFFT3D")
def inverse(node: TfNode) -> Expr:
    """Translate `IFFT` and alike: the inverse transform, divided by the number of elements."""
    axes = _axes(node)
    x = _fitted(_numbers(node), axes, _lengths(node))
    return fourier(x, axes, inverse=True, factor=_share(x, axes))


@tf_operator(*_OF_REALS)
def of_reals(node: TfNode) -> Expr:
    """Translate `RFFT` and alike: the lower half of the frequencies of real numbers."""
    node.ignore("Treal", "Tcomplex")
    axes = _axes(node)
    return spectrum_of_reals(_fitted(node.expr(0), axes, _lengths(node)), axes)


@tf_operator(*_TO_REALS)
def to_reals(node: TfNode) -> Expr:
    """Translate `IRFFT` and alike: real numbers from the lower half of their frequencies."""
    node.ignore("Treal", "Tcomplex")
    axes, lengths = _axes(node), _lengths(node)
    assert lengths is not None, "the operators have lengths"
    x = _fitted(_numbers(node), axes[:-1], lengths[:-1])
    factor = _share(x, axes[:-1]) / lengths[-1]
    return reals_of_spectrum(x, axes, lengths[-1], factor=factor)


def _numbers(node: TfNode) -> Expr:
    """Return the first input; raises `F021` if it is real."""
    x = node.expr(0)
    if not x.tensor_type.dtype.is_complex:
        raise node.error(ErrorCode.F021, "the input number 0 must be a tensor of complex numbers")
    return x


def _axes(node: TfNode) -> tuple[int, ...]:
    """Return the axes of a transform: the last ones, or those of an input."""
    if node.op.endswith("ND"):
        return node.ints(2, "the axes")
    count = int(node.op[-2]) if node.op.endswith("D") else 1
    return tuple(range(-count, 0))


def _lengths(node: TfNode) -> tuple[int, ...] | None:
    """Return the lengths of the transformed axes; None if they are those of the data."""
    return node.ints(1, "the lengths") if len(node.inputs) > 1 else None


def _fitted(x: Expr, axes: Sequence[int], lengths: Sequence[int] | None) -> Expr:
    """Return a tensor, cropped or padded with zeros to the lengths of axes."""
    for axis, length in zip(axes, lengths or (), strict=lengths is not None):
        x = resized(x, length, axis)
    return x


def _share(x: Expr, axes: Sequence[int]) -> float:
    """Return one over the number of elements along axes."""
    return 1 / prod(static_sizes(tuple(x.tensor_type.shape[axis] for axis in axes)))
