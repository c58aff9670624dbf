"""Loop-carried variables that hold functions: the loop carries the number of a function."""

from collections.abc import Iterable, Mapping, Sequence
from types import FunctionType
from typing import Any

from relay.frontend.python.tracing.loop_carried_values import Carried
from relay.frontend.python.tracing.mutable_state import Place, State
from relay.frontend.python.values.chosen_functions import (
    Choice,
    add_options,
    index_in,
    is_python_function,
    number_in,
)
from relay.ir.expr import Expr


class CarriedFunction(Carried):
    """A variable that holds one of the functions `options` in every iteration."""

    def __init__(
        self, trace: Any, place: Place, start: Any, options: Sequence[Any], *, late: bool
    ) -> None:
        self.trace, self.options = trace, options
        super().__init__(place, start, late=late)
        self.types = [each.type for each in self.parts(start)] if late else [None]

    def parts(self, value: Any) -> list[Any]:
        """Return the number of a function as a list; an empty list for another value."""
        return [number_in(self.options, value, boolean=False)] if self.is_like(value) else []

    def filled(self, parts: Iterable[Any]) -> Choice:
        """Return the function whose number among the options is the only item of `parts`."""
        (number,) = parts
        made = self.trace.python(number) if isinstance(number, Expr) else number
        return Choice(self.trace, made, self.options)

    def is_like(self, value: Any) -> bool:
        """Whether a value is one of the functions that this variable may hold."""
        return is_python_function(value) and all(
            index_in(self.options, each) is not None for each in _functions(value)
        )


def carried_function(
    trace: Any,
    place: Place,
    values: Sequence[Any],
    known: Carried | None,
    before: State,
    *,
    late: bool = False,
) -> CarriedFunction | None:
    """Return a loop variable that may hold the functions `values`; the first is its initial value.

    `known` is the variable in the previous attempt to trace the loop, whose options stay. The
    result is None if a value is not a function, or if each iteration makes a new function, whose
    variables do not exist in the state `before`.
    """
    if not values or not all(map(is_python_function, values)):
        return None
    options = list(known.options) if isinstance(known, CarriedFunction) else []
    for each in values:
        add_options(options, each)
    if not all(_is_of_before(each, before, trace.unit.outside) for each in options):
        return None
    return CarriedFunction(trace, place, values[0], options, late=late)


def _functions(value: Any) -> Sequence[Any]:
    return value.options if isinstance(value, Choice) else [value]


def _is_of_before(function: Any, before: State, outside: Mapping[int, object]) -> bool:
    """Whether a function reads only variables and containers from before a loop."""
    given: list[Any] = []
    if isinstance(function, FunctionType):
        given = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    own = State([function, *given], {**outside, **before.held})
    return all(content is None for _, content in own.held.values())
