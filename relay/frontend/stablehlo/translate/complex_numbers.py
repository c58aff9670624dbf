"""Translate the parts of complex tensors, and Fourier transforms."""

from math import prod

from relay.frontend.builders.fourier import fourier, reals_of_spectrum, spectrum_of_reals
from relay.frontend.stablehlo.node import HloNode
from relay.frontend.stablehlo.registry import hlo_operation
from relay.ir.expr import Call, Expr
from relay.ops.complex_numbers.operators import Complex, Imag, Real

_OPERATORS = {"complex": Complex, "imag": Imag, "real": Real}


@hlo_operation(*_OPERATORS)
def parts(node: HloNode) -> Expr:
    """Translate `complex`, `real` and `imag`."""
    return Call(_OPERATORS[node.op](), node.operands, span=node.span)


@hlo_operation("fft")
def fft(node: HloNode) -> Expr:
    """Translate `fft`: Fourier transforms along the last axes, of complex or real numbers."""
    kind, lengths = node.enumeration("fft_type"), node.ints("fft_length")
    axes = range(-len(lengths), 0)
    (x,) = node.operands
    if kind == "RFFT":
        return spectrum_of_reals(x, axes)
    if kind == "FFT":
        return fourier(x, axes)
    factor = 1 / prod(lengths)
    if kind == "IFFT":
        return fourier(x, axes, inverse=True, factor=factor)
    return reals_of_spectrum(x, axes, lengths[-1], factor=factor)
