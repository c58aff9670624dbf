"""Data types for `vmap`: fields get the new axis; the structure is the same for all elements."""

from relay.ir.constructor_field_types import with_unknown_dims
from relay.ir.dims import Dim
from relay.ir.expr import Constructor, Expr, Var
from relay.ir.match_patterns import Pattern, PatternConstructor, PatternTuple, PatternVar
from relay.ir.module import Module, TypeData
from relay.ir.types import TensorType, TupleType, Type, TypeCall
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError
from relay.support.node import replace


class MoreFields(Exception):  # noqa: N818 - requests another attempt
    """A signal to restart the mapping, because another field of a constructor became mapped."""


class MappedData:
    """The data types of a program, and which of their fields have the new axis of `vmap`.

    A field has the new axis in all values if it has it in one of them.
    """

    def __init__(self, module: Module, size: Dim) -> None:
        self._module = module
        self.size = size
        self._fields: dict[Constructor, set[int]] = {}

    def note(self, constructor: Constructor, index: int) -> None:
        """Record that a field has the new axis; raises `MoreFields` if that is new."""
        known = self._fields.setdefault(constructor, set())
        if index not in known and not isinstance(constructor.inputs[index], TypeCall):
            known.add(index)
            raise MoreFields

    def is_mapped(self, constructor: Constructor, index: int) -> bool:
        """Whether a field of a constructor has the new axis."""
        return index in self._fields.get(constructor, ())

    def holds_mapped(self, ty: Type) -> bool:
        """Whether values of a type contain data with fields that have the new axis."""
        data = (part for part in self._module.held_types(ty) if isinstance(part, TypeCall))
        made = (each for part in data for each in self._module.alternatives(part.head))
        return any(self._fields.get(each) for each in made)

    def batched(self, ty: Type) -> Type:
        """Return a type with the new axis in each tensor; raises `C120` for other types."""
        match ty:
            case TensorType(shape):
                return TensorType((self.size, *shape), ty.dtype)
            case TupleType(fields):
                return TupleType(tuple(map(self.batched, fields)))
            case TypeCall():
                return ty
            case _:
                message = f"a value of type {ty!r} cannot be mapped over a new axis"
                help_ = "map over tensors, tuples and data"
                raise CompileError(ErrorCode.C120, message, help=help_)

    def constructor(self, old: Constructor) -> Constructor:
        """Return a constructor whose mapped fields have the new axis."""
        if not self._fields.get(old):
            return old
        mapped = (self.is_mapped(old, index) for index in range(len(old.inputs)))
        pairs = zip(old.inputs, mapped, strict=True)
        inputs = tuple(
            with_unknown_dims(self.batched(each)) if flag else each for each, flag in pairs
        )
        return replace(old, inputs=inputs)

    def pattern(self, old: Pattern, known: dict[Var, Expr], *, is_mapped: bool = False) -> Pattern:
        """Return the pattern for a mapped value; adds the mapped variables to `known`.

        The depth of the pattern bounds the recursion.
        """
        match old:
            case PatternVar(var) if is_mapped and not isinstance(var.type, TypeCall):
                ty = self.batched(var.type)
                known[var] = new = Var(var.name, ty, span=var.span, ty=ty)
                return PatternVar(new)
            case PatternTuple(patterns):
                inner = (self.pattern(each, known, is_mapped=is_mapped) for each in patterns)
                return PatternTuple(tuple(inner))
            case PatternConstructor(constructor, patterns):
                parts = tuple(
                    self.pattern(each, known, is_mapped=self.is_mapped(constructor, index))
                    for index, each in enumerate(patterns)
                )
                return PatternConstructor(self.constructor(constructor), parts, span=old.span)
            case _:
                return old

    @property
    def definitions(self) -> dict[str, TypeData]:
        """Return all data types of the program by name, with the new axis in mapped fields."""
        return {
            name: replace(data, constructors=tuple(map(self.constructor, data.constructors)))
            for name, data in self._module.types.items()
        }
