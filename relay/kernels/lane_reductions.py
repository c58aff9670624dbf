"""Lane reductions: the lanes of one vector to a scalar, of several vectors to one lane each."""

from collections.abc import Sequence

from relay.kernels.scalar import Op, Scalar
from relay.support.dtype import DType
from relay.support.node import Value, set_field, value


@value
class Fold(Scalar, Value):
    """Lane `i` is all lanes of `rows[i]` combined by `op`, in any order (loops only).

    What lanes behind those of the rows hold is not said. One row and one lane make a scalar.
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
        """Return the rows."""
        return self.rows

    def with_parts(self, parts: Sequence[Scalar]) -> Scalar:
        """Return the same combination of other rows."""
        return Fold(self.op, tuple(parts), self.lanes)
