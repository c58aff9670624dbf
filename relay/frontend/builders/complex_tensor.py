"""Complex tensors of models: importers represent them by two tensors of real numbers.

An imported program takes and returns them as pairs, along a last axis of size 2.
"""

from relay.frontend.builders.tensor_helpers import constant
from relay.ir.expr import Call, Constant, Expr, Tuple, TupleGetItem
from relay.numpy.rounding_and_float_tests import copysign
from relay.opdef.complex_rules import ComplexTensor
from relay.ops.binary import add, divide, multiply, subtract
from relay.ops.comparison import equal, less_equal
from relay.ops.complex_numbers.arithmetic import angle
from relay.ops.complex_numbers.operators import Complex, Imag, Real
from relay.ops.derivatives_at_zero import root_of_squares
from relay.ops.elementwise import Abs
from relay.ops.linalg.eig import ComplexDecomposition
from relay.ops.selection import where
from relay.ops.tensor.concat_and_split import Stack
from relay.ops.tensor.gather import Take
from relay.ops.transcendental import Cos, Exp, Log, Sin, Sqrt
from relay.support.dtype import int64


def parts_of(x: Expr) -> ComplexTensor:
    """Return the real and the imaginary parts of a real or complex tensor."""
    return ComplexTensor(Call(Real(), (x,)), Call(Imag(), (x,)))


def joined(real: Expr, imaginary: Expr) -> Expr:
    """Return the complex tensor with these parts."""
    return Call(Complex(), (real, imaginary), span=real.span)


def complex_results(op: ComplexDecomposition, x: Expr) -> list[Expr]:
    """Return both results of a decomposition of real or complex matrices as complex tensors."""
    both = Call(op, (pairs_of(parts_of(x)),), span=x.span)
    return [joined(*of_pairs(TupleGetItem(both, index)).parts) for index in (0, 1)]


def pairs_of(x: ComplexTensor) -> Expr:
    """Return one real tensor, with the parts along a new last axis of size 2."""
    return Call(Stack(-1), (Tuple(x.parts),), span=x.real.span)


def of_pairs(x: Expr) -> ComplexTensor:
    """Return the complex tensor whose parts are along the last axis of `x`, of size 2."""
    match x:
        case Call(Stack(axis), (Tuple((real, imaginary)),)) if axis == -1:
            return ComplexTensor(real, imaginary)
        case Constant(data):
            return ComplexTensor(*(Constant(data[..., part], span=x.span) for part in (0, 1)))
        case _:
            parts = (Call(Take(axis=-1), (x, constant(part, int64))) for part in (0, 1))
            return ComplexTensor(*parts)


def quotient(x: ComplexTensor, y: ComplexTensor) -> ComplexTensor:
    """Return a quotient: the product with the conjugate, by the square of the length."""
    (a, b), (c, d) = x.parts, y.parts
    square = squared_length(y)
    real, imaginary = add(multiply(a, c), multiply(b, d)), subtract(multiply(b, c), multiply(a, d))
    return ComplexTensor(divide(real, square), divide(imaginary, square))


def squared_length(x: ComplexTensor) -> Expr:
    """Return the squares of the lengths (absolute values) of complex numbers."""
    return add(*(multiply(each, each) for each in x.parts))


def length(x: ComplexTensor) -> Call:
    """Return the lengths of complex numbers, with derivative 0 at 0."""
    return root_of_squares(squared_length(x))


def point(size: Expr, turn: Expr) -> ComplexTensor:
    """Return the points at given lengths and angles."""
    return ComplexTensor(*(multiply(size, Call(op(), (turn,))) for op in (Cos, Sin)))


def exponential(x: ComplexTensor) -> ComplexTensor:
    """Return points of the length `exp(real)` at the angle `imaginary`."""
    return point(Call(Exp(), (x.real,)), x.imaginary)


def logarithm(x: ComplexTensor) -> ComplexTensor:
    """Return the logarithms of the lengths, and the angles."""
    half = constant(0.5, x.tensor_type.dtype)
    return ComplexTensor(multiply(half, Call(Log(), (squared_length(x),))), angle(x))


def square_root(x: ComplexTensor) -> ComplexTensor:
    """Return the square roots with real parts that are not negative.

    The larger part is the root of `(length + abs(real)) / 2`, without cancellation; the smaller
    follows from the product of both.
    """
    half = constant(0.5, x.tensor_type.dtype)
    larger = Call(Sqrt(), (multiply(half, add(length(x), Call(Abs(), (x.real,)))),))
    smaller = divide(multiply(half, Call(Abs(), (x.imaginary,))), _one_for_zero(larger))
    is_right = less_equal(constant(0, x.tensor_type.dtype), x.real)
    real, imaginary = where(is_right, larger, smaller), where(is_right, smaller, larger)
    return ComplexTensor(real, copysign(imaginary, x.imaginary))


def sign(x: ComplexTensor) -> ComplexTensor:
    """Return numbers divided by their lengths; zero stays zero."""
    divisor = _one_for_zero(length(x))
    return ComplexTensor(*(divide(each, divisor) for each in x.parts))


def _one_for_zero(x: Expr) -> Expr:
    zero, one = (constant(each, x.tensor_type.dtype) for each in (0, 1))
    return where(equal(x, zero), one, x)
