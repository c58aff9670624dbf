"""Data types whose tensors have more leading axes than the classes of a program declare.

An argument or a result of a mapped function may be such data: the axes over which the function is
mapped come first in each of its tensors. For each number of axes there is one type, which replaces
the declared type in programs that `vmap` makes.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol, TypeAlias, cast

from relay.autodiff.public_data_types import with_generic_types
from relay.autodiff.public_gradient_form import primal_names
from relay.frontend.python.values.containers import Annotation, Container, MoreAxes
from relay.ir.constructor_field_types import with_unknown_dims
from relay.ir.dims import ANY
from relay.ir.expr import Constructor
from relay.ir.fresh_names import free_name
from relay.ir.module import Module, TypeData
from relay.ir.types import GlobalTypeVar, TensorType, TupleType, Type, TypeCall, all_parts
from relay.support.node import replace
from relay.transform.rewrite_types import TypeRewriter, with_rewritten_types

Heads: TypeAlias = Mapping[GlobalTypeVar, GlobalTypeVar]
"""The data types that replace others."""


class ProgramTypes(Protocol):
    """The data types of a program, and the Python classes of their constructors."""

    types: dict[str, TypeData]
    classes: dict[Constructor, type]


class MappedTypes:
    """The variants of a program's data types for `vmap`: tensors have more leading axes."""

    def __init__(self, data: ProgramTypes) -> None:
        self._data = data
        self._heads: dict[tuple[GlobalTypeVar, int], GlobalTypeVar] = {}
        self._origins: dict[GlobalTypeVar, tuple[GlobalTypeVar, int]] = {}

    def origin(self, head: GlobalTypeVar) -> tuple[GlobalTypeVar, int]:
        """Return the data type that the classes declare, and the number of additional axes."""
        return self._origins.get(head, (head, 0))

    def differ_in_axes(self, one: Type, other: Type | None) -> bool:
        """Whether two data types differ only in the number of additional axes."""
        if not (isinstance(one, TypeCall) and isinstance(other, TypeCall)):
            return False
        return one.head != other.head and self.origin(one.head)[0] == self.origin(other.head)[0]

    def with_axes(self, ty: Type, count: int) -> Type:
        """Return a data type with `count` more axes; other types and generic ones unchanged."""
        if count <= 0 or not isinstance(ty, TypeCall) or not self._can_have_axes(ty.head):
            return ty
        base, known = self.origin(ty.head)
        return TypeCall(self._head(base, known + count), ())

    def annotation(self, given: Annotation) -> Annotation:
        """Return an annotation that says how many more axes data has; recursion follows nesting."""
        match given:
            case TypeCall(head) if head in self._origins:
                base, count = self._origins[head]
                return MoreAxes(TypeCall(base, ()), count)
            case TupleType(fields):
                items = tuple(map(self.annotation, fields))
                return given if items == fields else Container(tuple, (), items)
            case Container(kind, keys, items):
                return Container(kind, keys, tuple(map(self.annotation, items)))
            case _:
                return given

    def axes_of(self, pairs: Iterable[tuple[Type, Type]]) -> int:
        """Return the number of axes that the first type of each pair has in addition to the second.

        The result is 0 if the types are not those of such data.
        """
        found, stack = set[int](), [*pairs]
        while stack:
            match stack.pop():
                case TensorType() as own, TensorType() as declared:
                    found.add(own.rank - declared.rank)
                case TupleType(fields), TupleType(others) if len(fields) == len(others):
                    stack += zip(fields, others, strict=True)
                case TypeCall(head), TypeCall(other) if self._holds_tensors(other):
                    base, count = self.origin(head)
                    found.add(count if base == other else 0)
                case _:
                    pass
        return max(found.pop(), 0) if len(found) == 1 else 0

    def unified(self, module: Module) -> Module:
        """Return a module in which types that differ from the program's in names only are replaced.

        1. An instance of a generic type is replaced by the generic type with type arguments.
        2. A type whose tensors have more axes than those of a type of the program is replaced by
           the result of `with_axes`.
        """
        if any(data.instance for data in module.types.values()):
            module = with_generic_types(module)
        heads: dict[GlobalTypeVar, GlobalTypeVar] = {}
        for data in module.types.values():
            if data.header not in heads:
                heads |= self._equal_types(data, module.types)
        return with_rewritten_types(module, _Renamed(heads, self._data.types)) if heads else module

    def _equal_types(self, data: TypeData, types: Mapping[str, TypeData]) -> Heads:
        """Return the types that replace one of a module, and the types in its fields."""
        base = self._declared(data.header.name)
        if base is None or data.type_params or not self._can_have_axes(base):
            return {}
        pairs = _Pairs(types, self._data.types)
        counts = pairs.axes(data.header, base)
        count = counts.pop() if len(counts) == 1 else None
        if count is None or count <= 0:
            return {}
        found = {
            of: self._head(each, count)
            for of, each in pairs.known.items()
            if self._holds_tensors(each)
        }
        renamed = _Renamed(found, self._data.types)
        equal = all(
            tuple(map(renamed.type, own.inputs)) == new.inputs
            for of, head in found.items()
            for own, new in zip(
                types[of.name].constructors, self._data.types[head.name].constructors, strict=True
            )
        )
        return found if equal else {}

    def _declared(self, name: str) -> GlobalTypeVar | None:
        """Return the type of the program from whose name another name is derived."""
        known = (each for each in primal_names(name) if each in self._data.types)
        found = next(known, None)
        return None if found is None else self.origin(self._data.types[found].header)[0]

    def _head(self, base: GlobalTypeVar, count: int) -> GlobalTypeVar:
        if (base, count) not in self._heads:
            self._declare(base, count)
        return self._heads[base, count]

    def _declare(self, base: GlobalTypeVar, count: int) -> None:
        """Declare a type with more axes, and those in its fields."""
        types, classes = self._data.types, self._data.classes
        family = [each for each in _reachable(base, types) if self._holds_tensors(each)]
        new = [each for each in family if (each, count) not in self._heads]
        for each in new:
            name = free_name(f"Mapped{each.name}", types)
            self._heads[each, count] = head = GlobalTypeVar(name)
            self._origins[head] = each, count
            types[name] = types[each.name]  # until all names are known
        heads = {each: self._heads[each, count] for each in family}
        taken = {form.name for data in types.values() for form in data.constructors}
        for each in new:
            forms = list[Constructor]()
            for old in types[each.name].constructors:
                taken.add(name := free_name(f"Mapped{old.name}", taken))
                inputs = tuple(_with_leading_axes(field, count, heads) for field in old.inputs)
                forms.append(replace(old, name=name, belongs_to=heads[each], inputs=inputs))
                classes[forms[-1]] = classes[old]
            types[heads[each].name] = TypeData(heads[each], (), tuple(forms), types[each.name].span)

    def _holds_tensors(self, head: GlobalTypeVar) -> bool:
        """Whether values of a data type may contain tensors."""
        types = self._data.types
        inputs = (field for each in _reachable(head, types) for field in _fields(types[each.name]))
        return any(isinstance(each, TensorType) for each in all_parts(*inputs))

    def _can_have_axes(self, head: GlobalTypeVar) -> bool:
        """Whether a data type consists of tensors, tuples and data that is not generic."""
        known = [self._data.types.get(each.name) for each in _reachable(head, self._data.types)]
        if any(each is None or each.type_params for each in known):
            return False
        parts = (part for each in known if each for part in all_parts(*_fields(each)))
        return all(isinstance(each, TensorType | TupleType | TypeCall) for each in parts)


class _Pairs:
    """Types of a module paired with those of a program that they correspond to: `known`."""

    def __init__(self, types: Mapping[str, TypeData], declared: Mapping[str, TypeData]) -> None:
        self._types, self._declared = types, declared
        self.known: dict[GlobalTypeVar, GlobalTypeVar] = {}

    def axes(self, head: GlobalTypeVar, base: GlobalTypeVar) -> set[int | None]:
        """Return how many more axes tensors in a type have than those in another, for each tensor.

        The result contains None if the types differ otherwise.
        """
        self.known[head] = base
        found, heads = set[int | None](), [head]
        while heads:
            top = heads.pop()
            stack = [*_paired(self._types[top.name], self._declared[self.known[top].name])]
            while stack:
                match stack.pop():
                    case TensorType(dtype=own) as one, TensorType(dtype=other) as two:
                        found.add(one.rank - two.rank if own is other else None)
                    case TupleType(fields), TupleType(others) if len(fields) == len(others):
                        stack += zip(fields, others, strict=True)
                    case TypeCall(inner), TypeCall(other) if inner.name in self._types:
                        if inner not in self.known:
                            self.known[inner] = other
                            heads.append(inner)
                        if self.known[inner] != other:
                            found.add(None)
                    case _:
                        found.add(None)
        return found


def _paired(one: TypeData, other: TypeData) -> Iterator[tuple[Type | None, Type | None]]:
    """Yield the corresponding fields of two data types; None for those that one of them lacks."""
    same = [len(form.inputs) for form in one.constructors]
    if same != [len(form.inputs) for form in other.constructors]:
        yield None, None
        return
    yield from zip(_fields(one), _fields(other), strict=True)


class _Renamed(TypeRewriter):
    """A rewriter that replaces data types by equal ones that are in `types`."""

    def __init__(self, heads: Heads, types: Mapping[str, TypeData]) -> None:
        super().__init__(self._renamed)
        self._heads, self._known = heads, types

    def _renamed(self, ty: Type) -> Type | None:
        match ty:
            case TypeCall(head, args) if head in self._heads:
                return TypeCall(self._heads[head], args)
            case _:
                return None

    def constructor(self, constructor: Constructor) -> Constructor:
        """Return the constructor of the other data type."""
        head = self._heads.get(constructor.belongs_to)
        if head is None:
            return super().constructor(constructor)
        return self._known[head.name].constructors[constructor.index]

    def definition(self, data: TypeData) -> TypeData:
        """Return the definition of the other data type."""
        head = self._heads.get(data.header)
        return super().definition(data) if head is None else self._known[head.name]


def _with_leading_axes(ty: Type, count: int, heads: Heads) -> Type:
    """Return a type with `count` more axes in all tensors, and with other data types."""
    match ty:
        case TensorType(shape, dtype):
            return with_unknown_dims(TensorType((*[ANY] * count, *shape), dtype))
        case TupleType(fields):
            return TupleType(tuple(_with_leading_axes(each, count, heads) for each in fields))
        case _:
            head = cast("TypeCall", ty).head
            return TypeCall(heads.get(head, head), ())


def _reachable(head: GlobalTypeVar, types: Mapping[str, TypeData]) -> list[GlobalTypeVar]:
    """Return a data type and those in its fields, at any depth."""
    found, stack = {head: None}, [head]
    while stack:
        top = types.get(stack.pop().name)
        parts = () if top is None else all_parts(*_fields(top))
        new = [each.head for each in parts if isinstance(each, TypeCall) and each.head not in found]
        found |= dict.fromkeys(new)
        stack += new
    return [*found]


def _fields(data: TypeData) -> list[Type]:
    return [field for form in data.constructors for field in form.inputs]
