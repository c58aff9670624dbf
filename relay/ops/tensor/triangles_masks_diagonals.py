"""Operators that keep or replace elements by their position: triangles, masks, diagonals."""

from collections.abc import Sequence

import numpy as np

from relay.ir.dims import Dim
from relay.ir.expr import Array, Call, Constant, Expr
from relay.ir.types import TensorType
from relay.kernels import te
from relay.opdef import checks
from relay.opdef.definition import Fusion, OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import operator
from relay.ops.comparison import less
from relay.ops.creation import FullLike, number
from relay.ops.families import NUMBERS
from relay.ops.selection import where
from relay.ops.tensor.dim_arithmetic import minimum, require_integer, require_same_shape
from relay.ops.tensor.gather import TakeGrad
from relay.ops.tensor.position_tensors import positions
from relay.support.dtype import bool_, float32, int32, int64
from relay.support.error_codes import ErrorCode


@operator("trilu")
class Trilu(OperatorDef):
    """Keep the upper (or lower) triangle of each innermost matrix, and set the rest to zero.

    `k` is an integer of rank 0, the diagonal where the triangle begins: 0 is the main diagonal, and
    positive ones are above it. Takes any element type, of rank 2 or more.
    """

    upper: bool = True

    examples = (
        Example("f32[3, 4]", "i64[]", values={1: 0}),
        Example("i64[2, 4, 3]", "i32[]", upper=False, values={1: -1}),
        Example("bool[3, 3]", "i64[]", values={1: 2}),
        Example("f64[0, 2]", "i64[]", upper=False, values={1: 1}),
    )

    def infer(self, x: TensorType, k: TensorType) -> TensorType:
        checks.attribute(self.name, x.rank >= 2, f"data must have at least two axes, not {x!r}")
        checks.rank(self.name, "k", k, 0)
        require_integer(self.name, "k", k)
        return x

    def compute(self, x: te.Tensor, k: te.Tensor) -> te.Tensor:
        def pick(*i: te.Scalar) -> te.Scalar:
            diagonal, at = te.cast(k[()], int64), i[-1] - i[-2]
            kept = at >= diagonal if self.upper else at <= diagonal
            return te.select(kept, x[i], te.const(0, x.dtype))

        return te.compute(x.shape, pick)

    def reference(self, x: Array, k: Array) -> Array:
        return (np.triu if self.upper else np.tril)(x, int(k))

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return Call(self, (d_out, call.args[1])), None


@operator("sequence_mask")
class SequenceMask(OperatorDef):
    """Replace the elements of each sequence from index `valid_length` on by `mask_value`.

    `axis` (0 or 1) is the time axis, and the other of the two is the batch axis; `valid_length` is
    a vector with one number for each sequence. Takes any element type, of rank 2 or more.
    """

    mask_value: float = 0.0
    axis: int = 0

    fusion = Fusion.INJECTIVE
    examples = (
        Example("f32[4, 3]", "i32[3]", values={1: [0, 2, 9]}),
        Example("f32[3, 4, 2]", "f32[3]", axis=1, mask_value=-1.5, values={1: [1.5, 2.5, 4.5]}),
        Example("i64[2, 2]", "i64[2]", mask_value=7.0, values={1: [1, 2]}),
        Example("f32[2, 15]", "i4[2]", axis=1, values={1: [-2, 6]}),
    )

    def infer(self, x: TensorType, valid_length: TensorType) -> TensorType:
        checks.attribute(self.name, self.axis in (0, 1), "the time axis must be 0 or 1")
        checks.attribute(
            self.name, x.rank >= 2, f"data must have axes for time and batch, not {x!r}"
        )
        checks.rank(self.name, "valid_length", valid_length, 1)
        checks.kind(self.name, "valid_length", valid_length, *NUMBERS)
        is_real = not valid_length.dtype.is_complex
        checks.attribute(self.name, is_real, "valid_length must not be complex")
        checks.size(self.name, "valid_length", x.shape[1 - self.axis], valid_length.shape[0])
        return x

    def compute(self, x: te.Tensor, valid_length: te.Tensor) -> te.Tensor:
        narrow = float32 if valid_length.dtype.is_float else int32  # which hold all indices
        of = narrow if valid_length.dtype.bits < narrow.bits else valid_length.dtype

        def pick(*i: te.Scalar) -> te.Scalar:
            length = valid_length[(i[1 - self.axis],)]
            valid = te.cast(i[self.axis], of) < te.cast(length, of)
            return te.select(valid, x[i], te.const(self._fill(x), x.dtype))

        return te.compute(x.shape, pick)

    def _fill(self, x: te.Tensor) -> float | int:
        return int(self.mask_value) if x.dtype.is_integer else self.mask_value

    def reference(self, x: Array, valid_length: Array) -> Array:
        shape = [1] * x.ndim
        shape[self.axis] = -1
        time = np.arange(x.shape[self.axis], dtype=np.int64).reshape(shape)
        shape[self.axis], shape[1 - self.axis] = 1, -1
        return np.where(time < valid_length.reshape(shape), x, np.array(self.mask_value, x.dtype))

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return Call(SequenceMask(0.0, self.axis), (d_out, call.args[1])), None


@operator("matrix_set_diag")
class MatrixSetDiag(OperatorDef):
    """Replace the diagonals `k1` to `k2` of each innermost matrix.

    Positive diagonals are above the main one. `diagonal` has the shape of `x` with the last two
    axes replaced by the longest diagonal, preceded by the number of diagonals if there are several;
    the topmost diagonal comes first. A shorter diagonal is right-aligned in its row if its side
    (super, sub) says `right_align`. Takes any element type.
    """

    k1: int = 0
    k2: int = 0
    super_diag_right_align: bool = True
    sub_diag_right_align: bool = False

    examples = (
        Example("f32[3, 4]", "f32[3]"),
        Example("f32[2, 3, 3]", "f32[2, 3, 3]", k1=-1, k2=1),
        Example("i64[3, 4]", "i64[2, 3]", k1=1, k2=2, super_diag_right_align=False),
        Example("f64[4, 3]", "f64[2, 3]", k1=-2, k2=-1, sub_diag_right_align=True),
    )

    def infer(self, x: TensorType, diagonal: TensorType) -> TensorType:
        checks.same_dtype(self.name, x, diagonal)
        checks.attribute(self.name, x.rank >= 2, f"data must have at least two axes, not {x!r}")
        checks.attribute(
            self.name, self.k1 <= self.k2, f"k1, {self.k1}, must not be greater than k2, {self.k2}"
        )
        rows, columns = x.shape[-2:]
        lacks = (
            f"a matrix with {rows} rows and {columns} columns does not have all diagonals from "
            "k1 to k2"
        )
        checks.enough(self.name, rows, 1 - self.k1, lacks, ErrorCode.T104)
        checks.enough(self.name, columns, self.k2 + 1, lacks, ErrorCode.T104)
        require_same_shape(self.name, "diagonal", self._expected(x, rows, columns), diagonal.shape)
        return x

    def _expected(self, x: TensorType, rows: Dim, columns: Dim) -> tuple[Dim, ...]:
        longest = minimum(rows + min(self.k2, 0), columns - max(self.k1, 0))
        count = (self.k2 - self.k1 + 1,) if self.k2 > self.k1 else ()
        return (*x.shape[:-2], *count, longest)

    def compute(self, x: te.Tensor, diagonal: te.Tensor) -> te.Tensor:
        rows, columns, longest = x.shape[-2], x.shape[-1], diagonal.shape[-1]

        def pick(*i: te.Scalar) -> te.Scalar:
            k, along = i[-1] - i[-2], te.minimum(i[-1], i[-2])
            length = te.minimum(rows + te.minimum(k, 0), columns - te.maximum(k, 0))
            right = te.select(
                k >= 0,
                te.const(self.super_diag_right_align, bool_),
                te.const(self.sub_diag_right_align, bool_),
            )
            at = te.select(right, along + longest - length, along)
            which = [self.k2 - k] if self.k2 > self.k1 else []
            inside = (k >= self.k1) & (k <= self.k2)
            return te.select(inside, diagonal[(*i[:-2], *which, at)], x[i])

        return te.compute(x.shape, pick)

    def reference(self, x: Array, diagonal: Array) -> Array:
        result = x.copy()
        rows, columns = x.shape[-2:]
        for k in range(self.k1, self.k2 + 1):
            length = min(rows + min(k, 0), columns - max(k, 0))
            row = diagonal[..., self.k2 - k, :] if self.k2 > self.k1 else diagonal
            right = self.super_diag_right_align if k >= 0 else self.sub_diag_right_align
            start = row.shape[-1] - length if right else 0
            steps = np.arange(length, dtype=np.int64)
            result[..., steps + max(-k, 0), steps + max(k, 0)] = row[..., start : start + length]
        return result

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        """Return the derivative for `diagonal` on the diagonals, and for `x` elsewhere.

        The diagonals are found by setting the positions of their elements into a matrix of -1.
        """
        x, diagonal = call.args
        none = Call(FullLike(), (positions(x), Constant(np.asarray(-1))))
        written = Call(self, (none, positions(diagonal)))
        outside, zero = less(written, Constant(np.asarray(0))), number(0, d_out)
        d_diagonal = Call(TakeGrad(), (where(outside, zero, d_out), written, diagonal))
        return where(outside, d_out, zero), d_diagonal
