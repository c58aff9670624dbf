"""Translate functions of complex tensors, and Fourier transforms."""

from collections.abc import Callable, Mapping
from math import prod

from relay.frontend.builders import complex_tensor as c
from relay.frontend.builders.complex_tensor import of_pairs, pairs_of
from relay.frontend.builders.fourier import resized, transformed, whole_spectrum
from relay.frontend.builders.tensor_helpers import constant
from relay.frontend.stablehlo.complex_constants import complex_pairs
from relay.frontend.stablehlo.complex_operations import by_part, with_parts
from relay.frontend.stablehlo.node import HloNode
from relay.frontend.stablehlo.registry import (
    TRANSLATIONS,
    Translation,
    complex_hlo_operation,
    hlo_operation,
)
from relay.frontend.stablehlo.translate.reduction import operator_of, reduced_by_halves
from relay.ir.expr import Call, Constant, Expr
from relay.opdef.complex_rules import ComplexTensor
from relay.ops.binary import Add, add, multiply, scaled, subtract
from relay.ops.cast import Cast
from relay.ops.complex_numbers import arithmetic
from relay.ops.complex_numbers.arithmetic import of_real
from relay.ops.creation import ZerosLike
from relay.ops.elementwise import Sign
from relay.ops.logical import LogicalNot
from relay.ops.transcendental import Cos, Cosh, Sin, Sinh
from relay.support.error_codes import ErrorCode


def _one(x: ComplexTensor) -> ComplexTensor:
    return of_real(constant(1, x.tensor_type.dtype))


def _sine(x: ComplexTensor) -> ComplexTensor:
    a, b = x.parts
    real = multiply(Call(Sin(), (a,)), Call(Cosh(), (b,)))
    return ComplexTensor(real, multiply(Call(Cos(), (a,)), Call(Sinh(), (b,))))


def _cosine(x: ComplexTensor) -> ComplexTensor:
    a, b = x.parts
    real = multiply(Call(Cos(), (a,)), Call(Cosh(), (b,)))
    return ComplexTensor(real, scaled(multiply(Call(Sin(), (a,)), Call(Sinh(), (b,))), -1.0))


def _hyperbolic_tangent(x: ComplexTensor) -> ComplexTensor:
    """Return `(1 - e) / (1 + e)` with `e = exp(-2 x)`, for a real part that is not negative."""
    turned = arithmetic.product(x, of_real(Call(Sign(), (x.real,))))
    decay = c.exponential(ComplexTensor(*(scaled(each, -2.0) for each in turned.parts)))
    found = c.quotient(arithmetic.difference(_one(x), decay), arithmetic.total(_one(x), decay))
    return arithmetic.product(found, of_real(Call(Sign(), (x.real,))))


def _logistic(x: ComplexTensor) -> ComplexTensor:
    opposite = ComplexTensor(*(scaled(each, -1.0) for each in x.parts))
    return c.quotient(_one(x), arithmetic.total(_one(x), c.exponential(opposite)))


_OF_ONE: Mapping[str, Callable[[ComplexTensor], ComplexTensor]] = {
    "cosine": _cosine,
    "exponential": c.exponential,
    "exponential_minus_one": lambda x: arithmetic.difference(c.exponential(x), _one(x)),
    "log": c.logarithm,
    "log_plus_one": lambda x: c.logarithm(arithmetic.total(x, _one(x))),
    "logistic": _logistic,
    "rsqrt": lambda x: c.quotient(_one(x), c.square_root(x)),
    "sign": c.sign,
    "sine": _sine,
    "sqrt": c.square_root,
    "tan": lambda x: c.quotient(_sine(x), _cosine(x)),
    "tanh": _hyperbolic_tangent,
}
_OF_TWO: Mapping[str, Callable[[ComplexTensor, ComplexTensor], ComplexTensor]] = {
    "add": arithmetic.total,
    "divide": c.quotient,
    "multiply": arithmetic.product,
    "power": lambda x, y: c.exponential(arithmetic.product(y, c.logarithm(x))),
    "subtract": arithmetic.difference,
}


@complex_hlo_operation(*_OF_ONE)
def function_of_one(node: HloNode) -> Expr:
    """Translate a function of one complex number."""
    node.ignore("result_accuracy")
    return pairs_of(_OF_ONE[node.op](of_pairs(node.operands[0])))


@complex_hlo_operation(*_OF_TWO)
def function_of_two(node: HloNode) -> Expr:
    """Translate a function of two complex numbers."""
    x, y = map(of_pairs, node.operands)
    return pairs_of(_OF_TWO[node.op](x, y))


@complex_hlo_operation("abs")
def absolute(node: HloNode) -> Expr:
    """Translate `abs`: the lengths."""
    return c.length(of_pairs(node.operands[0]))


@complex_hlo_operation("real", "imag")
def part(node: HloNode) -> Expr:
    """Translate `real` and `imag` of complex numbers."""
    return of_pairs(node.operands[0]).parts[node.op == "imag"]


@hlo_operation("real", "imag")
def part_of_real(node: HloNode) -> Expr:
    """Translate `real` and `imag` of real numbers: the numbers, and zeros."""
    (x,) = node.operands
    return x if node.op == "real" else Call(ZerosLike(), (x,))


@complex_hlo_operation("complex")
@hlo_operation("complex")
def complex_node(node: HloNode) -> Expr:
    """Translate `complex`: join real and imaginary parts."""
    return pairs_of(ComplexTensor(*node.operands))


@complex_hlo_operation("compare")
def compare(node: HloNode) -> Expr:
    """Translate `compare` of complex numbers, which are equal or not equal."""
    node.ignore("compare_type")
    direction = node.enumeration("comparison_direction")
    if direction not in ("EQ", "NE"):
        raise node.error(
            ErrorCode.F030, "complex numbers have no order, so they cannot be compared or sorted"
        )
    same = arithmetic.are_equal(*map(of_pairs, node.operands))
    return same if direction == "EQ" else Call(LogicalNot(), (same,))


@complex_hlo_operation("constant")
def constant_node(node: HloNode) -> Expr:
    """Translate complex constants."""
    return Constant(complex_pairs(node.attribute("value"), node.result_type), span=node.span)


@complex_hlo_operation("convert")
def convert(node: HloNode) -> Expr:
    """Translate `convert` from real or complex to complex numbers."""
    (x,) = node.operands
    found = of_pairs(x) if node.complex_operands[0] else of_real(x)
    to = Cast(node.result_type.dtype)
    return pairs_of(ComplexTensor(*(Call(to, (each,)) for each in found.parts)))


@complex_hlo_operation("dot_general", "convolution", "dynamic_conv")
def contraction(node: HloNode) -> Expr:
    """Translate products of complex tensors: products of the parts add up."""
    others = [0] * (len(node.operands) - 2)

    def term(a: int, b: int) -> Expr:
        found = TRANSLATIONS[node.name](with_parts(node, [a, b, *others]))
        assert isinstance(found, Expr), "a product has one result"
        return found

    both = node.complex_operands[:2]
    if not all(both):
        return pairs_of(ComplexTensor(*(term(*(n * each for each in both)) for n in (0, 1))))
    real = subtract(term(0, 0), term(1, 1))
    return pairs_of(ComplexTensor(real, add(term(0, 1), term(1, 0))))


@complex_hlo_operation("reduce")
def reduce(node: HloNode) -> list[Expr]:
    """Translate `reduce`: sums of the parts, or with any region by repeated halving."""
    parts = with_parts(node, [0] * len(node.operands))
    translate: Translation = TRANSLATIONS[node.name]
    if operator_of(parts.region(0)) is Add:
        return by_part(translate, node)
    return reduced_by_halves(node)


@hlo_operation("fft")
@complex_hlo_operation("fft")
def fft(node: HloNode) -> Expr:
    """Translate `fft`: Fourier transforms along the last axes, of complex or real numbers."""
    kind, lengths = node.enumeration("fft_type"), node.ints("fft_length")
    axes = list(range(-len(lengths), 0))
    (x,) = node.operands
    if kind == "RFFT":
        parts = transformed(of_real(x).parts, axes, inverse=False)
        half = lengths[-1] // 2 + 1
        return pairs_of(ComplexTensor(*(resized(each, half) for each in parts)))
    parts = of_pairs(x).parts
    if kind == "FFT":
        return pairs_of(ComplexTensor(*transformed(parts, axes, inverse=False)))
    scale = 1 / prod(lengths)
    if kind == "IFFT":
        found = transformed(parts, axes, inverse=True)
        return pairs_of(ComplexTensor(*(scaled(each, scale) for each in found)))
    whole = whole_spectrum(transformed(parts, axes[:-1], inverse=True), lengths[-1])
    return scaled(transformed(whole, axes[-1:], inverse=True)[0], scale)
