"""Constants of kernels: a pass that passes them as arguments, and its inverse `link_constants`."""

from typing import ClassVar, cast

from relay.ir.expr import Call, Constant, Expr, Function, Var
from relay.ir.walk import post_order, rewrite, substitute
from relay.support.node import replace, value
from relay.transform.pass_contract import NORMAL_FORMS, Properties
from relay.transform.pipeline import FunctionPass, is_optimizable
from relay.transform.primitive_function import fields_of_tuple, must_be_parameter


@value
class PassKernelConstants(FunctionPass):
    """Pass the constants of kernels as arguments, except for scalars that are part of their code.

    Kernels of `FuseOperators` have this form. Others may be in a program that was fused elsewhere,
    or by TVM's `FuseOps` with the option `relay.FuseOps.link_params`.
    """

    breaks: ClassVar[Properties] = NORMAL_FORMS

    def run(self, function: Function) -> Function:
        """Return the function with kernels that have their constants as parameters."""
        return cast("Function", rewrite(function, _with_arguments))


def _with_arguments(expr: Expr) -> Expr:
    match expr:
        case Call(Function() as kernel, args) if kernel.is_primitive and is_optimizable(kernel):
            variables = {each: Var("constant", each.type) for each in _tensors(kernel.body)}
            if not variables:
                return expr
            body = rewrite(kernel.body, lambda e: variables.get(cast("Constant", e), e))
            made = replace(kernel, params=(*kernel.params, *variables.values()), body=body, ty=None)
            return replace(expr, op=made, args=(*args, *variables))
        case _:
            return expr


def _tensors(body: Expr) -> list[Constant]:
    """Return the constants of a kernel that must be parameters, in the order of their uses."""
    found = (
        part
        for call in post_order(body)
        if isinstance(call, Call)
        for position, arg in enumerate(call.args)
        for part in post_order(arg, edges=fields_of_tuple)
        if isinstance(part, Constant) and must_be_parameter(part, call, position)
    )
    return list(dict.fromkeys(found))


def link_constants(function: Function) -> Function:
    """Return a function in which constant arguments of kernels are part of the kernels."""
    return cast("Function", rewrite(function, _linked))


def _linked(expr: Expr) -> Expr:
    match expr:
        case Call(Function(params) as kernel, args) if kernel.is_primitive:
            pairs = list(zip(params, args, strict=True))
            known: dict[Var, Expr] = {p: arg for p, arg in pairs if isinstance(arg, Constant)}
            if not known:
                return expr
            rest = [(p, arg) for p, arg in pairs if p not in known]
            body = substitute(kernel.body, known)
            made = replace(kernel, params=tuple(p for p, _ in rest), body=body, ty=None)
            return replace(expr, op=made, args=tuple(arg for _, arg in rest))
        case _:
            return expr
