"""Translate TensorFlow Lite's Fourier transform, and the operators of complex numbers.

`BY_PART` lists operators that the importer applies to the real and to the imaginary part.
"""

from collections.abc import Callable, Mapping

from relay.frontend.builders.fourier import resized, transformed
from relay.frontend.tflite.node import Activation, LiteNode
from relay.frontend.tflite.registry import lite_operator
from relay.frontend.tflite.values import Complex
from relay.ir.expr import Call, Expr
from relay.ops.binary import add, multiply, subtract
from relay.ops.creation import ZerosLike
from relay.ops.tensor.slice import StridedSlice
from relay.ops.transcendental import Sqrt
from relay.support.error_codes import ErrorCode

BY_PART = frozenset({
    "ADD", "CONCATENATION", "EXPAND_DIMS", "GATHER", "PACK", "RESHAPE", "SLICE", "SPLIT", "SPLIT_V",
    "SQUEEZE", "STRIDED_SLICE", "SUB", "TRANSPOSE", "UNPACK",
})  # fmt: skip


def complex_product(node: LiteNode) -> Complex:
    """Translate `MUL` of complex numbers."""
    a, b = node.complex(0), node.complex(1)
    if node.activation() is not Activation.NONE:
        raise node.error(ErrorCode.F030, "a fused activation is not supported for complex numbers")
    real = subtract(multiply(a.real, b.real), multiply(a.imaginary, b.imaginary))
    crossed = add(multiply(a.real, b.imaginary), multiply(a.imaginary, b.real))
    return Complex(real, crossed)


OF_COMPLEX: Mapping[str, Callable[[LiteNode], Complex]] = {"MUL": complex_product}
"""Operators with another translation for complex numbers."""


@lite_operator("RFFT2D")
def rfft_2d(node: LiteNode) -> Complex:
    """Translate `RFFT2D`: transform the last two axes; the last keeps half of the frequencies."""
    rows, columns = node.ints(1, "the lengths")
    if min(rows, columns) < 1:
        raise node.error(
            ErrorCode.F026,
            f"the lengths of a transform must be positive, but are {rows} and {columns}",
        )
    x = resized(resized(node.expr(0), rows, -2), columns, -1)
    last = x.tensor_type.rank - 1
    parts = transformed((x, Call(ZerosLike(), (x,))), (last,), inverse=False)
    half = StridedSlice((0,), (columns // 2 + 1,), axes=(last,))
    kept = Call(half, (parts[0],)), Call(half, (parts[1],))
    return Complex(*(kept if rows == 1 else transformed(kept, (last - 1,), inverse=False)))


@lite_operator("REAL")
def real(node: LiteNode) -> Expr:
    """Translate `REAL`: return the real parts."""
    return node.complex(0).real


@lite_operator("IMAG")
def imaginary(node: LiteNode) -> Expr:
    """Translate `IMAG`: return the imaginary parts."""
    return node.complex(0).imaginary


@lite_operator("COMPLEX_ABS")
def complex_abs(node: LiteNode) -> Expr:
    """Translate `COMPLEX_ABS`: return the absolute values."""
    x = node.complex(0)
    squares = (multiply(part, part) for part in (x.real, x.imaginary))
    return Call(Sqrt(), (add(*squares),), span=node.span)
