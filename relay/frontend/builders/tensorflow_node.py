"""Access to the inputs of a node of TensorFlow or TensorFlow Lite, which share operators."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from relay.frontend.node_errors import static_size
from relay.ir.dims import ANY, Dim
from relay.ir.expr import Array, Constant, Expr
from relay.ir.types import TensorType
from relay.ops.shape_arithmetic import sizes_of
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Span


class InputReader(ABC):
    """A node whose inputs can be read as expressions, as constants and as sizes.

    Its attributes have the names of TensorFlow. `constant_help` is the advice for an input that
    must be a constant.
    """

    constant_help: ClassVar[str]
    inputs: Sequence[Any]
    span: Span

    @property
    @abstractmethod
    def op(self) -> str:
        """Return the name of the operator."""

    @abstractmethod
    def expr(self, index: int) -> Expr:
        """Return an input as an expression; raises `F020` or `F021` if it is not a tensor."""

    @abstractmethod
    def flag(self, name: str) -> bool:
        """Return an attribute that is a boolean."""

    @abstractmethod
    def integer_of(self, name: str, default: int | None = None) -> int:
        """Return an attribute that is an integer."""

    @abstractmethod
    def ints_of(self, name: str, default: Sequence[int] | None = None) -> tuple[int, ...]:
        """Return an attribute that is a list of integers."""

    @abstractmethod
    def ignore(self, *names: str) -> None:
        """Mark attributes as read that the translation ignores, because they have no effect."""

    @abstractmethod
    def error(self, code: ErrorCode, problem: str, help: str | None = None) -> RelayImportError:
        """Return an error located at this node."""

    def exprs(self) -> list[Expr]:
        """Return all inputs, which must be tensors."""
        return [self.expr(index) for index in range(len(self.inputs))]

    def type(self, index: int) -> TensorType:
        """Return the type of an input."""
        return self.expr(index).tensor_type

    def constant(self, index: int, what: str) -> Array:
        """Return the array of a constant input; raises `F022` if it is not constant."""
        found = self.expr(index)
        if not isinstance(found, Constant):
            raise self._at_run_time(index, what)
        return found.array

    def sizes(self, index: int) -> tuple[Dim, ...] | None:
        """Return the integers in an input as dimensions; None if one of them is unknown."""
        found = sizes_of(self.expr(index))
        known = None if found is None else tuple(found.reshape(-1).tolist())
        return None if known is None or ANY in known else known

    def ints(self, index: int, what: str) -> tuple[int, ...]:
        """Return the elements of an input as integers; raises `F022` if they are not constant."""
        if isinstance(self.expr(index), Constant):
            return tuple(map(int, self.constant(index, what).reshape(-1)))
        found = self.sizes(index)
        if found is None or not all(isinstance(each, int) for each in found):
            raise self._at_run_time(index, what)
        return tuple(static_size(each) for each in found)

    def pairs(self, index: int, what: str) -> tuple[tuple[int, int], ...]:
        """Return the elements of an input as pairs of integers, such as widths of a padding."""
        found = self.ints(index, what)
        return tuple(zip(found[::2], found[1::2], strict=True))

    def integer(self, index: int, what: str) -> int:
        """Return the single constant integer in an input; raises `F022` or `F026`."""
        found = self.ints(index, what)
        if len(found) != 1:
            raise self.error(
                ErrorCode.F026, f"{what} (input number {index}) must be one number, not {found}"
            )
        return found[0]

    def axes(self, index: int) -> tuple[int, ...]:
        """Return an input as nonnegative sorted axes of the first input; raises `F026`."""
        rank, found = self.type(0).rank, self.ints(index, "the axes")
        if any(not -rank <= axis < rank for axis in found):
            raise self.error(
                ErrorCode.F026, f"the axes {found} are out of range for a tensor of rank {rank}"
            )
        return tuple(sorted({axis % rank for axis in found}))

    def _at_run_time(self, index: int, what: str) -> RelayImportError:
        return self.error(
            ErrorCode.F022,
            f"{what} (input number {index}) must be a constant, but is computed at run time",
            self.constant_help,
        )
