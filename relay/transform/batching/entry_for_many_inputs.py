"""The pass that lets a program process a list of inputs in one run, one entry call for each."""

from collections.abc import Sequence
from typing import ClassVar

from relay.ir.analysis.call_graph import CallGraph
from relay.ir.expr import (
    Call,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    Let,
    Var,
)
from relay.ir.fresh_names import free_name
from relay.ir.match_patterns import (
    Clause,
    Match,
    PatternConstructor,
    PatternVar,
)
from relay.ir.module import Module, TypeData
from relay.ir.types import FuncType, GlobalTypeVar, TensorType, Type, TypeCall
from relay.ir.walk import rewrite
from relay.ops.tensor.reshape import Reshape
from relay.support.node import replace, value
from relay.transform.pipeline import Pass


@value
class OverMany(Pass):
    """Let the entry take a list of inputs and return the list of its results.

    1. The list of inputs is a separate data type, `Inputs`: `Input` holds the arguments of one call
       and the rest, `NoInput` ends it. `Results`, with the constructors `Result` and `NoResult`,
       has the same structure.
    2. The list is processed by tail-recursive functions, `main_over_many` and `main_in_order`, so
       that long lists use no stack: the first one produces the results in reverse order.
    3. Parameters that are tensors, like weights, are not part of an input: they follow the list,
       and are the same for all inputs.
    4. A result that is a scalar becomes a vector of one element, unless the entry calls itself:
       scalars are computed immediately, while vectors can be deferred.
    5. The entry becomes a function `entry_of_one`, and calls of it are renamed.
    6. Names that the program already uses get a numeric suffix.
    """

    keeps_results: ClassVar[bool] = False

    entry: str = "main"

    def transform(self, module: Module) -> Module:
        """Return the module whose entry takes a list, and the two list types."""
        main = module[self.entry]
        if is_number(main) and not CallGraph(module).is_recursive(self.entry):
            vector = Call(Reshape((1,)), (main.body,))
            main = replace(main, body=vector, result=None, ty=None)
            module = module.with_function(self.entry, main)
        inputs = _list_of("Input", [p.type for p in main.params if varies(p)], module)
        results = _list_of("Result", [main.body.type], module)
        one, over, order = (
            free_name(f"{self.entry}_{part}", module.functions)
            for part in ("of_one", "over_many", "in_order")
        )
        var = GlobalVar(one, ty=main.type)
        functions = {n: _renamed(f, self.entry, var) for n, f in module.functions.items()}
        functions[one] = functions[self.entry]
        functions[over] = _over(GlobalVar(over), main.params, var, inputs, results)
        functions[order] = _in_order(GlobalVar(order), results)
        calls = GlobalVar(over, ty=functions[over].type), GlobalVar(order, ty=functions[order].type)
        functions[self.entry] = _entry(*calls, functions[over], results)
        types = {**module.types, **{each.header.name: each for each in (inputs, results)}}
        return replace(module, functions=functions, types=types)


def is_number(main: Function) -> bool:
    """Whether the result of a function is a tensor of rank 0."""
    return isinstance(main.body.type, TensorType) and main.body.type.rank == 0


def varies(param: Var) -> bool:
    """Whether a parameter of the entry is part of each input.

    Tensors, such as weights, are not: all inputs share them.
    """
    return not isinstance(param.type, TensorType)


def _entry(over: GlobalVar, order: GlobalVar, made: Function, results: TypeData) -> Function:
    """Return the new entry: a function from a list and shared parameters to a list of results.

    `over` computes the results in reverse, `order` restores the order, and `made` is the function
    `over`.
    """
    params = tuple(_like(p) for i, p in enumerate(made.params) if i != 1)
    none = Call(results.constructors[1], ())
    reverse = Var("reverse", made.body.type, ty=made.body.type)
    body = Call(order, (reverse, none))
    return Function(params, Let(reverse, Call(over, (params[0], none, *params[1:])), body))


def _over(
    itself: GlobalVar, params: Sequence[Var], one: GlobalVar, inputs: TypeData, results: TypeData
) -> Function:
    """Return the recursive function that computes the results of a list in reverse order.

    `itself` names this function, and `one` the function for a single input, whose parameters are
    `params`.
    """
    more, end = inputs.constructors
    given, made = TypeCall(inputs.header, ()), TypeCall(results.header, ())
    names = [param.name for param in params if varies(param)]
    name = names[0] if len(names) == 1 else "inputs"
    listed, rest = Var(name, given, ty=given), Var("rest", given, ty=given)
    done = Var("done", made, ty=made)
    args = [_like(param) for param in params]
    parts = [new for old, new in zip(params, args, strict=True) if varies(old)]
    same = [new for old, new in zip(params, args, strict=True) if not varies(old)]
    types = (given, made, *(each.type for each in same))
    result, _ = results.constructors
    value = Var("value", result.inputs[0], ty=result.inputs[0])
    longer = Call(result, (value, done))
    further = Call(replace(itself, ty=FuncType(types, made)), (rest, longer, *same))
    clauses = (
        Clause(PatternConstructor(end), done),
        Clause(
            PatternConstructor(more, tuple(map(PatternVar, (*parts, rest)))),
            Let(value, Call(one, tuple(args)), further),
        ),
    )
    return Function((listed, done, *same), Match(listed, clauses, ty=made), made)


def _in_order(itself: GlobalVar, results: TypeData) -> Function:
    """Return the function that restores the order of the reversed results."""
    more, end = results.constructors
    made = TypeCall(results.header, ())
    listed, done, rest = (Var(name, made, ty=made) for name in ("results", "done", "rest"))
    value = Var("value", more.inputs[0], ty=more.inputs[0])
    further = (rest, Call(more, (value, done)))
    clauses = (
        Clause(PatternConstructor(end), done),
        Clause(
            PatternConstructor(more, (PatternVar(value), PatternVar(rest))),
            Call(replace(itself, ty=FuncType((made, made), made)), further),
        ),
    )
    return Function((listed, done), Match(listed, clauses, ty=made), made)


def _like(param: Var) -> Var:
    return Var(param.name, param.type, ty=param.type)


def _list_of(name: str, types: Sequence[Type], module: Module) -> TypeData:
    """Return the definition of a list data type whose elements have fields of these `types`."""
    head = GlobalTypeVar(free_name(f"{name}s", module.types))
    taken = module.constructors()
    more = Constructor(free_name(name, taken), (*types, TypeCall(head, ())), head, (), 0)
    return TypeData(head, (), (more, Constructor(free_name(f"No{name}", taken), (), head, (), 1)))


def _renamed(function: Function, old: str, new: GlobalVar) -> Function:
    def rule(expr: Expr) -> Expr:
        is_old = isinstance(expr, GlobalVar) and expr.name == old
        return replace(new, span=expr.span) if is_old else expr

    renamed = rewrite(function, rule)
    assert isinstance(renamed, Function), "a function stays one"
    return renamed
