"""An operator without chosen attributes, for lookup by name and for comparison."""

from collections.abc import Mapping
from inspect import getdoc
from typing import Any, NoReturn

from relay.ir.registration_names import RegistrationNames
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError


class OperatorKind(RegistrationNames):
    """An operator by name, without chosen attributes.

    It equals every operator of its name, as in TVM's Relay. Calling it sets the attributes: those
    that the call passes, and the defaults of the others.

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
        """Return the number of arguments of the operator."""
        return len(self._cls.arguments())

    def arguments(self) -> tuple[str, ...]:
        """Return the names of the operator's arguments."""
        names: tuple[str, ...] = self._cls.arguments()
        return names

    @property
    def description(self) -> str:
        """Return the documentation of the operator."""
        return getdoc(self._cls) or ""

    def get_attr(self, name: str) -> object:
        """Return the property that has this name in TVM's Relay; None for unknown names."""
        return self._cls.get_attr(self._cls, name)  # properties are those of the class

    def made(self, attributes: Mapping[str, object]) -> Any:
        """Return an operator with the given attributes and the defaults of the others.

        Raises `T016` for a missing or unknown attribute and `T008` for a value of the wrong type.
        """
        return self._cls.made(attributes)

    def __call__(self, *args: Any, **attributes: object) -> Any:
        """Return a call of the operator with these arguments and attributes."""
        return self.made(attributes)(*args)

    def __eq__(self, other: object) -> bool:
        """Whether `other` is an operator, or an operator kind, of the same name."""
        kind = other._cls if isinstance(other, OperatorKind) else type(other)
        return issubclass(kind, self._cls)

    def __hash__(self) -> NoReturn:
        """Raise `U073`: no hash could agree with those of all operators that it equals."""
        message = (
            f"{self.name} is given without its attributes, so it cannot be a key of a "
            "dictionary or in a set"
        )
        help_ = f'use the name of the operator as the key: {{"{self.name}": …}}[call.op.name]'
        raise UsageError(ErrorCode.U073, message, help=help_)

    def __repr__(self) -> str:
        return f'relay.op.get("{self.name}")'
