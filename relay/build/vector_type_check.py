"""Refuses vector element types (`float32x4`), which programs may name but not use."""

from relay.ir.expr import Expr
from relay.ir.module import Module
from relay.ir.types import TensorType, Type, all_parts
from relay.ir.walk import post_order
from relay.semantics.analysis import reached
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayTypeError


def refuse_lanes(module: Module) -> None:
    """Raise `T018` at the first value in `main` or its callees with a vector element type."""
    seen: set[Type] = set()
    for function in reached(module).functions.values():
        for expr in post_order(function):
            if expr.ty is None or expr.ty in seen:
                continue
            seen.add(expr.ty)
            if _has_lanes(expr.ty):
                raise _refusal(expr)


def _has_lanes(ty: Type) -> bool:
    return any(isinstance(part, TensorType) and part.dtype.lanes > 1 for part in all_parts(ty))


def _refusal(expr: Expr) -> RelayTypeError:
    message = f"a value has type {expr.ty!r}, but programs cannot compute with vectors as elements"
    help_ = "use an additional axis instead: Tensor[(2, 4), float32] for Tensor[(2), float32x4]"
    return RelayTypeError(ErrorCode.T018, message, span=expr.span, help=help_)
