"""The table of operators: every class declared with `@operator`, keyed by its name in programs."""

from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from typing import TypeVar, dataclass_transform

from relay.ir.expr import Operator
from relay.ir.field_validation import require_name
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError
from relay.support.late_binding import module_above
from relay.support.node import value

_Class = TypeVar("_Class", bound=type[Operator])


class OperatorTable(Mapping[str, type[Operator]]):
    """A mapping from names to operator classes, in the order of their declaration.

    The first look-up imports `relay.ops`, which declares Relay's own operators.
    """

    def __init__(self) -> None:
        self._classes: dict[str, type[Operator]] = {}
        self._is_filled = False

    def __getitem__(self, name: str) -> type[Operator]:
        return self._filled()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._filled())

    def __len__(self) -> int:
        return len(self._filled())

    def _filled(self) -> dict[str, type[Operator]]:
        if not self._is_filled:
            module_above("relay.ops")
            self._is_filled = True
        return self._classes

    def add(self, name: str, cls: type[Operator]) -> None:
        """Add an operator class under a name that is not taken yet."""
        assert name not in self._classes, f"operator {name} is declared twice"
        self._classes[name] = cls

    def find(self, name: str) -> type[Operator]:
        """Return the operator class of that name; raises `T005`, which suggests similar names."""
        require_name("the name of an operator", name)
        if name not in self._filled():
            near = get_close_matches(name, self._classes, n=3)
            raise RelayTypeError(
                ErrorCode.T005,
                f"there is no operator named '{name}'",
                help=f"did you mean {' or '.join(near)}?"
                if near
                else "list all operators with the command `relay ops`",
            )
        return self._classes[name]


OPERATORS = OperatorTable()

OVERLOADS: dict[str, type[Operator]] = {}
"""The operator class that each Python operator, such as `+`, stands for on expressions."""


@dataclass_transform(frozen_default=True, eq_default=False)
def operator(name: str, symbol: str | None = None) -> Callable[[_Class], _Class]:
    """Declare an operator class and its name in programs, as in `@operator("nn.relu")`.

    The class becomes a `@value` whose fields are the operator's attributes, and is added to the
    table. `symbol` is the Python operator that stands for it, if any, such as `+`, `<=`, or `-x`
    for a prefix.
    """

    def declare(cls: _Class) -> _Class:
        cls.name = name
        declared = value(cls)
        OPERATORS.add(name, declared)
        if symbol is not None:
            assert symbol not in OVERLOADS, f"{name}: {symbol} is taken"
            OVERLOADS[symbol] = declared
        return declared

    return declare
