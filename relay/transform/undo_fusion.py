"""The pass that undoes fusion: it replaces calls of primitive functions by their operators."""

from typing import ClassVar, cast

from relay.ir.expr import NO_ATTRIBUTES, Call, Expr, Function, Var
from relay.ir.module import Module
from relay.ir.walk import children, rewrite, substitute
from relay.support.node import replace, value
from relay.transform.module_properties import Property
from relay.transform.pass_contract import NORMAL_FORMS, Properties
from relay.transform.pipeline import FunctionPass, Pass, is_optimizable


@value
class Defuse(FunctionPass):
    """Replace calls of primitive functions by their bodies: the inverse of `FuseOperators`.

    A primitive function that is a value, or a global function, becomes an ordinary one.
    """

    breaks: ClassVar[Properties] = NORMAL_FORMS | {Property.FUSED}

    def run(self, function: Function) -> Function:
        """Return the function with no primitive functions: called ones inlined, others ordinary."""
        opened = rewrite(function, _defuse, edges=children)
        return cast("Function", rewrite(opened, _ordinary, edges=children))


@value
class OpenGlobalKernels(Pass):
    """Turn global functions that are one fused kernel into ordinary functions.

    These functions can then be inlined into their callers, and fused with other operators.
    """

    breaks: ClassVar[Properties] = NORMAL_FORMS | {Property.FUSED}

    def transform(self, module: Module) -> Module:
        """Return the module with ordinary global functions."""
        return module.with_functions({n: _opened(f) for n, f in module.functions.items()})


def _opened(function: Function) -> Function:
    return cast("Function", _ordinary(function))


def _defuse(expr: Expr) -> Expr:
    match expr:
        case Call(Function(params, body) as kernel, args) if kernel.is_primitive:
            bindings: dict[Var, Expr] = dict(zip(params, args, strict=True))
            return substitute(body, bindings)
        case _:
            return expr


def _ordinary(expr: Expr) -> Expr:
    is_kernel = isinstance(expr, Function) and expr.is_primitive and is_optimizable(expr)
    return replace(expr, attrs=NO_ATTRIBUTES) if is_kernel else expr
