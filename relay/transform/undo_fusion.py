"""The pass that undoes fusion: it replaces calls of primitive functions by their operators."""

from typing import ClassVar, cast

from relay.ir.expr import NO_ATTRIBUTES, Call, Expr, Function, Var
from relay.ir.module import Module
from relay.ir.walk import children, post_order, rewrite, substitute, value_parts
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
class OpenKernelValues(Pass):
    """Turn kernels that are not called in the place where they are into ordinary functions.

    1. A global function that is a kernel can then be inlined, and fused with other operators.
    2. So can a local one that is the value of a `let`, an argument, a field or a result.
    """

    breaks: ClassVar[Properties] = NORMAL_FORMS | {Property.FUSED}

    def transform(self, module: Module) -> Module:
        """Return the module in which all kernels are called directly."""
        return module.with_functions({n: _opened(f) for n, f in module.functions.items()})


def _opened(function: Function) -> Function:
    if not is_optimizable(function):
        return function
    order = post_order(function)
    if any(isinstance(each, Function) and each.is_primitive for each in order[:-1]):
        values = {part for each in order for part in value_parts(each)}  # case 2
        opened = rewrite(function, lambda each: _ordinary(each) if each in values else each)
        function = cast("Function", opened)
    return cast("Function", _ordinary(function))  # case 1


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
