"""Types of Relay programs. Types are values: equal types are the same object."""

from collections.abc import Callable, Sequence
from dataclasses import field
from enum import Enum

from relay.ir.dims import ANY, AnyDim, Dim, DimVar, Shape, is_static, substitute, variables
from relay.ir.printed import Printed
from relay.support.dtype import DType, bool_, float32
from relay.support.dtype import dtype as to_dtype
from relay.support.errors import TypeError_
from relay.support.node import Alias, Value, node, set_field, value
from relay.support.span import Span
from relay.support.trampoline import Task, run

LARGEST_TENSOR = 2**62
"""Elements that a tensor type may have at most, so that sizes in bytes fit 64 bits for any dtype…
a byte count is checked again where memory is allocated."""


class Kind(Enum):
    """What a type variable or a hole stands for; the numbers are those of the classic language."""

    TYPE = 0
    SHAPE = 1
    BASE = 2
    CONSTRAINT = 4
    ADT_HANDLE = 5
    TYPE_DATA = 6


MOST_PARTS = 2**17
"""Parts of a type up to which it is written out: one that shares its own may have 2**200."""


class Type(Printed):
    """The base of all types; `parts` is how many it has when written out, or more than the most.

    `complete` says that no hole is left in it. Fields have their classic names, too, where those
    differ.
    """

    __slots__ = ()
    parts: int = 1
    complete: bool = True


@value
class TensorType(Type, Value):
    """A dense tensor: a shape and an element type. Rank 0 is a scalar.

    >>> TensorType((2, 3), "float32")
    Tensor[(2, 3), float32]

    Raises `T002` for a negative dimension and `T003` for a size that overflows 64 bits.
    """

    shape: Shape
    dtype: DType = float32

    def __post_init__(self) -> None:
        set_field(self, "shape", tuple(_dimension(dim) for dim in self.shape))
        set_field(self, "dtype", to_dtype(self.dtype))
        _check_size(self.shape)

    def __repr__(self) -> str:
        if not self.shape:
            return str(self.dtype)
        dims = ", ".join(map(str, self.shape)) + ("," if len(self.shape) == 1 else "")
        return f"Tensor[({dims}), {self.dtype}]"

    @property
    def rank(self) -> int:
        """Return the number of dimensions."""
        return len(self.shape)

    @property
    def static_shape(self) -> tuple[int, ...]:
        """Return the shape as integers; the caller knows that it is static."""
        assert is_static(self.shape), f"not static: {self}"
        return self.shape  # pyright: ignore[reportReturnType] - just checked

    @property
    def concrete_shape(self) -> tuple[int, ...]:
        """Return the shape as integers, by its classic name; raises `T006` where it is open."""
        if not is_static(self.shape):
            help_ = "give the sizes: relay.compile(model, shapes=…), or look at .shape"
            raise TypeError_("T006", f"not all sizes of {self!r} are known", help=help_)
        return self.static_shape


def _dimension(dim: Dim) -> Dim:
    return dim if isinstance(dim, Value) else int(dim)


def _check_size(shape: Shape) -> None:
    size = 1
    for dim in shape:
        if isinstance(dim, int):
            if abs(dim) > LARGEST_TENSOR:
                raise TypeError_("T003", "a dimension that 64 bits cannot count")
            if dim < 0:
                message = f"a dimension cannot be negative: {dim} in {shape}"
                help_ = "a size that is not known is `?` (relay.ANY), or a name such as n"
                raise TypeError_("T002", message, help=help_)
            size *= max(dim, 1)
    if size > LARGEST_TENSOR:
        raise TypeError_("T003", f"a tensor of shape {shape} has more elements than 64 bits count")


def scalar_type(dtype: "DType | str") -> TensorType:
    """Return the type of a rank-0 tensor."""
    return TensorType((), to_dtype(dtype))


BOOL = scalar_type(bool_)


@value
class TupleType(Type, Value):
    """A fixed number of fields, each with its type; the empty tuple is the unit type."""

    fields: tuple[Type, ...]
    parts: int = field(default=1, init=False, repr=False)
    complete: bool = field(default=True, init=False, repr=False)

    def __post_init__(self) -> None:
        set_field(self, "fields", tuple(self.fields))
        _note_parts(self)

    def __repr__(self) -> str:
        return f"({_shown(self.fields)}{',' if len(self.fields) == 1 else ''})"


@node
class TypeVar(Type):
    """A type parameter; the object is its identity, the name only a hint."""

    name: str
    kind: Kind = Kind.TYPE
    span: Span | None = field(default=None, kw_only=True, repr=False)
    name_hint = Alias[str]("name")

    def __repr__(self) -> str:
        return self.name


@node
class IncompleteType(Type):
    """A hole that inference fills; the object is its identity."""

    kind: Kind = Kind.TYPE
    complete: bool = field(default=False, init=False, repr=False)

    def __repr__(self) -> str:
        return "_"


@value
class TypeRelation(Type, Value):
    """A constraint between types, decided by `relation` once enough of them is known.

    `relation` is a value with a `relate` method, such as an operator (see
    `relay.semantics`); the types after the first `num_inputs` are outputs.
    """

    relation: object
    types: tuple[Type, ...]
    num_inputs: int
    complete: bool = field(default=True, init=False, repr=False)
    func = Alias[object]("relation")
    args = Alias[tuple[Type, ...]]("types")

    def __post_init__(self) -> None:
        set_field(self, "complete", all(ty.complete for ty in self.types))


@value
class FuncType(Type, Value):
    """A function: parameter types, result type, type parameters and constraints on them."""

    params: tuple[Type, ...]
    result: Type
    type_params: tuple[TypeVar, ...] = ()
    constraints: tuple[TypeRelation, ...] = ()
    parts: int = field(default=1, init=False, repr=False)
    complete: bool = field(default=True, init=False, repr=False)
    arg_types = Alias[tuple[Type, ...]]("params")
    ret_type = Alias[Type]("result")
    type_constraints = Alias[tuple[TypeRelation, ...]]("constraints")

    def __post_init__(self) -> None:
        for name in ("params", "type_params", "constraints"):
            set_field(self, name, tuple(getattr(self, name) or ()))
        _note_parts(self)

    def __repr__(self) -> str:
        generic = f"[{', '.join(map(repr, self.type_params))}]" if self.type_params else ""
        return f"fn {generic}({_shown(self.params)}) -> {_shown((self.result,))}"


@value
class RefType(Type, Value):
    """A mutable cell that holds a value of the given type."""

    content: Type
    parts: int = field(default=1, init=False, repr=False)
    complete: bool = field(default=True, init=False, repr=False)
    value = Alias[Type]("content")

    def __post_init__(self) -> None:
        _note_parts(self)

    def __repr__(self) -> str:
        return f"ref({_shown((self.content,))})"


@value
class GlobalTypeVar(Type, Value):
    """The name of an algebraic data type in a module."""

    name: str
    name_hint = Alias[str]("name")

    def __call__(self, *args: Type) -> "TypeCall":
        """Return the data type applied to type arguments."""
        return TypeCall(self, args)

    def __repr__(self) -> str:
        return self.name


@value
class TypeCall(Type, Value):
    """A data type applied to type arguments: `List[float32]`."""

    head: GlobalTypeVar
    args: tuple[Type, ...]
    parts: int = field(default=1, init=False, repr=False)
    complete: bool = field(default=True, init=False, repr=False)
    func = Alias[GlobalTypeVar]("head")

    def __post_init__(self) -> None:
        set_field(self, "args", tuple(self.args))
        _note_parts(self)

    def __repr__(self) -> str:
        return self.head.name + (f"[{_shown(self.args)}]" if self.args else "")


def _note_parts(ty: Type) -> None:
    """Note whether a type has holes, and how large it is, beyond `MOST_PARTS` no longer exactly."""
    inner = children(ty)
    parts = 1 + sum(child.parts for child in inner)
    set_field(ty, "parts", min(parts, MOST_PARTS + 1))
    set_field(ty, "complete", all(child.complete for child in inner))


def _shown(types: Sequence[Type]) -> str:
    """Return types as they are shown; of one that is too large only what it is."""
    return ", ".join("…" if ty.parts > MOST_PARTS else repr(ty) for ty in types)


def children(ty: Type) -> tuple[Type, ...]:
    """Return the types that a type is made of, in order."""
    match ty:
        case TupleType(fields):
            return fields
        case FuncType(params, result, _, constraints):
            return (*params, result, *constraints)
        case RefType(content):
            return (content,)
        case TypeCall(_, args):
            return args
        case TypeRelation(_, types):
            return types
        case _:
            return ()


UNIT = TupleType(())


def with_children(ty: Type, new: Sequence[Type]) -> Type:
    """Return the type made of other types; the same one when none differs."""
    match ty:
        case TupleType():
            return TupleType(tuple(new))
        case FuncType(params, _, type_params):
            count = len(params)
            constraints = tuple(each for each in new[count + 1 :] if isinstance(each, TypeRelation))
            return FuncType(tuple(new[:count]), new[count], type_params, constraints)
        case RefType():
            return RefType(new[0])
        case TypeCall(head):
            return TypeCall(head, tuple(new))
        case TypeRelation(relation, _, num_inputs):
            return TypeRelation(relation, tuple(new), num_inputs)
        case _:
            return ty


def dimensions(ty: Type) -> tuple[Dim, ...]:
    """Return every dimension that occurs in a type; those of a part that is shared once."""
    found: list[Dim] = []
    stack: list[Type] = [ty]
    seen: set[Type] = set()
    while stack:
        top = stack.pop()
        if top in seen:
            continue
        seen.add(top)
        if isinstance(top, TensorType):
            found.extend(top.shape)
        stack.extend(children(top))
    return tuple(found)


def is_dynamic(ty: Type) -> bool:
    """Whether some dimension is known only at run time."""
    return any(not isinstance(dim, int) for dim in dimensions(ty))


def has_any(ty: Type) -> bool:
    """Whether `Any` occurs in the type."""
    return any(isinstance(dim, AnyDim) for dim in dimensions(ty))


def dim_variables(ty: Type) -> frozenset[DimVar]:
    """Return the symbolic dimension names that occur in a type."""
    return frozenset[DimVar]().union(*(variables(dim) for dim in dimensions(ty)))


def join(a: Type, b: Type) -> Type | None:
    """Return the narrowest type that two values have in common: sizes that differ are `Any`.

    None where there is none. Types may be nested as deep as memory allows.

    >>> join(TensorType((2, 3)), TensorType((2, 4)))
    Tensor[(2, ?), float32]
    """
    return a if a is b else run(_join(a, b))


def _join(a: Type, b: Type) -> Task[Type | None]:
    if a is b:
        return a
    match a, b:
        case TensorType(shape, element), TensorType(other, also) if len(shape) == len(other):
            dims = zip(shape, other, strict=True)
            joined = tuple(x if x is y else ANY for x, y in dims)
            return TensorType(joined, element) if element is also else None
        case TupleType(fields), TupleType(others) if len(fields) == len(others):
            known: list[Type] = []
            for x, y in zip(fields, others, strict=True):
                found = yield _join(x, y)
                if found is None:
                    return None
                known.append(found)
            return TupleType(tuple(known))
        case TypeCall(head, args), TypeCall(other, others) if head is other:
            inner = yield _join(TupleType(args), TupleType(others))
            return TypeCall(head, inner.fields) if isinstance(inner, TupleType) else None
        case _:
            return None


def substitute_dims(ty: Type, sizes: "dict[DimVar, Dim]") -> Type:
    """Replace symbolic dimensions everywhere in a type."""

    def leaf(part: Type) -> Type:
        if not isinstance(part, TensorType):
            return part
        return TensorType(tuple(substitute(dim, sizes) for dim in part.shape), part.dtype)

    return _replaced(ty, leaf, {})


def substitute_types(ty: Type, bindings: "dict[Type, Type]") -> Type:
    """Replace type variables (or holes) everywhere in a type; bound names are not renamed."""
    return _replaced(ty, lambda part: bindings.get(part, part), {})


def _replaced(ty: Type, leaf: Callable[[Type], Type], known: "dict[Type, Type]") -> Type:
    """Replace parts that `leaf` knows; each is looked at once, however often it occurs.

    It recurses on the depth of the type.
    """
    if ty not in known:
        new = leaf(ty)
        inner = children(ty) if new is ty else ()
        parts = [_replaced(each, leaf, known) for each in inner]
        same = all(a is b for a, b in zip(inner, parts, strict=True))
        known[ty] = new if same else with_children(ty, parts)
    return known[ty]
