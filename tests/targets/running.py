"""Running tensor expressions as the CPU's schedules arrange them."""

from collections.abc import Sequence
from typing import cast

import numpy as np

from relay.ir.types import TensorType, TupleType, Type
from relay.kernels import te
from relay.kernels.cpu_model import CpuModel
from relay.kernels.kernel_compiler import Options, compile_kernels
from relay.kernels.llvm.execution_engine import Engine
from relay.kernels.loops import Kernel
from relay.opdef.definition import Fusion, OperatorDef
from relay.semantics.apply_operator import TensorValue, as_constant
from relay.targets.cpu import cpu_target
from relay.targets.kernel_expressions import Formulas


def placeholder(ty: Type) -> te.Tensor | tuple[te.Tensor, ...]:
    """Return an input of that type, or the inputs that a tuple is made of."""
    if isinstance(ty, TupleType):
        return tuple(cast("te.Tensor", placeholder(field)) for field in ty.fields)
    assert isinstance(ty, TensorType)
    return te.placeholder(ty.static_shape, ty.dtype)


def run(op: OperatorDef, arguments: Sequence[TensorValue]) -> TensorValue:
    """Return what an operator gives when scheduled for the CPU."""
    inputs = [placeholder(as_constant(argument).type) for argument in arguments]
    result = op.compute(*cast("Sequence[te.Tensor]", inputs))
    outputs = result if isinstance(result, tuple) else (result,)
    anchor = (op, outputs[0]) if op.fusion > Fusion.INJECTIVE else None
    params = [t for each in inputs for t in (each if isinstance(each, tuple) else (each,))]
    arrays = [a for each in arguments for a in (each if isinstance(each, tuple) else (each,))]
    results = run_tensors(params, outputs, anchor, arrays)
    return tuple(results) if isinstance(result, tuple) else results[0]


def scheduled(
    inputs: Sequence[te.Tensor],
    outputs: Sequence[te.Tensor],
    machine: CpuModel,
    anchor: tuple[OperatorDef, te.Tensor] | None = None,
    parity: te.Tensor | None = None,
) -> Kernel:
    """Return the loops that the table of the CPU chooses."""
    formulas = Formulas("test", inputs, outputs, anchor, parity=parity)
    choice = cpu_target(machine).choose(formulas)
    assert choice is not None
    return choice.kernel()


def run_tensors(
    inputs: Sequence[te.Tensor],
    outputs: Sequence[te.Tensor],
    anchor: tuple[OperatorDef, te.Tensor] | None,
    arrays: Sequence[np.ndarray],
) -> list[np.ndarray]:
    """Return the values of tensors that are scheduled together."""
    kernel = scheduled(inputs, outputs, CpuModel.host(), anchor)
    (code,) = compile_kernels([kernel], CpuModel.host(), Options(level=1))
    results = [np.empty(cast("tuple[int, ...]", t.shape), t.dtype.numpy) for t in outputs]
    Engine([code]).function(kernel, code)(*(np.copy(a, order="C") for a in arrays), *results)
    return results
