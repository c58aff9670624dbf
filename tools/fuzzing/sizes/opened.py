"""Programs of one operator each, made from its examples with symbolic or unknown sizes."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

import relay.ops  # noqa: F401  # pyright: ignore[reportUnusedImport] - declares them
from relay.ir.dims import ANY, Dim, DimVar
from relay.ir.expr import Call, Expr, Function, Tuple, Var
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.opdef.table import OPERATORS
from relay.semantics.infer import infer
from relay.support.errors import RelayTypeError
from relay.testing.example_types import fields_of

KINDS = ("unknown", "free", "tied", "single")
"""All sizes `?`, all sizes of different names, equal sizes of equal names, or one size `?`."""

NOT_SWEPT = frozenset({"dyn.set_part", "searchsorted"})
"""Operators whose arguments cannot be random: ranges within a tensor, sorted numbers."""


@dataclass(frozen=True)
class Opened:
    """A call of an operator on arguments of these types, with symbolic or unknown sizes."""

    name: str
    number: int
    kind: str
    types: tuple[TensorType, ...]

    @property
    def example(self) -> Example:
        """Return the example that it is made from."""
        return cast("type[OperatorDef]", OPERATORS[self.name]).examples[self.number]

    @property
    def is_open(self) -> bool:
        """Whether it has a size that is not a constant."""
        return any(not isinstance(dim, int) for ty in self.types for dim in ty.shape)

    def __str__(self) -> str:
        types = ", ".join(map(repr, self.types))
        return f"{self.name}, example {self.number}, {self.kind}: {types}"

    def module(self) -> Module | None:
        """Return the typed program; None if the operator rejects such sizes."""
        params = tuple(Var(f"p{number}", ty) for number, ty in enumerate(self.types))
        op = OPERATORS[self.name](**self.example.attributes)
        try:
            return infer(Module.of(Function(params, Call(op, self._arguments(params)))))
        except RelayTypeError:
            return None

    def _arguments(self, params: Sequence[Var]) -> tuple[Expr, ...]:
        rest = iter(params)
        return tuple(
            next(rest)
            if isinstance(ty, TensorType)
            else Tuple(tuple(next(rest) for _ in ty.fields))
            for ty in self.example.types
        )


def opened(kinds: Sequence[str] = KINDS, examples: int | None = None) -> list[Opened]:
    """Return the programs of all operators, in the order of the table, from that many examples."""
    return [
        each
        for name, cls in OPERATORS.items()
        if issubclass(cls, OperatorDef) and name not in NOT_SWEPT
        for number, example in enumerate(cls.examples[:examples])
        for kind in kinds
        for each in _opened(name, number, kind, example)
    ]


def _opened(name: str, number: int, kind: str, example: Example) -> Iterator[Opened]:
    types = tuple(field for ty in example.types for field in fields_of(ty))
    places = [(tensor, axis) for tensor, ty in enumerate(types) for axis in range(ty.rank)]
    choices = [frozenset((place,)) for place in places] if kind == "single" else [frozenset(places)]
    for chosen in choices:
        yield Opened(name, number, kind, open_types(types, kind, chosen))


Place: TypeAlias = tuple[int, int]
"""A position of a size: the number of the tensor, and the axis."""


def open_types(
    types: Sequence[TensorType], kind: str, chosen: Collection[Place], prefix: str = "n"
) -> tuple[TensorType, ...]:
    """Return types whose sizes at the chosen positions are open; names begin with `prefix`."""
    names = _names(kind, types, prefix)
    return tuple(_renamed(tensor, ty, chosen, names) for tensor, ty in enumerate(types))


def _names(kind: str, types: Sequence[TensorType], prefix: str) -> Callable[[Place], Dim]:
    """Return a function that names the size at a position."""

    def name(place: Place) -> Dim:
        tensor, axis = place
        match kind:
            case "unknown":
                return ANY
            case "tied":
                return DimVar(f"{prefix}{types[tensor].shape[axis]}")
            case _:
                return DimVar(f"{prefix}{tensor}_{axis}")

    return name


def _renamed(
    tensor: int, ty: TensorType, chosen: Collection[Place], names: Callable[[Place], Dim]
) -> TensorType:
    places = ((tensor, axis) for axis in range(ty.rank))
    shape = (
        names(place) if place in chosen else size
        for place, size in zip(places, ty.shape, strict=True)
    )
    return TensorType(tuple(shape), ty.dtype)
