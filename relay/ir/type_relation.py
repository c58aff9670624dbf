"""Relations between types, which are the constraints of function types."""

from collections.abc import Sequence
from reprlib import repr as short
from typing import Any, Protocol, runtime_checkable

from relay.ir.field_validation import require_mapping
from relay.ir.operator_without_attributes import OperatorKind
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError
from relay.support.node import Value, value


@runtime_checkable
class Relation(Protocol):
    """A relation between types: an operator, or a user-defined value with this method."""

    def relate(self, types: Sequence[Any]) -> Sequence[Any]:
        """Return, for each type, the type that follows from the others, or None.

        Raises `RelayTypeError` if the types violate the relation.
        """
        ...


@value
class Unrelated(Value):
    """The relation of a constraint without a relation: every combination of types satisfies it."""

    def relate(self, types: Sequence[Any]) -> Sequence[Any]:
        """Return None for each type, because nothing can be inferred."""
        return [None] * len(types)


def relation_of(given: object, attributes: object) -> Relation:
    """Return the relation that `given` denotes; raises `T007` for other objects.

    A kind of operator is made with `attributes`, a relation is returned as it is, and None stands
    for a relation that infers nothing.
    """
    if given is None:
        return Unrelated()
    if isinstance(given, OperatorKind):
        chosen: Any = {} if attributes is None else attributes
        require_mapping("the attributes of a relation", chosen)
        return given.made(chosen)
    if not isinstance(given, Relation):
        message = (
            "a type relation must be an operator or an object with a method `relate`, not "
            f"{short(given)}"
        )
        help_ = 'pass relay.op.get("add"), or an object with a method `relate`'
        raise RelayTypeError(ErrorCode.T007, message, help=help_)
    return given
