"""Functions that the program selects at run time: one of several, by a number."""

from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from relay.frontend.python.values.traced_values import Traced, expr_of
from relay.ir.expr import Call, Constant, Expr, If
from relay.ops.comparison import Equal


class Choice:
    """One of several functions, selected by the program at run time.

    The number is a boolean, which is true for the first of two functions, or an integer.
    """

    __relay_function__ = True
    __name__ = "the function"

    def __init__(self, trace: Any, number: Any, options: Sequence[Any]) -> None:
        self.trace, self.number, self.options = trace, number, options

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Return the call of the selected function, as a branch over calls of each."""
        return self._call(0, args, named)

    def _call(self, at: int, args: tuple[Any, ...], named: Mapping[str, Any]) -> Any:
        call = lambda: self.trace.calls.call(self.options[at], *args, **named)  # noqa: E731
        if at == len(self.options) - 1:
            return call()
        test = self.trace.python(self.is_option(at))
        return self.trace.hooks.choose(test, call, lambda: self._call(at + 1, args, named))

    def is_option(self, at: int) -> Expr:
        """Return an expression that is true if the program selects the function at index `at`.

        `at` must not be the index of the last function, which is selected if no other is.
        """
        number = expr_of(self.number)
        if number.tensor_type.dtype == "bool":
            return number
        return Call(Equal(), (number, _constant(at)))

    def of_each(self, values: Sequence[Expr]) -> Expr:
        """Return the value at the index of the selected function; `values` has one for each."""
        found = values[-1]
        for at in range(len(values) - 2, -1, -1):
            found = If(self.is_option(at), values[at], found)
        return found


def same_function(a: Any, b: Any, same: Callable[[Any, Any], bool]) -> bool | Expr:
    """Return whether two functions are the same; each may be a choice that the program makes.

    The result is then an expression. `same` compares two functions of Python.
    """
    if a is b:
        return True
    if not isinstance(a, Choice):
        a, b = b, a
    if not isinstance(a, Choice):
        return same(a, b)
    found = [same_function(each, b, same) for each in a.options]
    if all(each is found[0] for each in found):
        return found[0]
    return a.of_each([_truth(each) for each in found])


def is_python_function(value: Any) -> bool:
    """Whether a value is a function of Python, or a choice between such functions."""
    function = callable(value) and not isinstance(value, Traced | Expr | type)
    return function and not hasattr(value, "__relay_data__")


def add_options(options: list[Any], value: Any) -> None:
    """Append the functions that a value may be to `options`, without duplicates."""
    for each in value.options if isinstance(value, Choice) else [value]:
        if index_in(options, each) is None:
            options.append(each)


def index_in(options: Sequence[Any], function: Any) -> int | None:
    """Return the index of a function in `options`; None if it is not one of them."""
    return next((i for i, known in enumerate(options) if _is_same(known, function)), None)


def number_in(options: Sequence[Any], value: Any, *, boolean: bool) -> Expr:
    """Return the number that selects the function `value` from `options`, which contain it."""

    def constant(function: Any) -> Expr:
        found = index_in(options, function)
        assert found is not None, "all of them were added"
        return _truth(found == 0) if boolean else _constant(found)

    if not isinstance(value, Choice):
        return constant(value)
    return value.of_each([*map(constant, value.options)])


def _truth(found: bool | Expr) -> Expr:
    return found if isinstance(found, Expr) else Constant(np.asarray(found))


def _constant(number: int) -> Expr:
    return Constant(np.asarray(number, np.int32))


def _is_same(a: Any, b: Any) -> bool:
    """Whether two functions have the same code and read the same variables."""
    if isinstance(a, MethodType) and isinstance(b, MethodType):
        return a.__self__ is b.__self__ and a.__func__ is b.__func__
    if a is b or not (isinstance(a, FunctionType) and isinstance(b, FunctionType)):
        return a is b
    return _parts(a) == _parts(b)


def _parts(function: FunctionType) -> tuple[object, ...]:
    """Return the parts of a function: its code, its variables and its defaults."""
    cells, given = function.__closure__ or (), function.__defaults__ or ()
    named = function.__kwdefaults__ or {}
    variables = id(function.__globals__), *map(id, cells)
    defaults = *map(id, given), *((name, id(each)) for name, each in named.items())
    return function.__code__, *variables, *defaults
