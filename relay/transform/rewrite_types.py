"""The base of rewriters that change the types of some values throughout a program."""

from collections.abc import Callable, Iterator
from typing import cast

from relay.ir.expr import Call, Constructor, Expr, Function, GlobalVar, Var
from relay.ir.match_patterns import (
    Clause,
    Match,
    Pattern,
    PatternConstructor,
    PatternTuple,
    PatternVar,
)
from relay.ir.module import Module, TypeData
from relay.ir.types import FuncType, Type
from relay.ir.walk import bound_by, fold, with_children
from relay.support.node import replace
from relay.transform.monomorphization.type_map import TypeMap


class TypeRewriter:
    """A rewriter of functions and data types that maps all types by a rule.

    A subclass defines how expressions on values of the mapped types are rewritten.
    """

    def __init__(self, rule: Callable[[Type], Type | None]) -> None:
        self.type = TypeMap(rule)
        self._vars: dict[Var, Var] = {}

    def definition(self, data: TypeData) -> TypeData:
        """Return the rewritten definition of a data type."""
        new = tuple(map(self.constructor, data.constructors))
        instance = data.instance and data.instance.mapped(self.type)
        same = new == data.constructors and instance is data.instance
        return data if same else replace(data, constructors=new, instance=instance)

    def function(self, function: Function) -> Function:
        """Return a function with all types mapped."""
        return cast("Function", fold(function, self.visit))

    def visit(self, expr: Expr, new: list[Expr]) -> Expr:
        """Return a node with mapped types, given its rewritten children."""
        match expr:
            case Var():
                return self.var(expr)
            case Constructor():
                return self.constructor(expr)
            case GlobalVar():
                ty = self.type(expr.type)
                return expr if ty is expr.ty else replace(expr, ty=ty)
            case Match():
                return self._match(expr, new)
            case Function():
                return self.literal(expr, new[-1])
            case Call(type_arguments=types) if types:
                made = with_children(expr, new, self.type(expr.type))
                return replace(made, type_arguments=tuple(map(self.type, types)))
            case _:
                return with_children(expr, new, self.type(expr.type)) if new else expr

    def literal(self, function: Function, body: Expr, *more: Var) -> Function:
        """Return a function with mapped types, the body `body` and further parameters `more`."""
        params = (*map(self.var, function.params), *more)
        if body is function.body and params == function.params:
            return function
        ty = function.type
        assert isinstance(ty, FuncType), "functions have such types"
        return Function(
            params,
            body,
            self.type(ty.result),
            function.type_params,
            attrs=function.attrs,
            span=function.span,
        )

    def var(self, var: Var) -> Var:
        """Return the variable with the mapped type that replaces `var`."""
        if var not in self._vars:
            ty = self.type(var.type)
            same = ty is var.ty
            self._vars[var] = var if same else Var(var.name, ty, span=var.span, ty=ty)
        return self._vars[var]

    def constructor(self, constructor: Constructor) -> Constructor:
        """Return the constructor with the mapped types of its fields."""
        return replace(constructor, inputs=tuple(map(self.type, constructor.inputs)))

    def _match(self, expr: Match, new: list[Expr]) -> Expr:
        rest = iter(new[1:])
        clauses = tuple(self._clause(each, rest) for each in expr.clauses)
        pairs = zip(clauses, expr.clauses, strict=True)
        if new[0] is expr.data and all(a is b for a, b in pairs):
            return expr
        return replace(expr, data=new[0], clauses=clauses, ty=self.type(expr.type))

    def _clause(self, clause: Clause, rest: Iterator[Expr]) -> Clause:
        for _ in bound_by(clause.pattern):
            next(rest)
        pattern, body = self._pattern(clause.pattern), next(rest)
        same = pattern is clause.pattern and body is clause.body
        return clause if same else Clause(pattern, body)

    def _pattern(self, pattern: Pattern) -> Pattern:
        """Return a pattern with mapped types."""
        match pattern:
            case PatternVar(var):
                new = self.var(var)
                return pattern if new is var else replace(pattern, var=new)
            case PatternConstructor(constructor, patterns):
                made, inner = self.constructor(constructor), tuple(map(self._pattern, patterns))
                if made is constructor and _same(inner, patterns):
                    return pattern
                return replace(pattern, constructor=made, patterns=inner)
            case PatternTuple(patterns):
                inner = tuple(map(self._pattern, patterns))
                return pattern if _same(inner, patterns) else replace(pattern, patterns=inner)
            case _:
                return pattern


def _same(new: tuple[Pattern, ...], old: tuple[Pattern, ...]) -> bool:
    return all(a is b for a, b in zip(new, old, strict=True))


def with_rewritten_types(module: Module, retyping: TypeRewriter) -> Module:
    """Return a module whose functions and data types are all rewritten."""
    functions = {name: retyping.function(each) for name, each in module.functions.items()}
    types = map(retyping.definition, module.types.values())
    return replace(module, functions=functions, types={each.header.name: each for each in types})
