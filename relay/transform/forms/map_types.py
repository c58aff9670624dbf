"""Rewrites all types of a program by a type map, including data type definitions."""

from collections.abc import Sequence

from relay.ir.expr import Call, Constant, Constructor, Expr, Operator
from relay.ir.match_patterns import Clause, Match, Pattern, PatternConstructor, PatternTuple
from relay.ir.module import Module, TypeData
from relay.ir.walk import with_children
from relay.support.node import replace
from relay.transform.monomorphization.type_map import TypeMap, mapped_types


class Retyped:
    """A rewriter of a module's functions that applies a map to all types.

    Data types keep their names; `data` holds their new definitions.
    """

    def __init__(self, module: Module, types: TypeMap) -> None:
        self.types = types
        self._constructors: dict[Constructor, Constructor] = {}
        self.data = {name: self._definition(data) for name, data in module.types.items()}

    def node(self, expr: Expr, new: Sequence[Expr]) -> Expr:
        """Return a node with mapped types and with `new` children."""
        match expr:
            case Constant() | Operator():
                return expr
            case Constructor():
                return self._constructors.get(expr, expr)
            case _:
                built = with_children(expr, new, self.types(expr.type)) if new else expr
                built = replace(built, **mapped_types(expr, self.types))
        match built:
            case Call(type_arguments=type_args) if type_args:
                return replace(built, type_arguments=tuple(map(self.types, type_args)))
            case Match(clauses=clauses):
                return replace(built, clauses=tuple(map(self._clause, clauses)))
            case _:
                return built

    def _definition(self, data: TypeData) -> TypeData:
        for each in data.constructors:
            inputs = tuple(map(self.types, each.inputs))
            self._constructors[each] = replace(each, inputs=inputs)
        constructors = tuple(self._constructors[each] for each in data.constructors)
        instance = data.instance and data.instance.mapped(self.types)
        same = constructors == data.constructors and instance is data.instance
        return data if same else replace(data, constructors=constructors, instance=instance)

    def _clause(self, clause: Clause) -> Clause:
        return replace(clause, pattern=self._pattern(clause.pattern))

    def _pattern(self, pattern: Pattern) -> Pattern:
        """Return a pattern with mapped types."""
        match pattern:
            case PatternConstructor(constructor, patterns):
                found = self._constructors.get(constructor, constructor)
                return replace(
                    pattern, constructor=found, patterns=tuple(map(self._pattern, patterns))
                )
            case PatternTuple(patterns):
                return replace(pattern, patterns=tuple(map(self._pattern, patterns)))
            case _:
                return pattern
