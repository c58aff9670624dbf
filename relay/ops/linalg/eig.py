"""`schur` and `eig`: Schur forms, eigenvalues and eigenvectors of any square matrices.

Complex numbers are pairs along a last axis of size 2.
"""

from collections.abc import Sequence

import numpy as np

from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType, TupleType
from relay.kernels import te
from relay.kernels.loops import Buffer, Stmt
from relay.opdef import checks
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.families import FLOATS, extents
from relay.ops.linalg import eig_gradient
from relay.ops.linalg.complex_schur import Complex, Kernel, schur_form
from relay.ops.linalg.jacobi_rotations import EPSILON
from relay.ops.linalg.matrix_helpers import copied
from relay.ops.tensor.loop_nests import nest
from relay.support.dtype import float64
from relay.support.node import value

_PAIR = 2
_LARGE = 1e100  # vectors are scaled beyond this size, so that they do not overflow
_TINY = 1e-150
_TIE = 1e-12  # elements whose sizes differ by less are equally large

_ROTATION = [[[0.0, 0.0], [-2.0, 0.0]], [[2.0, 0.0], [0.0, 0.0]]]
_MIXED = [
    [[1.0, 0.0], [2.0, 1.0], [0.5, 0.0]],
    [[-1.0, 0.0], [3.0, 0.0], [1.0, -2.0]],
    [[0.0, 0.25], [1.0, 0.0], [-2.0, 0.0]],
]


@value
class ComplexDecomposition(OperatorDef):
    """The base of decompositions of square complex matrices, given as pairs `(…, n, n, 2)`."""

    examples = (
        Example("f64[3, 3, 2]", values={0: _MIXED}, tolerance=1e-9),
        Example(
            "f32[2, 2, 2, 2]",
            values={0: [_ROTATION, _ROTATION]},
            tolerance=1e-4,
            differentiable=False,
        ),  # both elements of a vector are equally large
        Example("f64[1, 1, 2]"),
        Example("f32[2, 0, 0, 2]"),
    )

    def require_pairs(self, x: TensorType) -> None:
        """Require square matrices of pairs of floats (`T102`, `T104`, `T105`)."""
        checks.kind(self.name, "x", x, *FLOATS)
        fits = x.rank > _PAIR and x.shape[-1] == _PAIR
        problem = f"expected matrices of pairs (real part, imaginary part), found {x!r}"
        checks.attribute(self.name, fits, problem)
        checks.size(self.name, "columns", x.shape[-3], x.shape[-2])


@operator("schur")
class Schur(ComplexDecomposition):
    """Return the Schur form of complex matrices: `T` and `Q` with `x = Q T Qᴴ`.

    `T` is upper triangular with the eigenvalues on its diagonal, and `Q` is unitary. Matrices are
    pairs of real and imaginary parts, `(…, n, n, 2)`, and so are both results.
    """

    undifferentiable = "the derivative of Schur forms is not implemented"

    def infer(self, x: TensorType) -> TupleType:
        self.require_pairs(x)
        return TupleType((x, x))

    def compute(self, x: te.Tensor) -> tuple[te.Tensor, ...]:
        *batch, size, _, _ = extents(x)

        def build(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
            b = te.LoopBuilder()
            kernel = Kernel(b, size)
            with nest(b, batch) as i:
                t = copied(b, inputs[0], i, float64)
                q = b.scratch((size, size, _PAIR), float64, "q")
                kernel.triangularize(t, q)
                for found, out in zip((t, q), outputs, strict=True):
                    with nest(b, (size, size, _PAIR)) as place:
                        b.store(out, (*i, *place), te.cast(found[place], x.dtype))
            return b.finish()

        return te.loops([(x.shape, x.dtype)] * 2, [x], build, self.name)

    def reference(self, x: Array) -> tuple[Array, Array]:
        t, q = np.empty_like(x), np.empty_like(x)
        for place in np.ndindex(x.shape[:-3]):
            t[place], q[place] = map(_pairs, schur_form(_complex(x[place])))
        return t, q


@operator("eig")
class Eig(ComplexDecomposition):
    """Return the eigenvalues of complex matrices, and their vectors.

    Matrices are pairs of real and imaginary parts, `(…, n, n, 2)`; the eigenvalues are `(…, n, 2)`,
    in no particular order. Column `i` of the vectors, `(…, n, n, 2)`, belongs to eigenvalue `i`; it
    has length 1, and its largest element is real and positive.
    """

    def infer(self, x: TensorType) -> TupleType:
        self.require_pairs(x)
        return TupleType((TensorType((*x.shape[:-2], _PAIR), x.dtype), x))

    def compute(self, x: te.Tensor) -> tuple[te.Tensor, ...]:
        *batch, size, _, _ = extents(x)

        def build(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
            b = te.LoopBuilder()
            kernel = Kernel(b, size)
            with nest(b, batch) as i:
                t = copied(b, inputs[0], i, float64)
                q = b.scratch((size, size, _PAIR), float64, "q")
                kernel.triangularize(t, q)
                with b.for_(size, "k") as k:
                    kernel.write(outputs[0], *i, k, x=kernel.read(t, k, k))
                    _vector(kernel, t, q, k, (outputs[1], i))
            return b.finish()

        kinds = [((*batch, size, _PAIR), x.dtype), (x.shape, x.dtype)]
        return te.loops(kinds, [x], build, self.name)

    def reference(self, x: Array) -> tuple[Array, Array]:
        values, vectors = np.empty((*x.shape[:-2], _PAIR), x.dtype), np.empty_like(x)
        for place in np.ndindex(x.shape[:-3]):
            t, q = schur_form(_complex(x[place]))
            values[place] = _pairs(np.diag(t))
            vectors[place] = _pairs(_vectors(t, q))
        return values, vectors

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative; equal eigenvalues have no influence on each other's vectors."""
        return (eig_gradient.gradient(call, d_out),)


def _vector(
    kernel: Kernel, t: Buffer, q: Buffer, k: te.Scalar, to: tuple[Buffer, tuple[te.Scalar, ...]]
) -> None:
    """Write the eigenvector `k` of a Schur form, as a column of the matrix at a place of `to`."""
    b, n = kernel.b, kernel.size
    v = b.scratch((n, _PAIR), float64, "v")
    one = te.const(1.0, float64)
    kernel.write(v, k, x=Complex(one, te.const(0.0, float64)))
    least = _least_difference(kernel, t)
    with b.for_(k, "up") as up:
        i = b.let(k - 1 - up, "i")
        total = _row_sum(kernel, t, v, i, k)
        gap = kernel.read(t, k, k) - kernel.read(t, i, i)
        is_small = gap.square < least * least
        gap = kernel.let(
            Complex(te.select(is_small, least, gap.re), te.select(is_small, 0.0 * one, gap.im))
        )
        found = kernel.quotient(total, gap)
        kernel.write(v, i, x=found)
        size = b.let(te.sqrt(found.square), "size")
        with b.if_(size > _LARGE), b.for_(k - i + 1, "j", start=i) as j:
            kernel.write(v, j, x=kernel.read(v, j).times(1.0 / size))
    _write_column(kernel, q, v, k, to)


def _least_difference(kernel: Kernel, t: Buffer) -> te.Scalar:
    """Return the smallest difference of eigenvalues that counts."""
    b = kernel.b
    norm = b.cell(0.0, float64, "norm")
    with nest(b, (kernel.size, kernel.size)) as (r, c):
        norm.value = norm.value + kernel.read(t, r, c).square
    return b.let(te.maximum(te.sqrt(norm.value) * EPSILON, te.const(_TINY, float64)), "least")


def _row_sum(kernel: Kernel, t: Buffer, v: Buffer, i: te.Scalar, k: te.Scalar) -> Complex:
    """Return the sum of row `i` of `t` times `v`, from column `i + 1` to `k`."""
    b = kernel.b
    re, im = b.cell(0.0, float64, "re"), b.cell(0.0, float64, "im")
    with b.for_(k - i, "j", start=i + 1) as j:
        part = kernel.let(kernel.read(t, i, j) * kernel.read(v, j))
        re.value, im.value = re.value + part.re, im.value + part.im
    return kernel.let(Complex(re.value, im.value))


def _write_column(
    kernel: Kernel, q: Buffer, v: Buffer, k: te.Scalar, to: tuple[Buffer, tuple[te.Scalar, ...]]
) -> None:
    """Write `q v`, of length 1 and with a positive largest element, to column `k`."""
    b, n, (out, place) = kernel.b, kernel.size, to
    x = b.scratch((n, _PAIR), float64, "x")
    length, largest = b.cell(0.0, float64, "length"), b.cell(-1.0, float64, "largest")
    re, im = b.cell(1.0, float64, "phase"), b.cell(0.0, float64, "phase")
    with b.for_(n, "r") as r:
        own_re, own_im = b.cell(0.0, float64, "re"), b.cell(0.0, float64, "im")
        with b.for_(k + 1, "j") as j:
            part = kernel.let(kernel.read(q, r, j) * kernel.read(v, j))
            own_re.value, own_im.value = own_re.value + part.re, own_im.value + part.im
        found = kernel.let(Complex(own_re.value, own_im.value))
        kernel.write(x, r, x=found)
        length.value = length.value + found.square
        with b.if_(found.square > largest.value * (1.0 + _TIE)):
            largest.value, re.value, im.value = found.square, found.re, -found.im
    factor = b.let(1.0 / (te.sqrt(length.value) * te.sqrt(largest.value)), "factor")
    phase = kernel.let(Complex(re.value, im.value).times(factor))
    with b.for_(n, "r") as r:
        kernel.write(out, *place, r, k, x=kernel.read(x, r) * phase)


def _vectors(t: Array, q: Array) -> Array:
    """Return the eigenvectors of a Schur form as columns."""
    n = len(t)
    least = max(float(np.linalg.norm(t)) * EPSILON, _TINY)
    found = np.zeros((n, n), np.complex128)
    for k in range(n):
        found[k, k] = 1
        for i in range(k - 1, -1, -1):
            gap = t[k, k] - t[i, i]
            found[i, k] = t[i, i + 1 : k + 1] @ found[i + 1 : k + 1, k]
            found[i, k] /= least if abs(gap) < least else gap
            size = abs(found[i, k])
            if size > _LARGE:
                found[:, k] /= size
    return _of_length_one(q @ found)


def _of_length_one(columns: Array) -> Array:
    """Return columns of length 1 whose largest element, the first of equal ones, is positive."""
    result = np.empty_like(columns)
    for k, column in enumerate(columns.T):
        best = 0
        for r in range(len(column)):
            if abs(column[r]) ** 2 > abs(column[best]) ** 2 * (1 + _TIE):
                best = r
        result[:, k] = column * (np.conj(column[best]) / abs(column[best]))
    return result / np.linalg.norm(columns, axis=0)


def _complex(x: Array) -> Array:
    """Return pairs as complex numbers."""
    return x[..., 0].astype(np.float64) + 1j * x[..., 1].astype(np.float64)


def _pairs(x: Array) -> Array:
    """Return complex numbers as pairs."""
    return np.stack([np.real(x), np.imag(x)], -1)
