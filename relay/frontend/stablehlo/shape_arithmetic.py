"""Evaluate shape arithmetic during import: exported programs compute the sizes of their tensors.

The elements of a small integer tensor are dimensions. An element that is not a size, such as the
counter of a loop, is a fresh variable, so that the difference of `begin + n` and `begin` is `n`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, cast

import numpy as np

from relay.frontend.builders.size_expressions import size_number
from relay.frontend.builders.tensor_helpers import reshape
from relay.frontend.stablehlo.node import HloNode, is_size
from relay.ir.dims import (
    ANY,
    Dim,
    DimVar,
    elements,
    is_static,
    lower_bound,
    maximum,
    substitute,
    variables,
)
from relay.ir.expr import Array, Call, Constant, Expr
from relay.ir.types import TensorType
from relay.ops.cast import Cast
from relay.ops.tensor.shape_assertion import Assured
from relay.support.dtype import bool_

_MOST = 64
"""The limit of the elements of a tensor that is evaluated."""

Rule: TypeAlias = "Callable[[SizeValues, HloNode, list[Array]], Array | None]"
"""Returns the known elements of a result, from those of the operands."""

Function: TypeAlias = "Callable[..., Dim | None]"
"""Returns an element of a result, from the known sizes and an element of each operand."""


class SizeValues:
    """The known elements of integer tensors; `least` is the least size of a symbolic dimension."""

    def __init__(self, least: int) -> None:
        self._least = least
        self._known: dict[Expr, Array] = {}
        self._required: dict[Expr, Assured] = {}

    def of(self, x: Expr) -> Array | None:
        """Return the elements of an integer tensor as dimensions; None for large tensors."""
        if x not in self._known:
            if not _is_small(x.type):
                return None
            is_constant = isinstance(x, Constant)
            shape = x.tensor_type.static_shape
            self._known[x] = x.array.astype(object) if is_constant else _unknown(shape)
        return self._known[x]

    def clamp(self, x: Dim, limit: Dim) -> Dim:
        """Return a number, clamped to the interval from 0 to `limit`; `Any` if it is unknown."""
        found = _clamped(self, 0, x, limit)
        return ANY if found is None or not is_size(found) else found

    def requirement(self, condition: Expr) -> Assured | None:
        """Return the check of sizes that is equivalent to a comparison; None for others."""
        return self._required.get(condition)

    def follow(self, node: HloNode, results: Sequence[Expr]) -> list[Expr]:
        """Return the results of an operation, of which known ones are simplified."""
        if len(results) != 1 or not _is_small(results[0].type):
            return list(results)
        known = self._evaluated(node)
        if known is None:
            return list(results)
        known = known.reshape(results[0].tensor_type.static_shape)
        found = _simplified(known, results[0])
        self._known[found] = known
        check = _size_check(node, [self.of(each) for each in node.operands])
        if check is not None:
            self._required[found] = check
        return [found]

    def _evaluated(self, node: HloNode) -> Array | None:
        if node.name in _SOURCES:
            return _SOURCES[node.name](node)
        operands = [each for each in map(self.of, node.operands) if each is not None]
        if node.name not in _RULES or len(operands) < len(node.operands):
            return None
        return _RULES[node.name](self, node, operands)

    def divided(self, whole: Callable[[Dim, Dim], Dim], a: Expr, b: Expr) -> Expr | None:
        """Return a function of two sizes as an expression; None for other numbers."""
        known = [self.of(each) for each in (a, b)]
        x, y = (None if each is None or each.shape else cast("Dim", each.item()) for each in known)
        if x is None or y is None or not (is_size(x) and is_size(y) and self.is_below(0, y)):
            return None
        size = _or_unknown(whole(x, y))
        found = Call(Cast(a.tensor_type.dtype), (size_number(size),))
        self._known[found] = np.array(size, object)
        return found

    def least(self, dim: Dim) -> int | None:
        """Return a lower bound of a number, or None."""
        if not is_size(dim):
            return None
        return lower_bound(substitute(dim, {v: v + self._least for v in variables(dim)}))

    def is_below(self, a: Dim, b: Dim) -> bool | None:
        """Whether `a` is below `b`, or None if that is not known."""
        above, below = self.least(a - b), self.least(b - a - 1)
        if below is not None and below >= 0:
            return True
        return False if above is not None and above >= 0 else None


def _size_check(node: HloNode, operands: Sequence[Array | None]) -> Assured | None:
    """Return the check that is equivalent to a comparison of two sizes; None for others."""
    if node.name != "stablehlo.compare" or len(operands) != 2:
        return None
    a, b = (
        None if each is None or each.size != 1 else cast("Dim", each.item()) for each in operands
    )
    direction = node.enumeration("comparison_direction")
    if direction not in ("EQ", "GE") or a is None or b is None or not (is_size(a) and is_size(b)):
        return None
    return _needed(a, b, at_least=direction == "GE")


def _needed(a: Dim, b: Dim, *, at_least: bool) -> Assured:
    """Return the check of sizes `a >= b`, or `a == b`; numbers are moved to the right side."""
    number = substitute(a, dict.fromkeys(variables(a), 0))
    if isinstance(number, int):
        a, b = a - number, b - number
    found = "{size}" if isinstance(b, int) else "{size} and {index}"
    said = f"the exported function needs {a} {'>=' if at_least else '=='} {b}, but found {found}"
    return Assured(a, b, at_least, said)


def _is_small(ty: object) -> bool:
    if not isinstance(ty, TensorType) or not is_static(ty.shape):
        return False
    return elements(ty.static_shape) <= _MOST and (ty.dtype.is_integer or ty.dtype is bool_)


def _unknown(shape: Sequence[int]) -> Array:
    found = np.empty(shape, object)
    for place in np.ndindex(*shape):
        found[place] = DimVar("number").fresh()
    return found


def _simplified(known: Array, x: Expr) -> Expr:
    """Return a tensor as a constant if its elements are; a single size as an expression of it."""
    of = x.tensor_type.dtype
    if all(isinstance(each, int) for each in known.flat):
        return x if isinstance(x, Constant) else Constant(known.astype(of.numpy), span=x.span)
    if known.size == 1 and of is not bool_ and is_size(known.item()):
        return reshape(Call(Cast(of), (size_number(known.item()),)), x.tensor_type.shape)
    return x


def _each(function: Callable[..., Dim | None], *operands: Array) -> Array:
    """Apply a function to the elements of tensors; a result None is an unknown number."""
    found = np.frompyfunc(lambda *e: _or_unknown(function(*e)), len(operands), 1)(*operands)
    return np.asarray(found, object)


def _or_unknown(dim: Dim | None) -> Dim:
    return DimVar("number").fresh() if dim is None or dim is ANY else dim


def _elementwise(function: Function) -> Rule:
    return lambda values, _, operands: _each(lambda *e: function(values, *e), *operands)


def _of_one(function: Callable[[Dim], Dim]) -> Rule:
    return lambda _, __, operands: _each(function, *operands)


def _of_two(function: Callable[[Dim, Dim], Dim]) -> Rule:
    return lambda _, __, operands: _each(function, *operands)


def _largest(values: SizeValues, a: Dim, b: Dim) -> Dim | None:
    below = values.is_below(a, b)
    if below is None:
        return maximum(a, b) if is_size(a) and is_size(b) else None
    return b if below else a


def _smallest(values: SizeValues, a: Dim, b: Dim) -> Dim | None:
    most = _largest(values, a, b)
    return None if most is None else a + b - most


def _clamped(values: SizeValues, low: Dim, x: Dim, high: Dim) -> Dim | None:
    raised = _largest(values, x, low)
    return None if raised is None else _smallest(values, raised, high)


def _quotient(values: SizeValues, a: Dim, b: Dim) -> Dim | None:
    """Return a quotient, which is rounded toward zero."""
    if isinstance(a, int) and isinstance(b, int):
        return None if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    if not values.is_below(0, b):
        return None
    return a // b if values.is_below(a, 0) is False else None


def _rest(values: SizeValues, a: Dim, b: Dim) -> Dim | None:
    whole = _quotient(values, a, b)
    return None if whole is None else a - b * whole


def _sign(values: SizeValues, a: Dim) -> Dim | None:
    if isinstance(a, int):
        return (a > 0) - (a < 0)
    return 1 if values.is_below(0, a) else None


def _is_less(values: SizeValues, a: Dim, b: Dim) -> Dim | None:
    """Return 1 or 0; None if the order of the numbers is unknown."""
    below = values.is_below(a, b)
    return None if below is None else int(below)


def _differs(values: SizeValues, a: Dim, b: Dim) -> Dim | None:
    if a == b:
        return 0
    return 1 if values.is_below(a, b) or values.is_below(b, a) else None


def _opposite(truth: Dim | None) -> Dim | None:
    return None if truth is None else 1 - truth


def _chosen(values: SizeValues, condition: Dim, yes: Dim, no: Dim) -> Dim | None:
    del values
    return (yes if condition else no) if isinstance(condition, int) else None


def _clamp(values: SizeValues, _: HloNode, operands: list[Array]) -> Array:
    return _each(lambda *e: _clamped(values, *e), *operands)


def _compare(values: SizeValues, node: HloNode, operands: list[Array]) -> Array:
    decide = _COMPARISONS[node.enumeration("comparison_direction")]
    return _each(lambda *e: decide(values, *e), *operands)


_COMPARISONS: Mapping[str, Callable[[SizeValues, Dim, Dim], Dim | None]] = {
    "EQ": lambda values, a, b: _opposite(_differs(values, a, b)),
    "GE": lambda values, a, b: _opposite(_is_less(values, a, b)),
    "GT": lambda values, a, b: _is_less(values, b, a),
    "LE": lambda values, a, b: _opposite(_is_less(values, b, a)),
    "LT": _is_less,
    "NE": _differs,
}


def _of_truth(rule: Rule) -> Rule:
    """Restrict a rule to booleans; the bits of integers are not evaluated."""
    return lambda values, node, operands: (
        rule(values, node, operands) if node.type(0).dtype is bool_ else None
    )


def _broadcast(_: SizeValues, node: HloNode, operands: list[Array]) -> Array | None:
    (x,), shape = operands, node.result_type.static_shape
    return np.full(shape, x.item(), object) if x.size == 1 else None


def _slice(_: SizeValues, node: HloNode, operands: list[Array]) -> Array:
    names = ("start_indices", "limit_indices", "strides")
    return operands[0][tuple(slice(*each) for each in zip(*map(node.ints, names), strict=True))]


def _convert(_: SizeValues, node: HloNode, operands: list[Array]) -> Array | None:
    return operands[0] if node.result_type.dtype.is_integer else None


def _constant(node: HloNode) -> Array:
    found: Any = np.broadcast_to(node.array("value"), node.result_type.static_shape)
    return np.array(found.tolist(), object)


def _dimension(node: HloNode) -> Array:
    size = node.type(0).shape[node.integer("dimension")]
    return np.array(_or_unknown(size), object)


_SOURCES: Mapping[str, Callable[[HloNode], Array]] = {
    "stablehlo.constant": _constant,
    "stablehlo.get_dimension_size": _dimension,
}
"""Operations whose operands need not be known."""

_RULES: Mapping[str, Rule] = {
    "stablehlo.add": _of_two(lambda a, b: a + b),
    "stablehlo.and": _of_truth(_of_two(lambda a, b: a * b)),
    "stablehlo.broadcast_in_dim": _broadcast,
    "stablehlo.clamp": _clamp,
    "stablehlo.compare": _compare,
    "stablehlo.concatenate": lambda _, node, operands: np.concatenate(
        operands, node.integer("dimension")
    ),
    "stablehlo.convert": _convert,
    "stablehlo.divide": _elementwise(_quotient),
    "stablehlo.maximum": _elementwise(_largest),
    "stablehlo.minimum": _elementwise(_smallest),
    "stablehlo.multiply": _of_two(lambda a, b: a * b),
    "stablehlo.negate": _of_one(lambda a: -a),
    "stablehlo.not": _of_truth(_of_one(lambda a: 1 - a)),
    "stablehlo.or": _of_truth(_of_two(lambda a, b: a + b - a * b)),
    "stablehlo.remainder": _elementwise(_rest),
    "stablehlo.reshape": lambda _, node, operands: operands[0].reshape(
        node.result_type.static_shape
    ),
    "stablehlo.select": _elementwise(_chosen),
    "stablehlo.sign": _elementwise(_sign),
    "stablehlo.slice": _slice,
    "stablehlo.subtract": _of_two(lambda a, b: a - b),
}
