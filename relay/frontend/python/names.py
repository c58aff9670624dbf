"""Names in a function: its variables, what stands outside of it, and what Python has built in."""

import builtins

from relay.frontend.python.operations import outside
from relay.frontend.python.scope import Scope
from relay.frontend.python.source import present
from relay.frontend.python.unit import Unit
from relay.frontend.python.values import Late, Static, Template, Undefined, Value
from relay.ir.types import TypeVar
from relay.numpy.errors import mistake
from relay.support.error_codes import ErrorCode
from relay.support.span import Span


def look_up(name: str, scope: Scope, unit: Unit, span: Span) -> Value:
    """Return what a name stands for; raises `F108` for nothing."""
    if name in scope.names:
        return _usable(name, scope, unit, span)
    if name in scope.own:
        what = f"{name} has no value yet: a name that a function assigns is its own throughout"
        raise mistake(
            ErrorCode.F109, what, span, f"assign {name} before this line, or take another name"
        )
    if name in scope.outside:
        return _outside(name, scope, unit, span)
    if hasattr(builtins, name):
        return Static(getattr(builtins, name))
    raise mistake(
        ErrorCode.F108, f"{name} is not defined", span, "assign it first, or mend its spelling"
    )


def _outside(name: str, scope: Scope, unit: Unit, span: Span) -> Value:
    """Return what a name from outside stands for; the program depends on it."""
    found, python = scope.outside[name], scope.python
    if python is not None and not isinstance(found, TypeVar):
        found = unit.look(lambda: present(python, name))
    return scope.memory.lent(outside(found, span))


def _usable(name: str, scope: Scope, unit: Unit, span: Span) -> Value:
    """Return a variable's value; raises `F109` if it may have none, `F127` if it is out of date."""
    value = scope.names[name]
    if isinstance(value, Undefined):
        raise mistake(ErrorCode.F109, f"{name} {value.why}", span, value.help)
    if isinstance(value, Late):
        return value.use(scope, value.around, span)
    changed = unit.closures.outdated(value, scope.names)
    if changed == name and isinstance(value, Template):
        what = f"{name} is a lambda that calls itself"
        raise mistake(ErrorCode.F103, what, span, f"write `def {name}(x: float32) -> float32:`")
    if changed is not None:
        what = f"{name} reads {changed}, which may be another value than where {name} was defined"
        raise mistake(ErrorCode.F127, what, span, f"pass {changed} to {name} as an argument")
    return value
