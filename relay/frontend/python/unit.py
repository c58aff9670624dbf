"""The module that is being built: the functions it has, and those that they call."""

from collections.abc import Callable
from inspect import getattr_static
from types import FunctionType
from typing import Any, Protocol, TypeAlias, TypeGuard, cast

from relay.frontend.python.closures import Closures
from relay.frontend.python.data import DataTypes
from relay.frontend.python.frozen import frozen, unchanged
from relay.frontend.python.linking import free_name, linked, with_types_apart
from relay.frontend.python.sharing import Memory
from relay.frontend.python.source import copied, namespace
from relay.frontend.python.values import Value
from relay.ir.expr import Function, GlobalVar
from relay.ir.module import Module, TypeData
from relay.ir.types import FuncType
from relay.numpy.errors import mistake
from relay.support.error_codes import ErrorCode
from relay.support.node import replace
from relay.support.span import Span


def _is_still(read: Callable[[], object], before: object) -> bool:
    """Whether something is what it was when it was frozen."""
    try:
        return unchanged(read(), before)
    except (AttributeError, KeyError, NameError, ValueError):  # gone
        return False


class Decorated:
    """The base of functions that were decorated: the frontend follows calls to them."""

    def __init__(self, original: FunctionType) -> None:
        self.original = original


class Declaration(Protocol):
    """A function's signature, and the way to its body."""

    name: str
    params: tuple[str, ...]
    placed: tuple[str, ...]  # those that a call may give by place
    type: FuncType | None
    makes_new: bool  # whether its result is surely new, no argument and no part of one
    makes_new_fields: bool  # whether it is a tuple of what is new

    def translate(self) -> Function:
        """Return the function with its body."""
        ...


MethodOfClass: TypeAlias = "FunctionType | staticmethod[..., Any] | classmethod[Any, ..., Any]"
"""A method as it stands in a class."""


def is_method(found: object) -> TypeGuard[MethodOfClass]:
    """Whether something that stands in a class is a method."""
    return isinstance(found, FunctionType | staticmethod | classmethod)


Declare = Callable[["Unit", FunctionType], Declaration]
Inline = Callable[["Unit", FunctionType], Value]


class Unit:
    """Collects functions and data types, starting from one function, the module's `main`."""

    def __init__(self, declare: Declare, inline: Inline, main: FunctionType) -> None:
        self.data = DataTypes(namespace(main))
        self.main = main
        self._declare = declare
        self._inline = inline
        self._helpers: dict[FunctionType, Value] = {}
        self._declared: dict[FunctionType, Declaration] = {}
        self._names: dict[FunctionType, str] = {}
        self._functions: dict[str, Function] = {}
        self._begun: set[FunctionType] = set()
        self._linked: dict[int, tuple[Module, GlobalVar]] = {}  # holds the modules, so ids last
        self._types: dict[str, TypeData] = {}
        self.owners: dict[FunctionType, tuple[type, MethodOfClass]] = {}  # the classes of methods
        self._methods: dict[tuple[type, MethodOfClass], FunctionType] = {}
        self.memory = Memory()
        self.closures = Closures(self.memory, self.data)
        self._seen: list[tuple[Callable[[], object], object]] = []

    def look(self, read: Callable[[], object]) -> object:
        """Return what stands outside, and remember that the program depends on it."""
        found = read()
        self._seen.append((read, frozen(found)))
        return found

    def of_class(self, cls: type, name: str) -> object:
        """Return what stands in a class, not bound to it, or None; the program depends on it."""
        return self.look(lambda: getattr_static(cls, name, None))

    @property
    def outdated(self) -> bool:
        """Whether something outside that was looked at is something else by now."""
        return any(not _is_still(read, before) for read, before in self._seen)

    def build(self) -> Module:
        """Return the module with everything that `main` reaches."""
        self.declaration(self.main)
        while waiting := [each for each in self._declared if each not in self._begun]:
            self._translate(waiting[0])
        self.memory.check()
        own = {each: self._functions[each] for each in map(self._names.get, self._declared) if each}
        return Module({**own, **self._functions}, {**self._types, **self.data.types})

    def declaration(self, function: FunctionType) -> Declaration:
        """Return the signature of a function, which thereby becomes part of the module."""
        if function not in self._declared:
            self._names[function] = self._name(function)
            self._declared[function] = self._declare(self, function)
            if self._declared[function].makes_new:
                self.memory.makers.add(self._names[function])
            if self._declared[function].makes_new_fields:
                self.memory.field_makers.add(self._names[function])
        return self._declared[function]

    def helper(self, function: FunctionType) -> Value:
        """Return an ordinary function as one that each call translates."""
        if function not in self._helpers:
            self._helpers[function] = self._inline(self, function)
        return self._helpers[function]

    def method(self, cls: type, found: "MethodOfClass") -> FunctionType:
        """Return a method of a class as a function: two classes may inherit one method."""
        if (cls, found) not in self._methods:
            whole = found if isinstance(found, FunctionType) else found.__func__
            self._methods[cls, found] = made = copied(cast("FunctionType", whole))
            self.owners[made] = cls, found
        return self._methods[cls, found]

    def reference(self, function: FunctionType, span: Span) -> GlobalVar:
        """Return a typed reference; raises `F103` if its type depends on itself."""
        declaration = self.declaration(function)
        if declaration.type is None:
            if function in self._begun:
                raise mistake(
                    ErrorCode.F103,
                    f"{function.__name__} calls itself, so its result needs an annotation",
                    span,
                    f"write `def {function.__name__}(…) -> float32:`, or what it returns",
                )
            self._translate(function)
        return GlobalVar(self._names[function], ty=declaration.type, span=span)

    def link(self, module: Module, name: str, span: Span) -> GlobalVar:
        """Return a typed reference to the `main` of another module, which becomes part of this one.

        Raises `F134` where the program and the module have a data type of one name.
        """
        if id(module) not in self._linked:
            given = with_types_apart(module, self._types)
            for each in given.types:
                if each in self.data.types:
                    what = f"the program and the model have a data type {each} each"
                    raise mistake(ErrorCode.F134, what, span, f"give the class {each} another name")
            self._types |= given.types
            functions = linked(given, name, {"main", *self._names.values(), *self._functions})
            self._functions |= functions
            first = next(iter(functions))
            self._linked[id(module)] = module, GlobalVar(first, ty=functions[first].ty)
        return replace(self._linked[id(module)][1], span=span)

    def _translate(self, function: FunctionType) -> None:
        self._begun.add(function)
        declaration = self._declared[function]
        made = declaration.translate()
        assert isinstance(made.ty, FuncType), "the frontend types what it makes"
        declaration.type = made.ty
        self._functions[self._names[function]] = made

    def _name(self, function: FunctionType) -> str:
        if function is self.main:
            return "main"
        return free_name(function.__name__, {"main"}, self._names.values(), self._functions)
