"""`relay.bind` and `bind_params_by_name`: replace variables by expressions."""

from collections.abc import Mapping
from typing import Any

from relay.ir.expr import Constant, Expr, Function, Var
from relay.ir.field_validation import require_items, require_mapping
from relay.ir.walk import substitute
from relay.runtime.dlpack import array_of
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageError
from relay.support.node import replace


def bind(expr: Expr, binds: Mapping[Var, Expr]) -> Expr:
    """Return an expression or function with variables replaced as `binds` maps them.

    Parameters of a function that are replaced are removed from it.

    >>> from relay.ops.functions import const, var
    >>> x, y = var("x", "float32"), var("y", "float32")
    >>> len(bind(Function([x, y], x + y), {y: const(1.0)}).params)
    1
    """
    require_mapping("the substitution", binds)
    require_items(Var, "the variables that are replaced", binds)
    require_items(Expr, "the values that replace variables", binds.values())
    given = dict(binds)
    if not isinstance(expr, Function):
        return substitute(expr, given)
    kept = tuple(param for param in expr.params if param not in given)
    body = substitute(expr.body, given)
    result: Function = replace(expr, params=kept, body=body, ty=None)
    return result


def bind_params_by_name(func: Function, params: Mapping[str, Any]) -> Function:
    """Return a function with constants in place of the parameters of these names.

    Names that no parameter has are ignored. Raises `U043` for a name that several parameters have.
    """
    found: dict[Var, Expr] = {}
    for name, array in params.items():
        named = [param for param in func.params if param.name == name]
        if len(named) > 1:
            raise UsageError(
                ErrorCode.U043,
                f"several parameters of the function have the name '{name}'",
                help="give each parameter of the function another name",
            )
        constant = array if isinstance(array, Constant) else Constant(array_of(array))
        found.update(dict.fromkeys(named, constant))
    bound = bind(func, found)
    assert isinstance(bound, Function)
    return bound
