"""A module: named functions and algebraic data types, the unit that is compiled."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from types import MappingProxyType
from typing import Any, ClassVar, NoReturn, Protocol, Self, cast, overload

from relay.ir.expr import (
    NO_ATTRIBUTES,
    Array,
    Attributes,
    Constructor,
    Expr,
    Function,
    GlobalVar,
)
from relay.ir.field_validation import (
    require,
    require_attributes,
    require_items,
    require_mapping,
    require_name,
)
from relay.ir.printable import Printable
from relay.ir.types import GlobalTypeVar, Type, TypeCall, TypeVar, all_parts, children
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError, UsageError
from relay.support.late_binding import module_above
from relay.support.missing_member import MissingMember
from relay.support.node import Alias, node, replace, set_field
from relay.support.span import Span

_SHOWN = 10  # tags in an error message

ENTRY = "main"
"""The name of the entry function."""

APPLIED = "write a type argument for each parameter: List[float32]"
"""The help text for a data type that is applied to a wrong number of type arguments."""


@node
class TypeInstance:
    """A generic data type with type arguments, of which another data type is the monomorphic copy.

    The arguments are types of the program that has the copy.
    """

    generic: "TypeData"
    type_args: tuple[Type, ...]

    def mapped(self, types: Callable[[Type], Type]) -> "TypeInstance":
        """Return the instance with type arguments mapped by `types`; itself if none changes."""
        args = tuple(map(types, self.type_args))
        return self if args == self.type_args else TypeInstance(self.generic, args)


@node
class TypeData:
    """The definition of an algebraic data type: its name, type parameters and constructors.

    A monomorphic copy says which `instance` of a generic type it is.
    """

    header: GlobalTypeVar
    type_params: tuple[TypeVar, ...]
    constructors: tuple[Constructor, ...]
    span: Span | None = None
    instance: TypeInstance | None = None
    made_by: ClassVar[str] = "write relay.TypeData(head, [type_param], [constructor])"
    type_vars = Alias[tuple[TypeVar, ...]]("type_params")

    def __post_init__(self) -> None:
        require(GlobalTypeVar, "the name of a data type", self.header)
        of = f"of {self.header.name}"
        params = require_items(TypeVar, f"the type parameters {of}", self.type_params)
        set_field(self, "type_params", params)
        constructors = require_items(Constructor, f"the constructors {of}", self.constructors)
        set_field(self, "constructors", constructors)

    @property
    def written(self) -> "TypeData":
        """Return the definition in the source program: for a monomorphic copy, the generic type."""
        return self.instance.generic if self.instance else self

    def check_count(self, count: int) -> None:
        """Raise `T036` unless the data type has `count` type parameters."""
        name, params = self.header.name, self.type_params
        if len(params) != count:
            applied = f"{name}[{', '.join(map(repr, params))}]" if params else name
            several = "" if count == 1 else "s"
            message = (
                f"{applied} is used with {count} type argument{several} instead of {len(params)}"
            )
            raise RelayTypeError(ErrorCode.T036, message, help=APPLIED)


NAMED = 8
"""How many names the `repr` of a module shows."""


class ModuleLike(Printable):
    """The base of modules: immutable ones and the mutable ones of TVM's Relay."""

    __slots__ = ()

    @property
    @abstractmethod
    def module(self) -> "Module":
        """Return the current content as an immutable module."""

    @abstractmethod
    def with_module(self, module: "Module") -> Self:
        """Return `module`, the result of a pass on this object, as an object of the same class."""

    @abstractmethod
    def updated(self, module: "Module") -> Self:
        """Return this object with the content `module`; a mutable module is changed in place."""

    def __call__(self, *args: object, **named: object) -> Any:
        """Raise `U077`: a module is a program, which must be compiled before it is called.

        In functions that are traced, a call of a module is a part of the program.
        """
        message = "a module is not callable: it is a program, which has to be compiled first"
        help_ = "compile it once, fast = relay.compile(module), and call the result: fast(x)"
        raise UsageError(ErrorCode.U077, message, help=help_)

    @property
    def main(self) -> Function:
        """Return the entry function, `main`."""
        return self[ENTRY]

    @overload
    def __getitem__(self, name: str | GlobalVar) -> Function: ...

    @overload
    def __getitem__(self, name: GlobalTypeVar) -> TypeData: ...

    def __getitem__(self, name: str | GlobalVar | GlobalTypeVar) -> Function | TypeData:
        """Return the function with this name, or the definition of the data type.

        Raises `U001` when there is no such function, `T027` when there is no such data type.
        """
        if isinstance(name, GlobalTypeVar):
            self.module.alternatives(name)
            return self.module.types[name.name]
        return self._found(name_of(name))

    def __contains__(self, name: object) -> bool:
        hint = name.name if isinstance(name, GlobalVar) else name
        return hint in self.module.functions

    def get_global_var(self, name: str) -> GlobalVar:
        """Return the global variable of a function by name; raises `U001` when there is none."""
        return GlobalVar(name, ty=self._found(name).ty)

    def get_global_vars(self) -> list[GlobalVar]:
        """Return the global variables of all functions."""
        return [self.get_global_var(name) for name in self.module.functions]

    def get_type(self, name: str) -> tuple[GlobalTypeVar | Constructor, ...]:
        """Return a data type and its constructors; raises `T027` when the data type does not exist.

        >>> from relay.prelude import Prelude
        >>> list_, cons, nil = Prelude().mod.get_type("List")
        """
        head = GlobalTypeVar(name)
        return (head, *self.module.alternatives(head))

    def get_constructor(self, adt: str | int, cons: str = "") -> Constructor:
        """Return a constructor by its data type and name, or by its tag (an integer `adt`).

        Raises `T027` or `U051` if it does not exist.
        """
        if isinstance(adt, int):
            return self.get_constructor_by_tag(adt)
        head = GlobalTypeVar(adt)
        found = next((c for c in self.module.alternatives(head) if c.name == cons), None)
        if found is None:
            known = ", ".join(each.name for each in self.module.alternatives(head))
            message = f"the data type {adt} has no constructor named {cons}"
            raise UsageError(ErrorCode.U051, message, help=f"use one of its constructors: {known}")
        return found

    def get_constructor_by_tag(self, tag: int) -> Constructor:
        """Return the constructor that has the tag; raises `U051` when there is none."""
        found = next((c for c in self.module.constructors().values() if c.tag == tag), None)
        if found is None:
            tags = sorted(c.tag for c in self.module.constructors().values())
            known = ", ".join(map(str, tags[:_SHOWN])) + ", …" * (len(tags) > _SHOWN)
            message = f"the module has no constructor with the tag {tag}"
            help_ = (
                f"use the tag of one of its constructors: {known}"
                if known
                else "add a data type to the module first, such as those of relay.Prelude(mod)"
            )
            raise UsageError(ErrorCode.U051, message, help=help_)
        return found

    def get_global_type_var(self, name: str) -> GlobalTypeVar:
        """Return a data type's `GlobalTypeVar` by name; raises `T027` if there is none."""
        head = GlobalTypeVar(name)
        self.module.alternatives(head)
        return head

    def get_global_type_vars(self) -> list[GlobalTypeVar]:
        """Return the `GlobalTypeVar` of each data type."""
        return [*self.type_definitions]

    @property
    def type_definitions(self) -> dict[GlobalTypeVar, TypeData]:
        """Return the data types with their definitions."""
        return {data.header: data for data in self.module.types.values()}

    def __str__(self) -> str:
        return self.module.astext(show_meta_data=False)

    def _found(self, name: str) -> Function:
        functions = self.module.functions
        require_name("the name of a function", name)
        if name not in functions:
            raise _no_function(name, functions)
        return functions[name]


def _no_function(name: str, functions: Iterable[str]) -> UsageError:
    message = f"the module has no function @{name}"
    help_ = f'correct the name, or add the function: module["{name}"] = function'
    if name == ENTRY:
        message = f"the program has no function @{ENTRY}, which is the one that runs first"
        help_ = (
            f"add the function to the text, def @{ENTRY}(…) {{ … }}, or to the module in Python, "
            f'module["{ENTRY}"] = function'
        )
    known = ", ".join(f"@{each}" for each in functions) or "none"
    return UsageError(ErrorCode.U001, message, notes=[f"known: {known}"], help=help_)


def name_of(key: object) -> str:
    """Return the name in a string or in a function's or data type's variable (else `T007`)."""
    name = key.name if isinstance(key, GlobalVar | GlobalTypeVar) else key
    require_name("the name of a function", name)
    return cast("str", name)


@node
class Module(ModuleLike):
    """An immutable module: functions and data types by name.

    Methods named `with_…` return changed copies. `defaults` are values of parameters of `main`, by
    name, which calls may omit: the initial state of an imported model.
    """

    from_expr = MissingMember("call relay.IRModule.from_expr(expr)")
    functions: Mapping[str, Function]
    types: Mapping[str, TypeData] = field(default_factory=dict[str, TypeData])
    attrs: Attributes = field(default_factory=lambda: NO_ATTRIBUTES)
    defaults: Mapping[str, Array] = field(default_factory=dict[str, Array], repr=False)
    is_inferred: bool = field(default=False, init=False, repr=False)
    """Whether the module is a result of type inference; changed copies are not marked."""

    def __post_init__(self) -> None:
        require_mapping("the functions of a module", self.functions)
        require_mapping("the data types of a module", self.types)
        require_items(Function, "the functions of a module", self.functions.values())
        require_items(TypeData, "the data types of a module", self.types.values())
        set_field(self, "functions", MappingProxyType(dict(self.functions)))
        set_field(self, "types", MappingProxyType(dict(self.types)))
        set_field(self, "attrs", require_attributes("the attributes of a module", self.attrs))
        require_mapping("the defaults of a module", self.defaults)
        set_field(self, "defaults", MappingProxyType(dict(self.defaults)))

    def __repr__(self) -> str:
        return short_repr(self)

    def __copy__(self) -> "Module":
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> "Module":
        return self

    def __reduce__(self) -> tuple[object, ...]:
        """Return a function and its arguments that restore the module, for pickle."""
        reduction: tuple[object, ...] = module_above("relay.container.module_file").reduced(self)
        return reduction

    @staticmethod
    def of(main: Expr) -> "Module":
        """Return a module whose `main` is a function, or computes another expression.

        The latter has the expression `main` as its body.
        """
        function = main if isinstance(main, Function) else Function((), main)
        return Module({"main": function})

    @property
    def module(self) -> "Module":
        """Return the module itself, which is immutable."""
        return self

    def with_module(self, module: "Module") -> "Module":
        """Return the new module, which is the result of a pass."""
        return module

    def updated(self, module: "Module") -> "Module":
        """Return the new module, because this one is immutable."""
        return module

    def __setitem__(self, name: object, function: object) -> NoReturn:
        """Raise `U070`: modules are immutable."""
        help_ = (
            "use relay.IRModule(module), which is mutable, or module.with_function(name, function)"
        )
        raise UsageError(ErrorCode.U070, "a Module cannot be changed after it is made", help=help_)

    def with_function(self, name: str, function: Function) -> "Module":
        """Return the module with one function added or replaced, or itself if nothing changes."""
        if self.functions.get(name) is function:
            return self
        return replace(self, functions={**self.functions, name: function})

    def with_functions(self, functions: Mapping[str, Function]) -> "Module":
        """Return the module with exactly these functions, or itself if they are its own."""
        same = functions.keys() == self.functions.keys()
        if same and all(functions[name] is f for name, f in self.functions.items()):
            return self
        return replace(self, functions=functions)

    def as_inferred(self) -> "Module":
        """Return the module, marked as having inferred types."""
        set_field(self, "is_inferred", True)
        return self

    def constructors(self) -> dict[str, Constructor]:
        """Return every constructor by name; constructor names are unique in a module."""
        return {c.name: c for data in self.types.values() for c in data.constructors}

    def alternatives(self, head: GlobalTypeVar) -> tuple[Constructor, ...]:
        """Return the constructors of the data type `head`; raises `T027` if there is none."""
        if head.name not in self.types:
            known = ", ".join(self.types) or "none"
            message = f"the module does not define the data type {head.name}"
            help_ = f"define it: type {head.name} {{ … }}, or relay.TypeData"
            raise RelayTypeError(
                ErrorCode.T027, message, notes=[f"its data types: {known}"], help=help_
            )
        return self.types[head.name].constructors

    def held_types(self, ty: Type) -> Iterator[Type]:
        """Yield `ty` and all types nested in it, including those of data type fields."""
        return all_parts(ty, inner=self._inner_types)

    def _inner_types(self, ty: Type) -> Iterator[Type]:
        yield from children(ty)
        if isinstance(ty, TypeCall):
            yield from (part for each in self.alternatives(ty.head) for part in each.inputs)


class HasModule(Protocol):
    """An object that has a program: a module, a mutable module or a decorated function."""

    @property
    def module(self) -> Module:
        """Return the module of the program."""
        ...


def defaults_of(model: object) -> Mapping[str, object]:
    """Return the default values of a program's parameters by name, if it has any.

    They are those of a decorated Python function, or the state of an imported model.
    """
    return getattr(model, "defaults", {})


def written_of(model: object) -> Sequence[str]:
    """Return the names of the parameters whose arrays a decorated function writes to."""
    return getattr(model, "written", ())


def captured_of(model: object) -> Mapping[str, Array]:
    """Return the outside arrays that a decorated function reads at each call, by parameter name."""
    return getattr(model, "inputs", {})


def short_repr(module: ModuleLike) -> str:
    """Return the class of a module and the names of its functions and data types.

    >>> short_repr(Module({}))
    'Module()'
    """
    content = module.module
    names = [*(f"@{name}" for name in content.functions), *content.types]
    more = [f"… {len(names) - NAMED} more"] if len(names) > NAMED else []
    return f"{type(module).__name__}({', '.join([*names[:NAMED], *more])})"


def module_of(model: object) -> Module:
    """Return the module of a model; raises `U003` if it has none."""
    module = getattr(model, "module", None)
    if not isinstance(module, Module):
        found = type(model).__name__
        help_ = "load a file first: relay.compile(relay.load(path))"
        if isinstance(model, Expr):
            help_ = "convert it to a module: relay.IRModule.from_expr(expr)"
        elif isinstance(model, Mapping):
            help_ = (
                "arrays by name are weights, not a program: write a function that takes them, "
                "and compile it"
            )
        elif callable(model):
            help_ = "decorate it with @relay.function, or let calls compile it: relay.jit(function)"
        raise UsageError(
            ErrorCode.U003,
            f"a module is expected here, not an object of the class {found}",
            help=help_,
        )
    return module
