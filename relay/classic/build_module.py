"""`relay.build_module`, a module of TVM: `optimize`."""

from collections.abc import Mapping
from typing import Any

from relay.build.executor_factory import build
from relay.build.executors import create_executor
from relay.build.pipeline import run_pipeline
from relay.build.tvm_target import Targets, one_target
from relay.classic.binding import bind_params_by_name
from relay.classic.ir_module import IRModule
from relay.ir.module import module_of
from relay.semantics.infer import infer
from relay.targets.registry import target_here
from relay.transform.bind_parameters import bind_parameters

__all__ = ["bind_params_by_name", "build", "create_executor", "optimize"]


def optimize(
    mod: Any, target: Targets = "llvm", params: Mapping[str, object] | None = None
) -> tuple[IRModule, dict[str, object]]:
    """Return the optimised program, and the remaining parameters, which are none.

    `params` become constants first. The current `PassContext` determines the passes. Raises the
    errors of `relay.build`.

    >>> from relay.ops.functions import var
    >>> from relay.ops.functions.core import tanh
    >>> from relay.ir.expr import Function
    >>> x = var("x", shape=(2,))
    >>> after, params = optimize(IRModule.from_expr(Function([x], tanh(x))))
    >>> after["main"].body.op.is_primitive, params
    (True, {})
    """
    module = infer(bind_parameters(infer(module_of(mod)), params or {}))
    after, _ = run_pipeline(module, target_here(one_target(target)))
    return IRModule(after), {}
