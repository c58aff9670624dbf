"""Compile a single operator to native code and run it, for tests."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, cast

import numpy as np

from relay.build.compile_kernels import scheduled_kernel
from relay.ir.expr import Call, Expr, Function, Tuple, Var
from relay.ir.types import TupleType, Type
from relay.kernels import te
from relay.kernels.cpu_model import CpuModel
from relay.kernels.kernel_compiler import Options, compile_kernels
from relay.kernels.llvm.execution_engine import Engine
from relay.kernels.loops import Kernel
from relay.kernels.schedule.lower import lower
from relay.kernels.schedule.schedule import Schedule
from relay.opdef.definition import OperatorDef
from relay.semantics.apply_operator import TensorValue, as_constant
from relay.targets.target import Target


def run_operator(
    op: OperatorDef, arguments: Sequence[TensorValue], target: Target | None = None
) -> TensorValue:
    """Compile an operator and return its result; a tuple argument is a tuple of arrays.

    Without a target, the loops follow the formula directly, and LLVM does not optimise.
    """
    types = [as_constant(argument).type for argument in arguments]
    kernel = plain_kernel(op, types) if target is None else _target_kernel(op, types, target)
    options = Options(level=0) if target is None else Options()
    (code,) = compile_kernels([kernel], _host(), options)
    arrays = [np.asarray(array, order="C") for array in _flat(arguments)]
    buffers = kernel.params[len(arrays) :]
    results = [np.empty(cast("tuple[int, ...]", b.shape), b.dtype.numpy) for b in buffers]
    Engine([code]).function(kernel, code)(*arrays, *results)
    is_tuple = isinstance(op.result_type(types), TupleType)
    return tuple(results) if is_tuple else results[0]


def plain_kernel(op: OperatorDef, types: Sequence[Type]) -> Kernel:
    """Return the unscheduled loops of an operator's formula for arguments of these types."""
    inputs = [_placeholder(ty) for ty in types]
    result = op.compute(*cast("Sequence[te.Tensor]", inputs))
    return lower(Schedule(_flat([result])), _flat(inputs), op.name.replace(".", "_"))


def _placeholder(ty: Type) -> te.Tensor | tuple[te.Tensor, ...]:
    """Return a kernel input of a type; for a tuple type, a tuple of inputs."""
    if isinstance(ty, TupleType):
        return tuple(cast("te.Tensor", _placeholder(field)) for field in ty.fields)
    var = Var("x", ty)
    return te.placeholder(var.tensor_type.static_shape, var.tensor_type.dtype)


def _target_kernel(op: OperatorDef, types: Sequence[Type], target: Target) -> Kernel:
    args = [_variables(ty) for ty in types]
    params = [var for arg in args for var in (arg.fields if isinstance(arg, Tuple) else (arg,))]
    function = Function(cast("tuple[Var, ...]", tuple(params)), Call(op, tuple(args)))
    return scheduled_kernel(function, target)


def _variables(ty: Type) -> Expr:
    """Return a variable of a type; for a tuple type, a tuple of variables."""
    if isinstance(ty, TupleType):
        return Tuple(tuple(Var("x", field) for field in ty.fields))
    return Var("x", ty)


def _flat(values: Iterable[object]) -> list[Any]:
    """Return values with tuples flattened, in order."""
    found: list[Any] = []
    for each in values:
        found += cast("tuple[Any, ...]", each) if isinstance(each, tuple) else (each,)
    return found


@cache
def _host() -> CpuModel:
    return CpuModel.host()
