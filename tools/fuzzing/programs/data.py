"""The data types of random programs: those of the prelude, and random ones."""

from relay.ir.expr import Constructor
from relay.ir.module import TypeData
from relay.ir.types import (
    GlobalTypeVar,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    TypeVar,
    children,
    substitute_types,
)
from relay.prelude import library
from relay.support.dtype import float32, int32
from tools.fuzzing.programs.choices import Choices


class DataTypes:
    """Data types by name, with the constructor of each that ends a recursion."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.types: dict[str, TypeData] = dict(library("prelude.rly").types)
        for index in range(choices.below(3)):
            self._add(index)
        self._height = _heights(self.types)

    def applied(self, name: str, args: tuple[Type, ...]) -> TypeCall:
        """Return a data type with these type arguments."""
        return TypeCall(self.types[name].header, args)

    def fields(self, constructor: Constructor, ty: TypeCall) -> tuple[Type, ...]:
        """Return the types of a constructor's fields in values of that type."""
        bindings: dict[Type, Type] = dict(zip(constructor.type_params, ty.args, strict=True))
        return tuple(substitute_types(each, bindings) for each in constructor.inputs)

    def constructors(self, ty: TypeCall) -> tuple[Constructor, ...]:
        """Return the constructors of a type, in the order of their definition."""
        return self.types[ty.head.name].constructors

    def last(self, ty: TypeCall) -> Constructor:
        """Return the constructor whose values can be the smallest."""
        return min(self.constructors(ty), key=lambda each: self._height[each.name])

    def _add(self, index: int) -> None:
        """Define a type, or two that contain each other; a first constructor ends the recursion."""
        names = [f"T{index}"] if self.choices.chance(2) else [f"T{index}", f"U{index}"]
        param_names = ("A", "B")[: self.choices.below(3)]
        heads = [GlobalTypeVar(name) for name in names]
        for head, other in zip(heads, reversed(heads), strict=True):
            params = tuple(TypeVar(name) for name in param_names)
            plain: list[Type] = [TensorType((), float32), TensorType((2,), int32), *params]
            inner = [TypeCall(each, params) for each in (head, other)]
            inner.append(TypeCall(GlobalTypeVar("List"), (inner[0],)))
            signatures: list[tuple[Type, ...]] = [(self.choices.pick(plain),)]
            signatures += [
                tuple(self._field(plain, inner) for _ in range(self.choices.between(0, 3)))
                for _ in range(self.choices.below(3))
            ]
            constructors = tuple(
                Constructor(f"{head.name}{'abc'[i]}", inputs, head, params, i)
                for i, inputs in enumerate(signatures)
            )
            self.types[head.name] = TypeData(head, params, constructors)

    def _field(self, plain: list[Type], inner: list[TypeCall]) -> Type:
        match self.choices.below(3):
            case 0:
                return self.choices.pick(plain)
            case 1:
                return self.choices.pick(inner)
            case _:
                return TupleType((self.choices.pick(plain), self.choices.pick(inner)))


def _heights(types: dict[str, TypeData]) -> dict[str, float]:
    """Return for each constructor the depth of its smallest value."""
    constructors = [c for data in types.values() for c in data.constructors]
    height = {c.name: float("inf") for c in constructors}
    for _ in constructors:
        lowest = {
            name: min(height[c.name] for c in data.constructors) for name, data in types.items()
        }
        for each in constructors:
            height[each.name] = 1 + max((_height(ty, lowest) for ty in each.inputs), default=0)
    return height


def _height(ty: Type, lowest: dict[str, float]) -> float:
    """Return the depth of a type's smallest value; recursion is bounded by the types of `_add`."""
    if isinstance(ty, TypeCall):
        return lowest[ty.head.name]
    return max((_height(inner, lowest) for inner in children(ty)), default=0)
