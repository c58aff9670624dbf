"""An operator without its attributes, for lookup by name and for comparison."""

from collections.abc import Mapping
from typing import Any, NoReturn

from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError


class OperatorKind:
    """An operator whose attributes are not chosen yet.

    It equals every operator of its name, as classic code expects, and can be called: the attributes
    are those of the call, or the defaults.

    >>> from relay.opdef.table import operator
    >>> from relay.ir.expr import Operator
    >>> @operator("doctest.scale")
    ... class Scale(Operator):
    ...     by: int = 1
    >>> OperatorKind(Scale) == Scale(1), Scale(2) == OperatorKind(Scale)
    (True, True)
    """

    def __init__(self, cls: Any) -> None:
        self._cls = cls

    @property
    def name(self) -> str:
        """Return the name of the operator."""
        return self._cls.name

    @property
    def operator(self) -> Any:
        """Return the operator's class."""
        return self._cls

    @property
    def num_inputs(self) -> int:
        """Return the number of arguments."""
        return len(self._cls.arguments())

    def made(self, attributes: Mapping[str, object]) -> Any:
        """Return the operator with these attributes, the others at their defaults.

        Raises `T016` for a missing or unknown attribute and `T008` for a value of the wrong kind.
        """
        return self._cls.made(attributes)

    def __call__(self, *args: Any, **attributes: object) -> Any:
        """Return a call with arguments and, by their names, attributes."""
        return self.made(attributes)(*args)

    def __eq__(self, other: object) -> bool:
        """Whether the other object is an operator, or operator kind, of the same name."""
        kind = other._cls if isinstance(other, OperatorKind) else type(other)
        return issubclass(kind, self._cls)

    def __hash__(self) -> NoReturn:
        """Raise `U073`: an operator kind equals operators with different hashes."""
        message = f"{self.name} without its attributes is not a key of a dictionary, nor in a set"
        help_ = f'use its name: {{"{self.name}": …}}[call.op.name]'
        raise UsageError(ErrorCode.U073, message, help=help_)

    def __repr__(self) -> str:
        return f'relay.op.get("{self.name}")'
