"""Refuses types that no compiled program can have, before a pass works on them.

They are vector elements (`float32x4`) in any value, and more axes than arrays have in an input or
result of `main`.
"""

from collections.abc import Sequence
from typing import cast

from relay.ir.expr import Expr
from relay.ir.module import Module
from relay.ir.types import (
    FuncType,
    GlobalTypeVar,
    TensorType,
    Type,
    TypeCall,
    all_parts,
    children,
)
from relay.ir.walk import post_order
from relay.runtime.json_fields import MOST_AXES
from relay.semantics.analysis import reached
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError, RelayTypeError


def refuse_unsupported_types(module: Module) -> None:
    """Raise an error for a typed module with such a type in `main` or its callees.

    It is `C102` for an input or result with too many axes, `T018` for a vector element type.
    """
    _refuse_many_axes(module)
    seen: set[Type] = set()
    for function in reached(module).functions.values():
        for expr in post_order(function):
            if expr.ty is None or expr.ty in seen:
                continue
            seen.add(expr.ty)
            if _has_lanes(expr.ty):
                raise _refusal(expr)


def _refuse_many_axes(module: Module) -> None:
    def inner(ty: Type) -> Sequence[Type]:
        head = ty.head if isinstance(ty, TypeCall) else ty
        data = module.types.get(head.name) if isinstance(head, GlobalTypeVar) else None
        constructors = () if data is None else data.constructors
        return [*children(ty), *(field for each in constructors for field in each.inputs)]

    main = module.main
    for part in all_parts(cast("FuncType", main.type), inner=inner):
        # A program holds the parts of a complex number along one more axis.
        axes = part.rank + part.dtype.is_complex if isinstance(part, TensorType) else 0
        if axes > MOST_AXES:
            message = (
                f"a tensor of {axes} axes cannot be an input or a result of a compiled program"
            )
            help_ = f"reshape the tensor inside the program: arrays have at most {MOST_AXES} axes"
            raise CompileError(ErrorCode.C102, message, span=main.span, help=help_)


def _has_lanes(ty: Type) -> bool:
    return any(isinstance(part, TensorType) and part.dtype.lanes > 1 for part in all_parts(ty))


def _refusal(expr: Expr) -> RelayTypeError:
    message = f"a value has type {expr.ty!r}, but programs cannot compute with vectors as elements"
    help_ = "use an additional axis instead: Tensor[(2, 4), float32] for Tensor[(2), float32x4]"
    return RelayTypeError(ErrorCode.T018, message, span=expr.span, help=help_)
