"""The pass that wraps constructors and functions used as values in function literals."""

from collections.abc import Sequence
from typing import cast

from relay.ir.alpha_rename import with_fresh_dims
from relay.ir.expr import Call, Constructor, Expr, Function, GlobalVar, Var
from relay.ir.types import (
    FuncType,
    Type,
    TypeVar,
    substitute_types,
)
from relay.ir.walk import fold, outside_kernels, with_children
from relay.support.node import value
from relay.transform.pipeline import FunctionPass


@value
class EtaExpand(FunctionPass):
    """Replace a function `f` that is used as a value by `fn (%x) { f(%x) }`.

    1. With `constructors`, constructors of data types are replaced: `@map(Some, %xs)`.
    2. With `global_functions`, functions of the module are replaced.
    3. A generic function is replaced by a generic function literal of the same type.
    4. With `kernels`, fused functions are replaced.
    5. Callees of calls, and expressions in kernels, are not replaced.
    """

    constructors: bool = True
    global_functions: bool = False
    kernels: bool = False

    def run(self, function: Function) -> Function:
        """Return the function with eta-expanded function values."""

        def visit(expr: Expr, new: list[Expr]) -> Expr:
            if not new:
                return expr
            callee = len(new) - 1 if isinstance(expr, Call) else None
            parts = [p if i == callee else self._expanded(p) for i, p in enumerate(new)]
            return with_children(expr, parts)

        return cast("Function", fold(function, visit, edges=outside_kernels))

    def _expanded(self, expr: Expr) -> Expr:
        match expr:
            case Constructor() if self.constructors and expr.inputs:
                return eta_expanded(expr)
            case GlobalVar() if self.global_functions:
                return eta_expanded(expr)
            case Function() if self.kernels and expr.is_primitive:
                return eta_expanded(expr)
            case _:
                return expr


def eta_expanded(callee: Expr) -> Function:
    """Return the function literal that calls a function of known type.

    >>> from relay.ir.types import TensorType
    >>> ty = FuncType((TensorType((2,)),), TensorType((3,)))
    >>> eta_expanded(GlobalVar("f", ty=ty)).type is ty
    True
    """
    ty = _with_own_names(cast("FuncType", callee.type))
    params = tuple(
        Var(name, param, span=callee.span)
        for name, param in zip(_names(len(ty.params)), ty.params, strict=True)
    )
    call = Call(callee, params, type_arguments=ty.type_params, span=callee.span, ty=ty.result)
    return Function(params, call, ty.result, ty.type_params, span=callee.span)


def _names(count: int) -> Sequence[str]:
    return ["x"] if count == 1 else [f"x{number}" for number in range(count)]


def _with_own_names(ty: FuncType) -> FuncType:
    """Return a function type with fresh type parameters and fresh dimensions."""
    type_params = tuple(TypeVar(param.name, param.kind) for param in ty.type_params)
    bindings: dict[Type, Type] = dict(zip(ty.type_params, type_params, strict=True))
    generic = substitute_types(ty, bindings) if bindings else ty
    named = with_fresh_dims(generic)
    assert isinstance(named, FuncType), "a function stays one"
    return FuncType(named.params, named.result, type_params)
