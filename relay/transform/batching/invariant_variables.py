"""Analysis of the variables that hold the same tensor during a whole run, such as weights."""

from collections.abc import Iterator, Mapping, Sequence

from relay.ir.expr import Call, Constant, Expr, Function, Let, Var
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.ir.walk import value_parts
from relay.transform.batching.find_callees import Callee, callee, known_functions, nodes_of

_MANY = object()
"""A marker for parameters with several values; it differs from all variables and arrays."""


def invariant_variables(module: Module, entry: str = "main") -> set[Var]:
    """Return the variables of tensor type that hold at most one value during a run, in two cases.

    1. A parameter of the entry, or a variable of its outermost scope. If the entry is called from
       within the program, only a parameter that each such call passes on unchanged.
    2. A parameter of a known function to which every call passes the same such variable, the same
       constant, or the parameter itself.

    The module is in A-normal form. A function that is used as a value has unknown callers.
    """
    nodes = nodes_of(module)
    functions = known_functions(module, nodes)
    calls = [(callee(e.op), e.args) for e in nodes if isinstance(e, Call)]
    known = [(functions[f].params, args) for f, args in calls if f is not None and f in functions]
    escaping = _escaping(nodes)
    called = escaping.union(f for f, _ in calls if f is not None)
    roots = set[Var]() if entry in called else set(_computed_once(module[entry]))
    open_ = {p for f, each in functions.items() if f not in escaping for p in each.params}
    outside = {param: param for param in module[entry].params if param in open_}
    single = roots | _single(known, roots, open_ - roots, outside)
    return {var for var in single if isinstance(var.ty, TensorType)}


def _single(
    calls: Sequence[tuple[Sequence[Var], Sequence[Expr]]],
    roots: set[Var],
    params: set[Var],
    outside: Mapping[Var, object],
) -> set[Var]:
    """Return the parameters to which all `calls` pass one value, as an optimistic fixpoint.

    A call is a pair of parameters and arguments. `roots` are variables that hold one value,
    `params` the parameters to decide, and `outside` the values that the caller of the program
    passes. A parameter's value changes at most twice, which bounds the number of iterations.
    """
    values: dict[Var, object] = dict(outside)
    changed = True
    while changed:
        changed = False
        for listed, args in calls:
            for param, arg in zip(listed, args, strict=True):
                passed = _passed(arg, roots, params, values)
                if param not in params or arg is param or passed is None:
                    continue
                new = passed if values.get(param, passed) is passed else _MANY
                changed |= values.get(param) is not new
                values[param] = new
    return {param for param, passed in values.items() if passed is not _MANY}


def _passed(
    arg: Expr, roots: set[Var], params: set[Var], values: Mapping[Var, object]
) -> object | None:
    """Return the constant or variable that an argument is, or a marker for any other argument.

    The argument may also be one of the undecided `params`: then this is the parameter's entry in
    `values`, None if there is none yet.
    """
    match arg:
        case Constant(data):
            return data
        case Var() if arg in roots:
            return arg
        case Var() if arg in params:
            return values.get(arg)
        case _:
            return _MANY


def _computed_once(function: Function) -> Iterator[Var]:
    """Yield the parameters of the entry and the variables of its outermost scope."""
    yield from function.params
    body = function.body
    while isinstance(body, Let):
        yield body.var
        body = body.body


def _escaping(nodes: Sequence[Expr]) -> set[Callee]:
    """Return the functions that are used as values rather than called."""
    found = set[Callee]()
    for expr in nodes:
        parts = value_parts(expr)
        found.update(name for each in parts if (name := callee(each)) is not None)
    return found
