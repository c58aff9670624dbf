"""Access to one StableHLO operation for its translation: operands, attributes and regions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from relay.frontend.stablehlo.attributes import elements, plain
from relay.ir.dims import ANY, Dim, Shape, variables
from relay.ir.expr import Array, Expr, Var
from relay.ir.types import TensorType
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Span

WITHOUT_MEANING = frozenset(
    ("mhlo.sharding", "mhlo.frontend_attributes", "mhlo.layout_mode", "xla_shape",
     "indices_are_sorted", "unique_indices", "is_stable", "mhlo.no_batching")
)  # fmt: skip
"""Attributes that do not affect values."""


@dataclass(frozen=True)
class Region:
    """A nested region: the types of its parameters, and a function that computes its results."""

    types: tuple[TensorType, ...]
    run: Callable[[Sequence[Expr]], Sequence[Expr]]

    def __call__(self, *values: Expr) -> list[Expr]:
        """Return the results of the region for `values` of its parameters."""
        return list(self.run(values))

    def variables(self) -> list[Var]:
        """Return new variables for the parameters."""
        return [Var(f"a{index}", ty) for index, ty in enumerate(self.types)]


class KnownSizes(Protocol):
    """The integer tensors whose elements are known during import as dimensions."""

    def of(self, x: Expr) -> Array | None:
        """Return the elements of an integer tensor as dimensions; None for large tensors."""
        ...

    def clamp(self, x: Dim, limit: Dim) -> Dim:
        """Return a number, clamped to the interval from 0 to `limit`; `Any` if it is unknown."""
        ...


@dataclass(frozen=True)
class Surroundings:
    """The context of an operation: its translated regions, and the program around it.

    `called` translates a call. `sizes` are the known sizes; `asserted` takes a condition about
    sizes, which must hold, and the error message.
    """

    regions: tuple[Region, ...]
    called: Callable[[str, Sequence[Expr]], Sequence[Expr]]
    sizes: KnownSizes
    asserted: Callable[[Expr, str], None]


@dataclass(eq=False)
class HloNode:
    """A StableHLO operation with translated operands, as a translation function receives it."""

    name: str
    operands: tuple[Expr, ...]
    result_types: tuple[TensorType, ...]
    attributes: dict[str, Any]
    span: Span
    around: Surroundings
    _read: set[str] = field(default_factory=set[str])

    @property
    def op(self) -> str:
        """Return the operation's name without the dialect prefix."""
        return self.name.partition(".")[2]

    @property
    def result_type(self) -> TensorType:
        """Return the type of the only result."""
        (found,) = self.result_types
        return found

    def type(self, index: int) -> TensorType:
        """Return the type of an operand."""
        return self.operands[index].tensor_type

    @property
    def region_count(self) -> int:
        """Return the number of regions."""
        return len(self.around.regions)

    def region(self, index: int) -> Region:
        """Return a region."""
        return self.around.regions[index]

    def called(self, name: str, values: Sequence[Expr]) -> Sequence[Expr]:
        """Return the results of calling the module's function `name` with `values`."""
        return self.around.called(name, values)

    def sizes(self, index: int) -> Shape:
        """Return an operand that is a vector as dimensions; `Any` for elements of unknown value."""
        return _as_sizes(self.around.sizes.of(self.operands[index]), self.operands[index])

    def differences(self, index: int, other: int) -> Shape:
        """Return the difference of two operands that are vectors; `Any` for unknown elements."""
        known = [self.around.sizes.of(self.operands[each]) for each in (index, other)]
        both = None if known[0] is None or known[1] is None else known[0] - known[1]
        return _as_sizes(both, self.operands[index])

    def clamped(self, index: int, limits: Sequence[Dim]) -> Shape:
        """Return an operand that is a vector, clamped to the intervals from 0 to limits."""
        known = self.around.sizes.of(self.operands[index])
        if known is None:
            return (ANY,) * len(limits)
        pairs = zip(known.reshape(-1), limits, strict=True)
        return tuple(self.around.sizes.clamp(*pair) for pair in pairs)

    def assert_sizes(self, condition: Expr, said: str) -> None:
        """Let the program trap unless a condition holds; `said` is the error message."""
        self.around.asserted(condition, said)

    def __contains__(self, name: str) -> bool:
        """Whether the operation has an attribute."""
        return name in self.attributes

    def attribute(self, name: str) -> Any:
        """Return an attribute as an MLIR object; raises `F023` if it is missing."""
        self._read.add(name)
        if name not in self.attributes:
            raise self.error(ErrorCode.F023, f"the attribute '{name}' is missing")
        return self.attributes[name]

    def ignore(self, *names: str) -> None:
        """Mark attributes as read that the translation ignores, because they have no effect."""
        self._read.update(names)

    def ignore_all(self) -> None:
        """Mark all attributes as read: they do not affect the result."""
        self._read.update(self.attributes)

    def check_all_read(self) -> None:
        """Raise `F052` for attributes that affect the result but were not read."""
        for name in self.attributes:
            if name not in self._read and name not in WITHOUT_MEANING:
                raise self.error(ErrorCode.F052, f"the attribute '{name}' is not supported")

    def array(self, name: str) -> Array:
        """Return the elements of a constant attribute; a splat constant gives a scalar array."""
        return elements(self.attribute(name), self.result_type)

    def ints(self, name: str) -> tuple[int, ...]:
        """Return an attribute that is a list of integers."""
        return tuple(int(each) for each in plain(self.attribute(name)))

    def ints_or(self, name: str, default: tuple[int, ...]) -> tuple[int, ...]:
        """Return an attribute that is a list of integers, or `default` if it is missing."""
        return self.ints(name) if name in self else default

    def flags_or(self, name: str, default: tuple[bool, ...]) -> tuple[bool, ...]:
        """Return an attribute that is a list of booleans, or `default` if it is missing."""
        return (
            tuple(bool(each) for each in plain(self.attribute(name))) if name in self else default
        )

    def matrix(self, name: str, rows: int) -> list[tuple[int, int]]:
        """Return an attribute that is a list of pairs, or `rows` pairs of zeros if missing."""
        if name not in self:
            return [(0, 0)] * rows
        found = [int(each) for each in plain(self.attribute(name))]
        return list(zip(found[::2], found[1::2], strict=True))

    def integer(self, name: str) -> int:
        """Return an attribute that is an integer."""
        return int(self.attribute(name).value)

    def text(self, name: str) -> str:
        """Return an attribute that is a string."""
        return str(self.attribute(name).value)

    def symbol(self, name: str) -> str:
        """Return an attribute that names a function."""
        return str(self.attribute(name).value)

    def enumeration(self, name: str) -> str:
        """Return the name of the enumeration member that an attribute has as value."""
        found = self.attribute(name)
        if hasattr(found, "value"):
            return str(found.value)
        return str(found).removesuffix(">").rpartition(" ")[2]  # it has no class in the bindings

    def error(self, code: ErrorCode, problem: str, help: str | None = None) -> RelayImportError:
        """Return an error located at this operation."""
        return RelayImportError(code, f"{self.name}: {problem}", span=self.span, help=help)


def is_size(dim: Dim) -> bool:
    """Whether a dimension is computed from input sizes: it contains no fresh variable."""
    return dim is not ANY and not any(each.serial for each in variables(dim))


def _as_sizes(known: Array | None, x: Expr) -> Shape:
    if known is None:
        (count,) = x.tensor_type.static_shape
        return (ANY,) * count
    return tuple(each if is_size(each) else ANY for each in known.reshape(-1))
