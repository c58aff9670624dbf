"""Closure conversion: converts a program to first order, with closures as data (Reynolds, 1972).

1. A function literal becomes a global function that takes its captures as additional parameters.
2. A call of a variable that is bound to a literal becomes a call of that function: a local loop
   stays a loop.
3. Each type of function values becomes a data type with one constructor for each literal, global
   function or constructor that is used as a value; the fields of the constructor are the captures.
4. A call of any other function value becomes a call of a function that matches on the constructor.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from relay.autodiff.capture_analysis import Captures
from relay.autodiff.fresh_names import Names
from relay.ir.alpha_rename import with_distinct_variables
from relay.ir.constructor_field_types import with_unknown_dims
from relay.ir.dims import ANY
from relay.ir.expr import Call, Constructor, Expr, Function, GlobalVar, Let, Operator, Var
from relay.ir.match_patterns import Clause, Match, PatternConstructor, PatternVar
from relay.ir.module import Module, TypeData
from relay.ir.types import (
    FuncType,
    GlobalTypeVar,
    TensorType,
    Type,
    TypeCall,
    all_parts,
    dim_variables,
)
from relay.ir.walk import children, fold, post_order
from relay.support.node import replace
from relay.transform.monomorphization.type_map import TypeMap
from relay.transform.rewrite_types import TypeRewriter


def first_order(module: Module) -> Module:
    """Return an equivalent first-order program; the same object if it already is first-order."""
    if not any(map(_is_higher_order, module.functions.values())):
        return module
    names = Names(module)
    values = FunctionValues(names, _function_types(module))
    functions = {
        name: _ClosureConverter(name, function, values, names).run()
        for name, function in module.functions.items()
    }
    types = {name: values.definition(each) for name, each in module.types.items()}
    made = replace(
        module,
        functions={**functions, **values.lifted, **values.functions},
        types={**types, **values.definitions},
    )
    return with_distinct_variables(made)


def _is_higher_order(function: Function) -> bool:
    return any(
        isinstance(each, Function) or (isinstance(each.ty, FuncType) and isinstance(each, Var))
        for each in post_order(function.body)
    )


def _function_types(module: Module) -> Iterator[FuncType]:
    types = [e.ty for e in post_order(*module.functions.values()) if e.ty is not None]
    types += [ty for c in module.constructors().values() for ty in c.inputs]
    yield from (part for part in all_parts(*types) if isinstance(part, FuncType))


class _Values:
    """The function values of one type; `cases` has the constructor and callee of each value."""

    def __init__(self, key: FuncType, names: Names) -> None:
        self.key = key
        self.type = TypeCall(GlobalTypeVar(names.fresh("Fn")), ())
        self.apply = names.fresh("apply")
        self.cases: dict[str, tuple[Constructor, Expr]] = {}


class FunctionValues(TypeRewriter):
    """The data types that replace function types, with a constructor for each function value.

    Function types that differ only in sizes share one data type.
    """

    def __init__(self, names: Names, types: Iterable[FuncType]) -> None:
        super().__init__(lambda ty: self.of(ty).type if isinstance(ty, FuncType) else None)
        self.lifted: dict[str, Function] = {}
        self._names = names
        self._known: dict[Type, _Values] = {}
        self._erased = TypeMap(_without_sizes)
        self._variants: dict[Type, set[FuncType]] = defaultdict(set)
        for ty in types:
            self._variants[self._erased(ty)].add(ty)

    def of(self, ty: FuncType) -> _Values:
        """Return the record of a function type, shared by types that differ in sizes only."""
        key = cast("FuncType", self._erased(ty))
        if key not in self._known:
            same = self._variants[key] == {ty} and not dim_variables(ty)
            self._known[key] = _Values(ty if same else key, self._names)
        return self._known[key]

    def as_data(
        self, ty: FuncType, callee: GlobalVar | Constructor, captured: Sequence[Var]
    ) -> Expr:
        """Return the data that represents a function with its captures: a constructor call."""
        values = self.of(ty)
        if callee.name not in values.cases:
            name = self._names.fresh(f"Fn_{callee.name}")
            inputs = tuple(with_unknown_dims(each.type) for each in captured)
            own = Constructor(name, inputs, values.type.head, (), len(values.cases))
            values.cases[callee.name] = own, callee
        return Call(values.cases[callee.name][0], tuple(captured))

    def call(self, ty: FuncType, args: Sequence[Expr]) -> Call:
        """Return a call of a function value (the first of `args`) through its `apply` function."""
        return Call(self._apply(self.of(ty)), tuple(args))

    def converted(self, ty: FuncType) -> FuncType:
        """Return a function type with its parameter and result types converted."""
        return FuncType(tuple(map(self.type, ty.params)), self.type(ty.result))

    def _apply(self, values: _Values) -> GlobalVar:
        plain = self.converted(values.key)
        return GlobalVar(values.apply, ty=FuncType((values.type, *plain.params), plain.result))

    @property
    def definitions(self) -> dict[str, TypeData]:
        """Return the definitions of the data types, once all function values are known."""
        return {
            each.type.head.name: TypeData(
                each.type.head, (), tuple(c for c, _ in each.cases.values())
            )
            for each in self._known.values()
        }

    @property
    def functions(self) -> dict[str, Function]:
        """Return the functions that match on a function value and call its function."""
        found: dict[str, Function] = {}
        while len(found) < len(self._known):  # one may take functions of another type
            for each in [*self._known.values()][len(found) :]:
                found[each.apply] = self._function(each)
        return found

    def _function(self, values: _Values) -> Function:
        ty = cast("FuncType", self._apply(values).ty)
        own, *given = (Var("x", each) for each in ty.params)
        clauses: list[Clause] = []
        for constructor, callee in values.cases.values():
            captured = [Var("x", each) for each in constructor.inputs]
            pattern = PatternConstructor(constructor, tuple(map(PatternVar, captured)))
            clauses.append(Clause(pattern, _call_of(callee, [*given, *captured])))
        return Function((own, *given), Match(own, tuple(clauses), ty=ty.result), ty.result)


def _call_of(callee: Expr, args: Sequence[Var]) -> Expr:
    """Return a call of `callee`.

    Let bindings around the call check sizes that are unknown in the types of the arguments.
    """
    assert isinstance(callee.ty, FuncType), "only functions are called"
    wanted = callee.ty.params
    typed = [a if a.ty is ty else Var(a.name, ty) for a, ty in zip(args, wanted, strict=True)]
    result: Expr = Call(callee, tuple(typed))
    for arg, var in zip(reversed(args), reversed(typed), strict=True):
        result = result if arg is var else Let(var, arg, result)
    return result


def _without_sizes(ty: Type) -> Type | None:
    return TensorType((ANY,) * ty.rank, ty.dtype) if isinstance(ty, TensorType) else None


class _ClosureConverter:
    """A rewriter that replaces the literals and function values of one function."""

    def __init__(self, name: str, function: Function, values: FunctionValues, names: Names) -> None:
        self._name = name
        self._function = function
        self._values = values
        self._names = names
        self._captures = Captures(function)
        self._globals: dict[Function, str] = {}

    def run(self) -> Function:
        """Return the function without literals and function values."""
        body = fold(self._function.body, self._visit, edges=self._edges)
        return self._values.literal(self._function, body)

    def _edges(self, expr: Expr) -> tuple[Expr, ...]:
        """Return the children of a node, except names of functions that are called or bound."""
        match expr:
            case Call(op, args) if self._is_direct(op):
                return args
            case Let(var, value, body) if var in self._captures.known:
                return value, body
            case _:
                return children(expr)

    def _is_direct(self, op: Expr) -> bool:
        return isinstance(op, Operator | Constructor | GlobalVar) or op in self._captures.known

    def _visit(self, expr: Expr, new: list[Expr]) -> Expr:
        known = self._captures.known
        match expr:
            case Function():
                return self._lifted(expr, new[-1])
            case Var() if expr in known:
                return self._value(known[expr])
            case Let(var) if var in known:
                return new[-1]
            case GlobalVar(ty=FuncType() as ty):
                return self._values.as_data(ty, replace(expr, ty=self._values.converted(ty)), ())
            case Constructor(ty=FuncType() as ty):
                return self._values.as_data(ty, self._values.constructor(expr), ())
            case Call():
                return self._call(expr, new)
            case _:
                return self._values.visit(expr, new)

    def _call(self, call: Call, new: list[Expr]) -> Expr:
        match call.op:
            case Operator() as op:
                return self._values.visit(call, [*new, op])
            case Constructor() as op:
                made = Call(self._values.constructor(op), tuple(new), span=call.span)
            case GlobalVar(ty=FuncType() as ty) as op:
                typed = replace(op, ty=self._values.converted(ty))
                made = Call(typed, tuple(new), span=call.span)
            case Var() as op if op in self._captures.known:  # case 2
                literal = self._captures.known[op]
                args = (*new, *self._captured(literal))
                made = Call(self._global(literal), args, span=call.span)
            case op:
                assert isinstance(op.ty, FuncType), "only functions are called"
                *args, own = new
                made = replace(self._values.call(op.ty, (own, *args)), span=call.span)
        return self._typed(call, made)

    def _typed(self, old: Call, new: Call) -> Expr:
        """Return the call `new` with all sizes that are known in the type of the call `old`."""
        ty = self._values.type(old.type)
        if new.ty is ty:
            return new
        var = Var("result", ty, span=old.span, ty=ty)
        return Let(var, new, var, span=old.span)

    def _captured(self, literal: Function) -> tuple[Var, ...]:
        return tuple(map(self._values.var, self._captures.of(literal)))

    def _lifted(self, literal: Function, body: Expr) -> Expr:
        """Add a literal with the converted `body` as a global function.

        Return its value as data.
        """
        captured = self._captured(literal)
        made = self._values.literal(literal, body, *captured)
        self._values.lifted[self._global(literal).name] = made
        return literal if self._captures.is_named(literal) else self._value(literal)

    def _value(self, literal: Function) -> Expr:
        assert isinstance(literal.ty, FuncType), "a literal is a function"
        return self._values.as_data(literal.ty, self._global(literal), self._captured(literal))

    def _global(self, literal: Function) -> GlobalVar:
        """Return the global name of a literal, whose function may be added later."""
        if literal not in self._globals:
            hint = self._captures.name_of(literal)
            self._globals[literal] = self._names.fresh(f"{self._name}_{hint}")
        assert isinstance(literal.ty, FuncType), "a literal is a function"
        plain = self._values.converted(literal.ty)
        captured = (each.type for each in self._captured(literal))
        ty = FuncType((*plain.params, *captured), plain.result)
        return GlobalVar(self._globals[literal], ty=ty, span=literal.span)
