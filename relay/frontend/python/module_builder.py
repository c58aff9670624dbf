"""Build the module of a traced program: collect its functions, data types and captured arrays."""

import builtins
from collections.abc import Callable, Mapping, Sequence
from inspect import getattr_static
from types import CodeType, FunctionType
from typing import Any, Protocol, TypeAlias, cast

from relay.frontend.python.captures.captured_arrays import CapturedArrays, with_captures
from relay.frontend.python.captures.module_linking import (
    linked,
    with_names,
    with_static_sizes,
    with_types_apart,
)
from relay.frontend.python.captures.value_snapshots import frozen, unchanged
from relay.frontend.python.data_types.data_classes import DataTypes
from relay.frontend.python.rewriting.function_source import copied, namespace, present
from relay.frontend.python.transformed_functions import Given, Shapes, Transformed
from relay.frontend.python.values.containers import Shape
from relay.ir.analysis.call_graph import CallGraph, reached
from relay.ir.dims import DimVar
from relay.ir.expr import Array, Function, GlobalVar, Var
from relay.ir.fresh_names import free_name
from relay.ir.module import ENTRY, Module, TypeData
from relay.ir.types import FuncType, Type, dim_variables
from relay.ir.walk import free_vars
from relay.numpy.errors import mistake
from relay.semantics.infer import infer
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.support.node import replace
from relay.support.span import Span


def _is_still(read: Callable[[], object], before: object) -> bool:
    """Whether `read()` still returns the value that was recorded as `before`."""
    try:
        return unchanged(read(), before)
    except (AttributeError, KeyError, NameError, ValueError):  # gone
        return False


class Decorated:
    """The base class of decorated functions, by which the frontend recognises calls of them."""

    def __init__(self, original: FunctionType) -> None:
        self.original = original


class Declaration(Protocol):
    """The signature of a function whose body is traced later."""

    params: tuple[str, ...]
    types: Sequence[Type]
    type: FuncType | None
    shape: Shape  # the containers in its declared result
    makes_new: bool  # whether the arrays of its result are surely new

    def translate(self) -> Function:
        """Trace the body and return the complete function."""
        ...


MethodOfClass: TypeAlias = "FunctionType | staticmethod[..., Any] | classmethod[Any, ..., Any]"
"""A method as it is stored in the dictionary of its class."""

Declare = Callable[["Unit", FunctionType], Declaration]


class Unit:
    """The module under construction: `main`, and the functions and data types that it needs."""

    def __init__(self, declare: Declare, main: FunctionType, *, captures: bool = True) -> None:
        self.captured = CapturedArrays() if captures else None
        self.inputs: Mapping[str, Array] = {}  # of `main`, which are captured
        self.result: Shape = None  # the containers in the result of `main`
        self.written: tuple[str, ...] = ()  # the parameters of `main` to which it writes
        self.names = namespace(main)
        self.data = DataTypes(self.names)
        self.main = main
        self.outside: dict[int, object] = {}  # what is known to be outside of all functions
        self.sizes: frozenset[DimVar] = frozenset()  # the names in types of functions around
        self.decorators: dict[FunctionType, Decorated] = {}
        self.owners: dict[FunctionType, tuple[type, MethodOfClass]] = {}  # the classes of methods
        self._declare = declare
        self._declared: dict[FunctionType, Declaration] = {}
        self._names: dict[FunctionType, str] = {}
        self._functions: dict[str, Function] = {}
        self._begun: set[FunctionType] = set()
        self._translating: list[FunctionType] = []
        self._calls: dict[FunctionType, set[FunctionType]] = {}
        self._inlined: set[FunctionType] = set()
        self._linked: dict[int, tuple[Module, GlobalVar]] = {}  # holds the modules, so ids last
        self._transformed: list[tuple[Transformed, Given, Sequence[Type], GlobalVar, Shapes]] = []
        self._types: dict[str, TypeData] = {}
        self._methods: dict[tuple[type, MethodOfClass], FunctionType] = {}
        self._codes: set[CodeType] = set()
        self._seen: list[tuple[Callable[[], object], object]] = []
        self._looked: set[tuple[FunctionType, str]] = set()

    # Values from outside

    def look(self, read: Callable[[], object]) -> Any:
        """Return `read()`, a value from outside, and record that the program depends on it."""
        found = read()
        self._seen.append((read, frozen(found, self.is_input)))
        return found

    def is_input(self, array: object) -> bool:
        """Whether a captured array is an input that the program reads anew at each call."""
        return self.captured is not None and array in self.captured

    def variable(self, array: Array) -> Var | None:
        """Return the variable of a captured array; None if it is read-only, hence a constant."""
        if self.captured is None or not array.flags.writeable:
            return None
        name = next((name for name, each in self.names.items() if each is array), "captured")
        return self.captured.variable(array, name)

    def look_at(self, function: FunctionType, name: str) -> None:
        """Record that the program depends on the value of a name that a function reads."""
        if (function, name) in self._looked:
            return
        self._looked.add((function, name))
        try:
            self.look(lambda: present(function, name))
        except (KeyError, ValueError):  # a builtin, or nothing yet
            if hasattr(builtins, name):
                self._seen.append((lambda: function.__globals__.get(name), None))

    @property
    def outdated(self) -> bool:
        """Whether a value from outside on which the program depends has changed."""
        return any(not _is_still(read, before) for read, before in self._seen)

    def decorated(self, given: Any) -> FunctionType | None:
        """Return the Python function in a decorated function; None for other objects."""
        if not isinstance(given, Decorated):
            return None
        self.decorators[given.original] = given
        return given.original

    def note_code(self, code: CodeType) -> None:
        """Record the code of a rewritten function, and of the functions nested in it."""
        self._codes.add(code)
        for each in code.co_consts:
            if isinstance(each, CodeType):
                self.note_code(each)

    def is_own_code(self, code: CodeType) -> bool:
        """Whether `code` belongs to a function that was rewritten with hooks."""
        return code in self._codes

    # Functions

    def build(self) -> Module:
        """Return the module with `main` and everything that it reaches."""
        self.declaration(self.main)
        while waiting := [each for each in self._declared if each not in self._begun]:
            self._translate(waiting[0])
        own = {
            each: self._functions[each]
            for each in map(self._names.get, self._declared)
            if each in self._functions
        }
        if any(not unchanged(read(), before) for read, before in self._seen if _is_there(read)):
            what = (
                f"the function {self.main.__name__} changes an object that was created outside "
                "of it"
            )
            advice = "return the new value instead, and store it after the call"
            raise mistake(ErrorCode.F116, what, None, advice)
        functions = {**own, **self._functions}
        if self.captured is not None:
            functions, self.inputs = self.captured.as_inputs(functions, "main")
        return reached(Module(functions, {**self._types, **self.data.types}))

    def declaration(self, function: FunctionType) -> Declaration:
        """Return the signature of a function, and add the function to the module."""
        if function not in self._declared:
            made = self._declare(self, function)
            self._names[function] = self._name(function)
            self._declared[function] = made
        return self._declared[function]

    def is_annotated(self, function: FunctionType) -> bool:
        """Whether all parameters are annotated, so that the function is traced separately."""
        code = function.__code__
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        owner = self.owners.get(function)
        if owner is not None and not isinstance(owner[1], staticmethod):
            names = names[1:]
        known = function.__annotations__
        return all(name in known and not self.data.is_open(known[name]) for name in names)

    def varies(self, function: FunctionType) -> bool:
        """Whether a function has type parameters or symbolic sizes."""
        ty = self.declaration(function).type
        return ty is not None and bool(ty.type_params or dim_variables(ty))

    def makes_new(self, function: FunctionType) -> bool:
        """Whether no array that a function returns can share memory with its arguments."""
        if function not in self._begun:
            self._translate(function)
        return self._declared[function].makes_new

    def method(self, cls: type, found: MethodOfClass) -> FunctionType:
        """Return a method as a separate function for the class `cls`, which may inherit it."""
        if (cls, found) not in self._methods:
            whole = found if isinstance(found, FunctionType) else found.__func__
            self._methods[cls, found] = made = copied(cast("FunctionType", whole))
            self.owners[made] = cls, found
        return self._methods[cls, found]

    def without_class(self, function: FunctionType) -> FunctionType:
        """Return a class method bound to its class, as callers see it; other methods unchanged."""
        cls, found = self.owners[function]
        bound: Any = getattr_static(cls, function.__name__, None)
        return (
            found.__get__(None, cls)
            if bound is found and isinstance(found, classmethod)
            else function
        )

    def reference(self, function: FunctionType, span: Span) -> GlobalVar:
        """Return a typed reference; raises `F103` if its type depends on itself."""
        declaration = self.declaration(function)
        for caller in self._translating[-1:]:
            self._calls.setdefault(caller, set()).add(function)
        if declaration.type is None:
            if function in self._begun:
                what = (
                    f"the recursive function {function.__name__} needs an annotation for its result"
                )
                advice = (
                    f"write the type of the result after the arrow: `def {function.__name__}(…) "
                    "-> float32:`"
                )
                raise mistake(ErrorCode.F103, what, span, advice)
            self._translate(function)
        return GlobalVar(self._names[function], ty=declaration.type, span=span)

    def is_called(self, function: FunctionType) -> bool:
        """Whether any function of the module refers to `function`."""
        return any(function in each for each in self._calls.values())

    def is_inlined(self, function: FunctionType, *, exact: bool) -> bool:
        """Whether calls of a function are traced inline: Python then tracks aliases of its arrays.

        This holds if it writes to its parameters or, with `exact`, may return one of them.
        Recursive functions cannot be inlined, and functions with symbolic sizes need their declared
        types.
        """
        if function in self._inlined:
            return True
        ty = self.declaration(function).type
        varies = ty is not None and bool(ty.type_params or dim_variables(ty))
        if varies or self._is_recursive(function):
            return False
        try:
            new = self.makes_new(function)
        except RelayError as error:
            if error.code != ErrorCode.F116 or self._is_recursive(function):
                raise
            self._inlined.add(function)
            del self._declared[function], self._names[function]
            return True
        return exact and not new and not self._is_recursive(function)

    def _is_recursive(self, function: FunctionType) -> bool:
        """Whether a function calls itself, directly or not, or is being traced now."""
        stack, seen = [function], set[FunctionType]()
        while stack:
            for each in self._calls.get(stack.pop(), set()) - seen:
                seen.add(each)
                stack.append(each)
        return function in seen or function in self._translating

    def link(self, module: Module, name: str, span: Span) -> GlobalVar:
        """Return a typed reference to the `main` of another module, which is merged into this one.

        Raises `F134` if both the program and the module define a data type of the same name.
        """
        if id(module) not in self._linked:
            given = with_types_apart(module, self._types)
            for each in given.types:
                if each in self.data.types:
                    what = (
                        f"this function and the model that it calls both define a data type {each}"
                    )
                    raise mistake(
                        ErrorCode.F134, what, span, f"rename the class {each} in the Python file"
                    )
            self._linked[id(module)] = module, self._merged(given, name)
        return replace(self._linked[id(module)][1], span=span)

    def link_transformed(
        self, function: Transformed, given: Given, types: Sequence[Type]
    ) -> tuple[GlobalVar, Shapes]:
        """Add the transformed program of a function to the module.

        `given` is the function's `closed` program; the transformed program is specialised to the
        sizes of arguments of the given `types`. Returns a typed reference to the transformed
        program, and the structure of its arguments and result. Calls of one function with equal
        programs share it.
        """
        for known, before, sizes, callee, shapes in self._transformed:
            if known is function and sizes == types and before.equals(given):
                return callee, shapes
        made = function.transformed(given)
        module = self.data.mapped.unified(with_static_sizes(made.module, types))
        module = with_types_apart(module, {**self._types, **self.data.types})
        self.data.adopt(module.types)
        callee = self._merged(module, "transformed")
        self._transformed.append((function, given, types, callee, made.shapes))
        return callee, made.shapes

    def _merged(self, module: Module, name: str) -> GlobalVar:
        self._types |= module.types
        functions = linked(module, name, {"main", *self._names.values(), *self._functions})
        self._functions |= functions
        first = next(iter(functions))
        return GlobalVar(first, ty=functions[first].ty)

    def closed(self, function: Function, span: Span) -> tuple[Module, Sequence[Var]]:
        """Return a module whose `main` is a function of this one, and the variables it captures.

        Captured variables are its last parameters. Raises `F103` if it calls a function that is
        still being traced.
        """
        found, stack = dict[str, Function](), [function]
        while stack:
            called = {*CallGraph(Module({ENTRY: stack.pop()}))[ENTRY]} - {*found}
            found |= {name: self._finished(name, span) for name in called}
            stack += [found[name] for name in called]
        if ENTRY in found:
            renamed = {ENTRY: free_name(self.main.__name__, found)}
            found = {renamed.get(n, n): with_names(f, renamed) for n, f in found.items()}
            function = with_names(function, renamed)
        arrays = [] if self.captured is None else self.captured.variables
        variables = list(dict.fromkeys([*free_vars(function), *arrays]))
        made, captured = with_captures({ENTRY: function, **found}, ENTRY, variables)
        return infer(Module(made, {**self._types, **self.data.types})), captured

    def _finished(self, name: str, span: Span) -> Function:
        """Return a function of the module, which is traced now if it is not yet."""
        if name not in self._functions:
            function = next(each for each, known in self._names.items() if known == name)
            if function in self._begun:
                what = (
                    f"the function {function.__name__} differentiates or maps itself in its own "
                    "body"
                )
                advice = "differentiate or map another function, which does not contain this call"
                raise mistake(ErrorCode.F103, what, span, advice)
            self._translate(function)
        return self._functions[name]

    def _translate(self, function: FunctionType) -> None:
        self._begun.add(function)
        declaration, sizes = self._declared[function], self.sizes
        self._translating.append(function)
        try:
            made = declaration.translate()
        finally:
            self._translating.pop()
        self.sizes = sizes
        assert isinstance(made.ty, FuncType), "the frontend types what it makes"
        declaration.type = made.ty
        self._functions[self._names[function]] = made

    def _name(self, function: FunctionType) -> str:
        if function is self.main:
            return "main"
        return free_name(function.__name__, {"main"}, self._names.values(), self._functions)


def _is_there(read: Callable[[], object]) -> bool:
    try:
        read()
    except (AttributeError, KeyError, NameError, ValueError):
        return False
    return True
