"""Evaluating a function by its operators' references, for tests of passes."""

from typing import Any, cast

import numpy as np

from relay.ir.expr import Array, Call, Constant, Expr, Function, Tuple, TupleGetItem
from relay.ir.walk import outside_kernels, post_order
from relay.opdef.definition import OperatorDef
from relay.semantics.apply import apply


def evaluate(function: Function, *args: Array) -> Any:
    """Return the value of a dataflow function, fused or not."""
    values: dict[int, Any] = {id(p): a for p, a in zip(function.params, args, strict=True)}
    for expr in post_order(function.body, edges=outside_kernels):
        if id(expr) not in values:
            values[id(expr)] = _value(expr, values)
    return values[id(function.body)]


def _value(expr: Expr, values: dict[int, Any]) -> Any:
    match expr:
        case Constant(data):
            return data
        case Tuple(fields):
            return tuple(values[id(field)] for field in fields)
        case TupleGetItem(whole, index):
            return values[id(whole)][index]
        case Call(Function() as kernel, args):
            return evaluate(kernel, *(values[id(arg)] for arg in args))
        case Call(OperatorDef() as op, args):
            return apply(op, *(values[id(arg)] for arg in args))
        case _:
            return None


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
