"""Scopes of a function that is copied, and copies of its local generic functions."""

from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter

from relay.ir.expr import Expr, Function, Var
from relay.ir.types import Type, TypeVar
from relay.transform.monomorphization.errors import check_limit, stays_generic
from relay.transform.monomorphization.type_map import (
    TypeArgs,
    TypeMap,
    instance_type,
    substitution,
)

_GLOBAL = "define it with `def`, and let what it captures be parameters"


class InstanceScope:
    """A scope of a function that is being copied for one choice of its type parameters.

    `new` maps original nodes to their copies. If `copies` is true, no original node is reused,
    because the function may be copied again. `instance` identifies the copy of a let-bound
    function.
    """

    def __init__(
        self,
        around: "InstanceScope | None",
        types: dict[TypeVar, Type],
        instance: "tuple[LocalInstances, TypeArgs] | None" = None,
    ) -> None:
        self.around = around
        self.depth = 1 if around is None else around.depth + 1
        self.bindings: dict[TypeVar, Type] = types if around is None else around.bindings | types
        self.types: TypeMap = substitution(self.bindings)
        self.copies = bool(types) or around is not None
        self.instance = instance
        self.new: dict[Expr, Expr] = {}
        self.functions: dict[tuple[Function, TypeArgs], Function] = {}
        self.locals: dict[Var, LocalInstances] = {}

    def outwards(self) -> "Iterator[InstanceScope]":
        """Yield the scope itself, then the enclosing scopes."""
        scope: InstanceScope | None = self
        while scope is not None:
            yield scope
            scope = scope.around

    def at_depth(self, depth: int) -> "InstanceScope":
        """Return the enclosing scope at a nesting depth; the outermost has depth 1."""
        scope = self
        while scope.depth > depth and scope.around is not None:
            scope = scope.around
        return scope


class LocalInstances:
    """The variables for the copies of a local generic function, one for each choice of types."""

    def __init__(self, var: Var, limit: int) -> None:
        self._var = var
        self._limit = limit
        self.variables: dict[TypeArgs, Var] = {}
        self._needs: dict[TypeArgs, set[TypeArgs]] = {}

    def variable(self, type_args: TypeArgs, types: TypeMap, user: InstanceScope) -> Var:
        """Return the variable of the copy for `type_args`, which is used in the scope `user`.

        `types` maps type parameters of enclosing functions.
        """
        if type_args not in self.variables:
            name = self._var.name
            check_limit(f"%{name}", len(self.variables), self._limit, self._var.span)
            ty = instance_type(types(self._var.type), type_args)
            self.variables[type_args] = Var(name, ty=ty, span=self._var.span)
            self._needs[type_args] = set()
        for scope in user.outwards():
            if scope.instance is not None and scope.instance[0] is self:
                self._needs[scope.instance[1]].add(type_args)
        return self.variables[type_args]

    def in_order(self) -> list[TypeArgs]:
        """Return the copies in dependency order; raises `C112` if they depend on each other."""
        needs = {each: needed - {each} for each, needed in self._needs.items()}
        try:
            return [*TopologicalSorter(needs).static_order()]
        except CycleError:
            what = f"%{self._var.name}, which calls itself at other types,"
            raise stays_generic(what, self._var.span, _GLOBAL) from None
