"""A module: named functions and algebraic data types, the unit that is compiled."""

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType

from relay.ir.expr import NO_ATTRIBUTES, Attributes, Constructor, Expr, Function
from relay.ir.types import GlobalTypeVar, TypeVar
from relay.support.errors import TypeError_, UsageError
from relay.support.node import node, replace, set_field
from relay.support.span import Span


@node
class TypeData:
    """The definition of an algebraic data type: its name, type parameters and constructors."""

    header: GlobalTypeVar
    type_params: tuple[TypeVar, ...]
    constructors: tuple[Constructor, ...]
    span: Span | None = None


@node
class Module:
    """Functions and data types by name. Modules are immutable; `with_…` return changed copies."""

    functions: Mapping[str, Function]
    types: Mapping[str, TypeData] = field(default_factory=dict[str, TypeData])
    attrs: Attributes = field(default_factory=lambda: NO_ATTRIBUTES)

    def __post_init__(self) -> None:
        set_field(self, "functions", MappingProxyType(dict(self.functions)))
        set_field(self, "types", MappingProxyType(dict(self.types)))

    @staticmethod
    def of(main: Expr) -> "Module":
        """Return a module whose `main` is the function, or one without parameters around `main`."""
        function = main if isinstance(main, Function) else Function((), main)
        return Module({"main": function})

    def __getitem__(self, name: str) -> Function:
        """Return a function by name; raises `U001` when there is none."""
        if name not in self.functions:
            known = ", ".join(f"@{each}" for each in self.functions) or "none"
            raise UsageError(
                "U001", f"no function @{name} in the module", notes=[f"known: {known}"]
            )
        return self.functions[name]

    @property
    def main(self) -> Function:
        """Return the entry function."""
        return self["main"]

    def with_function(self, name: str, function: Function) -> "Module":
        """Return the module with one function added or replaced; itself when nothing changes."""
        if self.functions.get(name) is function:
            return self
        return replace(self, functions={**self.functions, name: function})

    def with_functions(self, functions: Mapping[str, Function]) -> "Module":
        """Return the module with these functions instead; itself when they are the same."""
        same = functions.keys() == self.functions.keys()
        if same and all(functions[name] is f for name, f in self.functions.items()):
            return self
        return replace(self, functions=functions)

    def constructors(self) -> dict[str, Constructor]:
        """Return every constructor by name; names are unique in a module."""
        return {c.name: c for data in self.types.values() for c in data.constructors}

    def alternatives(self, head: GlobalTypeVar) -> tuple[Constructor, ...]:
        """Return the constructors of a data type; raises `T027` when there is none of that name."""
        if head.name not in self.types:
            known = ", ".join(self.types) or "none"
            message = f"the module has no data type {head.name}"
            raise TypeError_("T027", message, notes=[f"its data types: {known}"])
        return self.types[head.name].constructors
