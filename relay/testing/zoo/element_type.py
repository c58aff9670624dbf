"""Convert networks of the zoo to other element types."""

from typing import Any, cast

from relay.ir.expr import Call, Constant, Expr, Function, Operator, Var
from relay.ir.module import Module
from relay.ir.types import TensorType
from relay.ir.walk import children, rewrite
from relay.support.dtype import DType, float32
from relay.support.node import replace


def with_element_type(module: Module, dtype: DType) -> Module:
    """Return the module with float32 replaced by `dtype`."""

    def rule(expr: Expr) -> Expr:
        match expr:
            case Var(name, ty=TensorType(shape, element)) if element is float32:
                return Var(name, TensorType(shape, dtype))
            case Constant(data) if data.dtype == float32.numpy:
                return Constant(data.astype(dtype.numpy))
            case Call(Operator() as op, args):
                changed = _of_type(op, dtype)
                return expr if changed is op else Call(changed, args, span=expr.span)
            case _:
                return expr

    if dtype is float32:
        return module
    main = cast("Function", rewrite(module.main, rule, edges=children))
    return module.with_function("main", main)


def _of_type(op: Any, dtype: DType) -> Any:
    """Return the operator with float32 attributes replaced by `dtype`."""
    changes = {name: dtype for name in op.__match_args__ if getattr(op, name) is float32}
    return replace(op, **changes)
