"""Errors of differentiation: each names the operation without a derivative, and the reason."""

from collections.abc import Sequence

from relay.ir.custom_derivatives import JVP, PYTHON_NAME
from relay.ir.expr import Call, Expr, Function, GlobalVar, Var
from relay.ir.types import Type
from relay.opdef.definition import OperatorDef
from relay.support.error_codes import ErrorCode
from relay.support.errors import DifferentiationError, RelayError


def no_rule(call: Call, op: OperatorDef) -> DifferentiationError:
    """Return the error `D001`: an operator has no derivative rule."""
    why = f", because {op.undifferentiable}" if op.undifferentiable else ""
    return DifferentiationError(
        ErrorCode.D001,
        f"{op.name} has no derivative{why}",
        span=call.span,
        notes=_arguments(call, op),
        help=(
            "define a method `gradient` in its class, or differentiate with respect to a "
            "parameter that the operator does not depend on"
        ),
    )


def no_size(call: Call, op: OperatorDef) -> DifferentiationError:
    """Return the error `D007`: a derivative needs a size that the call's types leave unknown."""
    return DifferentiationError(
        ErrorCode.D007,
        f"the derivative of {op.name} needs a size that the types leave unknown",
        span=call.span,
        notes=_arguments(call, op),
        help="replace `?` in the type by a name: Tensor[(n), float32]",
    )


def not_a_number(result: Expr) -> DifferentiationError:
    """Return the error `D002`: the result of a differentiated program is not a rank-0 float."""
    message = f"a gradient needs a result that is one float, not {result.type!r}"
    help_ = "sum the result, or use relay.vjp, which takes the cotangent of the result"
    return DifferentiationError(ErrorCode.D002, message, span=result.span, help=help_)


def not_a_pair(result: Expr) -> DifferentiationError:
    """Return the error `D002`: `has_aux` is set, but the result is not a tuple."""
    message = (
        "with has_aux the result must be a tuple whose first field is one float, not "
        f"{result.type!r}"
    )
    help_ = "return (loss, auxiliary values), or omit has_aux"
    return DifferentiationError(ErrorCode.D002, message, span=result.span, help=help_)


def not_a_covector(result: Expr) -> DifferentiationError:
    """Return the error `D002`: the result contains no floats, so it has no covectors."""
    message = f"a result of type {result.type!r} has no derivative"
    help_ = "return tensors of floats, data, or tuples of them"
    return DifferentiationError(ErrorCode.D002, message, span=result.span, help=help_)


def wrong_derivative(
    derivative: GlobalVar, wanted: str, function: Function
) -> DifferentiationError:
    """Return the error `D009`: a custom derivative has another type than its function requires."""
    message = f"@{derivative.name} is of type {derivative.ty!r}, but must be {wanted}"
    notes = [f"it is a derivative of a function of type {function.ty!r}"]
    help_ = "declare it with that type; () is the derivative with respect to an integer"
    return DifferentiationError(
        ErrorCode.D009, message, span=function.span, notes=notes, help=help_
    )


def calls_itself() -> DifferentiationError:
    """Return the error `D009`: a custom derivative calls the function that it differentiates."""
    message = "a custom derivative calls the function that it differentiates"
    help_ = "move the shared computation into another function, and call that one"
    return DifferentiationError(ErrorCode.D009, message, help=help_)


def captures_variables(name: str, error: RelayError) -> DifferentiationError:
    """Return the error `D009`: a custom derivative reads variables of the function around it."""
    message = f"{name}, a custom derivative, reads values that the function around it computes"
    help_ = "pass them as arguments of the differentiated function, or among the residuals"
    return DifferentiationError(ErrorCode.D009, message, span=error.span, help=help_)


def captured(param: Var, call: Call) -> DifferentiationError:
    """Return the error `D012`: a custom derivative has none by a captured value that needs one."""
    message = (
        f"a function with a custom derivative captures {param.name}, "
        "and its derivative with respect to captured values is unknown"
    )
    help_ = f"pass {param.name} as an argument, or capture relay.stop_gradient({param.name})"
    return DifferentiationError(ErrorCode.D012, message, span=call.span, help=help_)


def missing_mode(name: str, function: Function, key: str, mode: str) -> DifferentiationError:
    """Return the error `D010`: a function has custom derivatives of the other mode only."""
    called = function.attrs.get(PYTHON_NAME, f"@{name}")
    message = f"{called} has a custom derivative, but none for {mode} mode"
    by = "relay.custom_jvp" if key == JVP else "relay.custom_vjp"
    help_ = f"define one with {by} (in text, the attribute {key}), or use the other mode"
    return DifferentiationError(ErrorCode.D010, message, span=function.span, help=help_)


def no_jacobian(what: str, ty: Type) -> DifferentiationError:
    """Return the error `D008`: a Jacobian's argument or result is not made of tensors."""
    message = (
        "a Jacobian needs tensors of named sizes, or tuples of them, as the result and as the "
        f"parameter, but {what} is or contains {ty!r}"
    )
    help_ = "pass the tensors in a tuple, replace `?` by names, or use relay.vjp or relay.jvp"
    return DifferentiationError(ErrorCode.D008, message, help=help_)


def no_parameter(wanted: object, params: Sequence[Var]) -> DifferentiationError:
    """Return the error `D003`: a parameter to differentiate by does not exist."""
    message = f"there is no parameter {wanted!r}"
    known = ", ".join(f"{index}: %{param.name}" for index, param in enumerate(params)) or "none"
    help_ = "pass the number of a parameter, counted from 0, or its name"
    span = params[0].span if params else None
    notes = [f"parameters: {known}"]
    return DifferentiationError(ErrorCode.D003, message, span=span, notes=notes, help=help_)


def named_twice(param: Var) -> DifferentiationError:
    """Return the error `D003`: a parameter to differentiate by is named twice."""
    message = f"%{param.name} occurs twice in argnums"
    return DifferentiationError(
        ErrorCode.D003, message, span=param.span, help="list each parameter once in argnums"
    )


def no_floats(param: Var) -> DifferentiationError:
    """Return the error `D003`: a parameter to differentiate by contains no floats."""
    message = f"no derivative with respect to %{param.name} exists: its type is {param.type!r}"
    help_ = "differentiate with respect to tensors of floats, or tuples and data that contain them"
    return DifferentiationError(ErrorCode.D003, message, span=param.span, help=help_)


def unsupported(what: str, expr: Expr, help: str) -> DifferentiationError:
    """Return the error `D004`: an expression of the kind `what` cannot be differentiated."""
    return DifferentiationError(
        ErrorCode.D004, f"{what} cannot be differentiated", span=expr.span, help=help
    )


def needs_module(function: Function, reason: str) -> DifferentiationError:
    """Return the error `D005`: a derivative needs further definitions, but there is no module."""
    message = f"the derivative of a function without a module cannot be computed: {reason}"
    help_ = (
        "pass the relay.IRModule to which the derivative adds functions and data types: "
        "gradient(function, mod)"
    )
    return DifferentiationError(ErrorCode.D005, message, span=function.span, help=help_)


def no_mode(mode: str) -> DifferentiationError:
    """Return the error `D006`: `gradient` has no such mode."""
    help_ = 'use "higher_order", or "first_order" for a function without a module'
    return DifferentiationError(ErrorCode.D006, f"gradient has no mode {mode!r}", help=help_)


def no_jacobian_mode(mode: str) -> DifferentiationError:
    """Return the error `D006`: Jacobians have no such mode."""
    help_ = 'use "reverse" or "forward"'
    return DifferentiationError(ErrorCode.D006, f"jacobian has no mode {mode!r}", help=help_)


def _arguments(call: Call, op: OperatorDef) -> list[str]:
    pairs = zip(op.arguments(), call.args, strict=True)
    return [f"{name}: {arg.type!r}" for name, arg in pairs]
