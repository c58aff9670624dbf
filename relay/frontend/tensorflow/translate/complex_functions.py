"""Translate TensorFlow functions of complex numbers, and Fourier transforms."""

from collections.abc import Callable, Mapping, Sequence
from math import prod

from relay.frontend.builders.fourier import resized, transformed, whole_spectrum
from relay.frontend.builders.tensor_helpers import constant, converted
from relay.frontend.tensorflow.complex_numbers import complex_input, complex_operator
from relay.frontend.tensorflow.decode_tensors import COMPLEX
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.non_tensor_values import Value
from relay.frontend.tensorflow.registry import tf_operator
from relay.ir.dims import static
from relay.ir.expr import Expr
from relay.numpy.elementary_functions import arctan2
from relay.opdef.complex_rules import ComplexTensor
from relay.ops.binary import add, divide, multiply, opposite, scaled, subtract
from relay.ops.derivatives_at_zero import root_of_squares
from relay.ops.functions import core
from relay.support.error_codes import ErrorCode

_FORWARD = ("FFT", "FFT2D", "FFT3D", "FFTND")
_BACK = tuple(f"I{name}" for name in _FORWARD)
_OF_REALS = tuple(f"R{name}" for name in _FORWARD)
_TO_REALS = tuple(f"IR{name}" for name in _FORWARD)


@tf_operator("Complex")
def complex_node(node: TfNode) -> ComplexTensor:
    """Translate `Complex`: join two real tensors, which broadcast."""
    real, imaginary = node.exprs()
    return ComplexTensor(
        add(real, core.zeros_like(imaginary)), add(imaginary, core.zeros_like(real))
    )


_PARTS: Mapping[str, Callable[[ComplexTensor], Value]] = {
    "Angle": lambda x: arctan2(x.imaginary, x.real),
    "ComplexAbs": lambda x: root_of_squares(_square(x)),
    "Conj": lambda x: ComplexTensor(x.real, opposite(x.imaginary)),
    "Imag": lambda x: x.imaginary,
    "Real": lambda x: x.real,
}


@complex_operator(*_PARTS)
def part(node: TfNode) -> Value:
    """Translate `Real`, `Imag`, `Angle`, `ComplexAbs` and `Conj` of complex numbers."""
    return _PARTS[node.op](complex_input(node, 0))


@tf_operator(*_PARTS)
def part_of_real(node: TfNode) -> Value:
    """Translate the functions of complex numbers for real ones."""
    found = _PARTS[node.op](complex_input(node, 0))
    return found.real if isinstance(found, ComplexTensor) else found


def _square(x: ComplexTensor) -> Expr:
    return add(*(multiply(each, each) for each in x.parts))


@complex_operator("RealDiv", "Div", "Inv", "Reciprocal")
def quotient(node: TfNode) -> ComplexTensor:
    """Translate `RealDiv` and `Reciprocal`: multiply by the conjugate, divide by the square."""
    y = complex_input(node, len(node.inputs) - 1)
    (c, d), square = y.parts, _square(y)
    if len(node.inputs) == 1:
        return ComplexTensor(divide(c, square), opposite(divide(d, square)))
    a, b = complex_input(node, 0).parts
    real, imaginary = add(multiply(a, c), multiply(b, d)), subtract(multiply(b, c), multiply(a, d))
    return ComplexTensor(divide(real, square), divide(imaginary, square))


@complex_operator("Square")
def square(node: TfNode) -> ComplexTensor:
    """Translate `Square`."""
    a, b = complex_input(node, 0).parts
    return ComplexTensor(subtract(multiply(a, a), multiply(b, b)), scaled(multiply(a, b), 2.0))


@complex_operator("Exp")
def exponential(node: TfNode) -> ComplexTensor:
    """Translate `Exp`: points of the length `exp(real)` at the angle `imaginary`."""
    x = complex_input(node, 0)
    size = core.exp(x.real)
    return ComplexTensor(
        multiply(size, core.cos(x.imaginary)), multiply(size, core.sin(x.imaginary))
    )


@complex_operator("Log")
def logarithm(node: TfNode) -> ComplexTensor:
    """Translate `Log`: the logarithms of the lengths, and the angles."""
    x = complex_input(node, 0)
    return ComplexTensor(scaled(core.log(_square(x)), 0.5), arctan2(x.imaginary, x.real))


@complex_operator("Equal", "NotEqual")
def comparison(node: TfNode) -> Expr:
    """Translate `Equal` and `NotEqual`: compare both parts."""
    node.ignore("incompatible_shape_error")
    x, y = complex_input(node, 0), complex_input(node, 1)
    same = core.logical_and(core.equal(x.real, y.real), core.equal(x.imaginary, y.imaginary))
    return same if node.op == "Equal" else core.logical_not(same)


@complex_operator("ConjugateTranspose")
def conjugate_transpose(node: TfNode) -> ComplexTensor:
    """Translate `ConjugateTranspose`."""
    x, axes = complex_input(node, 0), node.ints(1, "the permutation")
    return ComplexTensor(*(core.transpose(each, axes) for each in (x.real, opposite(x.imaginary))))


@complex_operator("Cast")
def cast(node: TfNode) -> Value:
    """Translate `Cast` from or to complex numbers; a real result is the real part."""
    x, wanted = complex_input(node, 0), node.attribute("DstT")
    part = COMPLEX.get(wanted)
    if part is None:
        return converted(x.real, node.dtype("DstT"))
    return ComplexTensor(*(converted(each, part) for each in x.parts))


@tf_operator(*_FORWARD, *_BACK, *_TO_REALS, "BatchFFT", "BatchFFT2D", "BatchFFT3D", "BatchIFFT",
             "BatchIFFT2D", "BatchIFFT3D")  # fmt: skip
def fourier(node: TfNode) -> ComplexTensor:
    """Raise `F021`: the input of a transform of complex numbers is real."""
    raise node.error(ErrorCode.F021, "the input number 0 must be a tensor of complex numbers")


@complex_operator(*_FORWARD, "BatchFFT", "BatchFFT2D", "BatchFFT3D")
def forward(node: TfNode) -> ComplexTensor:
    """Translate `FFT`, `FFT2D`, `FFT3D` and `FFTND` of complex numbers."""
    axes, lengths = _axes(node), _lengths(node)
    parts = _fitted(complex_input(node, 0).parts, axes, lengths)
    return ComplexTensor(*transformed(parts, axes, inverse=False))


@complex_operator(*_BACK, "BatchIFFT", "BatchIFFT2D", "BatchIFFT3D")
def inverse(node: TfNode) -> ComplexTensor:
    """Translate `IFFT` and alike: the inverse transform, divided by the number of elements."""
    axes, lengths = _axes(node), _lengths(node)
    parts = _fitted(complex_input(node, 0).parts, axes, lengths)
    return ComplexTensor(*(_mean(x, axes) for x in transformed(parts, axes, inverse=True)))


@tf_operator(*_OF_REALS)
def of_reals(node: TfNode) -> ComplexTensor:
    """Translate `RFFT` and alike: the lower half of the frequencies of real numbers."""
    node.ignore("Treal", "Tcomplex")
    axes = _axes(node)
    (x, _) = _fitted((node.expr(0), node.expr(0)), axes, _lengths(node))
    half = x.tensor_type.shape[axes[-1]] // 2 + 1
    parts = transformed((x, core.zeros_like(x)), axes, inverse=False)
    return ComplexTensor(*(resized(each, half, axes[-1]) for each in parts))


@complex_operator(*_TO_REALS)
def to_reals(node: TfNode) -> Expr:
    """Translate `IRFFT` and alike: real numbers from the lower half of their frequencies."""
    node.ignore("Treal", "Tcomplex")
    axes, lengths = _axes(node), _lengths(node)
    assert lengths is not None, "the operators have lengths"
    parts = _fitted(complex_input(node, 0).parts, axes[:-1], lengths[:-1])
    parts = transformed(parts, axes[:-1], inverse=True)
    whole = whole_spectrum(parts, lengths[-1], axes[-1])
    return _mean(transformed(whole, axes[-1:], inverse=True)[0], axes)


def _axes(node: TfNode) -> tuple[int, ...]:
    """Return the axes of a transform: the last ones, or those of an input."""
    if node.op.endswith("ND"):
        return node.ints(2, "the axes")
    count = int(node.op[-2]) if node.op.endswith("D") else 1
    return tuple(range(-count, 0))


def _lengths(node: TfNode) -> tuple[int, ...] | None:
    """Return the lengths of the transformed axes; None if they are those of the data."""
    return node.ints(1, "the lengths") if len(node.inputs) > 1 else None


def _fitted(
    parts: tuple[Expr, Expr], axes: Sequence[int], lengths: Sequence[int] | None
) -> tuple[Expr, Expr]:
    """Return real and imaginary parts, cropped or padded with zeros to the lengths of axes."""
    real, imaginary = parts
    for axis, length in zip(axes, lengths or (), strict=lengths is not None):
        real, imaginary = (resized(each, length, axis) for each in (real, imaginary))
    return real, imaginary


def _mean(x: Expr, axes: Sequence[int]) -> Expr:
    """Return sums over the elements of some axes, divided by the number of elements."""
    count = prod(static(tuple(x.tensor_type.shape[axis] for axis in axes)))
    return divide(x, constant(count, x.tensor_type.dtype))
