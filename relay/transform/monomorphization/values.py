"""Generic functions as values: tuples of the instances that are needed.

`@use(%f: fn [A](A) -> A) { (%f(1), %f(True)) }` needs two instances of what it is passed: it
becomes a function of the pair of them. Values of one generic type go anywhere where that type
stands, so all of them become tuples of the same instances.
"""

from functools import lru_cache

from relay.ir.dims import ANY
from relay.ir.types import FuncType, TensorType, TupleType, Type, TypeVar, children
from relay.support.span import Span
from relay.transform.monomorphization.errors import check_limit
from relay.transform.monomorphization.type_map import TypeArgs, TypeMap, instance_type


class GenericValues:
    """The choices of type parameters at which values of generic types are used.

    Which they are turns out while functions are written, and these are written again until nothing
    is new: a choice may be made in an instance that is there for another one.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._choices: dict[Type, list[TypeArgs]] = {}
        self._has_new = False
        self._asked = False

    def index(self, ty: FuncType, type_args: TypeArgs, span: Span | None) -> int:
        """Return the number of an instance among those of a type; asks for it if it is new."""
        choices = self._choices.setdefault(_canonical(ty), [])
        if type_args not in choices:
            check_limit(f"a value of type {ty!r}", len(choices), self._limit, span)
            choices.append(type_args)
            self._has_new = True
        return choices.index(type_args)

    def choices(self, ty: FuncType) -> tuple[TypeArgs, ...]:
        """Return the choices at which values of a generic type are used, as far as is known."""
        self._asked = True
        return tuple(self._choices.get(_canonical(ty), ()))

    def tuple_type(self, ty: FuncType) -> TupleType:
        """Return the type of the instances that stand for a value of a generic type."""
        return TupleType(tuple(instance_type(ty, choice) for choice in self.choices(ty)))

    @property
    def has_any(self) -> bool:
        """Whether a value of a generic type is used at all."""
        return self._asked

    def grown(self) -> bool:
        """Whether there are new choices since this was asked last."""
        found, self._has_new = self._has_new, False
        return found


def holds_generic(ty: Type) -> bool:
    """Whether the type of a function with type parameters is a part of a type."""
    stack, seen = [ty], set[Type]()
    while stack:
        top = stack.pop()
        if isinstance(top, FuncType) and top.type_params:
            return True
        if top not in seen:
            seen.add(top)
            stack.extend(children(top))
    return False


def _canonical(ty: Type, level: int = 0) -> Type:
    """Return a type that is the same for all that differ in sizes and names of parameters.

    Recursion is bounded by how deep generic types are nested.
    """

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
