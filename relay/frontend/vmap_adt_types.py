"""Algebraic data types (ADTs) for `vmap`: the tensors in their fields get the new axis.

Values of a type usually have the same structure for all elements. A type is *mixed* if a branch on
a mapped condition selects its values, so that each element may have another structure. A value of a
mixed type is a list of parts: each is a constructor with the mask of the elements whose value it
is, the fields, and the other parts. An element has the value of the first part whose mask it is in.
"""

from relay.frontend.vmap_errors import mixed_data, nested_pattern
from relay.ir.constructor_field_types import with_unknown_dims
from relay.ir.dims import Dim
from relay.ir.expr import Call, Constructor, Expr, Var
from relay.ir.fresh_names import free_name
from relay.ir.match_patterns import Pattern, PatternConstructor, PatternTuple, PatternVar
from relay.ir.module import Module, TypeData, TypeInstance
from relay.ir.types import GlobalTypeVar, TensorType, TupleType, Type, TypeCall
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError
from relay.support.node import replace


class MoreFields(Exception):  # noqa: N818 - requests another attempt
    """A signal to restart the mapping: a field of a constructor became mapped, or a type mixed."""


class MappedData:
    """The data types of a program, and which of their fields have the new axis of `vmap`.

    A field has the new axis in all values if it has it in one of them.
    """

    def __init__(self, module: Module, size: Dim) -> None:
        self._module = module
        self.size = size
        self.mask_type = TensorType((size,), "bool")
        self._fields: dict[Constructor, set[int]] = {}
        self._ends: dict[GlobalTypeVar, Constructor] = {}

    def note(self, constructor: Constructor, index: int) -> None:
        """Record that a field has the new axis; raises `MoreFields` if that is new."""
        known = self._fields.setdefault(constructor, set())
        if index not in known and not isinstance(constructor.inputs[index], TypeCall):
            known.add(index)
            raise MoreFields

    def note_all(self, ty: Type) -> None:
        """Record that all tensors in data of a type have the new axis."""
        for each in self._module.held_types(ty):
            if isinstance(each, TypeCall):
                for form in self.alternatives(each):
                    others = (i for i, of in enumerate(form.inputs) if not isinstance(of, TypeCall))
                    self._fields.setdefault(form, set()).update(others)

    def mix(self, ty: Type, origin: Expr) -> None:
        """Record that each element has its own structure in results of `origin`, of type `ty`.

        Raises `MoreFields` if that is new, and `C120` for generic types. Recursion follows tuples.
        """
        match ty:
            case TupleType(fields):
                for each in fields:
                    self.mix(each, origin)
            case TypeCall(head, args) if head not in self._ends:
                if args:
                    raise mixed_data(origin)
                count = len(self._module.alternatives(head))
                name = free_name(f"{head.name}_end", self._module.constructors())
                self._ends[head] = Constructor(name, (), head, index=count)
                raise MoreFields
            case _:
                pass

    def is_mixed(self, ty: Type) -> bool:
        """Whether each element may have its own structure in values of a type."""
        return isinstance(ty, TypeCall) and ty.head in self._ends

    def holds_mixed(self, ty: Type) -> bool:
        """Whether values of a type contain values of a mixed type."""
        return any(map(self.is_mixed, self._module.held_types(ty)))

    def empty(self, ty: TypeCall) -> Expr:
        """Return the value of a mixed type that has no parts."""
        return Call(self._ends[ty.head], ())

    def alternatives(self, ty: TypeCall) -> tuple[Constructor, ...]:
        """Return the constructors of a type in the original program."""
        return self._module.alternatives(ty.head)

    def is_mapped(self, constructor: Constructor, index: int) -> bool:
        """Whether a field of a constructor has the new axis."""
        return index in self._fields.get(constructor, ())

    def holds_mapped(self, ty: Type) -> bool:
        """Whether values of a type contain data with fields that have the new axis."""
        data = (part for part in self._module.held_types(ty) if isinstance(part, TypeCall))
        return any(map(self._is_changed, data))

    def _is_changed(self, ty: TypeCall) -> bool:
        return self.is_mixed(ty) or any(map(self._fields.get, self.alternatives(ty)))

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
                message = f"a value of type {ty!r} cannot have a mapped axis"
                help_ = "map over tensors, tuples and data types"
                raise CompileError(ErrorCode.C120, message, help=help_)

    def constructor(self, old: Constructor) -> Constructor:
        """Return a constructor whose mapped fields have the new axis.

        That of a mixed type also has a mask in front of the fields, and other parts after them.
        """
        own, made = TypeCall(old.belongs_to, ()), self._uniform(old)
        if not self.is_mixed(own):
            return made
        return replace(made, inputs=(with_unknown_dims(self.mask_type), *made.inputs, own))

    def _uniform(self, old: Constructor) -> Constructor:
        """Return a constructor whose mapped fields have the new axis, for data of one structure."""
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

        Raises `C120` for a constructor of a mixed type. The depth of the pattern bounds the
        recursion.
        """
        match old:
            case PatternVar(var) if is_mapped and not isinstance(var.type, TypeCall):
                ty = self.batched(var.type)
                known[var] = new = Var(var.name, ty, span=var.span, ty=ty)
                return PatternVar(new)
            case PatternTuple(patterns):
                inner = (self.pattern(each, known, is_mapped=is_mapped) for each in patterns)
                return PatternTuple(tuple(inner))
            case PatternConstructor(of) if self.is_mixed(TypeCall(of.belongs_to, ())):
                raise nested_pattern(old)
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
            name: replace(
                data, constructors=self._constructors(data), instance=self._instance(data)
            )
            for name, data in self._module.types.items()
        }

    @property
    def uniform_definitions(self) -> dict[str, TypeData]:
        """Return the data types as `definitions` does, for data of one structure in all rows."""
        return {
            name: replace(
                data,
                constructors=tuple(map(self._uniform, data.constructors)),
                instance=self._instance(data),
            )
            for name, data in self._module.types.items()
        }

    def _instance(self, data: TypeData) -> TypeInstance | None:
        """Return the generic type of which a definition is an instance, with mapped type arguments.

        The result is None if the definition is not an instance.
        """
        if data.instance is None or not self._is_changed(TypeCall(data.header, ())):
            return data.instance
        return data.instance.mapped(lambda ty: with_unknown_dims(self.batched(ty)))

    def _constructors(self, data: TypeData) -> tuple[Constructor, ...]:
        end = self._ends.get(data.header)
        return (*map(self.constructor, data.constructors), *([] if end is None else [end]))
