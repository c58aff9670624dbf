"""Members of expressions under the names that TVM's Relay gives them.

Each class here is a base of one class in `relay.ir.expr`. Its field names also work as keywords of
the constructors (`relay.support.node.Alias`).
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from inspect import getdoc
from types import MappingProxyType
from typing import Any, ClassVar, Self, cast
from zlib import crc32

from relay.ir.field_validation import require_mapping
from relay.ir.registration_names import RegistrationNames
from relay.ir.types import GlobalTypeVar, Type
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError
from relay.support.missing_member import MissingMember
from relay.support.ndarray import NDArray, read_only
from relay.support.node import Alias, replace
from relay.support.span import Span


class ExprNames:
    """Members of all expressions, under TVM's names."""

    __slots__ = ()
    virtual_device = MissingMember("mark it in the program: relay.annotation.on_device(x, 'npu')")
    ty: Type | None
    span: Span | None

    @property
    def checked_type(self) -> Type:
        """Return the type of the expression; raises `T019` if it has not been inferred yet."""
        if self.ty is None:
            message = f"the type of this {type(self).__name__} is not known yet"
            help_ = "infer the types first: relay.transform.InferType()(module)"
            raise RelayTypeError(ErrorCode.T019, message, span=self.span, help=help_)
        return self.ty

    def same_as(self, other: object) -> bool:
        """Whether `other` is the same object; equivalent to `==`."""
        return self is other


class ConstantData(Alias[NDArray]):
    """TVM's field `data` of constants, a read-only array with TVM's methods.

    It is a view of the field `array`, which the compiler reads: a plain array.
    """

    def __get__(self, holder: Any, cls: type) -> NDArray:
        """Return the array of a constant; when accessed on the class, the field's descriptor."""
        found: Any = super().__get__(holder, cls)
        return found if holder is None else read_only(found)


class ConstantNames:
    """Members of constants, under TVM's names."""

    __slots__ = ()
    data = ConstantData("array")


class NamedNames:
    """Members of variables, global variables and constructors, under TVM's names."""

    __slots__ = ()
    name_hint: Alias[str] = Alias("name")


class VarNames(NamedNames):
    """Members of local variables, under TVM's names."""

    __slots__ = ()
    type_annotation: Alias[Type | None] = Alias("annotation")

    @property
    def vid(self) -> Self:
        """Return the identity of a variable, which is the variable object itself."""
        return self


class FunctionNames:
    """Members of functions, under TVM's names."""

    __slots__ = ()
    attrs: Mapping[str, object]
    ret_type: Alias[Type | None] = Alias("result")
    script = MissingMember("call func.astext()")
    show = MissingMember("call print(func)")

    def with_attr(self, key: str | Mapping[str, object], value: object = None) -> Self:
        """Return the function with an attribute set, or with all attributes of a mapping set."""
        more = {key: value} if isinstance(key, str) else key
        require_mapping("the attributes of a function", more)
        changed: Any = replace(self, attrs=MappingProxyType({**self.attrs, **more}))
        return cast("Self", changed)

    def with_attrs(self, attr_map: Mapping[str, object]) -> Self:
        """Return the function with all attributes of a mapping set."""
        return self.with_attr(attr_map)

    def without_attr(self, key: str) -> Self:
        """Return the function without the attribute `key`, or itself if it lacks that attribute."""
        if key not in self.attrs:
            return self
        kept = {name: each for name, each in self.attrs.items() if name != key}
        changed: Any = replace(self, attrs=MappingProxyType(kept))
        return cast("Self", changed)


class TupleNames:
    """Members of tuples and calls, under TVM's names.

    In TVM, a wrapper object stands for a call with several results.
    """

    __slots__ = ()

    @property
    def tuple_value(self) -> Self:
        """Return the expression itself; in TVM, a wrapper around a call holds the tuple."""
        return self

    def astuple(self) -> Self:
        """Return the expression itself, which is the tuple of all results."""
        return self


class TypeArgs(Alias[tuple[Type, ...]]):
    """TVM's field `type_args` of calls; for a call of an operator, it has the argument types.

    It is empty if some argument type is unknown.
    """

    def __get__(self, holder: Any, cls: type) -> tuple[Type, ...]:
        """Return the type arguments of a call, or the argument types of an operator call."""
        if holder is None or not isinstance(holder.op, OperatorNames):
            return super().__get__(holder, cls)
        types: tuple[Type | None, ...] = tuple(arg.ty for arg in holder.args)
        known = tuple(ty for ty in types if ty is not None)
        return known if len(known) == len(types) else ()


class ConstructorNames(NamedNames):
    """Members of constructors, under TVM's names."""

    __slots__ = ()
    belong_to: Alias[Type] = Alias("belongs_to")
    belongs_to: GlobalTypeVar
    index: int

    @property
    def tag(self) -> int:
        """Return a number that identifies the constructor in all modules; -1 if it is undefined.

        The upper eight of its 32 bits are a hash of the data type's name, the lower bits the index
        of the constructor in the data type.
        """
        if self.index < 0:
            return -1
        return (crc32(self.belongs_to.name.encode()) % 256 << 24) | self.index


class OperatorNames(RegistrationNames):
    """Members of operators, under TVM's names.

    An operator is also the object that holds its attributes: `call.attrs["axis"]`.
    """

    __slots__ = ()
    __match_args__: ClassVar[tuple[str, ...]]
    unknown_to_tvm: ClassVar[tuple[str, ...]] = ()
    """Attributes that TVM's operator lacks, and that are None where they are not needed."""

    @classmethod
    @abstractmethod
    def arguments(cls) -> tuple[str, ...]:
        """Return the names of the operator's arguments."""

    @property
    def description(self) -> str:
        """Return the documentation of the operator."""
        return getdoc(type(self)) or ""

    @property
    def num_inputs(self) -> int:
        """Return the number of arguments; a variable number of tensors counts as one argument."""
        return len(self.arguments())

    def keys(self) -> tuple[str, ...]:
        """Return the names of the operator's attributes, so that its builder accepts them."""
        unused = [name for name in self.unknown_to_tvm if getattr(self, name) is None]
        return tuple(name for name in self.__match_args__ if name not in unused)

    def values(self) -> tuple[Any, ...]:
        """Return the values of the operator's attributes, in the order of `keys`."""
        return tuple(getattr(self, name) for name in self.keys())

    def items(self) -> tuple[tuple[str, Any], ...]:
        """Return the operator's attributes as pairs of name and value."""
        return tuple(zip(self.keys(), self.values(), strict=True))

    def __len__(self) -> int:
        return len(self.keys())

    def __contains__(self, name: object) -> bool:
        return name in self.keys()

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def get_int(self, name: str) -> int:
        """Return the integer attribute with this name."""
        return int(self[name])

    def get_str(self, name: str) -> str:
        """Return the attribute with this name as a string."""
        return str(self[name])

    def get_attr(self, name: str) -> object:
        """Return an operator's property by a TVM name such as `TOpPattern`; None if unknown."""
        del name
        return None

    def __getitem__(self, name: str) -> Any:
        """Return the attribute with this name; raises `T016` if there is none."""
        if name not in self.keys():
            known = ", ".join(self.keys()) or "none"
            message = f"the operator has no attribute {name!r}"
            raise RelayTypeError(
                ErrorCode.T016, message, help=f"use one of its attributes: {known}"
            )
        return getattr(self, name)
