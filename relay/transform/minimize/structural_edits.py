"""Edits of the minimiser that change the signatures of functions, or which variables are used.

They are further edits in the sense of `relay.transform.minimize.shrinking_edits`, and are tried
after those, when the program is small already: there are many of them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar, cast

from relay.ir.alpha_rename import fresh_var, with_fresh_variables
from relay.ir.equality import structural_equal
from relay.ir.expr import Call, Expr, Function, GlobalVar, Let, Operator, Tuple, Var
from relay.ir.match_patterns import Match
from relay.ir.module import ENTRY, Module
from relay.ir.walk import bound_by, children, post_order, rewrite, substitute, value_parts
from relay.support.node import replace
from relay.transform.minimize.candidates import (
    Candidate,
    Edit,
    replaced,
    replaced_in,
    with_main,
)

Item = TypeVar("Item")

_SMALL = 150
"""The number of nodes from which on a program is too large for pairs of its nodes."""


def functions(module: Module) -> Iterator[Candidate]:
    """Yield programs without one of their functions, which the others do not call."""
    for position, name in enumerate(module.functions):
        rest = {other: f for other, f in module.functions.items() if other != name}
        if rest:
            yield position, lambda rest=rest: module.with_functions(rest)


def results(module: Module) -> Iterator[Candidate]:
    """Yield programs that return a part of the result of `main`, or a tuple without a field."""
    if ENTRY not in module.functions:
        return
    lets, result = _result(module.main.body)
    for position, part in enumerate(_smaller_results(result)):
        yield position, lambda part=part: _returning(module, lets, part)


def variables(module: Module) -> Iterator[Candidate]:
    """Yield programs in which a variable replaces an expression, or a parameter of `main`."""
    position = 0
    for name, function in _small_functions(module):
        order = post_order(function)
        known = [each for each in order if isinstance(each, Var)]
        for expr in reversed(order):
            if isinstance(expr, Operator | GlobalVar | Function) or expr.ty is None:
                continue
            for var in known:
                if var is not expr and var.ty is expr.ty:
                    yield position, lambda a=expr, b=var, n=name: _with_variable(module, n, a, b)
                    position += 1


def parts_within(module: Module) -> Iterator[Candidate]:
    """Yield programs in which a part of any depth replaces an expression of the same type."""
    position = 0
    for name, function in _small_functions(module):
        for expr in reversed(post_order(function.body)):
            for part in post_order(expr, edges=value_parts)[:-1]:
                if part.ty is expr.ty and not isinstance(part, Var):
                    yield position, lambda a=expr, b=part, n=name: replaced(module, n, a, b)
                    position += 1


def equal_functions(module: Module) -> Iterator[Candidate]:
    """Yield programs in which two equal function literals become one."""
    position = 0
    for name, function in _small_functions(module):
        literals = [e for e in post_order(function.body) if isinstance(e, Function)]
        for index, second in enumerate(literals):
            for first in literals[:index]:
                if structural_equal(first, second):
                    yield position, lambda a=second, b=first, n=name: replaced(module, n, a, b)
                    position += 1


def tuple_fields(module: Module) -> Iterator[Candidate]:
    """Yield programs without one field of a tuple, such as an operand of `concatenate`."""
    position = 0
    for name, function in module.functions.items():
        for expr in reversed(post_order(function.body)):
            if isinstance(expr, Tuple):
                for index in range(len(expr.fields)):
                    less = Tuple(_without(expr.fields, index))
                    yield position, lambda a=expr, b=less, n=name: replaced(module, n, a, b)
                    position += 1


def clauses(module: Module) -> Iterator[Candidate]:
    """Yield programs without one clause of a match, or with a clause of `main` as its whole match.

    In the second case the variables of the clause's pattern become parameters of `main`.
    """
    position = 0
    for name, function in module.functions.items():
        for expr in reversed(post_order(function.body)):
            if not isinstance(expr, Match):
                continue
            for index, clause in enumerate(expr.clauses):
                less = replace(expr, clauses=_without(expr.clauses, index), complete=False)
                if less.clauses:
                    yield position, lambda a=expr, b=less, n=name: replaced(module, n, a, b)
                if name == ENTRY:
                    params = (*function.params, *bound_by(clause.pattern))
                    yield position, lambda a=expr, b=clause.body, p=params: _opened(module, p, a, b)
                position += 1


def calls(module: Module) -> Iterator[Candidate]:
    """Yield programs in which the body of a function replaces one of its calls."""
    position = 0
    for name, function in module.functions.items():
        order = post_order(function)
        named = {e.var: e.value for e in order if isinstance(e, Let)}
        for expr in reversed(order):
            callee = _callee(module, named, expr)
            if callee is not None and not callee.type_params:
                yield position, lambda a=expr, f=callee, n=name: _inlined(module, n, a, f)
                position += 1


def signatures(module: Module) -> Iterator[Candidate]:
    """Yield programs without one parameter of a function that is only called, not used as a value.

    Another parameter of the same type may replace this parameter in the body.
    """
    position = 0
    for name, function in module.functions.items():
        if name != ENTRY and not _is_value(module, name):
            for index, less in _with_fewer_parameters(function):
                yield position, lambda n=name, i=index, f=less: _global(module, n, i, f)
                position += 1
        for expr in post_order(function):
            if isinstance(expr, Let) and isinstance(expr.value, Function):
                for index, less in _with_fewer_parameters(expr.value):
                    yield (
                        position,
                        lambda n=name, e=expr, i=index, f=less: _local(module, n, e, i, f),
                    )
                    position += 1


STRUCTURAL: Sequence[Edit] = (
    functions,
    results,
    clauses,
    calls,
    signatures,
    tuple_fields,
    variables,
    parts_within,
    equal_functions,
)
"""These edits; those that remove most come first."""


def _small_functions(module: Module) -> Sequence[tuple[str, Function]]:
    is_small = len(post_order(*module.functions.values())) <= _SMALL
    return [*module.functions.items()] if is_small else []


def _result(body: Expr) -> tuple[list[Let], Expr]:
    """Return the bindings around the result of a body, and the result."""
    lets: list[Let] = []
    while isinstance(body, Let):
        lets.append(body)
        body = body.body
    return lets, body


def _smaller_results(result: Expr) -> Sequence[Expr]:
    fields = result.fields if isinstance(result, Tuple) else ()
    shorter = [Tuple(_without(fields, index)) for index in range(len(fields))]
    return [Tuple(()), *value_parts(result), *shorter]


def _returning(module: Module, lets: Sequence[Let], result: Expr) -> Module:
    for each in reversed(lets):
        result = Let(each.var, each.value, result)
    return with_main(module, module.main.params, result)


def _with_variable(module: Module, name: str, old: Expr, new: Var) -> Module:
    """Return the module with a variable instead of an expression or a parameter of `main`."""
    if name != ENTRY or not isinstance(old, Var):
        return replaced(module, name, old, new)
    params = [param for param in module.main.params if param is not old]
    return with_main(module, params, substitute(module.main.body, {old: new}))


def _opened(module: Module, params: Sequence[Var], old: Expr, new: Expr) -> Module:
    return with_main(module, params, replaced_in(module.main.body, old, new))


def _callee(module: Module, named: Mapping[Var, Expr], expr: Expr) -> Function | None:
    match expr:
        case Call(GlobalVar(name)):
            return module.functions.get(name)
        case Call(Var() as var) if isinstance(value := named.get(var), Function):
            return value
        case _:
            return None


def _inlined(module: Module, name: str, call: Expr, callee: Function) -> Module:
    assert isinstance(call, Call), "a callee is that of a call"
    copy = with_fresh_variables(callee)
    values = dict[Var, Expr](zip(copy.params, call.args, strict=True))
    return replaced(module, name, call, substitute(copy.body, values))


def _with_fewer_parameters(function: Function) -> Iterator[tuple[int, Function]]:
    """Yield the function without one parameter, for each; another one may replace its uses."""
    for index, param in enumerate(function.params):
        params = _without(function.params, index)
        instead = [param, *(each for each in params if each.ty is param.ty)]
        for each in instead:  # the parameter itself remains unbound if it is used
            body = substitute(function.body, {param: each})
            yield index, replace(function, params=params, body=body, ty=None)


def _is_value(module: Module, name: str) -> bool:
    """Whether the function of this name is used as a value, not only called."""
    parts = (part for e in post_order(*module.functions.values()) for part in value_parts(e))
    return any(isinstance(part, GlobalVar) and part.name == name for part in parts)


def _global(module: Module, name: str, index: int, less: Function) -> Module:
    """Return the module in which `less`, without one parameter, replaces a named function."""
    changed = module.with_function(name, less)
    callee = replace(GlobalVar(name), ty=less.ty)

    def rule(expr: Expr) -> Expr:
        match expr:
            case Call(GlobalVar(called), args) if called == name:
                return replace(expr, op=callee, args=_without(args, index), ty=None)
            case _:
                return expr

    return changed.with_functions({n: _rewritten(f, rule) for n, f in changed.functions.items()})


def _local(module: Module, name: str, let: Let, index: int, less: Function) -> Module:
    """Return the module in which `less`, without one parameter, is the value of a `let`."""
    var = replace(fresh_var(let.var), annotation=None, ty=less.ty)

    def rule(expr: Expr) -> Expr:
        match expr:
            case Call(op, args) if op is let.var:
                return replace(expr, op=var, args=_without(args, index), ty=None)
            case _:
                return expr

    value, body = (rewrite(each, rule, edges=children) for each in (less, let.body))
    return replaced(module, name, let, Let(var, value, body))


def _rewritten(function: Function, rule: Callable[[Expr], Expr]) -> Function:
    return cast("Function", rewrite(function, rule, edges=children))


def _without(items: Sequence[Item], index: int) -> tuple[Item, ...]:
    return (*items[:index], *items[index + 1 :])
