"""TVM's `IRModule`, a mutable module."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from relay.classic.forward_declared_constructors import define, defined
from relay.ir.expr import Array, Call, Constructor, Expr, Function, GlobalVar, Var
from relay.ir.field_validation import require, require_mapping
from relay.ir.module import HasModule, Module, ModuleLike, TypeData, module_of, name_of, short_repr
from relay.ir.types import GlobalTypeVar
from relay.ir.walk import free_vars
from relay.prelude.standard_library import import_from_std
from relay.semantics.analysis import free_type_vars
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError
from relay.support.missing_member import MissingMember
from relay.support.node import replace

Key = GlobalVar | GlobalTypeVar | str


class IRModule(ModuleLike):
    """A mutable collection of functions and data types by name.

    Its current content is the immutable `Module` in `module`, so it is accepted wherever a module
    is; passes return an `IRModule` for an `IRModule`. It is constructed from functions (by global
    variable or name) and data types, or from a module.

    >>> from relay.ir.types import TensorType
    >>> x = Var("x", TensorType((2,)))
    >>> mod = IRModule()
    >>> mod["main"] = Function([x], x)
    >>> mod.get_global_vars()[0].checked_type
    fn (Tensor[(2,), float32]) -> Tensor[(2,), float32]

    Raises `T031` for a function with free variables and `T038` for one with free type variables.
    """

    def __init__(
        self,
        functions: "Mapping[Any, Expr] | HasModule | None" = None,
        type_definitions: Mapping[Any, TypeData] | None = None,
        attrs: Mapping[str, object] | None = None,
    ) -> None:
        for what, each in (("data types", type_definitions), ("attributes", attrs)):
            require_mapping(f"the {what} of a module", {} if each is None else each)
        given: Mapping[Any, Expr] = functions if isinstance(functions, Mapping) else {}
        is_module = functions is not None and functions is not given
        self._module = module_of(functions) if is_module else Module({})
        self._globals: dict[str, GlobalVar] = {}
        for head, data in (type_definitions or {}).items():
            self[head] = data
        for var, function in given.items():
            self[var] = function
        if attrs:
            self._module = replace(self._module, attrs=MappingProxyType(dict(attrs)))

    def __repr__(self) -> str:
        return short_repr(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the class and its argument that restore the module, for pickle and copy."""
        return IRModule, (self._module,)

    @staticmethod
    def from_expr(
        expr: Expr,
        functions: Mapping[Any, Expr] | None = None,
        type_defs: Mapping[Any, TypeData] | None = None,
    ) -> "IRModule":
        """Return a module whose `main` is the function, or a function that returns the expression.

        Free variables become parameters. A function with the attribute `global_symbol` gets that
        name instead of `main`.
        """
        module = IRModule(functions or {}, type_defs)
        require(Expr, "the program of a module", expr)
        function, name = expr, "main"
        if isinstance(expr, Function):
            name = str(expr.attrs.get("global_symbol", name))
        else:
            params, types = free_vars(expr), tuple(free_type_vars(expr))
            function = Function(tuple(params), expr, type_params=types)
        module[name] = function
        return module

    @property
    def module(self) -> Module:
        """Return the current content as an immutable module."""
        return self._module

    def with_module(self, module: Module) -> "IRModule":
        """Return a mutable copy with other content; the same object if it is unchanged."""
        return self if module is self._module else IRModule(module)

    def updated(self, module: Module) -> "IRModule":
        """Replace the content of this object, and return the object."""
        self._module = module
        return self

    @property
    def functions(self) -> dict[GlobalVar, Function]:
        """Return a dictionary from global variables to functions."""
        found = self._module.functions.items()
        return {self.get_global_var(name): function for name, function in found}

    def functions_items(self) -> list[tuple[GlobalVar, Function]]:
        """Return pairs of a global variable and its function."""
        return list(self.functions.items())

    @property
    def attrs(self) -> Mapping[str, object]:
        """Return the attributes of the module."""
        return self._module.attrs

    @property
    def defaults(self) -> Mapping[str, Array]:
        """Return values of parameters of `main` that calls may omit: a model's state."""
        return self._module.defaults

    def get_attr(self, key: str) -> object:
        """Return an attribute; None if there is none of this name."""
        return self.attrs.get(key)

    def with_attr(self, key: str, value: object) -> "IRModule":
        """Return a copy with an additional attribute."""
        attrs = MappingProxyType({**self.attrs, key: value})
        return IRModule(replace(self._module, attrs=attrs))

    def with_attrs(self, attr_map: Mapping[str, object]) -> "IRModule":
        """Return a copy with additional attributes."""
        require_mapping("the attributes of a module", attr_map)
        attrs = MappingProxyType({**self.attrs, **attr_map})
        return IRModule(replace(self._module, attrs=attrs))

    def without_attr(self, key: str) -> "IRModule":
        """Return a copy without the attribute `key`."""
        kept = {name: each for name, each in self.attrs.items() if name != key}
        return IRModule(replace(self._module, attrs=MappingProxyType(kept)))

    source_map = MissingMember("use the field span of an expression, which has its source")

    def shallow_copy(self) -> "IRModule":
        """Return a copy that can be changed independently."""
        return IRModule(self._module)

    def get_global_var(self, name: str) -> GlobalVar:
        """Return the global variable of a function, always the same object; may raise `U001`."""
        ty = self._found(name).ty
        known = self._globals.get(name)
        if known is None or (known.ty is not None and known.ty is not ty):
            known = self._globals[name] = GlobalVar(name, ty=ty)
        return known

    # Changes

    def __setitem__(self, key: Key, value: "Expr | TypeData") -> None:
        """Add or replace a function or a data type.

        A global variable as value means a function that calls it; any other expression means a
        function without parameters.
        """
        if isinstance(value, TypeData):
            self._module = define(self._module, value)
            return
        name = name_of(key)
        function = self._function(value)
        _check_closed(name, function)
        constructors = {(c.belongs_to, c.name): c for c in _constructors(self._module)}
        self._module = self._module.with_function(name, defined(function, constructors))
        if isinstance(key, GlobalVar):
            self._globals[name] = key

    def __delitem__(self, key: Key) -> None:
        """Remove a function."""
        name = name_of(key)
        self._found(name)
        kept = {each: f for each, f in self._module.functions.items() if each != name}
        self._module = self._module.with_functions(kept)

    def add(self, var: Key, val: "Expr | TypeData", update: bool = False) -> None:
        """Add or replace a function or a data type, like `module[var] = val`."""
        del update  # names may always be redefined
        self[var] = val

    def update_func(self, var: Key, func: Expr) -> None:
        """Replace a function."""
        self[var] = func

    def update(self, other: "HasModule | Mapping[Any, Expr]") -> None:
        """Add all definitions of another module, replacing those of the same name."""
        more = IRModule(other).module
        functions = {**self._module.functions, **more.functions}
        types = {**self._module.types, **more.types}
        self._module = replace(self._module, functions=functions, types=types)

    def import_from_std(self, file_name: str) -> None:
        """Add a module of the standard library, such as "prelude.rly"; may raise `U050`."""
        self._module = import_from_std(self._module, file_name)

    def astext(
        self,
        show_meta_data: bool = True,
        annotate: Callable[[Expr], str] | None = None,
        *,
        show_types: bool = True,
        width: int = 100,
    ) -> str:
        """Return the text form of the module; comments say known types, or what `annotate` does."""
        return self._module.astext(show_meta_data, annotate, show_types=show_types, width=width)

    script = astext

    def show(self) -> None:
        """Print the text form of the module."""
        print(self.astext())  # noqa: T201 - the purpose of the method

    def _function(self, value: Expr) -> Function:
        if isinstance(value, Function):
            return value
        if not isinstance(value, GlobalVar):
            return Function((), value)
        target = self[value]
        params = tuple(Var(param.name, param.annotation or param.ty) for param in target.params)
        return Function(params, Call(value, params), target.ret_type, target.type_params)


def _constructors(module: Module) -> list[Constructor]:
    return [*module.constructors().values()]


def _check_closed(name: str, function: Function) -> None:
    free = free_vars(function)
    if free:
        help_ = "make it a parameter of the function, or bind it with a let"
        message = f"the function @{name} uses the variable %{free[0].name}, but does not define it"
        raise RelayTypeError(ErrorCode.T031, message, span=free[0].span, help=help_)
    types = free_type_vars(function)
    if types:
        message = (
            f"the function @{name} uses the type parameter {types[0].name}, but does not declare it"
        )
        raise RelayTypeError(
            ErrorCode.T038,
            message,
            span=function.span,
            help="list it in the function's type_params",
        )
