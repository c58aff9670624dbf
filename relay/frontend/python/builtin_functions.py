"""Python's own functions, as far as Relay has their meaning: `len`, `max`, `sum` and `zip`."""

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from typing import cast as cast_type

import numpy as np

from relay.frontend.python import operators
from relay.frontend.python.advice import not_callable
from relay.frontend.python.arithmetic import binary
from relay.frontend.python.composing import compose
from relay.frontend.python.extremes import Extreme, refuse_axes
from relay.frontend.python.invocation import Invocation
from relay.frontend.python.logic import truth
from relay.frontend.python.operations import items_of, outside, plain_items, size, together
from relay.frontend.python.operators import Path
from relay.frontend.python.values import Group, Static, Value
from relay.ir.expr import Constant, Expr
from relay.ir.patterns import (
    Clause,
    Match,
    PatternConstructor,
    PatternWildcard,
)
from relay.ir.types import TensorType, TypeCall
from relay.numpy import reductions, rounding
from relay.numpy.errors import mistake
from relay.numpy.tensors import convert as cast
from relay.support.dtype import dtype as to_dtype
from relay.support.dtype import int32
from relay.support.error_codes import ErrorCode
from relay.support.span import Span


def call_builtin(each: Invocation, content: object) -> Value:
    """Return the value of a call of a Python function; raises `F117` for one without a meaning."""
    if callable(content) and content in _RULES:
        return _RULES[content](each)
    if isinstance(getattr(content, "__self__", None), str) and callable(content):
        return _of_text(each, content)
    raise not_callable(each.callee, each.span)


def _of_text(each: Invocation, method: Callable[..., object]) -> Value:
    """Return what a method of a text gives that is known now, `config.mode.lower()` say."""
    known = [arg.content for arg in each.args if isinstance(arg, Static)]
    if len(known) < len(each.args) or each.keywords:
        raise not_callable(each.callee, each.span)
    try:
        return outside(method(*known), each.span)
    except (LookupError, TypeError, ValueError) as error:
        raise mistake(
            ErrorCode.F112, str(error), each.span, "change the text, or the arguments"
        ) from None


def _call(name: str, args: Sequence[Value], span: Span, **named: Value) -> Expr:
    return operators.call(Path(name, is_relay=True), args, named, span)


def _sum(each: Invocation) -> Value:
    value, total = each.in_order(["iterable", "start"], "sum", {"start": Static(0)})
    if not isinstance(value, Group):
        found = compose(reductions.sum, [value, Static(0)], {}, each.span)
        plain = isinstance(total, Static) and total.content == 0
        return found if plain else binary(ast.Add, total, found, each.span)
    for item in value.items:
        total = binary(ast.Add, total, item, each.span)
    return total


def _every(name: str, sign: str) -> Callable[[Invocation], Value]:
    """Return the rule of `all` and `any`."""

    def rule(each: Invocation) -> Value:
        (value,) = each.in_order(["x"], name)
        if not isinstance(value, Group):
            refuse_axes(name, value, f"write x.{name}(), or x.{name}(axis=0)", each.span, most=1)
            return compose(getattr(reductions, name), [value], {}, each.span)
        result: Expr | Static = Static(name == "all")
        for other in value.items:
            result = _joined(sign, result, truth(other, each.span), each.span)
        return result

    return rule


def _joined(sign: str, a: "Expr | Static", b: "Expr | Static", span: Span) -> "Expr | Static":
    """Return whether both, or one of two conditions holds; one that is known may decide now."""
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Static):
            decides = one.content is (sign == "logical_or")
            return one if decides else other
    return _call(sign, [a, b], span)


def _abs(each: Invocation) -> Value:
    (value,) = each.in_order(["x"], "abs")
    if isinstance(value, Static) and value.number is not None:
        return Static(abs(value.number))
    return _call("abs", [value], each.span)


def _round(each: Invocation) -> Value:
    value, digits = each.in_order(["number", "ndigits"], "round", {"ndigits": Static(None)})
    known = isinstance(digits, Static) and (digits.content is None or digits.number is not None)
    if isinstance(value, Static) and value.number is not None and isinstance(digits, Static):
        places: Any = digits.content
        return Static(round(value.number, places))
    if not known or (isinstance(digits, Static) and digits.content is not None):
        return compose(rounding.round, [value, digits], {}, each.span)
    (operand,) = together([value], each.span)
    if operand.tensor_type.rank:
        raise mistake(ErrorCode.F112, "round of a tensor", each.span, "write np.round(x)")
    return cast(_call("rint", [operand], each.span), int32, each.span)


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
    if isinstance(value, Static) and isinstance(value.content, str):
        return Static(len(value.content))
    (tensor,) = together([value], each.span)
    if not tensor.tensor_type.rank:
        raise mistake(ErrorCode.F112, "a number has no len", each.span, "ask a tensor or a tuple")
    return size(tensor, 0, each.span)


def _listed(rule: Callable[..., object]) -> Callable[[Invocation], Value]:
    """Return the rule of a function that only arranges the items of lists."""

    def arrange(each: Invocation) -> Value:
        found = [items_of(arg, each.span) for arg in each.args if not isinstance(arg, Static)]
        lists = [group.items for group in found if group is not None]
        if len(lists) < len(each.args) - (rule is enumerate and len(each.args) > 1):
            advice = "use it in the head of a for loop, or on lists that are written out"
            name = getattr(rule, "__name__", "this")
            raise mistake(ErrorCode.F117, f"{name} has no value of its own here", each.span, advice)
        plain = [arg.content for arg in each.args if isinstance(arg, Static)]
        named = {"start": _start(each)} if rule is enumerate and "start" in each.keywords else {}
        made: Any = rule(*lists, *plain, **named)
        brackets = tuple if rule is tuple else list if rule is list else None
        items = tuple(map(_group, cast_type("Sequence[object]", list(made))))
        return Group(items, brackets)

    return arrange


def _start(each: Invocation) -> object:
    start = each.keywords["start"]
    return start.content if isinstance(start, Static) else 0


def _sorted(each: Invocation) -> Value:
    """Return a list of plain numbers in order; tensors are sorted by NumPy's function."""
    value = each.args[0] if len(each.args) == 1 and not each.keywords else None
    plain = plain_items(value) if isinstance(value, Group) else None
    if plain is None:
        raise not_callable(each.callee, each.span)
    return Group(tuple(map(Static, sorted(cast_type("Sequence[float]", plain)))), list)


def _isinstance(each: Invocation) -> Value:
    """Return whether a tensor is an array, or a Python object of a class; both are known."""
    value, kind = each.in_order(["object", "class"], "isinstance")
    kinds = kind.items if isinstance(kind, Group) else (kind,)
    classes = tuple(each.content for each in kinds if isinstance(each, Static))
    if isinstance(value, Static):
        return Static(isinstance(value.content, cast_type("tuple[type, ...]", classes)))
    if isinstance(value, Expr) and isinstance(value.ty, TensorType) and value.ty.rank:
        return Static(np.ndarray in classes)
    if isinstance(value, Expr) and isinstance(value.ty, TypeCall):
        return _form(each, value, value.ty, classes)
    raise not_callable(each.callee, each.span)


def _form(each: Invocation, value: Expr, ty: TypeCall, classes: Sequence[object]) -> Expr:
    """Return whether data has one of some forms."""
    clauses: list[Clause] = []
    for form in each.convert.unit.data.alternatives(ty.head):
        inner = tuple(PatternWildcard() for _ in form.inputs)
        kinds = cast_type("tuple[type, ...]", tuple(classes))
        chosen = issubclass(each.convert.unit.data.classes[form], kinds)
        clauses.append(Clause(PatternConstructor(form, inner), Constant(np.asarray(chosen))))
    return Match(value, tuple(clauses), span=each.span)


def _facts(each: Invocation) -> Value:
    """Return what `np.finfo` and `np.iinfo` know of an element type."""
    (value,) = each.in_order(["dtype"], "finfo")
    content: Any = value.content if isinstance(value, Static) else None
    dtype: Any = to_dtype(content).numpy
    return Static(np.iinfo(dtype) if dtype.kind in "iu" else np.finfo(dtype))


def _group(item: object) -> Value:
    """Return what Python's function made of values: tuples of them, and plain numbers."""
    if isinstance(item, tuple):
        return Group(tuple(map(_group, cast_type("tuple[object, ...]", item))))
    return Static(item) if isinstance(item, int) else cast_type("Value", item)


def _range(each: Invocation) -> Value:
    bounds = [arg.content for arg in each.args if isinstance(arg, Static)]
    whole = [bound for bound in bounds if isinstance(bound, int)]
    if len(whole) < len(each.args) or not 1 <= len(whole) <= 3:
        advice = "loop over it with for, or write np.arange(n)"
        raise mistake(ErrorCode.F117, "this range is known only at run time", each.span, advice)
    return Group(tuple(map(Static, range(*whole))), list)


_RULES: Mapping[Callable[..., object], Callable[[Invocation], Value]] = {
    abs: _abs,
    all: _every("all", "logical_and"),
    any: _every("any", "logical_or"),
    divmod: _divmod,
    enumerate: _listed(enumerate),
    isinstance: _isinstance,
    np.finfo: _facts,
    np.iinfo: _facts,
    sorted: _sorted,
    len: _len,
    list: _listed(list),
    max: Extreme(max, ast.Gt, -np.inf),
    min: Extreme(min, ast.Lt, np.inf),
    pow: _pow,
    range: _range,
    reversed: _listed(reversed),
    round: _round,
    sum: _sum,
    tuple: _listed(tuple),
    zip: _listed(zip),
}
