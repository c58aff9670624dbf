"""Translate TensorFlow Lite's Fourier transform, and the parts of complex numbers."""

from relay.frontend.builders.fourier import resized, spectrum_of_reals
from relay.frontend.tflite.node import LiteNode
from relay.frontend.tflite.registry import lite_operator
from relay.ir.expr import Call, Expr
from relay.ops.complex_numbers.operators import Imag, Real
from relay.ops.elementwise import Abs
from relay.support.error_codes import ErrorCode

_OPERATORS = {"COMPLEX_ABS": Abs, "IMAG": Imag, "REAL": Real}


@lite_operator("RFFT2D")
def rfft_2d(node: LiteNode) -> Expr:
    """Translate `RFFT2D`: transform the last two axes; the last keeps half of the frequencies."""
    rows, columns = node.ints(1, "the lengths")
    if min(rows, columns) < 1:
        raise node.error(
            ErrorCode.F026,
            f"the lengths of a transform must be positive, but are {rows} and {columns}",
        )
    x = resized(resized(node.expr(0), rows, -2), columns, -1)
    return spectrum_of_reals(x, (-2, -1))


@lite_operator(*_OPERATORS)
def part(node: LiteNode) -> Expr:
    """Translate `REAL`, `IMAG` and `COMPLEX_ABS`; raises `F021` for real numbers."""
    x = node.expr(0)
    if not x.tensor_type.dtype.is_complex:
        raise node.error(ErrorCode.F021, "input 0 must be a tensor of complex numbers")
    return Call(_OPERATORS[node.operator.key](), (x,), span=node.span)
