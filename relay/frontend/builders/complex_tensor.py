"""Complex tensors of models: importers represent them by two tensors of real numbers.

An imported program takes and returns them as pairs, along a last axis of size 2.
"""

from relay.frontend.builders.tensor_helpers import constant
from relay.ir.expr import Call, Constant, Expr, Tuple, TupleGetItem
from relay.opdef.complex_rules import ComplexTensor
from relay.ops.binary import add, multiply
from relay.ops.complex_numbers.operators import Complex, Conj, Imag, Real
from relay.ops.derivatives_at_zero import root_of_squares
from relay.ops.linalg.eig import ComplexDecomposition
from relay.ops.linalg.matrix_helpers import transposed
from relay.ops.tensor.concat_and_split import Stack
from relay.ops.tensor.gather import Take
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


def adjoint(x: Expr) -> Expr:
    """Return transposed matrices, whose elements are conjugated if they are complex."""
    return conjugate(transposed(x))


def conjugate(x: Expr) -> Expr:
    """Return conjugate numbers; real tensors are returned unchanged."""
    return Call(Conj(), (x,)) if x.tensor_type.dtype.is_complex else x


def length(x: ComplexTensor) -> Call:
    """Return the lengths, with derivative 0 at 0; unlike those of `abs`, their squares overflow."""
    return root_of_squares(add(*(multiply(each, each) for each in x.parts)))
