"""Copies one function for one choice of its type parameters."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeGuard, cast

from relay.ir.analysis.scope_placement import Placement
from relay.ir.analysis.scopes import function_scopes
from relay.ir.expr import (
    Call,
    Constant,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    Let,
    Located,
    Operator,
    Tuple,
    TupleGetItem,
    Var,
)
from relay.ir.temporary_expr import TempExpr
from relay.ir.types import FuncType, Type
from relay.ir.walk import children, post_order, with_children
from relay.support.node import node, replace
from relay.support.trampoline import Task, run
from relay.transform.monomorphization.errors import stays_generic
from relay.transform.monomorphization.expected_types import wanted_type
from relay.transform.monomorphization.generic_values import GenericValues
from relay.transform.monomorphization.instance_scopes import InstanceScope, LocalInstances
from relay.transform.monomorphization.type_map import (
    TypeArgs,
    instance_type,
    is_generic,
    mapped_types,
    matching,
)

Reference: TypeAlias = Callable[[GlobalVar, TypeArgs], GlobalVar]
"""A function that returns a reference to the instance of a global function for type arguments."""

_LITERALS = (GlobalVar, Constructor, Function)
"""The kinds of expressions that denote a known generic function."""


@node
class ConstructorInstance(Located, TempExpr):
    """A placeholder for the copy of a constructor, whose data type is not yet copied and named."""

    constructor: Constructor
    type_args: TypeArgs

    def realize(self) -> Expr:
        """Return the generic constructor; `DataTypes` replaces this placeholder by a copy."""
        return self.constructor


class FunctionCopy:
    """A copier of one generic function; nodes without generic types stay shared with it.

    A node is copied in the scope that owns it, once for each copy of that scope.
    """

    def __init__(
        self,
        function: Function,
        reference: Reference,
        values: GenericValues,
        limit: int,
    ) -> None:
        self._function = function
        self._reference = reference
        self._values = values
        self._limit = limit
        order = post_order(function.body)
        self._named = _named(order)
        has_scopes = any(isinstance(each, Function) and is_generic(each) for each in order)
        scoping = function_scopes(counts=self._is_scope)
        self._placement = Placement(function, scoping) if has_scopes else None
        self._constructors: dict[tuple[Constructor, TypeArgs], ConstructorInstance] = {}

    def written(self, type_args: TypeArgs) -> Function:
        """Return the copy of the function for one choice of its type parameters."""
        return run(self._write(self._function, type_args, None))

    def _is_scope(self, function: Function) -> bool:
        return function is self._function or is_generic(function)

    def _home(self, expr: Expr, scope: InstanceScope) -> InstanceScope:
        """Return the copied scope that owns a node, starting from the scope that uses the node."""
        return scope if self._placement is None else scope.at_depth(self._placement.depth_of(expr))

    def _new(self, expr: Expr, scope: InstanceScope) -> Expr:
        return self._home(expr, scope).new[expr]

    def _write(
        self,
        function: Function,
        type_args: TypeArgs,
        around: InstanceScope | None,
        instance: tuple[LocalInstances, TypeArgs] | None = None,
    ) -> Task[Function]:
        """Return the copy of a function for one choice of its type parameters.

        `around` is the scope of the copy that encloses it; `instance` identifies the copy of a
        local function among others.
        """
        types = dict(zip(function.type_params, type_args, strict=True))
        scope = InstanceScope(around, types, instance)
        for expr in post_order(*self._parts(function), edges=lambda each: self._edges(each, scope)):
            home = self._home(expr, scope)
            if expr in home.new:
                continue
            plain = not any(map(is_generic, children(expr)))
            new = self._rebuilt(expr, home) if plain else (yield self._unusual(expr, home))
            home.new[expr] = new
        parts = yield self._children(function, scope)
        return cast("Function", _typed(function, parts, scope))

    def _edges(self, expr: Expr, scope: InstanceScope) -> Sequence[Expr]:
        return () if expr in self._home(expr, scope).new else self._parts(expr)

    def _parts(self, expr: Expr) -> list[Expr]:
        """Return the children that are copied before a node; others are copied on demand."""
        parts = (expr.body,) if self._binds_named(expr) else children(expr)
        return [child for child in parts if not self._is_named(child)]

    def _binds_named(self, expr: Expr) -> TypeGuard[Let]:
        return isinstance(expr, Let) and expr.var in self._named

    def _is_named(self, expr: Expr) -> bool:
        """Whether an expression is a known generic function rather than a computed one."""
        return is_generic(expr) and (isinstance(expr, _LITERALS) or expr in self._named)

    def _rebuilt(self, expr: Expr, scope: InstanceScope) -> Expr:
        match expr:
            case Constant() | Constructor() | Operator():
                return expr
            case GlobalVar():
                return self._reference(expr, ())
            case _:
                return _typed(expr, [self._new(child, scope) for child in children(expr)], scope)

    # Generic functions

    def _unusual(self, expr: Expr, scope: InstanceScope) -> Task[Expr]:
        if self._binds_named(expr):
            return (yield self._let(expr, scope))
        return _typed(expr, (yield self._children(expr, scope)), scope)

    def _children(self, expr: Expr, scope: InstanceScope) -> Task[list[Expr]]:
        new: list[Expr] = []
        for index, child in enumerate(children(expr)):
            new.append((yield self._child(expr, index, child, scope)))
        return new

    def _child(self, parent: Expr, index: int, child: Expr, scope: InstanceScope) -> Task[Expr]:
        """Return the copy of a parent's child.

        A generic child becomes one copy or a tuple of copies. The type that the parent expects of
        it decides.
        """
        if not is_generic(child):
            return self._new(child, scope)
        if isinstance(parent, Call) and child is parent.op and parent.type_arguments:
            type_args = tuple(map(scope.types, parent.type_arguments))
            return (yield self._instance(child, type_args, scope))
        wanted = wanted_type(parent, index)
        found = None if wanted is None else scope.types(wanted)
        if not isinstance(found, FuncType):
            raise stays_generic("a value", child.span or parent.span)
        if found.type_params:
            return (yield self._all_instances(child, found, scope))
        type_args = matching(cast("FuncType", scope.types(child.type)), found)
        return (yield self._instance(child, type_args, scope))

    def _all_instances(self, generic: Expr, wanted: FuncType, scope: InstanceScope) -> Task[Expr]:
        """Return the tuple of copies that replaces a generic function used as a value."""
        if not self._is_named(generic):
            return self._new(generic, scope)
        fields: tuple[Expr, ...] = ()
        for type_args in self._values.choices(wanted):
            fields += ((yield self._instance(generic, type_args, scope)),)
        return Tuple(fields, span=generic.span)

    def _instance(self, generic: Expr, type_args: TypeArgs, scope: InstanceScope) -> Task[Expr]:
        """Return the copy of a generic function for one choice of its type parameters."""
        match generic:
            case GlobalVar():
                return self._reference(generic, type_args)
            case Constructor():
                return self._constructor(generic, type_args)
            case Var() if generic in self._named:
                home = self._home(generic, scope)
                local = home.locals.setdefault(generic, LocalInstances(generic, self._limit))
                return local.variable(type_args, home.types, scope)
            case Function():
                home = self._home(generic, scope)
                key = (generic, type_args)
                if key not in home.functions:
                    home.functions[key] = yield self._write(generic, type_args, home)
                return home.functions[key]
            case _:
                ty = cast("FuncType", scope.types(generic.type))
                index = self._values.index(ty, type_args, generic.span)
                chosen = instance_type(ty, type_args)
                return TupleGetItem(self._new(generic, scope), index, span=generic.span, ty=chosen)

    def _constructor(self, constructor: Constructor, type_args: TypeArgs) -> ConstructorInstance:
        key = (constructor, type_args)
        if key not in self._constructors:
            ty = instance_type(constructor.type, type_args)
            self._constructors[key] = ConstructorInstance(constructor, type_args, ty=ty)
        return self._constructors[key]

    def _let(self, let: Let, scope: InstanceScope) -> Task[Expr]:
        """Replace the let of a generic function by one let for each of its copies in use."""
        body = yield self._child(let, 2, let.body, scope)
        local = scope.locals.get(let.var)
        if local is None:  # unused, and building a closure has no effect
            return body
        values: dict[TypeArgs, Expr] = {}
        while len(values) < len(local.variables):
            type_args = [*local.variables][len(values)]
            values[type_args] = yield self._value(let.value, type_args, scope, local)
        for type_args in reversed(local.in_order()):
            body = Let(local.variables[type_args], values[type_args], body, span=let.span)
        return body

    def _value(
        self, value: Expr, type_args: TypeArgs, scope: InstanceScope, local: LocalInstances
    ) -> Task[Expr]:
        if isinstance(value, Function):
            return (yield self._write(value, type_args, scope, (local, type_args)))
        return (yield self._instance(value, type_args, scope))


def _named(order: Sequence[Expr]) -> set[Expr]:
    """Return the variables that are bound to known generic functions among the nodes `order`."""
    found: set[Expr] = set()
    for expr in reversed(order):  # bindings come before other names of the same function
        match expr:
            case Let(var, value) if is_generic(var):
                if isinstance(value, _LITERALS) or value in found:
                    found.add(var)
            case _:
                pass
    return found


def _typed(expr: Expr, new: Sequence[Expr], scope: InstanceScope) -> Expr:
    """Return a node with new children and mapped types; the same node if nothing changes."""
    changes = mapped_types(expr, scope.types)
    match expr:
        case Function():
            changes |= {"type_params": (), "ty": _instance_type(expr.type, scope)}
        case Call():
            changes["type_arguments"] = ()
        case _:
            pass
    built = with_children(expr, new, cast("Type", changes["ty"]))
    if scope.copies and built is expr:
        return dataclasses.replace(cast("Any", built), **changes)
    return cast("Expr", replace(built, **changes))


def _instance_type(ty: Type, scope: InstanceScope) -> Type:
    """Return the type of a function's copy in the scope that binds its type parameters."""
    assert isinstance(ty, FuncType), "a function has a function type"
    params = tuple(map(scope.types, ty.params))
    return FuncType(params, scope.types(ty.result), (), ty.constraints)
