"""The pass that turns calls of external functions into kernel calls."""

from typing import ClassVar, cast

from relay.ir.alpha_rename import fresh_var
from relay.ir.expr import Call, Expr, Function, GlobalVar, Tuple, TupleGetItem, Var
from relay.ir.module import Module
from relay.ir.types import TupleType
from relay.ir.walk import binders, post_order, rewrite, substitute
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError
from relay.support.node import replace, value
from relay.transform.compilers.external_compiler import is_plain
from relay.transform.compilers.region_attributes import external_name
from relay.transform.pass_contract import NONE, Properties
from relay.transform.pipeline import Pass


@value
class CallExternal(Pass):
    """Replace calls of external functions by calls of function literals, which become kernels.

    1. The function literal keeps the attributes `Extern` and `Primitive`: an external compiler
       compiles it.
    2. An argument that is a tuple is passed as its fields.

    Raises `C163` for a function whose parameters or results are more than tensors of static sizes,
    and for one that is used as a value.
    """

    breaks: ClassVar[Properties] = NONE

    def transform(self, module: Module) -> Module:
        """Return the module with kernels in place of the external functions."""
        external = {n: f for n, f in module.functions.items() if external_name(f) is not None}
        if not external:
            return module

        def rule(expr: Expr) -> Expr:
            match expr:
                case Call(GlobalVar(name), args) if name in external:
                    return _kernel_call(external[name], args, expr)
                case _:
                    return expr

        functions = {
            name: cast("Function", rewrite(function, rule))
            for name, function in module.functions.items()
            if name not in external
        }
        return module.with_functions(functions)


def _kernel_call(function: Function, args: tuple[Expr, ...], call: Call) -> Call:
    if not all(map(is_plain, (function.body.type, *(param.type for param in function.params)))):
        raise CompileError(
            ErrorCode.C163,
            f"the external compiler cannot compile '{external_name(function)}', whose type is "
            f"{function.type!r}",
            span=call.span,
            help=(
                "pass the input shapes to relay.compile, so that all sizes are known, or "
                "compile without this compiler"
            ),
        )
    params, passed = list[Var](), list[Expr]()
    values = _renewed(function)
    for param, arg in zip(function.params, args, strict=True):
        values[param] = _opened(param, arg, params, passed)
    body = substitute(function.body, values)
    literal = replace(function, params=tuple(params), body=body, ty=None)
    return Call(literal, tuple(passed), span=call.span, ty=call.ty)


def _renewed(function: Function) -> dict[Var, Expr]:
    """Return a fresh variable for each variable that a function binds.

    Two calls must not bind the same variables.
    """
    return {var: fresh_var(var) for expr in post_order(function) for var in binders(expr)}


def _opened(param: Var, arg: Expr, params: list[Var], passed: list[Expr]) -> Expr:
    """Return a parameter's value inside a kernel.

    Kernels take the fields of tuples as parameters. These are appended to `params`, and the fields
    of the argument `arg` to `passed`. The nesting of tuples bounds the recursion.
    """
    if not isinstance(param.type, TupleType):
        params.append(Var(param.name, param.type, span=param.span))
        passed.append(arg)
        return params[-1]
    fields: list[Expr] = []
    for index, ty in enumerate(param.type.fields):
        field = arg.fields[index] if isinstance(arg, Tuple) else TupleGetItem(arg, index)
        fields.append(_opened(Var(f"{param.name}_{index}", ty), field, params, passed))
    return Tuple(tuple(fields))
