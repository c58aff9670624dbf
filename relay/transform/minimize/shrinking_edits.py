"""Edits by which the minimiser makes a program smaller; the computed value may change.

Each edit yields candidates with the position at which it found them. An edit may produce an
ill-typed program: `relay.transform.minimize.minimize` discards those.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice

import numpy as np

from relay.ir.expr import (
    Call,
    Constant,
    Expr,
    Function,
    If,
    Let,
    Operator,
    Tuple,
    TupleGetItem,
    Var,
)
from relay.ir.match_patterns import Match
from relay.ir.module import ENTRY, Module
from relay.ir.types import GlobalTypeVar, TensorType, TupleType, Type, TypeCall, is_static
from relay.ir.types import children as parts_of
from relay.ir.walk import free_vars, post_order, substitute, value_parts
from relay.support.errors import RelayTypeError
from relay.support.node import replace
from relay.transform.inline import Inline
from relay.transform.minimize.candidates import (
    Candidate,
    Edit,
    replaced,
    replaced_in,
    with_main,
)
from relay.transform.pipeline import Pass
from relay.transform.remove_unused_functions import RemoveUnusedFunctions
from relay.transform.run_passes import run_passes
from relay.transform.to_graph_form import ToGraphForm

_WHOLE: Sequence[Pass] = (RemoveUnusedFunctions(), Inline(limit=10**6), ToGraphForm())


def weight(module: Module) -> int:
    """Return the size of a program: the number of its nodes, where arrays and calls count more."""
    order = post_order(*module.functions.values())
    arrays = sum(isinstance(e, Constant) and e.array.size > 1 for e in order)
    calls = sum(isinstance(e, Call) and not isinstance(e.op, Operator) for e in order)
    return len(order) + arrays + 2 * calls + len(module.types)


def whole_programs(module: Module) -> Iterator[Candidate]:
    """Yield the results of passes that make many programs smaller, and a program without types."""
    for each in _WHOLE:
        yield 0, lambda each=each: run_passes(module, [each])[0]
    if module.types and not any(map(_has_data, _types(module))):
        yield 0, lambda: replace(module, types={})


def halves(module: Module) -> Iterator[Candidate]:
    """Yield the first few programs of `subexpressions`, each of which drops much of a function."""
    return islice(subexpressions(module), _FEW)


def subexpressions(module: Module) -> Iterator[Candidate]:
    """Yield programs that compute only a part of a function, whose free variables are parameters.

    In the postorder of each function, first the part in the middle is tried, then those at the
    quarters, the eighths and so on. If one of these programs shows the defect, the search starts
    again with it from the middle; so all programs have the position 0.
    """
    for name, function in reversed([*module.functions.items()]):
        order = post_order(function.body)
        for position in _spread(len(order)):
            part = order[position]
            is_new = name != ENTRY or part is not function.body
            if is_new and isinstance(part.ty, TensorType | TupleType):
                yield 0, lambda part=part: with_main(module, free_vars(part), part)


def inputs(module: Module) -> Iterator[Candidate]:
    """Yield programs in which one value is a new parameter of `main`, the largest values first.

    In other functions, such a value becomes a constant.
    """
    position = 0
    for name, function in module.functions.items():
        for expr in reversed(post_order(function.body)):
            if isinstance(expr, Var) or not isinstance(expr.ty, TensorType):
                continue
            if name == ENTRY:
                yield position, lambda part=expr: _with_parameter(module, part)
            elif is_static(expr.ty.shape) and not isinstance(expr, Constant):
                yield position, lambda part=expr, name=name: _with_constant(module, name, part)
            position += 1


def operands(module: Module) -> Iterator[Candidate]:
    """Yield programs in which one expression is replaced by a part of it that has the same type."""
    position = 0
    for name, function in module.functions.items():
        for expr in reversed(post_order(function.body)):
            for part in _replacements(expr):
                if part.ty is expr.ty:
                    yield position, lambda a=expr, b=part, n=name: replaced(module, n, a, b)
                    position += 1


def parameters(module: Module) -> Iterator[Candidate]:
    """Yield programs without one of the parameters of `main`, if there is one."""
    if ENTRY not in module.functions:
        return
    params = module.main.params
    for position in range(len(params)):
        rest = (*params[:position], *params[position + 1 :])
        yield position, lambda rest=rest: with_main(module, rest, module.main.body)


SHRINKING: Sequence[Edit] = (
    whole_programs,
    halves,
    inputs,
    operands,
    subexpressions,
    parameters,
)
"""These edits; those that remove most come first."""

_FEW = 15  # halves, quarters, eighths and sixteenths


def _types(module: Module) -> set[Type]:
    exprs = post_order(*module.functions.values())
    return {expr.ty for expr in exprs if expr.ty is not None}


def _has_data(ty: Type) -> bool:
    return isinstance(ty, GlobalTypeVar | TypeCall) or any(map(_has_data, parts_of(ty)))


def _spread(count: int) -> Iterator[int]:
    """Yield the numbers below `count`: the middle, the quarters, the eighths and so on.

    >>> list(_spread(7))
    [3, 1, 5, 0, 2, 4, 6]
    """
    seen: set[int] = set()
    parts = 2
    while len(seen) < count:
        for numerator in range(1, parts, 2):
            position = count * numerator // parts
            if position not in seen:
                seen.add(position)
                yield position
        parts *= 2


def _replacements(expr: Expr) -> Sequence[Expr]:
    match expr:
        case Let(var, value, body):
            return (*_substituted(body, {var: value}), value)
        case If(_, then, other):
            return then, other
        case Match(clauses=clauses):
            return [clause.body for clause in clauses]
        case TupleGetItem(Tuple(fields), index):
            return (fields[index],)
        case Call(Function(params, body), args):
            values = dict[Var, Expr](zip(params, args, strict=True))
            return (*_substituted(body, values), *args)
        case _:
            return value_parts(expr)


def _substituted(body: Expr, values: dict[Var, Expr]) -> Sequence[Expr]:
    """Return an expression with values for variables, or nothing if their sizes do not fit."""
    with suppress(RelayTypeError):
        return (substitute(body, values),)
    return ()


def _with_parameter(module: Module, part: Expr) -> Module:
    var = Var("x", part.type)
    body = replaced_in(module.main.body, part, var)
    return with_main(module, (*module.main.params, var), body)


def _with_constant(module: Module, name: str, part: Expr) -> Module:
    ty = part.tensor_type
    one = Constant(np.ones(ty.static_shape, ty.dtype.numpy))
    return replaced(module, name, part, one)
