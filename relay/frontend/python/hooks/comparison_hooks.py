"""Hooks for comparisons: chains such as `a < b < c`, `in`, `is`, and equality of objects."""

import dataclasses
import operator
from collections.abc import Callable, Sequence
from types import NoneType
from typing import Any

import numpy as np

from relay.frontend.python.hooks.branch_hooks import Branches
from relay.frontend.python.tensors.arithmetic import BINARY
from relay.frontend.python.values.chosen_functions import Choice, same_function
from relay.frontend.python.values.data_class_fields import is_written
from relay.frontend.python.values.traced_values import (
    DynamicList,
    Traced,
    TracedSize,
    expr_of,
    is_data,
    is_object,
    is_sequence,
    is_traced,
)
from relay.ir.types import UNIT
from relay.support.dtype import DType
from relay.support.dtype import dtype as to_dtype
from relay.support.errors import RelayError

_SIGNS = {"Lt": "lt", "LtE": "le", "Gt": "gt", "GtE": "ge", "Eq": "eq", "NotEq": "ne"}


class Comparisons(Branches):
    """The hooks for comparisons of values, some of which only the program knows."""

    def compared(
        self, signs: Sequence[str], left: Any, right: Any, *others: Callable[[], Any]
    ) -> Any:
        """Return whether a chain of comparisons, such as `a < b < c`, holds."""
        found = self.compare(signs[0], left, right)
        if not others:
            return found
        condition = self.truth(found)
        rest = lambda: self.compared(signs[1:], right, others[0](), *others[1:])  # noqa: E731
        if isinstance(condition, bool):
            return rest() if condition else found
        return self._branch(condition, [rest, lambda: False], "call")

    def compare(self, sign: str, a: Any, b: Any) -> Any:
        """Return the result of one comparison; `in` compares with each item or element."""
        match sign:
            case "In":
                return self._contained(a, b)
            case "NotIn":
                return self.negated(self._contained(a, b))
            case "Is" | "IsNot" | "Eq" | "NotEq" if isinstance(a, Choice) or isinstance(b, Choice):
                python = operator.is_ if sign in ("Is", "IsNot") else operator.eq
                same = self.trace.python(same_function(a, b, python))
                return same if sign in ("Is", "Eq") else self.negated(same)
            case "Is" | "IsNot":
                same = self._identical(a, b)
                return same if sign == "Is" else self.negated(same)
            case "Eq" | "NotEq" if b is None and is_data(a):
                return self.compare("Is" if sign == "Eq" else "IsNot", a, b)
            case "Eq" | "NotEq" if isinstance(a, DType) != isinstance(b, DType):
                return (_dtype(a) == _dtype(b)) is (sign == "Eq")
            case "Eq" | "NotEq" if type(a) is type(b) and _compared_items(a) and is_traced((a, b)):
                same = self._same_items(a, b)
                return same if sign == "Eq" else self.negated(same)
            case _:
                return BINARY[_SIGNS[sign]][2](a, b)

    def _identical(self, a: Any, b: Any) -> Any:
        """Return `a is b`; raises `F107` if only the program could know."""
        for one, other in ((a, b), (b, a)):
            if isinstance(one, Traced | TracedSize) and not is_traced(other):
                if other is None and self.trace.unit.data.none(expr_of(one).ty) is not None:
                    return self.trace.calls.call(isinstance, one, NoneType)
                return other is None and expr_of(one).ty is UNIT
        program = any(isinstance(each, Traced | TracedSize) for each in (a, b))
        copied = type(a) is type(b) and any(map(self.trace.divided.holds, (a, b)))
        if program or copied:
            advice = "compare numbers with ==, and distinguish objects with a match statement"
            self.trace.refuse(
                "F107",
                ("`is` compares Python objects, but this value exists only when the program runs"),
                advice,
            )
        return a is b

    def _same_items(self, a: Any, b: Any) -> Any:
        one, other = _compared_items(a), _compared_items(b)
        if one is None or other is None or len(one) != len(other):
            return False
        pairs = [lambda x=x, y=y: self.compare("Eq", x, y) for x, y in zip(one, other, strict=True)]
        return self.all_of(*pairs) if pairs else True

    def _contained(self, item: Any, container: Any) -> Any:
        if isinstance(container, Traced | DynamicList):
            whole = (
                self.trace.python(container.tensor)
                if isinstance(container, DynamicList)
                else container
            )
            return self.trace.contained(item, whole)
        if not is_traced((item, container)) and not isinstance(item, Choice):
            return item in container
        found: Any = False
        for each in container:
            same = self.compare("Eq", item, each)
            if isinstance(same, Traced) and expr_of(same).tensor_type.rank:
                same = self.trace.calls.call(np.any, same)
            found = (
                same
                if found is False
                else found | same
                if not isinstance(same, bool)
                else found or same
            )
        return found


def _compared_items(value: Any) -> Sequence[Any] | None:
    """Return the items or fields that `==` compares; None for objects with their own equality."""
    if is_sequence(value):
        return value
    cls = value.__class__
    if not is_object(value) or is_written(cls.__eq__) or not cls.__dataclass_params__.eq:
        return None
    return [getattr(value, each.name) for each in dataclasses.fields(cls) if each.compare]


def _dtype(of: Any) -> object:
    """Return an element type if `of` names one, as in `x.dtype == np.float32`; else `of` itself."""
    try:
        return to_dtype(of)
    except (RelayError, TypeError):
        return of
