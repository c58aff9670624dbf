"""Python's `max` and `min`, which compare one value after the other: a NaN is never greater.

NumPy's functions of these names give NaN wherever there is one.
"""

import ast
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from relay.frontend.python.arithmetic import binary
from relay.frontend.python.invocation import Invocation
from relay.frontend.python.logic import compared, truth
from relay.frontend.python.operations import describe, group_of, items_of, plain_items, together
from relay.frontend.python.values import Group, Static, Template, Value
from relay.ir.expr import Call, Constant, Expr, If
from relay.ir.types import TensorType
from relay.numpy.errors import mistake
from relay.opdef.table import OPERATORS
from relay.ops.tensor.gather import Take
from relay.support.error_codes import ErrorCode
from relay.support.span import Span


class Extreme:
    """The rule of `max` or of `min`, of several values, of a list, or of a tensor."""

    def __init__(
        self, python: Callable[[Sequence[Any]], object], sign: type[ast.cmpop], least: float
    ) -> None:
        self._python = python
        self._name = python.__name__
        self._sign = sign  # what a later value must be to take the place of an earlier one
        self._least = least  # what is never put in the place of another value

    def __call__(self, each: Invocation) -> Value:
        """Return the value of a call."""
        if not each.args or not {*each.keywords} <= {"key"}:
            advice = "write a loop that keeps the best; for a tensor, x.max(axis=0)"
            what = f"{self._name} takes values, and a key for those of a list"
            raise mistake(ErrorCode.F118, what, each.span, advice)
        items = _listed(each, each.args[0]) if len(each.args) == 1 else each.args
        if each.keywords:
            return self._by_key(each, items)
        if items is None:
            axes = f"write x.{self._name}() for all elements, or x.{self._name}(axis=0)"
            refuse_axes(self._name, each.args[0], axes, each.span, most=1)
            (tensor,) = together([each.args[0]], each.span)
            return self._of_tensor(tensor, each.span)
        for item in items:
            refuse_axes(self._name, item, f"write np.{self._name}imum(x, y)", each.span)
            self._refuse_tuple(item, each.span)
        return self._of_items(items, each.span)

    def _of_items(self, items: Sequence[Value], span: Span) -> Value:
        plain = [plain_items(each) for each in items]
        if None not in plain:
            return items[plain.index(self._python(plain))]
        best, *others = together(items, span)
        for other in others:
            best = _where(binary(self._sign, other, best, span), other, best, span)
        return best

    def _by_key(self, each: Invocation, items: Sequence[Value] | None) -> Value:
        """Return the first item whose key is the best one."""
        given, key, span = each.args[0], each.keywords["key"], each.span
        assert isinstance(key, Template), "calls makes one of all that can be called"
        listed = items_of(given, span) if items is None else Group(tuple(items))
        if listed is None:
            advice = f"take the best place: x[np.arg{self._name}(…)], or write a loop"
            raise mistake(
                ErrorCode.F118, f"{self._name} by a key of {describe(given)}", span, advice
            )
        (best, *others) = listed.items
        top = key.expand([best], span)
        for other in others:
            value = key.expand([other], span)
            better = truth(compared(self._sign(), value, top, span), span)
            if isinstance(better, Static):
                best, top = (other, value) if better.content else (best, top)
                continue
            best, top = (
                If(better, *each.convert.joined(what, pair, span), span=span)
                for what, pair in (("the item", (other, best)), ("the key", (value, top)))
            )
        return best

    def _refuse_tuple(self, item: Value, span: Span) -> None:
        """Raise `F112` for a tuple that is known only at run time."""
        if group_of(item, span) is not None and plain_items(item) is None:
            advice = f"compare one part: if b[0] > a[0], and keep the {self._name} yourself"
            raise mistake(ErrorCode.F112, f"{self._name} of tuples, {describe(item)}", span, advice)

    def _of_tensor(self, x: Expr, span: Span) -> Expr:
        """Return the first extreme element; NaN where that stands first."""
        dtype = x.tensor_type.dtype
        if not x.tensor_type.rank or not dtype.is_float:
            return Call(OPERATORS.find(self._name)(), (x,), span=span)
        least = Constant(np.asarray(self._least, dtype.numpy))
        numbers = _where(binary(ast.Eq, x, x, span), x, least, span)
        place = Call(OPERATORS.find(f"arg{self._name}")((0,)), (numbers,), span=span)
        best = Call(Take(axis=0), (x, place), span=span)
        first = Call(Take(axis=0), (x, Constant(np.asarray(0, np.int32))), span=span)
        return _where(binary(ast.Eq, first, first, span), best, first, span)


def refuse_axes(name: str, value: Value, advice: str, span: Span, *, most: int = 0) -> None:
    """Raise `F112` for a tensor with more axes than a function of Python takes."""
    if isinstance(value, Expr) and isinstance(value.ty, TensorType) and value.ty.rank > most:
        raise mistake(ErrorCode.F112, f"{name} of {describe(value)}", span, advice)


def _listed(each: Invocation, value: Value) -> Sequence[Value] | None:
    """Return the items of a list that is written out and not empty; None for a tensor."""
    if isinstance(value, Group) and not value.items:
        raise mistake(ErrorCode.F112, "the list is empty", each.span, "give it elements")
    return value.items if isinstance(value, Group) else None


def _where(condition: Value, a: Expr, b: Expr, span: Span) -> Expr:
    assert isinstance(condition, Expr), "what is known now has been compared"
    return Call(OPERATORS.find("where")(), (condition, a, b), span=span)
