"""Lane reductions: combine the lanes of one vector, or of several vectors into one."""

from collections.abc import Sequence

from relay.kernels.scalar import Op, Scalar
from relay.support.dtype import DType
from relay.support.node import Value, set_field, value


@value
class LaneReduction(Scalar, Value):
    """A vector whose lane `i` combines all lanes of `rows[i]` by `op`, in any order.

    It occurs only in the loop IR. Lanes after those of the rows are undefined. One row and one lane
    make a scalar.
    """

    op: Op
    rows: tuple[Scalar, ...]
    lanes: int = 1
    dtype: DType = None  # pyright: ignore[reportAssignmentType] - always computed

    def __post_init__(self) -> None:
        row = self.rows[0].dtype
        assert all(one.dtype is row for one in self.rows), f"rows of {row} and of other types"
        assert len(self.rows) <= min(self.lanes, row.lanes), f"{len(self.rows)} rows of {row}"
        set_field(self, "dtype", DType(row.kind, row.bits, self.lanes))

    @property
    def parts(self) -> tuple[Scalar, ...]:
        """Return the vectors whose lanes are reduced."""
        return self.rows

    def with_parts(self, parts: Sequence[Scalar]) -> Scalar:
        """Return the same reduction of other vectors."""
        return LaneReduction(self.op, tuple(parts), self.lanes)
