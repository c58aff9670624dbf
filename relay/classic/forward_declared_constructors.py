"""Support data types that are defined in two steps: constructors first, then the type.

`Constructor("Cons", [a, l(a)], l)` is a forward reference; when `TypeData(l, [a], [nil, cons])` is
added to a module, references to that name become the defined constructor.
"""

from collections.abc import Mapping
from typing import TypeAlias, cast

from relay.ir.expr import Constructor, Expr, Function
from relay.ir.match_patterns import (
    Clause,
    Match,
    Pattern,
    PatternConstructor,
    PatternTuple,
)
from relay.ir.module import Module, TypeData
from relay.ir.types import GlobalTypeVar
from relay.ir.walk import children, rewrite
from relay.support.node import replace

Constructors: TypeAlias = Mapping[tuple[GlobalTypeVar, str], Constructor]


def define(module: Module, data: TypeData) -> Module:
    """Return the module with a data type added; its constructors replace forward references."""
    head, params = data.header, tuple(data.type_params)
    constructors = tuple(
        Constructor(each.name, each.inputs, head, params, index)
        for index, each in enumerate(data.constructors)
    )
    known = {(head, each.name): each for each in constructors}
    functions = {name: defined(f, known) for name, f in module.functions.items()}
    types = {**module.types, head.name: replace(data, constructors=constructors)}
    return replace(module, functions=functions, types=types)


def defined(function: Function, known: Constructors) -> Function:
    """Return the function with forward references to constructors replaced by defined ones."""

    def constructor(named: Constructor) -> Constructor:
        return named if named.index >= 0 else known.get((named.belongs_to, named.name), named)

    def pattern(given: Pattern) -> Pattern:
        """Return a pattern with constructors replaced; the pattern's depth bounds the recursion."""
        match given:
            case PatternConstructor(named, patterns):
                inner = tuple(map(pattern, patterns))
                same = inner == patterns
                return replace(
                    given, constructor=constructor(named), patterns=patterns if same else inner
                )
            case PatternTuple(patterns):
                inner = tuple(map(pattern, patterns))
                return given if inner == patterns else replace(given, patterns=inner)
            case _:
                return given

    def rule(expr: Expr) -> Expr:
        match expr:
            case Constructor():
                return constructor(expr)
            case Match(_, clauses):
                new = tuple(_with_pattern(each, pattern(each.pattern)) for each in clauses)
                return expr if new == clauses else replace(expr, clauses=new)
            case _:
                return expr

    return cast("Function", rewrite(function, rule, edges=children))


def _with_pattern(clause: Clause, pattern: Pattern) -> Clause:
    return clause if pattern is clause.pattern else Clause(pattern, clause.body)
