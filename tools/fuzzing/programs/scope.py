"""The variables and functions in scope at one point of a random program."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from relay.ir.dims import is_static
from relay.ir.expr import Expr
from relay.ir.types import FuncType, RefType, TensorType, Type


@dataclass(frozen=True)
class Recursion:
    """A function that may call itself as long as it counts down."""

    callee: Expr
    ty: FuncType
    fuel: Expr


@dataclass(frozen=True)
class Guarded:
    """A value that is defined only where a test holds."""

    inside: Expr
    value: Expr


@dataclass(frozen=True)
class Scope:
    """Variables, pure values that may be shared, and callable functions.

    `generics` are functions with type parameters, which are only called. `guarded` are values that
    may be undefined.
    """

    values: tuple[Expr, ...] = ()
    recursions: tuple[Recursion, ...] = ()
    generics: tuple[Expr, ...] = ()
    guarded: tuple[Guarded, ...] = ()

    def with_values(self, *values: Expr) -> "Scope":
        """Return a scope inside this one."""
        return replace(self, values=(*self.values, *values))

    def with_recursion(self, *recursions: Recursion) -> "Scope":
        """Return a scope in which a function may call itself, or functions that call it back."""
        return replace(self, recursions=(*self.recursions, *recursions))

    def with_generic(self, function: Expr) -> "Scope":
        """Return a scope in which a function with type parameters may be called."""
        return replace(self, generics=(*self.generics, function))

    def with_guarded(self, guarded: Guarded) -> "Scope":
        """Return a scope in which a value may be used behind its test."""
        return replace(self, guarded=(*self.guarded, guarded))

    def of(self, ty: Type) -> list[Expr]:
        """Return the variables and values of that type."""
        return [value for value in self.values if value.ty is ty]

    def types(self) -> list[Type]:
        """Return the types in the scope, each once."""
        return list(dict.fromkeys(value.type for value in self.values))

    def references(self) -> list[Expr]:
        """Return the references."""
        return [value for value in self.values if isinstance(value.ty, RefType)]

    def functions(self, result: Type) -> Iterator[Expr]:
        """Yield the functions that return that type."""
        for value in self.values:
            if isinstance(value.ty, FuncType) and value.ty.result is result:
                yield value

    def open_tensors(self) -> list[TensorType]:
        """Return the types of tensors with symbolic sizes."""
        return [ty for ty in self.types() if isinstance(ty, TensorType) and not is_static(ty.shape)]
