"""Check that a batched call of an operator equals many single calls."""

from collections.abc import Iterator, Sequence
from contextlib import nullcontext, suppress
from typing import cast

import numpy as np

from relay.ir.expr import Array, Call, Function, Var
from relay.ir.walk import substitute
from relay.opdef.definition import OperatorDef
from relay.opdef.example import Example
from relay.ops.batched_operator import Lifted
from relay.ops.tensor.run_time_sizes import SizedAtRunTime
from relay.semantics.apply_operator import TensorValue, apply, as_constant, value_of
from relay.support.errors import CompileError
from relay.testing.compare_values import assert_close, flat
from relay.testing.compile_operator import run_operator
from relay.testing.example_arguments import Values, arguments
from relay.transform.vmap import vmap

_CALLS = 3


def check_batched(op: OperatorDef, example: Example) -> None:
    """Check that one batched call equals many calls, for all choices of batched arguments.

    An operator may raise a `CompileError` instead of having a batched form only if its result size
    depends on data, or if it has state.
    """
    if not example.rolls:
        return
    values = arguments(example)
    params = tuple(Var("x", ty, ty=ty) for ty in example.types)
    for varying in _varying(len(values)):
        shared = [index for index in range(len(values)) if index not in varying]
        with suppress(CompileError) if _may_refuse(op) else nullcontext():
            function = vmap(Function(params, Call(op, params)), _CALLS, shared)
            calls = [_moved(values, varying, by) for by in range(_CALLS)]
            assert_close(
                _at_once(function, calls, shared),
                _stacked([apply(op, *call) for call in calls]),
                example.tolerance,
            )


def check_lifted(op: OperatorDef, example: Example) -> None:
    """Check that the compiled batched formula (`Lifted`) of an operator equals many calls.

    Operators with a cheaper batched form of their own are skipped, because their formula is never
    batched.
    """
    values = arguments(example)
    varying = range(len(values))
    if not example.rolls or _may_refuse(op) or not _is_lifted(op, example):
        return
    many = Lifted.over(
        op, [len(v) * (True,) if isinstance(v, tuple) else True for v in values], _CALLS
    )
    calls = [_moved(values, varying, by) for by in range(_CALLS)]
    tensors = tuple(
        array for column in zip(*calls, strict=True) for array in flat(_stacked(column))
    )
    assert_close(
        run_operator(many, (tensors,)),
        _stacked([apply(op, *call) for call in calls]),
        example.tolerance,
    )


def _is_lifted(op: OperatorDef, example: Example) -> bool:
    """Whether the result of `vmap` on a call is the operator's batched formula."""
    params = tuple(Var("x", ty, ty=ty) for ty in example.types)
    body = vmap(Function(params, Call(op, params)), _CALLS).body
    return isinstance(body, Call) and isinstance(body.op, Lifted) and body.op.called is op


def _may_refuse(op: OperatorDef) -> bool:
    return op.stateful or isinstance(op, SizedAtRunTime) or not _is_computed(op)


def _is_computed(op: OperatorDef) -> bool:
    return op.has("compute") or op.has("decompose")


def _at_once(function: Function, calls: Sequence[Values], shared: Sequence[int]) -> TensorValue:
    """Return the values of all calls, computed by one batched call."""
    columns = enumerate(zip(*calls, strict=True))
    given = [as_constant(each[0] if i in shared else _stacked(each)) for i, each in columns]
    return value_of(substitute(function.body, dict(zip(function.params, given, strict=True))))


def _varying(count: int) -> Iterator[Sequence[int]]:
    """Yield the indices of the batched arguments: all of them, then each alone."""
    yield range(count)
    if count > 1:
        yield from ([index] for index in range(count))


def _moved(values: Values, varying: Sequence[int], by: int) -> Values:
    """Return other arguments of the same types, by permuting the elements of varying ones."""
    return tuple(_rolled(v, by) if i in varying else v for i, v in enumerate(values))


def _rolled(value: TensorValue, by: int) -> TensorValue:
    if isinstance(value, tuple):
        return tuple(cast("Array", _rolled(each, by)) for each in value)
    return np.roll(value, by, axis=-1) if value.ndim else value


def _stacked(values: Sequence[TensorValue]) -> TensorValue:
    if isinstance(values[0], tuple):
        fields = zip(*cast("Sequence[tuple[Array, ...]]", values), strict=True)
        return tuple(np.stack(each) for each in fields)
    return np.stack(cast("Sequence[Array]", values))
