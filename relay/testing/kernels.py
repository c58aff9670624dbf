"""One operator as native code, by the plainest schedule: its formula, and nothing else."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, cast

import numpy as np

from relay.ir.types import TensorType, TupleType, Type
from relay.kernels import te
from relay.kernels.compiler import Options, compile_kernels
from relay.kernels.llvm.engine import Engine
from relay.kernels.machine import Machine
from relay.kernels.schedule.lower import lower
from relay.kernels.schedule.schedule import Schedule
from relay.opdef.definition import OperatorDef
from relay.semantics.apply import TensorValue, as_constant


def run_operator(op: OperatorDef, arguments: Sequence[TensorValue]) -> TensorValue:
    """Return what the compiled operator gives; a tuple argument is a tuple of arrays."""
    inputs = [placeholder(as_constant(argument).type) for argument in arguments]
    result = op.compute(*cast("Sequence[te.Tensor]", inputs))
    outputs = _flat([result])
    kernel = lower(Schedule(outputs), _flat(inputs), op.name.replace(".", "_"))
    (code,) = compile_kernels([kernel], _machine(), Options(level=0))
    arrays = [np.asarray(array, order="C") for array in _flat(arguments)]
    results = [np.empty(cast("tuple[int, ...]", out.shape), out.dtype.numpy) for out in outputs]
    Engine([code]).function(kernel, code)(*arrays, *results)
    return tuple(results) if isinstance(result, tuple) else results[0]


def _flat(values: Iterable[object]) -> list[Any]:
    """Return single values and the fields of tuples, in order."""
    found: list[Any] = []
    for each in values:
        found += cast("tuple[Any, ...]", each) if isinstance(each, tuple) else (each,)
    return found


def placeholder(ty: Type) -> te.Tensor | tuple[te.Tensor, ...]:
    """Return an input of that type, or the inputs that a tuple is made of."""
    if isinstance(ty, TupleType):
        return tuple(cast("te.Tensor", placeholder(field)) for field in ty.fields)
    assert isinstance(ty, TensorType)
    return te.placeholder(ty.static_shape, ty.dtype)


@cache
def _machine() -> Machine:
    return Machine.host()
