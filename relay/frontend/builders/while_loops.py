"""Build loops with a condition that is computed before each step."""

from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

from relay.frontend.builders.let_before_loops import bound
from relay.ir.expr import Call, Expr, Function, If, Let, Tuple, TupleGetItem, Var
from relay.ir.type_comparison import join
from relay.ir.types import FuncType, TupleType, Type
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.transform.effects import Unspeculatable

_Made = TypeVar("_Made")

Step: TypeAlias = Callable[[Sequence[Expr]], tuple[Expr, Sequence[Expr]]]
"""Maps the state to the condition, which is computed first, and the state after a step."""


def repeated(first: Sequence[Expr], step: Step) -> list[Expr]:
    """Return the final state of a loop with the initial state `first`.

    A step is translated again until it does not change the types of the state: a size that changes
    becomes `Any`. Initial values that may trap are bound before the loop. Raises `F042` if a step
    changes the rank or element type of a value.
    """
    return bound(first, Unspeculatable(), lambda given: _looped(given, step))


def _looped(first: Sequence[Expr], step: Step) -> list[Expr]:
    state, condition, following = settled(first, step)
    return while_loop(state, condition, following, first)


def settled(
    first: Sequence[Expr], step: Callable[[Sequence[Expr]], tuple[_Made, Sequence[Expr]]]
) -> tuple[list[Var], _Made, Sequence[Expr]]:
    """Return the state variables of a loop, and the results of a step: a value and the next state.

    The types of the variables are so general that a step preserves them. Raises `F042` if a step
    changes the rank or element type of a value.
    """
    types = [each.type for each in first]
    while True:
        state = [Var(f"s{index}", ty) for index, ty in enumerate(types)]
        made, following = step(state)
        pairs = enumerate(zip(types, following, strict=True))
        new = [common_type(index, ty, each.type) for index, (ty, each) in pairs]
        if all(a is b for a, b in zip(new, types, strict=True)):
            return state, made, following
        types = new


def common_type(index: int, before: Type, after: Type) -> Type:
    """Return the common type of a loop variable before and after a step; may raise `F042`."""
    found = join(before, after)
    if found is None:
        message = (
            f"an iteration changes loop variable number {index} from type {before!r} to {after!r}"
        )
        raise RelayImportError(ErrorCode.F042, message)
    return found


def while_loop(
    state: Sequence[Var], condition: Expr, following: Sequence[Expr], first: Sequence[Expr]
) -> list[Expr]:
    """Return a loop as a recursive function, called with the initial values `first`.

    It is `let f = fn(state) { if (condition) { f(following) } else { state } }; f(first)`.
    """
    result = TupleType(tuple(each.type for each in state))
    f = Var("loop", FuncType(result.fields, result))
    body = If(condition, Call(f, tuple(following)), Tuple(tuple(state)))
    whole = Let(f, Function(tuple(state), body, result), Call(f, tuple(first)))
    return [TupleGetItem(whole, index) for index in range(len(state))]
