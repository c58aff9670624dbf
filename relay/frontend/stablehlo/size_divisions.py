"""Recognise the functions with which JAX divides sizes: they become formulas of sizes.

JAX computes a floor division from one that rounds toward zero, with cases for the signs.
"""

from collections.abc import Callable, Sequence
from itertools import product
from typing import TypeAlias

from relay.frontend.builders.tensor_helpers import constant
from relay.ir.dims import Dim
from relay.ir.expr import Constant, Expr

Whole: TypeAlias = Callable[[Dim, Dim], Dim]
"""A function of two sizes."""

Body: TypeAlias = Callable[[Sequence[Expr]], Sequence[Expr]]
"""Returns the results of a function of the module for arguments."""

_DIVISIONS: dict[str, Whole] = {
    "floor_divide": lambda a, b: a // b,
    "remainder": lambda a, b: a % b,
}


class SizeDivisions:
    """The functions of a module that divide two integers, which are their last arguments."""

    def __init__(self) -> None:
        self._known: dict[str, Whole | None] = {}

    def of(self, name: str, values: Sequence[Expr], body: Body) -> Whole | None:
        """Return the function of sizes that a function of the module computes, or None.

        A function with the name of a division is tested with many pairs of numbers.
        """
        if name not in self._known:
            fitting = (whole for each, whole in _DIVISIONS.items() if name.startswith(each))
            found = next(fitting, None)
            is_one = found is not None and _computes(body, values, found)
            self._known[name] = found if is_one else None
        return self._known[name]


def _computes(body: Body, values: Sequence[Expr], whole: Whole) -> bool:
    if len(values) < 2 or any(each.tensor_type.rank for each in values[-2:]):
        return False
    of = values[-1].tensor_type.dtype
    for a, b in product(range(-6, 7), range(1, 5)):
        results = body([*values[:-2], constant(a, of), constant(b, of)])
        found = [each.array for each in results if isinstance(each, Constant)]
        if len(results) != 1 or found != [whole(a, b)]:
            return False
    return True
