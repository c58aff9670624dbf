"""Gradients in the form that users see and write, without special constructors for zero.

1. The gradient by a tensor of floats has the type of the tensor; that by any other tensor is the
   empty tuple.
2. The gradient by a tuple is a tuple.
3. The gradient by a value of a data type that consists of floats has that data type.
4. Any other data type with floats has a gradient type: its constructors, with the gradients of its
   fields.
"""

import re
from collections.abc import Iterator, Sequence

from relay.autodiff.fresh_names import Names
from relay.autodiff.tangent_types import Tangents, holds_data
from relay.ir.expr import (
    Call,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    Tuple,
    TupleGetItem,
    Var,
)
from relay.ir.match_patterns import Clause, Match, PatternConstructor, PatternVar, PatternWildcard
from relay.ir.module import Module, TypeData
from relay.ir.types import FuncType, GlobalTypeVar, TupleType, Type, TypeCall

_GRADIENT = "Gradient"
"""How the names of gradient types and their constructors end."""


def primal_names(constructor: str) -> Iterator[str]:
    """Yield the possible names of the constructor from which `constructor` was derived.

    The first one is its own name; then numbers and the suffix of gradients are removed.

    >>> list(primal_names("NodeGradient_1"))
    ['NodeGradient_1', 'NodeGradient', 'Node']
    """
    yield constructor
    while (shorter := re.sub(rf"({_GRADIENT}|_\d+)$", "", constructor)) not in ("", constructor):
        yield (constructor := shorter)


class Gradients:
    """Conversions between tangents and the gradients that users see.

    Tangents of data types have an additional constructor `Zero`, which gradients lack.
    """

    def __init__(self, module: Module, tangents: Tangents, names: Names) -> None:
        self._module = module
        self._tangents = tangents
        self._names = names
        self._data: dict[TypeCall, dict[Constructor, Constructor]] = {}
        self._types: dict[TypeCall, Type] = {}
        self._filling: dict[TypeCall, GlobalVar] = {}
        self._emptying: dict[TypeCall, GlobalVar] = {}

    def has(self, ty: Type) -> bool:
        """Whether values of a type have derivatives."""
        return self._tangents.has(ty)

    def of(self, ty: Type) -> Type:
        """Return the gradient type of a type."""
        match ty:
            case TupleType(fields) if self._tangents.has(ty):
                return TupleType(tuple(map(self.of, fields)))
            case TypeCall() if self._tangents.has(ty):
                return self._data_type(ty)
            case _:
                return self._tangents.of(ty)

    def from_tangent(self, primal: Expr, tangent: Expr) -> Expr:
        """Return the gradient by the value `primal`, computed from its tangent."""
        match primal.type:
            case TupleType(fields) if self._tangents.has(primal.type):
                pairs = (
                    (TupleGetItem(primal, index), TupleGetItem(tangent, index))
                    for index in range(len(fields))
                )
                return Tuple(tuple(self.from_tangent(*pair) for pair in pairs))
            case TypeCall() as ty if self._tangents.has(ty):
                self._data_type(ty)
                return Call(self._filling[ty], (primal, tangent))
            case _:
                return tangent

    def tangent(self, ty: Type, gradient: Expr) -> Expr:
        """Return the tangent of a value of type `ty`, computed from its gradient."""
        match ty:
            case TupleType(fields) if holds_data(ty) and self.has(ty):
                pairs = enumerate(fields)
                parts = (self.tangent(each, TupleGetItem(gradient, i)) for i, each in pairs)
                return Tuple(tuple(parts))
            case TypeCall() if self.has(ty):
                own = self._data_type(ty)
                if ty not in self._emptying:
                    name = self._names.fresh(f"tangent_of_{ty.head.name}")
                    callee = FuncType((own,), self._tangents.of(ty))
                    self._emptying[ty] = GlobalVar(name, ty=callee)
                return Call(self._emptying[ty], (gradient,))
            case _:
                return gradient

    @property
    def definitions(self) -> dict[str, TypeData]:
        """Return the definitions of gradient types, by name."""
        made = ((self._types[ty], of) for ty, of in self._data.items())
        return {
            ty.head.name: TypeData(ty.head, (), tuple(of.values()))
            for ty, of in made
            if isinstance(ty, TypeCall) and ty.head.name not in self._module.types
        }

    @property
    def functions(self) -> dict[str, Function]:
        """Return the functions that convert tangents to gradients and back, by name."""
        found: dict[str, Function] = {}
        while len(found) < len(self._emptying):  # one may need another
            for ty, name in [*self._emptying.items()][len(found) :]:
                found[name.name] = self._emptied(ty)
        return found | self._filled

    @property
    def _filled(self) -> dict[str, Function]:
        found: dict[str, Function] = {}
        while len(found) < len(self._filling):  # one may need another
            for ty, name in [*self._filling.items()][len(found) :]:
                found[name.name] = self._function(ty)
        return found

    def _data_type(self, ty: TypeCall) -> Type:
        if ty not in self._types:
            alternatives = self._module.alternatives(ty.head)
            if self._consists_of_floats(ty):
                self._types[ty] = ty
                self._data[ty] = {each: each for each in alternatives}
            else:
                written = self._module.types[ty.head.name].written
                own = GlobalTypeVar(self._names.fresh(written.header.name + _GRADIENT))
                self._types[ty] = TypeCall(own, ())
                self._data[ty] = {
                    each: Constructor(
                        self._names.fresh(written.constructors[each.index].name + _GRADIENT),
                        tuple(map(self.of, each.inputs)),
                        own,
                        (),
                        each.index,
                    )
                    for each in alternatives
                }
            callee = FuncType((ty, self._tangents.of(ty)), self._types[ty])
            name = self._names.fresh(f"gradient_of_{ty.head.name}")
            self._filling[ty] = GlobalVar(name, ty=callee)
        return self._types[ty]

    def _consists_of_floats(self, ty: TypeCall) -> bool:
        return all(map(self._tangents.has, self._module.held_types(ty)))

    def _emptied(self, ty: TypeCall) -> Function:
        """Return the function that converts a gradient of a data type to a tangent."""
        gradient = Var("gradient", self._data_type(ty))
        clauses: list[Clause] = []
        for constructor, seen in self._data[ty].items():
            fields = [Var("d", each) for each in seen.inputs]
            pairs = list(zip(constructor.inputs, fields, strict=True))
            parts = tuple(self.tangent(*pair) for pair in pairs if self.has(pair[0]))
            own = self._tangents.constructors(ty).get(constructor, self._tangents.data(ty).zero)
            pattern = PatternConstructor(seen, tuple(map(PatternVar, fields)))
            clauses.append(Clause(pattern, Call(own, parts)))
        return Function((gradient,), Match(gradient, tuple(clauses)), self._tangents.of(ty))

    def _function(self, ty: TypeCall) -> Function:
        """Return the function that converts a tangent of a data type to a gradient."""
        value, tangent = Var("value", ty), Var("tangent", self._tangents.of(ty))
        clauses = [self._clause(ty, each, tangent) for each in self._data[ty]]
        return Function((value, tangent), Match(value, tuple(clauses)), self._types[ty])

    def _clause(self, ty: TypeCall, constructor: Constructor, tangent: Expr) -> Clause:
        fields = [Var("x", each) for each in constructor.inputs]
        pattern = PatternConstructor(constructor, tuple(map(PatternVar, fields)))
        zeros = self._built(ty, constructor, fields, [self._tangents.zero(each) for each in fields])
        own = self._tangents.constructors(ty).get(constructor)
        if own is None:
            return Clause(pattern, zeros)
        parts = [Var("d", each) for each in own.inputs]
        rest = iter(parts)
        given = [next(rest) if self._tangents.has(each.type) else Tuple(()) for each in fields]
        there = PatternConstructor(own, tuple(map(PatternVar, parts)))
        clauses = (
            Clause(there, self._built(ty, constructor, fields, given)),
            Clause(PatternWildcard(), zeros),
        )
        return Clause(pattern, Match(tangent, clauses))

    def _built(
        self,
        ty: TypeCall,
        constructor: Constructor,
        fields: Sequence[Expr],
        tangents: Sequence[Expr],
    ) -> Expr:
        pairs = zip(fields, tangents, strict=True)
        return Call(self._data[ty][constructor], tuple(self.from_tangent(*pair) for pair in pairs))
