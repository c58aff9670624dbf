"""Classic names of the members of expressions.

There is one class for each class of `relay.ir.expr` that inherits from it. Classic field names also
work as keywords of the constructors (`relay.support.node.Alias`).
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Self, cast
from zlib import crc32

from relay.ir.types import GlobalTypeVar, Type
from relay.ir.validation import require_mapping
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError
from relay.support.node import Alias, replace
from relay.support.span import Span


class ExprNames:
    """Classic names of every expression."""

    __slots__ = ()
    ty: Type | None
    span: Span | None

    @property
    def checked_type(self) -> Type:
        """Return the type; raises `T019` where it is not inferred yet."""
        if self.ty is None:
            message = f"the type of this {type(self).__name__} is not known yet"
            help_ = "infer it: relay.transform.InferType()(module)"
            raise RelayTypeError(ErrorCode.T019, message, span=self.span, help=help_)
        return self.ty

    def same_as(self, other: object) -> bool:
        """Whether both are the same object; this equals `==`."""
        return self is other


class NamedNames:
    """Classic names of variables, global variables and constructors."""

    __slots__ = ()
    name_hint: Alias[str] = Alias("name")


class VarNames(NamedNames):
    """Classic names of local variables."""

    __slots__ = ()
    type_annotation: Alias[Type | None] = Alias("annotation")

    @property
    def vid(self) -> Self:
        """Return the identity of a variable: the variable itself."""
        return self


class FunctionNames:
    """Classic names of functions."""

    __slots__ = ()
    attrs: Mapping[str, object]
    ret_type: Alias[Type | None] = Alias("result")

    def with_attr(self, key: str | Mapping[str, object], value: object = None) -> Self:
        """Return the function with one more attribute, or with those of a mapping."""
        more = {key: value} if isinstance(key, str) else key
        require_mapping("the attributes of a function", more)
        changed: Any = replace(self, attrs=MappingProxyType({**self.attrs, **more}))
        return cast("Self", changed)

    def without_attr(self, key: str) -> Self:
        """Return the function without an attribute; the same function if it has none like that."""
        if key not in self.attrs:
            return self
        kept = {name: each for name, each in self.attrs.items() if name != key}
        changed: Any = replace(self, attrs=MappingProxyType(kept))
        return cast("Self", changed)


class TupleNames:
    """Classic names of tuples; the classic language wrapped calls with several results."""

    __slots__ = ()

    @property
    def tuple_value(self) -> Self:
        """Return the expression itself, which can be indexed and has a length."""
        return self

    def astuple(self) -> Self:
        """Return the expression itself, which is the tuple of the results."""
        return self


class TypeArgs(Alias[tuple[Type, ...]]):
    """The classic `type_args` of calls: for an operator, the types of its arguments.

    They are empty where a type is not known. A call of an operator keeps none of its own.
    """

    def __get__(self, holder: Any, cls: type) -> tuple[Type, ...]:
        """Return the type arguments."""
        if holder is None or not isinstance(holder.op, OperatorNames):
            return super().__get__(holder, cls)
        types: tuple[Type | None, ...] = tuple(arg.ty for arg in holder.args)
        known = tuple(ty for ty in types if ty is not None)
        return known if len(known) == len(types) else ()


class ConstructorNames(NamedNames):
    """Classic names of constructors."""

    __slots__ = ()
    belong_to: Alias[Type] = Alias("belongs_to")
    belongs_to: GlobalTypeVar
    index: int

    @property
    def tag(self) -> int:
        """Return a number for the constructor, the same in all modules; -1 before it is defined.

        The upper eight of 32 bits hash the name of the data type; the lower bits are the index.
        """
        if self.index < 0:
            return -1
        return (crc32(self.belongs_to.name.encode()) % 256 << 24) | self.index


class OperatorNames:
    """Classic names of operators, which are also their attributes: `call.attrs["axis"]`."""

    __slots__ = ()
    __match_args__: ClassVar[tuple[str, ...]]

    @classmethod
    @abstractmethod
    def arguments(cls) -> tuple[str, ...]:
        """Return the names of the arguments."""

    @property
    def num_inputs(self) -> int:
        """Return the number of arguments; a variable number of tensors counts as one tuple."""
        return len(self.arguments())

    def keys(self) -> tuple[str, ...]:
        """Return the names of the attributes."""
        return type(self).__match_args__

    def values(self) -> tuple[Any, ...]:
        """Return the attribute values, in the order of their names."""
        return tuple(getattr(self, name) for name in self.keys())

    def items(self) -> tuple[tuple[str, Any], ...]:
        """Return the attributes with their names."""
        return tuple(zip(self.keys(), self.values(), strict=True))

    def __len__(self) -> int:
        return len(self.keys())

    def __contains__(self, name: object) -> bool:
        return name in self.keys()

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def get_int(self, name: str) -> int:
        """Return an attribute that is an integer."""
        return int(self[name])

    def get_str(self, name: str) -> str:
        """Return an attribute as a string."""
        return str(self[name])

    def get_attr(self, name: str) -> object:
        """Return the definition's value for a classic name like `TOpPattern`; None if unknown."""
        del name
        return None

    def __getitem__(self, name: str) -> Any:
        """Return an attribute by its name; raises `T016` for an unknown name."""
        if name not in self.keys():
            known = ", ".join(self.keys()) or "none"
            message = f"there is no attribute {name!r}"
            raise RelayTypeError(ErrorCode.T016, message, help=f"its attributes: {known}")
        return getattr(self, name)
