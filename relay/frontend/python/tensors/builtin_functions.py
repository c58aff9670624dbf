"""Python's built-in functions on values of the program, such as `len`, `max`, `sum` and `int`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from relay.frontend.python.tensors import arithmetic, function_lookup, loop_iterables
from relay.frontend.python.values.error_suggestions import describe, not_callable
from relay.frontend.python.values.traced_values import (
    DynamicList,
    Traced,
    TracedSize,
    constant_of,
    expr_of,
    is_array,
    is_data,
    is_plain,
    is_sequence,
    is_tensor,
    is_tuple,
)
from relay.frontend.python.values.traps import stopped_unless
from relay.ir.expr import Call, Constant, Expr
from relay.ir.match_patterns import Clause, Match, PatternConstructor, PatternWildcard
from relay.ir.types import TypeCall
from relay.numpy import reductions, rounding_and_float_tests
from relay.numpy.errors import mistake
from relay.numpy.tensor_conversion import constant, together
from relay.numpy.tensor_conversion import convert as cast
from relay.numpy.tensor_conversion import size as size_of
from relay.opdef.table import OPERATORS
from relay.ops.tensor.gather import Take
from relay.support.dtype import DType, int32
from relay.support.dtype import dtype as to_dtype
from relay.support.error_codes import ErrorCode
from relay.support.span import Span


def _whole(trace: Any, given: Any) -> Any:
    return trace.python(given.tensor) if isinstance(given, DynamicList) else given


def refuse_axes(trace: Any, name: str, value: Any, advice: str, *, most: int = 0) -> None:
    """Raise `F112` for a tensor with more than `most` axes, the limit of a built-in function."""
    if is_tensor(value) and expr_of(value).tensor_type.rank > most:
        trace.refuse(
            "F112", f"the function {name} does not accept a value of type {describe(value)}", advice
        )


def _len(trace: Any, value: Any) -> Any:
    value = _whole(trace, value)
    if not isinstance(value, Traced):
        return len(value)
    if not is_array(value):
        trace.refuse(
            "F112",
            f"len() does not accept a value of type {describe(value)}",
            "pass a list, or a tensor with at least one axis",
        )
    return trace.python(size_of(expr_of(value), 0, trace.span))


def _sum(trace: Any, value: Any, start: Any = 0) -> Any:
    if is_sequence(value):
        for item in value:
            start = start + item
        return start
    value = _whole(trace, value)
    if not is_array(value):
        return NotImplemented
    made = function_lookup.build(reductions.sum, [expr_of(value), 0], {}, trace.span)
    found = trace.python(made)
    return found if is_plain(start) and start == 0 else start + found


def _every(name: str) -> Callable[..., Any]:
    def rule(trace: Any, value: Any) -> Any:
        if is_sequence(value):
            hooks = trace.hooks
            decide = hooks.all_of if name == "all" else hooks.any_of
            return (
                _joined(trace, name, [hooks.truth(each) for each in value])
                if value
                else decide(lambda: name == "all")
            )
        value = _whole(trace, value)
        if not isinstance(value, Traced):
            return NotImplemented
        refuse_axes(trace, name, value, f"write x.{name}(), or x.{name}(axis=0)", most=1)
        return trace.python(
            function_lookup.build(getattr(reductions, name), [expr_of(value)], {}, trace.span)
        )

    return rule


def _joined(trace: Any, name: str, conditions: Sequence[Any]) -> Any:
    """Return whether all or any (`name`) of several conditions hold.

    Known ones are evaluated now.
    """
    decides = name == "any"
    left = [each for each in conditions if not isinstance(each, bool)]
    if any(each is decides for each in conditions if isinstance(each, bool)) or not left:
        return decides if any(each is decides for each in conditions) else not decides
    found = left[0]
    for each in left[1:]:
        found = Call(
            OPERATORS.find("logical_or" if decides else "logical_and")(),
            (found, each),
            span=trace.span,
        )
    return trace.python(found)


def _abs(trace: Any, value: Any) -> Any:
    return trace.unary("abs", value)


def _round(trace: Any, number: Any, ndigits: Any = None) -> Any:
    refuse_axes(trace, "round", number, "write np.round(x)")
    x = trace.tensor(number)
    if ndigits is None:
        return trace.python(
            cast(
                function_lookup.build(rounding_and_float_tests.round, [x], {}, trace.span),
                int32,
                trace.span,
            )
        )
    return trace.python(
        function_lookup.build(
            rounding_and_float_tests.round, [x, trace.value(ndigits)], {}, trace.span
        )
    )


def _divmod(trace: Any, a: Any, b: Any) -> Any:
    _ = trace
    return a // b, a % b


def _pow(trace: Any, a: Any, b: Any, *mod: Any) -> Any:
    if mod:
        trace.refuse("F117", "pow with three arguments is not supported", "write a ** b % c")
    return a**b


def _isinstance(trace: Any, value: Any, kind: Any) -> Any:
    kinds: tuple[Any, ...] = kind if is_tuple(kind) else (kind,)
    if is_data(value):
        held = expr_of(value)
        ty = held.ty
        assert isinstance(ty, TypeCall), "data"
        clauses: list[Clause] = []
        data = trace.unit.data
        for form in data.alternatives(ty.head):
            chosen = issubclass(data.classes[form], kinds)
            inner = tuple(PatternWildcard() for _ in form.inputs)
            clauses.append(Clause(PatternConstructor(form, inner), Constant(np.asarray(chosen))))
        return trace.python(Match(held, tuple(clauses), span=trace.span))
    if is_array(value):
        return np.ndarray in kinds
    if isinstance(value, Traced | TracedSize | DynamicList):
        raise not_callable(isinstance, trace.span)
    return isinstance(value, kind)


def _type(trace: Any, value: Any) -> Any:
    if isinstance(value, Traced | TracedSize | DynamicList):
        raise not_callable(type, trace.span)
    return value.__class__


def _refused(function: Callable[..., Any]) -> Callable[..., Any]:
    def rule(trace: Any, *_args: Any, **_named: Any) -> Any:
        raise not_callable(function, trace.span)

    return rule


def _range(trace: Any, *args: Any) -> Any:
    return loop_iterables.range_of(trace, args)


def _enumerate(trace: Any, over: Any, start: Any = 0) -> Any:
    if is_sequence(over):
        return [(start + i, each) for i, each in enumerate(over)]
    return loop_iterables.enumerated(trace, over, start)


def _zip(trace: Any, *parts: Any, strict: bool = False) -> Any:
    _ = strict
    if any(is_sequence(each) for each in parts):
        return list(zip(*parts, strict=False))
    return loop_iterables.zipped(trace, parts)


def _reversed(trace: Any, over: Any) -> Any:
    if is_sequence(over):
        return list(reversed(over))
    return loop_iterables.reversed_(trace, over)


def _list(kind: type) -> Callable[..., Any]:
    def rule(trace: Any, over: Any) -> Any:
        if isinstance(over, DynamicList) and kind is list:
            return over
        if isinstance(over, DynamicList):
            advice = "use the call as the sequence of a for loop, or pass lists of known length"
            trace.refuse(
                "F117", f"{kind.__name__}(…) of a list of unknown length is not a value", advice
            )
        return kind(over)

    return rule


class _Extreme:
    """The rule of `max` or `min`: comparisons with NaN are false, as in Python."""

    def __init__(self, python: Callable[..., Any], sign: str, least: float) -> None:
        self._python, self._name, self._sign, self._least = python, python.__name__, sign, least

    def __call__(self, trace: Any, *args: Any, key: Callable[[Any], Any] | None = None) -> Any:
        """Return the value of a call."""
        given: list[Any] = [_whole(trace, each) for each in args]
        items: Sequence[Any] | None = given if len(given) > 1 else None
        if len(given) == 1 and is_sequence(given[0]):
            items = given[0]
        if key is not None:
            return self._by_key(trace, given[0], items, key)
        if items is None:
            axes = f"write x.{self._name}() for all elements, or x.{self._name}(axis=0)"
            refuse_axes(trace, self._name, given[0], axes, most=1)
            return trace.python(self._of_tensor(trace.tensor(given[0]), trace.span))
        for item in items:
            refuse_axes(trace, self._name, item, f"write np.{self._name}imum(x, y)")
            if is_sequence(item):
                advice = "compare one field with if, and keep the best item: if b[0] > a[0]: a = b"
                trace.refuse(
                    "F112",
                    f"{self._name}() cannot compare tuples or lists such as {describe(item)}",
                    advice,
                )
        best, *others = together([trace.value(item) for item in items], trace.span)
        for other in others:
            best = self._better(other, best, trace.span)
        return trace.python(best)

    def _better(self, other: Expr, best: Expr, span: Span) -> Expr:
        found = arithmetic.binary(self._sign, other, best, span)
        assert isinstance(found, Expr), "tensors are compared to tensors"
        return _where(found, other, best, span)

    def _by_key(
        self, trace: Any, given: Any, items: Sequence[Any] | None, key: Callable[[Any], Any]
    ) -> Any:
        """Return the first item with the best key."""
        if items is None and is_array(given) and isinstance(trace.length(given), int):
            items = list(given)
        if items is None:
            advice = f"find the position with x[np.arg{self._name}(…)], or write a loop"
            raise mistake(
                ErrorCode.F118,
                f"{self._name}() with a key needs items whose number is known before the program "
                f"runs, not {describe(given)}",
                trace.span,
                advice,
            )
        best = items[0], trace.calls.call(key, items[0])
        for other in items[1:]:
            best = self._better_item(trace, best, (other, trace.calls.call(key, other)))
        return best[0]

    def _better_item(self, trace: Any, best: tuple[Any, Any], other: tuple[Any, Any]) -> Any:
        """Return the better of two pairs of an item and its key.

        The first if the keys are equal.
        """
        better = arithmetic.BINARY[self._sign][2](other[1], best[1])
        return trace.hooks.choose(better, lambda: other, lambda: best)

    def _of_tensor(self, x: Expr, span: Span) -> Expr:
        """Return the first extreme element of a vector; NaN if the first element is NaN."""
        dtype = x.tensor_type.dtype
        if not x.tensor_type.rank or not dtype.is_float:
            return Call(OPERATORS.find(self._name)(), (x,), span=span)
        least = Constant(np.asarray(self._least, dtype.numpy))
        same = Call(OPERATORS.find("equal")(), (x, x), span=span)
        numbers = _where(same, x, least, span)
        place = Call(OPERATORS.find(f"arg{self._name}")((0,)), (numbers,), span=span)
        best = Call(Take(axis=0), (x, place), span=span)
        first = Call(Take(axis=0), (x, Constant(np.asarray(0, np.int32))), span=span)
        return _where(Call(OPERATORS.find("equal")(), (first, first), span=span), best, first, span)


def _where(condition: Expr, a: Expr, b: Expr, span: Span) -> Expr:
    return Call(OPERATORS.find("where")(), (condition, a, b), span=span)


RULES: Mapping[Any, Callable[..., Any]] = {
    abs: _abs, all: _every("all"), any: _every("any"), divmod: _divmod, enumerate: _enumerate,
    isinstance: _isinstance, len: _len, list: _list(list), tuple: _list(tuple),
    max: _Extreme(max, "gt", -np.inf), min: _Extreme(min, "lt", np.inf), pow: _pow, range: _range,
    reversed: _reversed, round: _round, sum: _sum, zip: _zip,
    type: _type, repr: _refused(repr), ascii: _refused(ascii),
    sorted: _refused(sorted),
}  # fmt: skip
"""What Python's functions do if an argument is of the program."""


def is_dtype(content: object) -> bool:
    """Whether an object is an element type or a scalar class, such as `np.float32` or `int`."""
    if isinstance(content, DType):
        return True
    return isinstance(content, type) and (
        content in (bool, int, float) or issubclass(content, np.generic)
    )


def converted(trace: Any, content: Any, value: Any) -> Any:
    """Return a value converted to an element type, as in `np.float32(x)` or `int(x)`."""
    named: Mapping[object, object] = {bool: "bool", int: "int32", float: "float32"}
    given: Any = named.get(content, content)
    dtype, span = to_dtype(given), trace.span
    held = constant_of(value)
    if held is not None and content in (bool, int, float) and not held.ndim:
        value = held.item()
    if is_plain(value) or isinstance(value, str):
        return _known_number(content, value, dtype, span)
    if content is bool:
        found = trace.hooks.truth(value)
        return trace.python(found)
    operand = trace.tensor(value)
    if content in (int, float):
        refuse_axes(trace, content.__name__, value, f"write x.astype({content.__name__})")
    if content in (int, float) and operand.tensor_type.dtype.is_complex:
        what = f"{content.__name__}() does not accept complex numbers"
        raise mistake(ErrorCode.F112, what, span, "write x.real, x.imag or abs(x)")
    if content is int and operand.tensor_type.dtype.is_float:
        return trace.python(_truncated(operand, dtype, span))
    if content is int and isinstance(value, TracedSize):
        return value
    return trace.python(cast(operand, dtype, span))


def _truncated(x: Expr, dtype: DType, span: Span) -> Expr:
    """Return a float truncated to an integer; NaN and values out of range trap."""
    limit = constant(2.0 ** (dtype.bits - 1), x.tensor_type.dtype, span)
    held = Call(OPERATORS.find("less")(), (Call(OPERATORS.find("abs")(), (x,)), limit), span=span)
    why = f"ValueError: int() of a value that {dtype} cannot represent"
    return stopped_unless(held, why, cast(x, dtype, span), span)


def _known_number(content: Any, number: Any, dtype: DType, span: Span) -> Any:
    """Return a Python number, or a typed NumPy scalar, for a number known while tracing."""
    try:
        if content in (bool, int, float):
            return content(number)
        return np.asarray(constant(int(number) if dtype.is_integer else number, dtype, span).array)[
            ()
        ]
    except (ArithmeticError, ValueError) as error:
        name = getattr(content, "__name__", str(content))
        what = f"{name}() fails for this number: {error}"
        raise mistake(ErrorCode.F112, what, span, "convert it to a wider type") from None
