"""Annotations: operators that return their argument unchanged, but affect how it is compiled."""

from collections.abc import Sequence

import numpy as np

from relay.ir.dims import Dim
from relay.ir.expr import Array, Call, Expr
from relay.ir.types import TensorType, Type
from relay.kernels import te
from relay.opdef.batched_call import Batched
from relay.opdef.definition import Fusion, OperatorDef
from relay.opdef.example import Example
from relay.opdef.layout import Layout
from relay.opdef.layout_rules import ArgLayout, Relayout
from relay.opdef.table import operator
from relay.opdef.user_rules import HOOKS, Rule
from relay.support.dtype import DType
from relay.support.dtype import dtype as to_dtype
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.support.ndarray import NDArray
from relay.support.node import set_field


@operator("annotation.stop_fusion")
class StopFusion(OperatorDef):
    """Return the data, stored in memory: operators before it and after it are not fused."""

    fusion = Fusion.OPAQUE
    examples = (Example("f32[2, 3]"), Example("bool[4]"), Example("f64[]"))

    def infer(self, data: TensorType) -> TensorType:
        return data

    def compute(self, data: te.Tensor) -> te.Tensor:
        return te.compute(data.shape, lambda *i: data[i], name="stop_fusion")

    def reference(self, data: Array) -> Array:
        return data.copy()

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return (Call(self, (d_out,)),)


@operator("annotation.checkpoint")
class Checkpoint(OperatorDef):
    """Return the data, a tensor or a tuple of tensors; the backward pass recomputes it.

    Inputs, earlier checkpoints, and results of conditionals and matches are stored for the backward
    pass. Other intermediate values of `data` are recomputed from these.
    """

    examples = (Example("f32[2, 3]"), Example("i64[]"), Example(["f32[2, 3]", "i64[]", "f32[4]"]))

    def infer(self, data: Type) -> Type:
        return data

    def decompose(self, *args: Expr) -> Expr:
        return args[0]

    def batched(self, types: Sequence[Type], mapped: Sequence[bool], size: Dim) -> Batched | None:
        """Return the operator itself, so that the backward pass of the batch recomputes it."""
        del types, mapped, size
        return Batched(self, spreads=True)

    def reference(self, data: Array) -> Array:
        return data

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return (d_out,)


@operator("annotation.cast_hint")
class CastHint(OperatorDef):
    """Return the data; a program that is quantised represents it by numbers of type `dtype`."""

    dtype: DType

    examples = (Example("f32[2, 3]", dtype="int8"), Example("i32[]", dtype="int32"))

    def __post_init__(self) -> None:
        set_field(self, "dtype", to_dtype(self.dtype))

    def infer(self, data: TensorType) -> TensorType:
        return data

    def decompose(self, *args: Expr) -> Expr:
        return args[0]

    def reference(self, data: Array) -> Array:
        return data

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return (d_out,)


def _call(rule: Rule, data: Array) -> None:
    """Call a debugging function; raise `U329` from its error."""
    try:
        rule(np.asarray(data).view(NDArray))
    except Exception as error:
        message = f"the function of relay.debug raised {type(error).__name__}: {error}"
        help_ = "correct the function; its own error is the cause of this one"
        raise UsageError(ErrorCode.U329, message, help=help_) from error


@operator("debug")
class Debug(OperatorDef):
    """Return the data, with which the evaluator first calls a debugging function.

    The function is the one registered by `register_op_attr("debug", debug_func, …)`. Compiled
    programs do not call it, and warn.
    """

    debug_func: str = ""

    stateful = True
    examples = (Example("f32[2, 3]"), Example("i64[]"))

    def infer(self, data: TensorType) -> TensorType:
        return data

    def compute(self, data: te.Tensor) -> te.Tensor:
        return te.compute(data.shape, lambda *i: data[i], name="debug")

    def reference(self, data: Array) -> Array:
        rule = HOOKS.find(self, self.debug_func)
        if rule is not None:
            _call(rule, data)
        return data

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return (d_out,)


@operator("annotation.barrier")
class Barrier(OperatorDef):
    """Return the data, but only after `after` was computed; passes do not optimise it away.

    Common subexpression elimination does not merge computations on the result with equal
    computations on `data`.
    """

    fusion = Fusion.OPAQUE
    examples = (Example("f32[2, 3]", "f32[4]"), Example("i64[2]", "f32[]"))

    def infer(self, data: TensorType, after: TensorType) -> TensorType:
        return data

    def compute(self, data: te.Tensor, after: te.Tensor) -> te.Tensor:
        return te.compute(data.shape, lambda *i: data[i], name="barrier")

    def reference(self, data: Array, after: Array) -> Array:
        return data

    def keeps_order(self, *types: TensorType) -> bool:
        return True

    def relayout(self, types: Sequence[Type], layouts: Sequence[ArgLayout]) -> Relayout | None:
        found = layouts[0]
        return Relayout(self, tuple(layouts), found) if isinstance(found, Layout) else None

    def gradient(self, call: Call, d_out: Expr) -> Sequence[Expr | None]:
        return (d_out, None)
