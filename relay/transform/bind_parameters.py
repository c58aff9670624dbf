"""Replaces parameters of a model by constants, so that passes fold what depends on them alone."""

from collections.abc import Mapping

from relay.ir.expr import Array, Constant, Expr, Function, Var
from relay.ir.walk import substitute
from relay.runtime.dlpack import array_of
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.support.node import replace
from relay.transform.pipeline import Program


def bind_parameters(module: Program, values: Mapping[str, object], entry: str = "main") -> Program:
    """Return the module with parameters of the function `entry` replaced by constant tensors.

    `values` maps names of parameters to arrays.

    Raises `U043` for a name that matches no parameter, or several, and `U044` for an array that
    does not have the parameter's type.
    """
    function = module[entry]
    found = {name: _parameter(function, name) for name in values}
    constants: dict[Var, Expr] = {
        found[name]: _constant(found[name], array_of(array)) for name, array in values.items()
    }
    kept = tuple(param for param in function.params if param not in constants)
    body = substitute(function.body, constants)
    bound = replace(function, params=kept, body=body, ty=None)
    return module.with_module(module.module.with_function(entry, bound))


def _parameter(function: Function, name: str) -> Var:
    named = [param for param in function.params if param.name == name]
    if len(named) != 1:
        known = ", ".join(param.name for param in function.params) or "none"
        how_many = "several parameters are" if named else "no parameter is"
        help_ = "rename the others" if named else "use the name of a parameter"
        message = f"{how_many} called '{name}'"
        raise UsageError(ErrorCode.U043, message, notes=[f"parameters: {known}"], help=help_)
    return named[0]


def _constant(param: Var, array: Array) -> Constant:
    constant = Constant(array)
    if param.ty is not None and constant.ty is not param.ty:
        raise UsageError(
            ErrorCode.U044,
            f"the parameter '{param.name}' has type {param.ty!r}, but the array has type "
            f"{constant.ty!r}",
            help="pass an array of the parameter's shape and element type",
        )
    return constant
