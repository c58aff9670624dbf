"""Custom derivatives: attributes of a function that name the functions computing its derivatives.

1. `VjpBackward` names the function of reverse mode. It takes the residuals and the cotangent of the
   result, and returns a tuple with the cotangent of each parameter.
2. `VjpForward` names the function that replaces a call in reverse mode: it returns the pair of the
   result and the residuals. Without it, the residuals are the tuple of the arguments.
3. `Jvp` names the function of forward mode. It takes the arguments, and the tangents of those that
   contain floats, and returns the pair of the result and its tangent.

4. `DerivativeParams` is the number of parameters by which there is a derivative. The others follow;
   they are values that a Python function captures, and their derivative is an error.
5. `DerivativeOf` is the name of a Python function, for messages.

Tangents and cotangents have the type of the value, with empty tuples in place of everything but
floats.
"""

from collections.abc import Iterator, Mapping, Sequence

from relay.ir.expr import Function, Var
from relay.support.node import replace

FORWARD, BACKWARD, JVP = "VjpForward", "VjpBackward", "Jvp"
PARAMS, PYTHON_NAME = "DerivativeParams", "DerivativeOf"
_ALL = (FORWARD, BACKWARD, JVP)
DESCRIPTIONS = (PARAMS, PYTHON_NAME)
ITSELF = "DerivativeCalls"
"""The attribute of a function that a custom derivative of it calls, until both are linked."""


def derivative_names(function: Function) -> Iterator[str]:
    """Yield the names of the functions that compute the derivatives of `function`."""
    return (str(function.attrs[key]) for key in _ALL if key in function.attrs)


def captured_by(function: Function) -> Sequence[Var]:
    """Return the parameters for which a function's custom derivatives define no derivative."""
    match function.attrs.get(PARAMS):
        case int(count):
            return function.params[count:]
        case _:
            return ()


def has_custom_derivative(function: Function) -> bool:
    """Whether a function has a custom derivative; then its calls are kept until differentiation."""
    return any(key in function.attrs for key in _ALL)


def without_derivatives(function: Function) -> Function:
    """Return a function without the attributes for custom derivatives.

    If it has none, the result is `function` itself.
    """
    if not has_custom_derivative(function):
        return function
    return replace(
        function, attrs={k: v for k, v in function.attrs.items() if k not in (*_ALL, *DESCRIPTIONS)}
    )


def with_renamed_derivatives(function: Function, names: Mapping[str, str]) -> Function:
    """Return a function whose attributes name its derivative functions by their new `names`.

    `names` maps old names to new ones. If no name changes, the result is `function` itself.
    """
    known = {key: str(function.attrs[key]) for key in _ALL if key in function.attrs}
    new = {key: names.get(name, name) for key, name in known.items()}
    return function if new == known else replace(function, attrs={**function.attrs, **new})
