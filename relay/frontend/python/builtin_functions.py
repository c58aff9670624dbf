"""Python's own functions, as far as Relay has their meaning: `len`, `max`, `sum` and `zip`."""

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from relay.frontend.python import operators
from relay.frontend.python.errors import mistake
from relay.frontend.python.invocation import Invocation
from relay.frontend.python.operations import binary, describe, together
from relay.frontend.python.operators import Path
from relay.frontend.python.values import Group, Size, Static, Value
from relay.ir.expr import Expr
from relay.support.errors import RelayError
from relay.support.span import Span

_INSTEAD: Mapping[str, str] = {
    "print": "print what the function returns; the program itself only computes",
    "float": "write x.astype(np.float32)",
    "input": "give the function what it reads as an argument",
    "open": "read files in Python, and give the function arrays",
    "isinstance": "take data apart with match, which asks for the class",
    "type": "types are known before the program runs: look at x.dtype and x.shape",
    "sorted": "write np.sort(x), or np.argsort(x) for the order",
    "map": "write an operation on the whole tensor, or a recursive function over a list",
    "filter": "write np.where(condition, x, 0), or a recursive function over a list",
    "str": "texts exist only in Python, around the function",
    "dict": "use tensors, tuples and @relay.data classes",
    "set": "use tensors, tuples and @relay.data classes",
    "iter": "loop with for over a tensor or range(…)",
    "next": "loop with for over a tensor or range(…)",
    **dict.fromkeys(
        ("choice", "normal", "rand", "randint", "randn", "random", "uniform"),
        "draw random numbers in Python, and give them to the function as an argument",
    ),
    "super": "define @relay.data classes and functions over them",
}


def call_builtin(each: Invocation, content: object) -> Value:
    """Return the value of a call of a Python function; raises `F117` for one without a meaning."""
    if callable(content) and content in _RULES:
        return _RULES[content](each)
    raise not_callable(each)


def not_callable(each: Invocation) -> RelayError:
    """Return the error `F117`, with what to write instead."""
    content = each.callee.content if isinstance(each.callee, Static) else None
    name = str(getattr(content, "__name__", ""))
    what = f"{name or describe(each.callee)} cannot be called in a program"
    advice = "call operators, @relay.function functions, @relay.data classes and lambdas"
    return mistake("F117", what, each.span, _INSTEAD.get(name, advice))


def _call(name: str, args: Sequence[Value], span: Span, **named: Value) -> Expr:
    return operators.call(Path(name, is_relay=True), args, named, span)


def _folded(name: str) -> Callable[[Invocation], Value]:
    """Return the rule of `max(a, b, …)` and `min(a, b, …)`, and of one tensor or list."""

    def rule(each: Invocation) -> Value:
        items = _given(each, each.args[0]) if len(each.args) == 1 else each.args
        if items is None:
            return _call(name[:3], each.args, each.span)
        result, *others = items
        for other in others:
            result = _call(name, [result, other], each.span)
        return result

    return rule


def _given(each: Invocation, value: Value) -> Sequence[Value] | None:
    """Return the items of a list that is written out and not empty; None for a tensor."""
    if isinstance(value, Group) and not value.items:
        raise mistake("F112", "the list is empty", each.span, "give it elements")
    return value.items if isinstance(value, Group) else None


def _sum(each: Invocation) -> Value:
    items = _given(each, each.args[0])
    if items is None:
        return _call("sum", each.args[:1], each.span, axis=Static(0))
    total: Value = each.args[1] if len(each.args) > 1 else Static(0)
    for item in items:
        total = binary(ast.Add, total, item, each.span)
    return total


def _every(name: str, sign: str) -> Callable[[Invocation], Value]:
    """Return the rule of `all` and `any`."""

    def rule(each: Invocation) -> Value:
        (value,) = each.in_order(["x"], name)
        items = _given(each, value)
        if items is None:
            return _call(name, [value], each.span)
        result, *others = together(items, each.span)
        for other in others:
            result = _call(sign, [result, other], each.span)
        return result

    return rule


def _abs(each: Invocation) -> Value:
    (value,) = each.in_order(["x"], "abs")
    if isinstance(value, Static) and value.number is not None:
        return Static(abs(value.number))
    return _call("abs", [value], each.span)


def _round(each: Invocation) -> Value:
    if len(each.args) > 1:
        advice = "write np.rint(x * 100) / 100, which rounds to two digits"
        raise mistake("F117", "round to digits has no form here", each.span, advice)
    (value,) = each.in_order(["x"], "round")
    if isinstance(value, Static) and value.number is not None:
        return Static(round(value.number))
    return _call("cast", [_call("rint", [value], each.span)], each.span, dtype=Static("int32"))


def _pow(each: Invocation) -> Value:
    base, exponent = each.in_order(["base", "exp"], "pow")
    return binary(ast.Pow, base, exponent, each.span)


def _divmod(each: Invocation) -> Value:
    x, y = each.in_order(["x", "y"], "divmod")
    return Group((binary(ast.FloorDiv, x, y, each.span), binary(ast.Mod, x, y, each.span)))


def _len(each: Invocation) -> Value:
    (value,) = each.in_order(["x"], "len")
    if isinstance(value, Group):
        return Static(len(value.items))
    (tensor,) = together([value], each.span)
    if not tensor.tensor_type.rank:
        raise mistake("F112", "a number has no len", each.span, "ask a tensor or a tuple")
    dim = tensor.tensor_type.shape[0]
    return Static(dim) if isinstance(dim, int) else Size(dim, tensor, 0)


def _listed(rule: Callable[..., object]) -> Callable[[Invocation], Value]:
    """Return the rule of a function that only arranges the items of lists."""

    def arrange(each: Invocation) -> Value:
        lists = [arg.items for arg in each.args if isinstance(arg, Group)]
        if len(lists) < len(each.args):
            advice = "use it in the head of a for loop, or on lists that are written out"
            name = getattr(rule, "__name__", "this")
            raise mistake("F117", f"{name} has no value of its own here", each.span, advice)
        return Group(tuple(map(_group, cast("Sequence[object]", list(rule(*lists))))))  # pyright: ignore[reportArgumentType]

    return arrange


def _group(item: object) -> Value:
    """Return what Python's function made of values: tuples of them, and plain numbers."""
    if isinstance(item, tuple):
        return Group(tuple(map(_group, cast("tuple[object, ...]", item))))
    return Static(item) if isinstance(item, int) else cast("Value", item)


def _range(each: Invocation) -> Value:
    bounds = [arg.content for arg in each.args if isinstance(arg, Static)]
    whole = [bound for bound in bounds if isinstance(bound, int)]
    if len(whole) < len(each.args) or not 1 <= len(whole) <= 3:
        advice = "loop over it with for, or write np.arange(n)"
        raise mistake("F117", "this range is known only at run time", each.span, advice)
    return Group(tuple(map(Static, range(*whole))))


_RULES: Mapping[Callable[..., object], Callable[[Invocation], Value]] = {
    abs: _abs,
    all: _every("all", "logical_and"),
    any: _every("any", "logical_or"),
    divmod: _divmod,
    enumerate: _listed(enumerate),
    len: _len,
    list: _listed(list),
    max: _folded("maximum"),
    min: _folded("minimum"),
    pow: _pow,
    range: _range,
    reversed: _listed(reversed),
    round: _round,
    sum: _sum,
    tuple: _listed(tuple),
    zip: _listed(zip),
}
