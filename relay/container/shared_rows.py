"""Writing and reading types, dimensions, operators and attributes as rows of a table.

A row is a tag and its operands, literals or numbers of earlier rows: `["int", 3]`, `["tuple", 4,
4]`, `["TensorType", 5, 0]`, `["operator", "nn.relu"]`. Equal values share a row.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any, TypeAlias, cast

from relay.ir.dims import (
    ANY,
    AnyDim,
    Dim,
    DimVar,
    FloorDiv,
    Maximum,
    Polynomial,
    Shape,
    Symbolic,
    add,
    broadcast,
    floor_divide,
    maximum,
    multiply,
    product,
)
from relay.ir.expr import Constructor, Operator
from relay.ir.types import (
    FuncType,
    GlobalTypeVar,
    IncompleteType,
    Kind,
    RefType,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    TypeRelation,
    TypeVar,
)
from relay.opdef.table import OPERATORS
from relay.runtime.json_fields import malformed
from relay.support.dtype import DType, dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import ArtefactError, RelayError
from relay.support.trampoline import Task, run
from relay.text.operator_attributes import build_operator

Row: TypeAlias = list[Any]
Check: TypeAlias = Callable[[object], bool]

_THEMSELVES = ("TypeVar", "IncompleteType", "FreshDim")
"""The tags of values that are compared by identity, so that each has a row of its own."""

DEEPEST, WIDEST = 300, 2**22
"""The limits on the nesting depth of values in a file, and on their size as trees."""


class ValueWriter:
    """The table of values that a program refers to: types, dimensions, operators and attributes.

    Each has a numbered row.
    """

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self._by_row: dict[tuple[Any, ...], int] = {}
        self._by_object: dict[int, int] = {}
        self._alive: list[object] = []

    def number(self, value: object) -> int:
        """Return the number of a value's row, added if necessary.

        Raises `A011` if it cannot be stored.
        """
        found = self._by_object.get(id(value))
        return run(self._number(value)) if found is None else found

    def optional(self, value: object | None) -> int:
        """Return 0 for None; for a value, the number of its row plus 1."""
        return 0 if value is None else self.number(value) + 1

    def _number(self, value: object) -> Task[int]:
        if id(value) in self._by_object:
            return self._by_object[id(value)]
        tag, plain, parts = _take_apart(value)
        row = [tag, *plain]
        for part in parts:
            row.append((yield self._number(part)))  # noqa: PERF401 - a generator waits
        if tag in _THEMSELVES:
            number = self._append(row)
        else:
            number = self._by_row.setdefault(tuple(map(_exact, row)), len(self.rows))
            if number == len(self.rows):
                self._append(row)
        self._by_object[id(value)] = number
        self._alive.append(value)
        return number

    def _append(self, row: Row) -> int:
        self.rows.append(row)
        return len(self.rows) - 1


def _exact(item: Any) -> Any:
    return (bool, item) if isinstance(item, bool) else item


def _take_apart(value: object) -> tuple[str, tuple[Any, ...], tuple[object, ...]]:
    """Return the row of a value: its tag, literal operands, and the values that it refers to."""
    match value:
        case None:
            return "none", (), ()
        case bool() | int() | str():
            return type(value).__name__, (value,), ()
        case float():
            return "float", (value.hex(),), ()
        case tuple():
            return "tuple", (), cast("tuple[object, ...]", value)
        case Mapping():
            entries = cast("Mapping[str, object]", value)
            return "map", (), (tuple(entries), tuple(entries.values()))
        case DType():
            return "dtype", (str(value),), ()
        case Operator() if value.name in OPERATORS:
            inner = tuple(getattr(value, name) for name in value.__match_args__)
            return "operator", (value.name,), inner
        case TypeVar(name, kind):
            return "TypeVar", (name, kind.value), ()
        case IncompleteType(kind):
            return "IncompleteType", (kind.value,), ()
        case DimVar(name, serial):
            return "FreshDim" if serial else "DimVar", (), (name,)
        case _ if type(value).__name__ in _SHAPES and isinstance(value, _CLASSES):
            inner = tuple(getattr(value, name) for name in type(value).__match_args__)
            return type(value).__name__, (), inner
        case _:
            raise ArtefactError(
                ErrorCode.A011,
                f"an attribute of type {type(value).__name__} cannot be saved: {value!r}",
                help="use numbers, strings, element types, sizes or tuples of them as attributes",
            )


_CLASSES = (
    AnyDim,
    DimVar,
    FloorDiv,
    Maximum,
    Polynomial,
    TensorType,
    TupleType,
    FuncType,
    RefType,
    GlobalTypeVar,
    TypeCall,
    TypeRelation,
    Constructor,
)


def is_a(*kinds: Any) -> Check:
    """Return a predicate: whether a value is an instance of one of `kinds` (bool is not an int)."""
    return lambda found: isinstance(found, kinds) and not isinstance(found, bool)


def all_are(check: Check) -> Check:
    """Return a predicate: whether a value is a tuple whose elements all satisfy `check`."""

    def passes(found: object) -> bool:
        return isinstance(found, tuple) and all(map(check, cast("tuple[object, ...]", found)))

    return passes


def _is_term(found: object) -> bool:
    """Whether a value is a term of a polynomial: a pair of a coefficient and a tuple of atoms."""
    pair = cast("tuple[object, ...]", found) if isinstance(found, tuple) else ()
    return len(pair) == 2 and _is_count(pair[0]) and all_are(is_a(Symbolic))(pair[1])


def _sum(terms: tuple[tuple[int, tuple[Symbolic, ...]], ...]) -> Dim:
    total: Dim = 0
    for coefficient, atoms in terms:
        total = add(total, multiply(coefficient, product(atoms)))
    return total


def _fresh_dim(name: str) -> Dim:
    return DimVar(name).fresh()


def _broadcast(sizes: Shape) -> Dim:
    return broadcast(*sizes)


_is_type, _is_size, _is_text, _is_count = is_a(Type), is_a(int, Symbolic), is_a(str), is_a(int)
_SHAPES: dict[str, tuple[Callable[..., object], tuple[Check, ...]]] = {
    "AnyDim": (lambda: ANY, ()),
    "DimVar": (DimVar, (_is_text,)),
    "FreshDim": (_fresh_dim, (_is_text,)),
    "FloorDiv": (floor_divide, (_is_size, _is_size)),
    "Maximum": (maximum, (_is_size, _is_size)),
    "Broadcast": (_broadcast, (all_are(_is_size),)),
    "Polynomial": (_sum, (all_are(_is_term),)),
    "TensorType": (TensorType, (all_are(_is_size), is_a(DType))),
    "TupleType": (TupleType, (all_are(_is_type),)),
    "FuncType": (
        FuncType,
        (all_are(_is_type), _is_type, all_are(is_a(TypeVar)), all_are(is_a(TypeRelation))),
    ),
    "RefType": (RefType, (_is_type,)),
    "GlobalTypeVar": (GlobalTypeVar, (_is_text,)),
    "TypeCall": (TypeCall, (is_a(GlobalTypeVar), all_are(_is_type))),
    "TypeRelation": (TypeRelation, (is_a(Operator), all_are(_is_type), _is_count)),
    "Constructor": (
        Constructor,
        (_is_text, all_are(_is_type), is_a(GlobalTypeVar), all_are(is_a(TypeVar)), _is_count),
    ),
}
"""For each tag, the constructor of its values and the checks of the row's operands."""


def read_values(rows: object) -> list[object]:
    """Return the values that the rows of a table represent; raises `A006` for invalid rows."""
    if not isinstance(rows, list):
        raise malformed("the table of values is not a list")
    values: list[object] = []
    extents: list[tuple[int, int]] = []
    for row in cast("list[object]", rows):
        try:
            values.append(_put_together(cast("Row", row), values))
            extents.append(_extent(cast("Row", row), extents))
        except (RelayError, TypeError, ValueError, ArithmeticError, LookupError) as error:
            raise malformed(f"value {len(values)}: {error}") from None
    return values


def _extent(row: Row, extents: list[tuple[int, int]]) -> tuple[int, int]:
    """Return the nesting depth of the value of a row, and its size if written without sharing.

    `extents` has those of earlier rows. Raises `ValueError` beyond the limits, which are needed
    because types are compared and printed by recursion, without regard to sharing.
    """
    has_parts = row[0] in _SHAPES or row[0] in ("tuple", "map", "operator")
    inner = [extents[part] for part in row[1:] if has_parts and type(part) is int]
    depth, size = 1 + max((d for d, _ in inner), default=0), 1 + sum(s for _, s in inner)
    if depth > DEEPEST or size > WIDEST:
        raise ValueError(
            f"the value is nested {depth} deep and has {size} parts, but at most {DEEPEST} "
            f"and {WIDEST} are allowed"
        )
    return depth, size


def _put_together(row: Row, values: list[object]) -> object:
    match row:
        case ["none"]:
            return None
        case ["bool", bool() as flag]:
            return flag
        case ["int", int() as number]:
            return number
        case ["str", str() as text]:
            return text
        case ["float", str() as digits]:
            return float.fromhex(digits)
        case ["dtype", str() as name]:
            return dtype(name)
        case ["TypeVar", str() as name, int() as kind]:
            return TypeVar(name, Kind(kind))
        case ["IncompleteType", int() as kind]:
            return IncompleteType(Kind(kind))
        case ["tuple", *parts]:
            return tuple(_parts(parts, values))
        case ["map", *parts]:
            return _map(*_parts(parts, values))
        case ["operator", str() as name, *parts]:
            return _operator(name, _parts(parts, values))
        case [str() as tag, *parts] if tag in _SHAPES:
            return _shaped(tag, _parts(parts, values))
        case _:
            raise ValueError("the kind of the entry is unknown")


def _map(keys: object, values: object) -> Mapping[str, object]:
    if not all_are(_is_text)(keys) or not isinstance(values, tuple):
        raise ValueError("the keys or values of a dictionary are invalid")
    names, items = cast("tuple[str, ...]", keys), cast("tuple[object, ...]", values)
    return MappingProxyType(dict(zip(names, items, strict=True)))


def _parts(numbers: list[Any], values: list[object]) -> list[object]:
    if not all(type(number) is int and 0 <= number < len(values) for number in numbers):
        raise ValueError("the entry refers to one that does not precede it")
    return [values[number] for number in numbers]


def _operator(name: str, attributes: list[object]) -> Operator:
    cls = OPERATORS.find(name)
    declared: Any = cls
    names = [field.name for field in fields(declared)]
    return build_operator(cls, dict(zip(names, attributes, strict=True)), None)


def _shaped(tag: str, parts: list[object]) -> object:
    build, checks = _SHAPES[tag]
    if not all(check(part) for check, part in zip(checks, parts, strict=True)):
        raise ValueError(f"the parts of this {tag} are invalid")
    return build(*parts)
