"""Errors of differentiation: each names the operation without a derivative, and the reason."""

from collections.abc import Mapping, Sequence
from reprlib import repr as short

from relay.ir.custom_derivatives import BACKWARD, FORWARD, JVP, PYTHON_NAME
from relay.ir.expr import Call, Expr, Function, Var
from relay.ir.types import FuncType, TensorType, TupleType, Type
from relay.opdef.definition import OperatorDef
from relay.support.error_codes import ErrorCode
from relay.support.errors import DifferentiationError
from relay.support.span import Span


def no_rule(call: Call, op: OperatorDef) -> DifferentiationError:
    """Return the error `D001`: an operator has no derivative rule."""
    why = f", because {op.undifferentiable}" if op.undifferentiable else ""
    return DifferentiationError(
        ErrorCode.D001,
        f"the operator {op.name} has no derivative{why}",
        span=call.span,
        notes=_arguments(call, op),
        help=(
            "differentiate with respect to another parameter, or give the operator's class a "
            "method `gradient`"
        ),
    )


def no_size(call: Call, op: OperatorDef) -> DifferentiationError:
    """Return the error `D007`: a rule computes an attribute from sizes, but leaves it unknown."""
    return DifferentiationError(
        ErrorCode.D007,
        f"the derivative rule of the operator {op.name} leaves a size of its result unknown, `?`",
        span=call.span,
        notes=_arguments(call, op),
        help=(
            "in the method `gradient` of the operator's class, compute the size from those of the "
            "arguments, or use an operator that ends in `_like`"
        ),
    )


def not_a_number(result: Expr) -> DifferentiationError:
    """Return the error `D002`: the result of a differentiated program is not a rank-0 float."""
    message = (
        "the function to differentiate must return a single float, not a value of type "
        f"{result.type!r}"
    )
    return DifferentiationError(
        ErrorCode.D002, message, span=result.span, help=_one_float(result.type)
    )


def _one_float(ty: Type) -> str:
    """Return advice for a result of a type that is not one float."""
    match ty:
        case TensorType(_, dtype) if dtype.is_complex:
            return "return a real number, such as the sum of the absolute values"
        case TensorType(shape, dtype) if dtype.is_float and shape:
            return (
                "sum the result to one number, or use relay.jacobian or relay.vjp, which accept "
                "results with several elements"
            )
        case TupleType((TensorType((), dtype), *_)) if dtype.is_float:
            return "return only the first field, or pass has_aux=True, which returns the others"
        case _:
            return "return a number that depends on the parameters continuously, such as a loss"


def not_a_pair(result: Expr) -> DifferentiationError:
    """Return the error `D002`: `has_aux` is set, but the result is not a tuple."""
    message = (
        f"with has_aux=True the function must return (loss, auxiliary values), not {result.type!r}"
    )
    help_ = "return a tuple whose first field is one float, or omit has_aux"
    return DifferentiationError(ErrorCode.D002, message, span=result.span, help=help_)


def not_a_covector(result: Expr) -> DifferentiationError:
    """Return the error `D002`: the result contains no floats, so it has no covectors."""
    message = f"the function returns a value of type {result.type!r}, which has no derivative"
    help_ = "return tensors of floats, or tuples and data types that contain them"
    return DifferentiationError(ErrorCode.D002, message, span=result.span, help=help_)


def no_sum(result: Expr) -> DifferentiationError:
    """Return the error `D002`: the result of a TVM gradient is data, which is not summed."""
    message = (
        "the function must return tensors, because their sum is differentiated, not a value of "
        f"type {result.type!r}"
    )
    help_ = "return tensors or tuples of them, or call relay.vjp, which accepts data types"
    return DifferentiationError(ErrorCode.D002, message, span=result.span, help=help_)


_FORWARD_HELP = "write the rule as forward(arguments…), and return the pair (result, residuals)"
_BACKWARD_HELP = (
    "write the rule as backward(residuals, d_result), and return a tuple with a derivative "
    "for each parameter of the function: () for a parameter without floats"
)
_JVP_HELP = (
    "write the rule as jvp(arguments…, tangents…), with a tangent for each argument that contains "
    "floats, and return the pair (result, tangent of the result)"
)
_RULES: Mapping[str, tuple[str, str]] = {
    FORWARD: ("forward rule", _FORWARD_HELP),
    BACKWARD: ("backward rule", _BACKWARD_HELP),
    JVP: ("forward-mode rule", _JVP_HELP),
}
"""The name of each kind of custom derivative, and what it does."""


def wrong_derivative(
    key: str, rule: Function, function: Function, called: str, problem: str
) -> DifferentiationError:
    """Return the error `D009`: a custom derivative has another type than its function requires.

    `key` is the attribute of `function` that names the derivative `rule`; `called` describes the
    rule in the message, and `problem` how its type differs.
    """
    kind, help_ = _RULES[key]
    message = f"the {kind} of {called} {problem}"
    notes = [f"{called} has the type {function.ty!r}"]
    span = rule.span or function.span
    return DifferentiationError(ErrorCode.D009, message, span=span, notes=notes, help=help_)


def no_residuals(rule: Function, called: str) -> DifferentiationError:
    """Return the error `D009`: a forward rule does not return a pair."""
    kind, help_ = _RULES[FORWARD]
    message = f"the {kind} of {called} returns {rule.body.type!r}, but must return a pair"
    return DifferentiationError(ErrorCode.D009, message, span=rule.span, help=help_)


def not_linear(call: Call, op: OperatorDef, function: Function) -> DifferentiationError:
    """Return the error `D009`: a forward-mode derivative is not linear in its tangents."""
    called = function.attrs.get(PYTHON_NAME, "a function")
    message = (
        f"the forward-mode derivative of {called} must be linear in the tangents, but applies the "
        f"operator {op.name} to a tangent"
    )
    help_ = (
        "apply only linear operators to tangents, or define the derivative for reverse mode with "
        "relay.custom_vjp"
    )
    span = call.span or function.span
    return DifferentiationError(ErrorCode.D009, message, span=span, help=help_)


def calls_itself(function: Function) -> DifferentiationError:
    """Return the error `D009`: a custom derivative calls its function for other types."""
    message = (
        "a custom derivative may call the function that it differentiates only with arguments of "
        f"the same types, but this call has the type {function.ty!r}"
    )
    help_ = (
        "move the computation that the function and its derivative share into another function, "
        "and call that one"
    )
    return DifferentiationError(ErrorCode.D009, message, span=function.span, help=help_)


def captures_variables(name: str, var: Var) -> DifferentiationError:
    """Return the error `D009`: a custom derivative reads a variable that it cannot be passed."""
    if isinstance(var.type, FuncType):
        message = (
            f"the custom derivative {name} uses the function {var.name}, which is defined outside "
            "of it"
        )
        help_ = f"define {var.name} inside the derivative, or remove the annotations of {var.name}"
    else:
        message = (
            f"the custom derivative {name} uses the variable {var.name}, which is defined outside "
            "of it"
        )
        help_ = (
            f"pass {var.name} as an argument, or return it among the residuals of the forward rule"
        )
    return DifferentiationError(ErrorCode.D009, message, span=var.span, help=help_)


def captured(param: Var, call: Call) -> DifferentiationError:
    """Return the error `D012`: a custom derivative does not differentiate by a captured value."""
    message = (
        f"a function with a custom derivative uses the variable {param.name}, which is not one of "
        f"its parameters, so its derivative by {param.name} is unknown"
    )
    help_ = (
        f"pass {param.name} as an argument, or use relay.stop_gradient({param.name}) inside the "
        "function"
    )
    return DifferentiationError(ErrorCode.D012, message, span=call.span, help=help_)


def missing_mode(name: str, function: Function, key: str, mode: str) -> DifferentiationError:
    """Return the error `D010`: a function has custom derivatives of the other mode only."""
    called = function.attrs.get(PYTHON_NAME, f"@{name}")
    message = f"{called} has a custom derivative, but not for {mode} mode, which is needed here"
    by = "relay.custom_jvp" if key == JVP else "relay.custom_vjp"
    help_ = (
        f"define the derivative for {mode} mode with {by} (in text form, with the attribute "
        f"{key}), or differentiate in the other mode"
    )
    return DifferentiationError(ErrorCode.D010, message, span=function.span, help=help_)


def no_jacobian(what: str, ty: Type, span: Span | None) -> DifferentiationError:
    """Return the error `D008`: a Jacobian's argument or result is not made of tensors."""
    message = (
        "a Jacobian needs float tensors with named or constant sizes, or tuples of them, but "
        f"{what} is or contains {ty!r}"
    )
    help_ = (
        "pass the tensors in a tuple, replace each `?` by a name for the size, or use "
        "relay.vjp or relay.jvp"
    )
    return DifferentiationError(ErrorCode.D008, message, span=span, help=help_)


def no_parameter(wanted: object, params: Sequence[Var]) -> DifferentiationError:
    """Return the error `D003`: a parameter to differentiate by does not exist."""
    message = f"the function has no parameter {wanted!r}"
    known = ", ".join(f"{index}: %{param.name}" for index, param in enumerate(params)) or "none"
    help_ = "pass the position of a parameter, counted from 0, or its name"
    span = params[0].span if params else None
    notes = [f"parameters: {known}"]
    return DifferentiationError(ErrorCode.D003, message, span=span, notes=notes, help=help_)


def no_argument(
    wanted: object, positional: Sequence[str], named: Sequence[str], span: Span | None
) -> DifferentiationError:
    """Return the error `D003`: an argument of a Python function to differentiate by is missing."""
    message = f"there is no argument {wanted!r} to differentiate by"
    numbers = ", ".join(f"{index}: {name}" for index, name in enumerate(positional)) or "none"
    notes = [f"arguments by position: {numbers}"]
    if named:
        notes.append(f"arguments by name only: {', '.join(named)}")
    help_ = (
        "pass the number of an argument, counted from 0, or its name; negative numbers count from "
        "the last argument that the call passes by position"
    )
    return DifferentiationError(ErrorCode.D003, message, span=span, notes=notes, help=help_)


def no_selection(wrong: object) -> DifferentiationError:
    """Return the error `D003`: `argnums` contains an object that selects no argument."""
    message = (
        f"argnums must be the number or name of an argument, or a sequence of these, "
        f"not {short(wrong)}"
    )
    help_ = (
        "select arguments by number or name, argnums=(0, 'scale'), and pass their values to the "
        "derivative: relay.grad(f)(x)"
    )
    return DifferentiationError(ErrorCode.D003, message, help=help_)


def named_twice(param: Var) -> DifferentiationError:
    """Return the error `D003`: a parameter to differentiate by is named twice."""
    message = f"the parameter %{param.name} occurs twice in argnums"
    return DifferentiationError(
        ErrorCode.D003, message, span=param.span, help="select each argument once"
    )


def no_floats(param: Var) -> DifferentiationError:
    """Return the error `D003`: a parameter to differentiate by contains no floats."""
    message = f"the parameter %{param.name} has no derivative, because its type is {param.type!r}"
    help_ = (
        "differentiate with respect to tensors of floats, or tuples and data types that "
        "contain them"
    )
    if isinstance(param.type, TensorType):
        help_ = "pass floats, such as 2.0 instead of 2, or differentiate by another argument"
    return DifferentiationError(ErrorCode.D003, message, span=param.span, help=help_)


def unsupported(what: str, expr: Expr, help: str) -> DifferentiationError:
    """Return the error `D004`: an expression of the kind `what` cannot be differentiated."""
    return DifferentiationError(
        ErrorCode.D004, f"{what} cannot be differentiated", span=expr.span, help=help
    )


def needs_module(function: Expr, reason: str, remedy: str) -> DifferentiationError:
    """Return the error `D005`: a derivative needs definitions that only a module can hold."""
    message = f"the derivative of this function needs functions or data types in a module: {reason}"
    return DifferentiationError(ErrorCode.D005, message, span=function.span, help=remedy)


def no_mode(mode: str) -> DifferentiationError:
    """Return the error `D006`: `gradient` has no such mode."""
    help_ = 'pass mode="higher_order", or "first_order" for a function outside a module'
    return DifferentiationError(
        ErrorCode.D006, f"relay.transform.gradient does not support the mode {mode!r}", help=help_
    )


def first_order_with_module(mode: str) -> DifferentiationError:
    """Return the error `D006`: `gradient` is called in first-order mode with a module."""
    message = f"relay.transform.gradient takes no module in the mode {mode!r}"
    help_ = (
        "differentiate all functions of the module by relay.transform.FirstOrderGradient()(mod), "
        'or pass mode="higher_order"'
    )
    return DifferentiationError(ErrorCode.D006, message, help=help_)


def no_jacobian_mode(mode: str) -> DifferentiationError:
    """Return the error `D006`: Jacobians have no such mode."""
    help_ = 'pass mode="reverse" or mode="forward"'
    return DifferentiationError(
        ErrorCode.D006, f"relay.jacobian does not support the mode {mode!r}", help=help_
    )


def _arguments(call: Call, op: OperatorDef) -> list[str]:
    pairs = zip(op.arguments(), call.args, strict=True)
    return [f"{name}: {arg.type!r}" for name, arg in pairs]
