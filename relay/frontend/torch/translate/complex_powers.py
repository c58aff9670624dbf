"""Translate exponentials, logarithms, roots and powers of complex tensors."""

from relay.frontend.torch.complex_tensor import ComplexTensor
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.translate.complex_numbers import (
    argument,
    complex_operator,
    point,
    square_of,
)
from relay.frontend.torch.translate.type_promotion import operand
from relay.ir.expr import Call
from relay.numpy.elementary_functions import arctan2
from relay.numpy.rounding_and_float_tests import copysign
from relay.ops.binary import add, divide, multiply, subtract
from relay.ops.comparison import equal, less_equal
from relay.ops.derivatives_at_zero import root_of_squares
from relay.ops.elementwise import Abs
from relay.ops.selection import where
from relay.ops.transcendental import Exp, Log, Power, Sqrt
from relay.support.error_codes import ErrorCode


@complex_operator("log")
def log(node: TorchNode) -> ComplexTensor:
    """Translate `log`: return the logarithms of the lengths, and the angles."""
    x = argument(node)
    half = operand(node, 0.5, x.tensor_type.dtype)
    real = multiply(half, Call(Log(), (square_of(x),)))
    return ComplexTensor(real, arctan2(x.imaginary, x.real))


@complex_operator("exp")
def exp(node: TorchNode) -> ComplexTensor:
    """Translate `exp`: return points of the length `exp(real)` at the angle `imaginary`."""
    x = argument(node)
    return point(Call(Exp(), (x.real,)), x.imaginary)


@complex_operator("sgn")
def sign(node: TorchNode) -> ComplexTensor:
    """Translate `sgn`: divide by the length; zero stays zero."""
    x = argument(node)
    size, zero = root_of_squares(square_of(x)), operand(node, 0, x.tensor_type.dtype)
    divisor = where(equal(size, zero), operand(node, 1, x.tensor_type.dtype), size)
    return ComplexTensor(*(divide(each, divisor) for each in x.parts))


@complex_operator("sqrt")
def square_root(node: TorchNode) -> ComplexTensor:
    """Translate `sqrt`: the root with a real part that is not negative."""
    x = argument(node)
    zero, half, one = (operand(node, each, x.tensor_type.dtype) for each in (0, 0.5, 1))
    size = add(root_of_squares(square_of(x)), Call(Abs(), (x.real,)))
    larger = Call(Sqrt(), (multiply(half, size),))
    divisor = where(equal(larger, zero), one, larger)
    smaller = divide(multiply(half, Call(Abs(), (x.imaginary,))), divisor)
    is_right = less_equal(zero, x.real)
    real, imaginary = where(is_right, larger, smaller), where(is_right, smaller, larger)
    return ComplexTensor(real, copysign(imaginary, x.imaginary))


@complex_operator("pow", "square")
def power(node: TorchNode) -> ComplexTensor:
    """Translate `pow` with a real exponent, and `square`; other squares are products."""
    x = argument(node)
    exponent = 2 if node.operator == "square" else node.value("exponent")
    if isinstance(exponent, ComplexTensor | complex):
        raise node.error(ErrorCode.F030, "complex exponents are not supported")
    if exponent == 2:
        (a, b), two = x.parts, operand(node, 2, x.tensor_type.dtype)
        real = subtract(multiply(a, a), multiply(b, b))
        return ComplexTensor(real, multiply(two, multiply(a, b)))
    factor = operand(node, exponent, x.tensor_type.dtype)
    size = Call(Power(), (root_of_squares(square_of(x)), factor))
    return point(size, multiply(arctan2(x.imaginary, x.real), factor))
