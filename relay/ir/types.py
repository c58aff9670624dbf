"""Types of Relay programs. They are interned: equal types are the same object."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from enum import IntEnum
from reprlib import repr as short
from typing import ClassVar, Self, cast

import numpy as np

from relay.ir.alpha_equality import UpToTypeVariables
from relay.ir.dims import (
    AnyDim,
    Dim,
    DimVar,
    Shape,
    Symbolic,
    is_static,
    substitute,
    unknown,
    variables,
)
from relay.ir.field_validation import require, require_index, require_items, require_name
from relay.ir.nesting_limits import enclosing_depth
from relay.ir.operator_without_attributes import OperatorKind
from relay.ir.printable import Printable
from relay.ir.type_relation import Relation, relation_of
from relay.support.dtype import DType, bool_, float32
from relay.support.dtype import dtype as to_dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import DynamicShapeError, RelayTypeError
from relay.support.node import Alias, Value, node, set_field, value
from relay.support.span import Span

LARGEST_TENSOR = 2**62
"""The maximum number of elements of a tensor type, such that sizes in bytes fit 64 bits.

Byte counts are checked again where memory is allocated.
"""


class Kind(IntEnum):
    """The kind of a type variable or a hole; the numbers are those of TVM's Relay."""

    TYPE = 0
    SHAPE = 1
    BASE = 2
    CONSTRAINT = 4
    ADT_HANDLE = 5
    TYPE_DATA = 6


MOST_PARTS = 2**17
"""The maximum number of components of a type that is printed.

Because of sharing, a type in memory may have 2**200 components as a tree.
"""


class Type(Printable):
    """The base of all types.

    `parts` is the number of components of the type as a tree, capped at `MOST_PARTS + 1`. `depth`
    is its nesting depth; a depth above `DEEPEST` raises `T040`. `complete` means that it contains
    no hole. Fields that have other names in TVM's Relay also have those names.
    """

    __slots__ = ()
    made_by: ClassVar[str] = 'types are relay.TensorType((2, 3), "float32"), relay.TupleType([…])'
    parts: int = 1
    depth: int = 0
    complete: bool = True

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return (
            self  # its fields are never modified, and type variables are identified by the object
        )


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
        set_field(self, "shape", _shape(self.shape))
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
        """Return the shape as integers; the caller ensures that it is static."""
        assert is_static(self.shape), f"not static: {self}"
        return self.shape  # pyright: ignore[reportReturnType] - just checked

    @property
    def concrete_shape(self) -> tuple[int, ...]:
        """Return the shape as integers; raises `T006` if it is dynamic. The name is TVM's."""
        if not is_static(self.shape):
            help_ = (
                "specify the sizes, relay.compile(model, shapes=…), or read .shape instead of "
                ".concrete_shape"
            )
            message = f"the sizes of the type {self!r} are not all known"
            raise DynamicShapeError(ErrorCode.T006, message, help=help_)
        return self.static_shape


def _shape(given: object) -> Shape:
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        message = f"a shape must be a sequence of sizes, not {short(given)}"
        raise RelayTypeError(
            ErrorCode.T017, message, help=f"put it into a tuple: ({short(given)},)"
        )
    return tuple(map(_dimension, cast("Iterable[object]", given)))


def _dimension(dim: object) -> Dim:
    if isinstance(dim, Symbolic):
        return dim
    if isinstance(dim, int | np.integer) and not isinstance(dim, bool):
        return int(cast("int", dim))
    message = f"a size must be an integer or a size variable, not {short(dim)}"
    name = short(dim) if isinstance(dim, str) else "'n'"
    help_ = f"write an integer, relay.Any(), or a variable: relay.DimVar({name})"
    raise RelayTypeError(ErrorCode.T017, message, help=help_)


_SMALLER = "check the sizes: no machine has that much memory"


def _check_size(shape: Shape) -> None:
    size = 1
    for dim in shape:
        if isinstance(dim, int):
            if abs(dim) > LARGEST_TENSOR:
                message = f"the size {dim} is larger than the most elements of a tensor, 2**62"
                raise RelayTypeError(ErrorCode.T003, message, help=_SMALLER)
            if dim < 0:
                message = f"the shape {shape} contains the negative size {dim}"
                help_ = "write `?` (relay.ANY) for an unknown size, or a name such as n"
                raise RelayTypeError(ErrorCode.T002, message, help=help_)
            size *= max(dim, 1)
    if size > LARGEST_TENSOR:
        message = f"a tensor of the shape {shape} has too many elements"
        raise RelayTypeError(ErrorCode.T003, message, help=_SMALLER)


def scalar_type(dtype: "DType | str") -> TensorType:
    """Return the type of a tensor of rank 0 with this element type."""
    return TensorType((), to_dtype(dtype))


BOOL = scalar_type(bool_)


@value
class TupleType(Type, Value):
    """A tuple type with a fixed number of fields; the empty tuple is the unit type."""

    fields: tuple[Type, ...]
    parts: int = field(default=1, init=False, repr=False)
    depth: int = field(default=0, init=False, repr=False)
    complete: bool = field(default=True, init=False, repr=False)

    def __post_init__(self) -> None:
        set_field(self, "fields", require_items(Type, "the fields of a tuple type", self.fields))
        _note_parts(self)

    def __repr__(self) -> str:
        return f"({_types_text(self.fields)}{',' if len(self.fields) == 1 else ''})"


@node
class TypeVar(Type):
    """A type parameter, identified by its object; its name is only a hint for printing."""

    name: str
    kind: Kind = Kind.TYPE
    span: Span | None = field(default=None, kw_only=True, repr=False)
    made_by: ClassVar[str] = 'write relay.TypeVar("A")'
    name_hint = Alias[str]("name")

    def __post_init__(self) -> None:
        require_name("the name of a type parameter", self.name)
        set_field(self, "kind", _kind(self.kind))

    def __repr__(self) -> str:
        return self.name


@node
class IncompleteType(Type):
    """A hole in a type, which type inference fills; it is identified by its object."""

    kind: Kind = Kind.TYPE
    complete: bool = field(default=False, init=False, repr=False)

    def __post_init__(self) -> None:
        set_field(self, "kind", _kind(self.kind))

    def __repr__(self) -> str:
        return "_"


def _kind(given: object) -> Kind:
    """Return a kind that is given as a `Kind` or its number; raises `T007` for anything else."""
    try:
        return Kind(given)
    except ValueError:
        message = f"the kind of a type must be a member of relay.TypeKind, not {short(given)}"
        raise RelayTypeError(
            ErrorCode.T007, message, help="pass relay.TypeKind.Type for ordinary types"
        ) from None


@value
class TypeRelation(Type, Value):
    """A constraint on types, which `relation` solves once enough of the types are known.

    `relation` is a value with a `relate` method, such as an operator (see `relay.semantics`); the
    types after the first `num_inputs` are outputs. If the relation is an `OperatorKind`, `attrs`
    are its attributes. If it is None, the constraint always holds.
    """

    relation: Relation
    types: tuple[Type, ...]
    num_inputs: int
    depth: int = field(default=0, init=False, repr=False)
    complete: bool = field(default=True, init=False, repr=False)
    func = Alias[Relation]("relation")
    args = Alias[tuple[Type, ...]]("types")

    def __init__(
        self,
        relation: "Relation | OperatorKind | None",
        types: Sequence[Type],
        num_inputs: int,
        attrs: object = None,
    ) -> None:
        set_field(self, "relation", relation_of(relation, attrs))
        set_field(self, "types", require_items(Type, "the types of a relation", types))
        set_field(self, "num_inputs", require_index("the number of inputs", num_inputs))
        set_field(self, "depth", enclosing_depth("a type", self.types))
        set_field(self, "complete", all(ty.complete for ty in self.types))


@value
class FuncType(UpToTypeVariables, Type, Value):
    """A function type: parameter types, result type, type parameters and constraints on them.

    `==` and `hash` ignore the names of the type parameters.
    """

    params: tuple[Type, ...]
    result: Type
    type_params: tuple[TypeVar, ...] = ()
    constraints: tuple[TypeRelation, ...] = ()
    alpha_key: str | None = field(default=None, init=False, repr=False)
    parts: int = field(default=1, init=False, repr=False)
    depth: int = field(default=0, init=False, repr=False)
    complete: bool = field(default=True, init=False, repr=False)
    arg_types = Alias[tuple[Type, ...]]("params")
    ret_type = Alias[Type]("result")
    type_constraints = Alias[tuple[TypeRelation, ...]]("constraints")

    def __post_init__(self) -> None:
        of = "of a function type"
        set_field(self, "params", require_items(Type, f"the parameters {of}", self.params))
        require(Type, f"the result {of}", self.result)
        params = require_items(TypeVar, f"the type parameters {of}", self.type_params)
        set_field(self, "type_params", params)
        relations = require_items(TypeRelation, f"the constraints {of}", self.constraints)
        set_field(self, "constraints", relations)
        _note_parts(self)

    @property
    def dim_params(self) -> frozenset[DimVar]:
        """Return the dimension variables in the parameter types.

        Each call may instantiate them anew.

        Those that an enclosing scope of a local function binds are the same in all calls.
        """
        return dim_variables(*self.params)

    def __repr__(self) -> str:
        generic = f"[{', '.join(map(repr, self.type_params))}]" if self.type_params else ""
        return f"fn {generic}({_types_text(self.params)}) -> {_types_text((self.result,))}"


@value
class RefType(Type, Value):
    """The type of a reference to a mutable cell, whose content has the given type."""

    content: Type
    parts: int = field(default=1, init=False, repr=False)
    depth: int = field(default=0, init=False, repr=False)
    complete: bool = field(default=True, init=False, repr=False)
    value = Alias[Type]("content")

    def __post_init__(self) -> None:
        require(Type, "the content type of a reference type", self.content)
        _note_parts(self)

    def __repr__(self) -> str:
        return f"ref({_types_text((self.content,))})"


@value
class GlobalTypeVar(Type, Value):
    """The name of an algebraic data type of a module."""

    name: str
    made_by: ClassVar[str] = 'write relay.GlobalTypeVar("List")'
    name_hint = Alias[str]("name")

    def __post_init__(self) -> None:
        require_name("the name of a data type", self.name)

    @property
    def kind(self) -> Kind:
        """Return the kind of names of data types."""
        return Kind.ADT_HANDLE

    def __call__(self, *args: Type) -> "TypeCall":
        """Return the data type applied to type arguments."""
        return TypeCall(self, args)

    def __repr__(self) -> str:
        return self.name


@value
class TypeCall(Type, Value):
    """A data type applied to type arguments, such as `List[float32]`."""

    head: GlobalTypeVar
    args: tuple[Type, ...]
    parts: int = field(default=1, init=False, repr=False)
    depth: int = field(default=0, init=False, repr=False)
    complete: bool = field(default=True, init=False, repr=False)
    func = Alias[GlobalTypeVar]("head")

    def __post_init__(self) -> None:
        require(GlobalTypeVar, "the head of a type application", self.head)
        set_field(
            self, "args", require_items(Type, f"the type arguments of {self.head.name}", self.args)
        )
        _note_parts(self)

    def __repr__(self) -> str:
        return self.head.name + (f"[{_types_text(self.args)}]" if self.args else "")


def _note_parts(ty: Type) -> None:
    """Compute and store the fields `complete`, `depth` and `parts` of a type.

    `parts` is exact only up to `MOST_PARTS`.
    """
    inner = children(ty)
    set_field(ty, "depth", enclosing_depth("a type", inner))
    parts = 1 + sum(child.parts for child in inner)
    set_field(ty, "parts", min(parts, MOST_PARTS + 1))
    set_field(ty, "complete", all(child.complete for child in inner))


def _types_text(types: Sequence[Type]) -> str:
    """Return types as text; a type with too many components is abbreviated to `…`."""
    return ", ".join("…" if ty.parts > MOST_PARTS else repr(ty) for ty in types)


def children(ty: Type) -> tuple[Type, ...]:
    """Return the direct component types of a type, in order."""
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
    """Return the type with other component types, or itself if none of them differs."""
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


def all_parts(*types: Type, inner: Callable[[Type], Iterable[Type]] = children) -> Iterator[Type]:
    """Yield `types` and all types inside them, each once; `inner` returns a type's components."""
    stack = [*types]
    seen: set[Type] = set()
    while stack:
        top = stack.pop()
        if top not in seen:
            seen.add(top)
            yield top
            stack.extend(inner(top))


def dimensions(ty: Type) -> tuple[Dim, ...]:
    """Return every dimension that occurs in a type; a component that occurs twice counts once."""
    if isinstance(ty, TensorType):  # the usual case needs no search
        return ty.shape
    tensors = (part for part in all_parts(ty) if isinstance(part, TensorType))
    return tuple(dim for tensor in tensors for dim in tensor.shape)


def is_dynamic(ty: Type) -> bool:
    """Whether a dimension of the type is not an integer, so that it is known only at run time."""
    if isinstance(ty, TensorType):  # the usual case needs no search
        return not is_static(ty.shape)
    return any(not isinstance(dim, int) for dim in dimensions(ty))


def has_any(ty: Type) -> bool:
    """Whether the unknown dimension `Any` occurs in the type."""
    return any(isinstance(dim, AnyDim) for dim in dimensions(ty))


def dim_variables(*types: Type) -> frozenset[DimVar]:
    """Return the dimension variables that occur in types."""
    return frozenset[DimVar]().union(*(variables(dim) for ty in types for dim in dimensions(ty)))


def tensor_dims(ty: Type) -> tuple[Dim, ...]:
    """Return the dimensions of the tensors in a type, except inside data types and functions.

    >>> tensor_dims(TupleType((TensorType((DimVar("n"), 2)), TupleType(()))))
    (DimVar(name='n'), 2)
    """
    match ty:
        case TensorType(shape):
            return shape
        case TupleType(fields):
            return tuple(dim for field in fields for dim in tensor_dims(field))
        case _:
            return ()


def tensor_dim_vars(ty: Type) -> frozenset[DimVar]:
    """Return the dimension variables of the tensors in a type.

    Those inside data types and function types do not count.
    """
    return frozenset[DimVar]().union(*map(variables, tensor_dims(ty)))


def substitute_dims(ty: Type, sizes: Mapping[DimVar, Dim]) -> Type:
    """Return a type in which dimension variables are replaced by `sizes`, everywhere."""

    def leaf(part: Type) -> Type:
        if not isinstance(part, TensorType):
            return part
        return TensorType(tuple(substitute(dim, sizes) for dim in part.shape), part.dtype)

    return _replaced(ty, leaf, {})


def without_dims(ty: Type, names: Iterable[DimVar]) -> Type:
    """Return a type with `?` for each dimension in which one of the variables `names` occurs.

    >>> n = DimVar("n")
    >>> without_dims(TensorType((n, n + 1, 2)), (n,))
    Tensor[(?, ?, 2), float32]
    """
    sizes = unknown(names)
    return substitute_dims(ty, sizes) if sizes else ty


def substitute_types(ty: Type, bindings: "dict[Type, Type]") -> Type:
    """Return a type in which `bindings` replaces type variables or holes, everywhere.

    Bound variables are not renamed.
    """
    return _replaced(ty, lambda part: bindings.get(part, part), {})


def _replaced(ty: Type, leaf: Callable[[Type], Type], known: "dict[Type, Type]") -> Type:
    """Return a type with `leaf` applied to components of any depth; `known` memoises results."""
    if ty not in known:
        new = leaf(ty)
        inner = children(ty) if new is ty else ()
        parts = [_replaced(each, leaf, known) for each in inner]
        same = all(a is b for a, b in zip(inner, parts, strict=True))
        known[ty] = new if same else with_children(ty, parts)
    return known[ty]
