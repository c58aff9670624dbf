"""Calls of functions that build programs: those of NumPy that are no operator, those of `relay`."""

from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, Signature, isfunction, signature
from typing import Any

from relay.frontend.python import array_functions
from relay.frontend.python.errors import mistake
from relay.frontend.python.operations import together
from relay.frontend.python.operators import Path, attribute
from relay.frontend.python.values import Group, Value
from relay.ir.expr import Expr, Tuple
from relay.ops.functions import core, image, nn, vision
from relay.support.errors import RelayError
from relay.support.span import Span

_MODULES: Mapping[str, Any] = {"": core, "nn": nn, "image": image, "vision": vision}


def composed(path: Path) -> Callable[..., Any] | None:
    """Return the function of that name which is written in Python, if there is one."""
    prefix, _, name = path.name.rpartition(".")
    if path.is_relay:
        found: Any = getattr(_MODULES.get(prefix), name, None)
    else:
        found = vars(array_functions).get(name)
        home = getattr(found, "__module__", None)
        found = found if home == array_functions.__name__ else None
    return found if isfunction(found) else None


def compose(
    function: Callable[..., Any], args: Sequence[Value], named: Mapping[str, Value], span: Span
) -> Value:
    """Return what a function builds; raises `F118` for arguments that do not fit."""
    shape = signature(function)
    try:
        bound = shape.bind(*args, **named)
    except TypeError as error:
        name = function.__name__
        advice = f"it is {name}({', '.join(shape.parameters)})"
        raise mistake("F118", f"{name}: {error}", span, advice) from None
    arguments = _arguments(shape, bound.arguments, span)
    try:
        made = function(*arguments.args, **arguments.kwargs)
    except RelayError as error:
        raise error.at(span) from None
    return Group(tuple(made.fields)) if isinstance(made, Tuple) else made


def _arguments(shape: Signature, given: Mapping[str, Any], span: Span) -> Any:
    """Return the arguments as the function wants them: tensors of one element type, or objects."""
    bound = shape.bind_partial()
    tensors = {name: each for name, each in given.items() if _is_tensor(shape.parameters[name])}
    flat = [item for each in tensors.values() for item in _items(each)]
    typed = iter(together(flat, span) if flat else ())
    for name, each in given.items():
        if name not in tensors:
            bound.arguments[name] = _object(each, span)
        else:
            parts = tuple(next(typed) for _ in _items(each))
            alone = not isinstance(each, Group | tuple)
            bound.arguments[name] = parts[0] if alone else parts
    return bound


def _is_tensor(parameter: Parameter) -> bool:
    """Whether a parameter takes tensors, by its annotation."""
    return parameter.annotation in (Expr, Sequence[Expr])


def _items(value: Value | tuple[Value, ...]) -> Sequence[Value]:
    """Return the values of one parameter: of a list, or of all arguments that are left."""
    if isinstance(value, Group):
        return value.items
    return value if isinstance(value, tuple) else (value,)


def _object(value: Value, span: Span) -> Any:
    """Return what `relay` functions take: expressions, and Python objects for what is known."""
    if isinstance(value, Expr):
        return value
    if isinstance(value, Group) and any(isinstance(item, Expr) for item in value.items):
        return [_object(item, span) for item in value.items]
    return attribute(value, span)
