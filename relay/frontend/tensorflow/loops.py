"""Build loops over TensorFlow values, from a function that translates one step."""

from collections.abc import Callable, Container, Sequence
from typing import TypeAlias

from relay.frontend.builders.let_before_loops import behind
from relay.frontend.builders.while_loops import common_type, while_loop
from relay.frontend.tensorflow.node import Surroundings
from relay.frontend.tensorflow.non_tensor_values import (
    EmptyList,
    Value,
    described,
    like_list,
    list_type,
)
from relay.ir.expr import Expr, Var
from relay.ir.types import TensorType, Type
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError

Step: TypeAlias = Callable[[Sequence[Value]], tuple[Expr, Sequence[Value]]]
"""Maps the state to the condition, which is computed first, and the state after a step."""


def repeated(
    first: Sequence[Value], fixed: Container[int], step: Step, around: Surroundings
) -> list[Value]:
    """Return the state of a loop after its last step; entries at `fixed` indices never change.

    Initial values that may trap are bound before the loop. Raises `F042` if a step changes the rank
    or element type of a value.
    """
    traps = [each for each in first if isinstance(each, Expr) and each in around.uncertain]
    lets = {each: Var("given", each.type) for each in traps}
    state = [lets.get(each, each) if isinstance(each, Expr) else each for each in first]
    around.open_loops.append(None)
    results = _loop(state, fixed, step)
    around.open_loops.pop()
    exprs = [each for each in results if isinstance(each, Expr)]
    behind_lets = iter(behind([(var, each) for each, var in lets.items()], exprs))
    return [next(behind_lets) if isinstance(each, Expr) else each for each in results]


def _loop(first: Sequence[Value], fixed: Container[int], step: Step) -> list[Value]:
    """Return the state of a loop after its last step, without binding the initial values.

    A step is translated again until it does not change the types of the state: a size that changes
    becomes `Any`, and an empty list gets the type of the elements that are written to it.
    """
    types = [None if i in fixed else _type(each) for i, each in enumerate(first)]
    while True:
        state = [
            each if ty is None else Var(f"s{index}", ty)
            for index, (each, ty) in enumerate(zip(first, types, strict=True))
        ]
        condition, following = step(state)
        rows = enumerate(zip(first, types, following, strict=True))
        new = [None if index in fixed else _common_loop_type(index, *row) for index, row in rows]
        if all(a is b for a, b in zip(new, types, strict=True)):
            return _loop_call(first, state, condition, following)
        types = new


def _loop_call(
    first: Sequence[Value], state: Sequence[Value], condition: Expr, following: Sequence[Value]
) -> list[Value]:
    """Return a loop over the values that are variables; others keep their initial value."""
    moving = {
        index: each
        for index, each in enumerate(state)
        if isinstance(each, Var) and each is not first[index]
    }
    again, start = (
        [_expr(like_list(values[index], var)) for index, var in moving.items()]
        for values in (following, first)
    )
    last = while_loop(list(moving.values()), condition, again, start)
    results = [*first]
    for index, value in zip(moving, last, strict=True):
        results[index] = value
    return results


def _expr(value: Value) -> Expr:
    assert isinstance(value, Expr), "only tensors are variables of a loop"
    return value


def _type(value: Value) -> Type | None:
    return value.type if isinstance(value, Expr) else None


def _common_loop_type(index: int, first: Value, ty: Type | None, result: Value) -> Type | None:
    """Return the common type of a variable before (`ty`) and after a step; None if unchanged."""
    if isinstance(result, Expr):
        if ty is None and isinstance(first, EmptyList):
            of = result.tensor_type
            ty = list_type(first, TensorType(of.shape[1:], of.dtype))
        if ty is not None:
            return common_type(index, ty, result.type)
    elif result is first:
        return None
    message = (
        f"the loop variable number {index} is {described(first)} before an iteration, but "
        f"{described(result)} after it"
    )
    help_ = "make the variable a TensorArray in all iterations, or a tensor from the start"
    raise RelayImportError(ErrorCode.F042, message, help=help_)
