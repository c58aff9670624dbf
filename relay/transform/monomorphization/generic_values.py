"""Generic functions used as values, which become tuples of the instances that are needed.

`@use(%f: fn [A](A) -> A) { (%f(1), %f(True)) }` needs two instances of its argument: it becomes a
function of the pair of them. Values of one generic type are interchangeable, so all of them become
tuples of the same instances.
"""

from functools import lru_cache

from relay.ir.dims import ANY
from relay.ir.type_comparison import parts_of_types
from relay.ir.types import FuncType, TensorType, TupleType, Type, TypeVar
from relay.support.span import Span
from relay.transform.monomorphization.errors import check_limit
from relay.transform.monomorphization.type_map import TypeArgs, TypeMap, instance_type


class GenericValues:
    """The type arguments with which values of each generic function type are used.

    They are found while functions are copied, and copying is repeated until none is new, because
    uses may be inside copies.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._choices: dict[Type, list[TypeArgs]] = {}
        self._has_new = False
        self._asked = False

    def index(self, ty: FuncType, type_args: TypeArgs, span: Span | None) -> int:
        """Return the index of a copy in its tuple of copies; add it to the tuple if it is new."""
        choices = self._choices.setdefault(_canonical(ty), [])
        if type_args not in choices:
            check_limit(f"a value of type {ty!r}", len(choices), self._limit, span)
            choices.append(type_args)
            self._has_new = True
        return choices.index(type_args)

    def choices(self, ty: FuncType) -> tuple[TypeArgs, ...]:
        """Return the type arguments found so far for values of a generic type."""
        self._asked = True
        return tuple(self._choices.get(_canonical(ty), ()))

    def tuple_type(self, ty: FuncType) -> TupleType:
        """Return the type of the tuple of copies that replaces a generic function type."""
        return TupleType(tuple(instance_type(ty, choice) for choice in self.choices(ty)))

    @property
    def has_any(self) -> bool:
        """Whether any generic function is used as a value."""
        return self._asked

    def grown(self) -> bool:
        """Whether new type arguments were found since the last call."""
        found, self._has_new = self._has_new, False
        return found


def holds_generic(ty: Type) -> bool:
    """Whether a type contains the type of a function with type parameters."""
    return any(isinstance(part, FuncType) and part.type_params for part in parts_of_types([ty]))


def _canonical(ty: Type, level: int = 0) -> Type:
    """Return the normal form of a type, without sizes and with numbered type parameters."""

    def rule(part: Type) -> Type | None:
        match part:
            case TensorType():
                return TensorType((ANY,) * part.rank, part.dtype)
            case FuncType() if part.type_params:
                own = tuple(_numbered(level + i) for i in range(len(part.type_params)))
                inside = _canonical(instance_type(part, own), level + len(own))
                assert isinstance(inside, FuncType), "a function stays one"
                return FuncType(inside.params, inside.result, own)
            case _:
                return None

    return TypeMap(rule)(ty)


@lru_cache(maxsize=1 << 8)
def _numbered(number: int) -> TypeVar:
    return TypeVar(f"T{number}")
