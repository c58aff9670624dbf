"""Names and definitions of the monomorphic data types that replace generic ones."""

from collections import Counter
from typing import cast

from relay.ir.expr import (
    Constant,
    Constructor,
    Expr,
    Function,
    Operator,
)
from relay.ir.match_patterns import (
    Match,
    Pattern,
    PatternConstructor,
    PatternTuple,
)
from relay.ir.module import Module, TypeData, TypeInstance
from relay.ir.types import FuncType, GlobalTypeVar, TupleType, Type, TypeCall
from relay.ir.walk import fold, with_children
from relay.support.node import replace
from relay.transform.monomorphization.copy_function import ConstructorInstance
from relay.transform.monomorphization.data_type_uses import DataTypeUses
from relay.transform.monomorphization.generic_values import GenericValues
from relay.transform.monomorphization.type_map import TypeArgs, TypeMap, mapped_types


class DataTypes:
    """The monomorphic data types of a module, each with a new name and new constructors.

    The first instance of a generic type keeps its names; constructors keep their order. Data types
    and functions without generic parts stay the same objects.
    """

    def __init__(self, module: Module, uses: DataTypeUses, values: GenericValues) -> None:
        self._module = module
        self._uses = uses
        self._values = values
        self._taken = {*module.types, *module.constructors()}
        self._counts: Counter[GlobalTypeVar] = Counter()
        self._suffixes = {ty: self._suffix(ty.head) for ty in uses.distinct()}
        self._types = TypeMap(self._renamed)
        written = {ty: self._written(ty) for ty in self._suffixes}
        self._data = {data.header: data for data in written.values()}
        names = [*module.types]
        order = sorted(written, key=lambda ty: names.index(ty.head.name))
        self.definitions = {written[ty].header.name: written[ty] for ty in order}

    def function(self, function: Function) -> Function:
        """Return a function with monomorphic data types; itself if it uses no generic ones."""
        has_generic = self.definitions or self._values.has_any
        return cast("Function", fold(function, self._visit)) if has_generic else function

    def _suffix(self, head: GlobalTypeVar) -> str:
        """Return a suffix that makes the names of a copy of a data type unique.

        The names of its constructors get the same suffix.
        """
        names = [head.name, *(each.name for each in self._module.alternatives(head))]
        while True:
            number = self._counts[head]
            self._counts[head] += 1
            suffix = f"_{number}" if number else ""
            if not number or self._taken.isdisjoint(name + suffix for name in names):
                self._taken.update(name + suffix for name in names)
                return suffix

    def _renamed(self, ty: Type) -> Type | None:
        if isinstance(ty, FuncType) and ty.type_params:
            return self._types(self._values.tuple_type(ty))
        if not isinstance(ty, TypeCall):
            return None
        suffix = self._suffixes[self._uses.canonical(ty)]
        return TypeCall(GlobalTypeVar(ty.head.name + suffix), ())

    def _written(self, ty: TypeCall) -> TypeData:
        """Return the monomorphic definition of a data type for its type arguments."""
        data = self._module.types[ty.head.name]
        suffix = self._suffixes[ty]
        header = GlobalTypeVar(ty.head.name + suffix)
        constructors = tuple(
            Constructor(each.name + suffix, tuple(map(self._types, types)), header, (), each.index)
            for each, types in self._uses.fields(ty)
        )
        if constructors == data.constructors:
            return data
        args = tuple(map(self._types, ty.args))
        instance = TypeInstance(data, args) if args else data.instance
        return TypeData(header, (), constructors, data.span, instance)

    # Expressions

    def _visit(self, expr: Expr, new: list[Expr]) -> Expr:
        match expr:
            case Constant() | Operator():
                return expr
            case Constructor():
                return self._constructor(expr, ())
            case ConstructorInstance(constructor, type_args):
                return self._constructor(constructor, type_args)
            case _:
                built = replace(with_children(expr, new), **mapped_types(expr, self._types))
                return self._match(built) if isinstance(built, Match) else built

    def _constructor(self, constructor: Constructor, type_args: TypeArgs) -> Constructor:
        ty = self._types(TypeCall(constructor.belongs_to, type_args))
        return self._alternative(ty, constructor)

    def _alternative(self, ty: Type, constructor: Constructor) -> Constructor:
        assert isinstance(ty, TypeCall), "constructors make values of data types"
        return self._data[ty.head].constructors[constructor.index]

    def _match(self, match: Match) -> Match:
        patterns = [self._pattern(each.pattern, match.data.type) for each in match.clauses]
        pairs = zip(match.clauses, patterns, strict=True)
        clauses = tuple(replace(clause, pattern=pattern) for clause, pattern in pairs)
        same = all(a is b for a, b in zip(clauses, match.clauses, strict=True))
        return match if same else replace(match, clauses=clauses)

    def _pattern(self, pattern: Pattern, ty: Type) -> Pattern:
        """Return a pattern for values of the monomorphic type."""
        match pattern:
            case PatternConstructor(constructor, patterns):
                found = self._alternative(ty, constructor)
                inner = self._patterns(patterns, found.inputs)
                return replace(pattern, constructor=found, patterns=inner)
            case PatternTuple(patterns) if isinstance(ty, TupleType):
                return replace(pattern, patterns=self._patterns(patterns, ty.fields))
            case _:
                return pattern

    def _patterns(
        self, patterns: tuple[Pattern, ...], types: tuple[Type, ...]
    ) -> tuple[Pattern, ...]:
        new = tuple(self._pattern(*each) for each in zip(patterns, types, strict=False))
        return patterns if all(a is b for a, b in zip(new, patterns, strict=True)) else new
