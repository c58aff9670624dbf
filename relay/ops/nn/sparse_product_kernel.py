"""The kernel loops of products of a dense matrix with a sparse matrix in compressed rows."""

from functools import reduce

from relay.kernels import te
from relay.kernels.loops import Buffer, Mode, Stmt
from relay.ops.families import extents
from relay.ops.tensor.loop_nests import fill, nest
from relay.support.dtype import DType, float32, int64

_TOGETHER = 4
"""The number of blocks added together, so that fewer additions depend on each other."""


def sparse_product(
    dense: te.Tensor, data: te.Tensor, indices: te.Tensor, indptr: te.Tensor
) -> te.Tensor:
    """Return the product of the sparse matrix and the transposed dense matrix.

    Each stored block adds multiples of columns of the dense matrix to a row of sums. The dense
    matrix is transposed first, so that these columns are contiguous. Indices outside of the matrix
    are moved to the nearest inside.
    """
    (many, inner), (_, *block) = extents(dense), extents(data)
    tall, rows = (block or [1])[0], extents(indptr)[0] - 1
    turned = te.compute((inner, many), lambda *i: dense[i[::-1]], name="turned")
    element = dense.dtype

    def build(inputs: tuple[Buffer, ...], outputs: tuple[Buffer, ...]) -> Stmt:
        b, (columns, values, places, starts) = te.LoopBuilder(), inputs
        row_sums = _RowSums(b, columns, values, places, _wide(element))
        with b.for_(rows, "row") as row:
            row_sums.add(starts[row], starts[row + 1])
            with nest(b, row_sums.sums.shape) as (i, m):
                total = te.cast(row_sums.sums[i, m], element)
                b.store(outputs[0], (row * tall + i, m), total)
        return b.finish()

    kinds = [((rows * tall, many), element)]
    return te.loops(kinds, [turned, data, indices, indptr], build, "sparse")[0]


def _wide(element: DType) -> DType:
    return float32 if element.is_float and element.bits < float32.bits else element


_LANES = 64
"""The largest number of lanes of a vector of sums, which is kept in several registers."""


class _RowSums:
    """The sums of a row of blocks, for all columns of the dense matrix."""

    def __init__(
        self, b: te.LoopBuilder, columns: Buffer, values: Buffer, places: Buffer, total: DType
    ) -> None:
        self._b = b
        self._columns, self._values, self._places = columns, values, places
        self._block = values.shape[1:]
        self._blocks = columns.shape[0] // (self._block[1] if self._block else 1)
        # A matrix without columns has no elements, whatever its parts say.
        self._count = te.minimum(values.shape[0], values.shape[0] * self._blocks)
        tall = self._block[0] if self._block else 1
        self.sums = b.scratch((tall, columns.shape[1]), total, "sums")

    def add(self, first: te.Scalar, end: te.Scalar) -> None:
        """Compute the sums of the blocks in a range, which is limited to existing blocks."""
        b = self._b
        fill(b, self.sums, 0)
        low, high = (
            b.let(te.maximum(te.minimum(te.cast(each, int64), self._count), 0), "bound")
            for each in (first, end)
        )
        length = b.let(te.maximum(high - low, 0), "length")
        with b.for_(length // _TOGETHER, "group") as group:
            self._add([low + group * _TOGETHER + k for k in range(_TOGETHER)])
        with b.for_(length % _TOGETHER, "rest") as rest:
            self._add([high - 1 - rest])

    def _add(self, numbers: list[te.Scalar]) -> None:
        """Add the products of several blocks to the sums."""
        b, total = self._b, self.sums.dtype
        wide = self._block[1] if self._block else te.const(1)
        starts = [b.let(self._column(at) * wide, "start") for at in numbers]
        with nest(b, self._block or [te.const(1), te.const(1)]) as (i, j):
            values = [self._values[at, i, j] if self._block else self._values[at] for at in numbers]
            factors = [b.let(te.cast(value, total), "factor") for value in values]
            with b.for_(self.sums.shape[1], "m", mode=self._mode) as m:
                terms = [
                    te.cast(self._columns[start + j, m], total) * factor
                    for start, factor in zip(starts, factors, strict=True)
                ]
                b.store(self.sums, (i, m), self.sums[i, m] + reduce(lambda a, c: a + c, terms))

    @property
    def _mode(self) -> Mode:
        """Return the kind of the loop over dense columns: a vector if they are few and static."""
        match self.sums.shape[1]:
            case int(many) if 1 < many <= _LANES:
                return Mode.VECTOR
            case _:
                return Mode.SERIAL  # LLVM vectorises it

    def _column(self, at: te.Scalar) -> te.Scalar:
        """Return the block column of a stored block, limited to existing columns."""
        return te.maximum(te.minimum(te.cast(self._places[at], int64), self._blocks - 1), 0)
