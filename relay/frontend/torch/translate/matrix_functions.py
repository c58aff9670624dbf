"""Translate the matrix exponential, and Householder reflections and their products."""

import math
from collections.abc import Sequence

from relay.frontend.builders.complex_householder import complex_householder
from relay.frontend.builders.complex_tensor import adjoint
from relay.frontend.builders.counted_loops import loop
from relay.frontend.builders.householder import reflections_product
from relay.frontend.builders.let_before_loops import bound
from relay.frontend.builders.matrix_products import multiplied
from relay.frontend.builders.tensor_helpers import constant, converted, reshape
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.translate.matrix_helpers import (
    identity,
    require_known_sizes,
    solutions,
)
from relay.ir.dims import is_static
from relay.ir.expr import Call, Expr, Tuple, TupleGetItem
from relay.ops.binary import add, divide, multiply, subtract
from relay.ops.comparison import less
from relay.ops.creation import Zeros
from relay.ops.elementwise import Abs, Ceil, Clip
from relay.ops.linalg.householder import HouseholderQR
from relay.ops.max_min_reductions import Max
from relay.ops.selection import where
from relay.ops.sum_and_mean_reductions import Sum
from relay.ops.tensor.concat_and_split import Concatenate
from relay.ops.transcendental import Log2, Power
from relay.support.dtype import int64
from relay.transform.effects import Unspeculatable

_DEGREE = 13
_LARGEST = 5.371920351148152
"""The largest norm for which the approximant of this degree is exact in float64.

N. Higham, The scaling and squaring method for the matrix exponential revisited, 2005.
"""

_MOST = 1100
"""The most squarings: the exponential of float64 overflows long before."""


def _coefficients() -> Sequence[float]:
    """Return the coefficients of the numerator of the Padé approximant of the exponential."""
    m = _DEGREE
    return [
        math.comb(m, k) * math.factorial(2 * m - k) / math.factorial(2 * m) for k in range(m + 1)
    ]


@torch_operator("linalg_matrix_exp", "matrix_exp")
def matrix_exponential(node: TorchNode) -> Expr:
    """Translate `matrix_exp`: square a Padé approximant of the scaled matrix repeatedly."""
    x = node.tensor("self")
    dtype = x.tensor_type.dtype.part
    sums = Call(Sum(axis=(-2,)), (Call(Abs(), (x,)),))
    norm = Call(Max(axis=(-1,), keepdims=True), (sums,))
    norm = reshape(norm, (*norm.tensor_type.shape, 1))
    halvings = Call(Ceil(), (Call(Log2(), (divide(norm, constant(_LARGEST, dtype)),)),))
    halvings = Call(Clip(0, _MOST), (halvings,))
    factors = Call(Power(), (constant(2, dtype), halvings))
    scaled = divide(x, converted(factors, x.tensor_type.dtype))
    count = converted(Call(Max(), (halvings,)), int64)

    def squared(given: Sequence[Expr]) -> list[Expr]:
        first, wanted, most = given

        def step(time: Expr, state: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
            again = less(converted(time, dtype), wanted)
            return [where(again, multiplied(state[0], state[0]), state[0])], None

        return loop(most, None, [first], [first.type], step)

    return bound([_approximant(scaled), halvings, count], Unspeculatable(), squared)[0]


def _approximant(x: Expr) -> Expr:
    """Return the approximant of the exponential of matrices of small norms."""
    b, one = _coefficients(), identity(x)
    x2 = multiplied(x, x)
    x4 = multiplied(x2, x2)
    powers = [one, x2, x4, multiplied(x2, x4)]

    def polynomial(parity: int) -> Expr:
        low, high = (_combined(powers[first:], b[start + parity :: 2]) for first, start in _PARTS)
        return add(multiplied(powers[3], high), low)

    odd, even = multiplied(x, polynomial(1)), polynomial(0)
    _, found = solutions(subtract(even, odd), add(even, odd))
    return found


_PARTS = ((0, 0), (1, 8))
"""For the low and the high part of a polynomial: its first power, and first coefficient."""


def _combined(powers: Sequence[Expr], factors: Sequence[float]) -> Expr:
    dtype = powers[0].tensor_type.dtype
    terms = [multiply(x, constant(f, dtype)) for x, f in zip(powers, factors, strict=False)]
    found = terms[0]
    for term in terms[1:]:
        found = add(found, term)
    return found


@torch_operator("linalg_householder_product", "orgqr")
def householder_product(node: TorchNode) -> Expr:
    """Translate `householder_product`: the first columns of a product of reflections."""
    x = node.tensor("input" if "input" in node.arguments else "self")
    scales = node.tensor("tau" if "tau" in node.arguments else "input2")
    sizes = (*x.tensor_type.shape[-2:], scales.tensor_type.shape[-1])
    if not is_static(sizes):
        raise node.dynamic("the sizes of the matrix", *sizes)
    return reflections_product(x, scales)


@torch_operator("geqrf")
def reflections(node: TorchNode) -> Sequence[Expr]:
    """Translate `geqrf`: a QR factorisation as reflections, and their scales."""
    x = node.tensor("self")
    if x.tensor_type.dtype.is_complex:
        require_known_sizes(x)
        return complex_householder(x)
    both = Call(HouseholderQR(), (x,), span=node.span)
    return [TupleGetItem(both, 0), TupleGetItem(both, 1)]


@torch_operator("ormqr")
def multiplied_by_reflections(node: TorchNode) -> Expr:
    """Translate `ormqr`: multiply a matrix by a product of reflections, or by its transpose."""
    x, scales, other = (node.tensor(name) for name in ("self", "input2", "input3"))
    *batch, rows, columns = x.tensor_type.shape
    if not is_static((rows, columns, *scales.tensor_type.shape[-1:])):
        raise node.dynamic("the sizes of the matrix", rows, columns)
    rest = Call(Zeros((*batch, rows, rows - columns), x.tensor_type.dtype), ())
    whole = reflections_product(Call(Concatenate(-1), (Tuple((x, rest)),)), scales)
    whole = adjoint(whole) if node.flag("transpose") else whole
    is_left = "left" not in node.arguments or node.flag("left")
    return multiplied(whole, other) if is_left else multiplied(other, whole)
