"""Evaluating a function by its operators' references, for tests of passes."""

from typing import Any, cast

import numpy as np

from relay.ir.expr import Array, Call, Function
from relay.ir.module import Module
from relay.ir.walk import outside_kernels, post_order
from relay.opdef.definition import OperatorDef
from relay.semantics.evaluate import evaluate as reference


def evaluate(function: Function, *args: Array) -> Any:
    """Return the value of a function, fused or not."""
    return reference(Module.of(function), *args)


def random(*shape: int) -> Array:
    """Return seeded random numbers."""
    generator = np.random.default_rng(sum(shape))
    return cast("Array", generator.normal(size=shape).astype(np.float32))


def operators(function: Function) -> list[str]:
    """Return the names of the operators called, in order of evaluation; kernels in brackets."""
    names: list[str] = []
    for expr in post_order(function.body, edges=outside_kernels):
        if isinstance(expr, Call) and isinstance(expr.op, OperatorDef):
            names.append(expr.op.name)
        elif isinstance(expr, Call) and isinstance(expr.op, Function):
            names.append(f"[{' '.join(operators(expr.op))}]")
    return names
