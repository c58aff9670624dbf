"""Calls of other modules' programs, and inlined calls of annotated functions."""

from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import Any, cast

from relay.frontend.python.tracing.path_merging import held_by
from relay.frontend.python.values.containers import flattened, restored
from relay.frontend.python.values.generic_calls import apply
from relay.frontend.python.values.traced_values import is_object
from relay.ir.module import Module, ModuleLike
from relay.ir.types import Type


def inlined_call(calls: Any, original: FunctionType, values: Sequence[Any]) -> Any:
    """Return the call of an annotated function, inlined so that it may modify arguments."""
    trace, declaration = calls.trace, calls.trace.unit.declaration(original)
    pairs = zip(values, declaration.types, strict=True)
    given = [_as_declared(trace, each, known) for each, known in pairs]
    code = original.__code__
    placed = code.co_varnames[: code.co_argcount]
    rest = code.co_varnames[code.co_argcount :]
    named = dict(zip(rest, given[len(placed) :], strict=False))
    found = calls.traced(original, given[: len(placed)], named)
    ty = declaration.type
    return found if ty is None else _as_declared(trace, found, ty.result)


def _as_declared(trace: Any, value: Any, ty: Type) -> Any:
    """Convert a value to its declared type; an array that has the type is returned itself."""
    if is_object(value):
        return value
    held = trace.typed(value, ty)
    return value if held_by(value) else trace.python(held)


def linked_call(
    calls: Any, function: ModuleLike, args: Sequence[Any], named: Mapping[str, Any]
) -> Any:
    """Return the call of another module's `main`, for example a loaded model."""
    given: Any = function
    typed: Any = given.at(*args) if hasattr(given, "at") else given
    trace, module = calls.trace, cast("Module", typed.module)
    inputs: Mapping[str, Any] = getattr(typed, "inputs", {})
    names = [each.name for each in module.main.params if each.name not in inputs]
    if len(args) + len(named) != len(names) or not set(named) <= set(names[len(args) :]):
        what = f"the model takes {len(names)} arguments, not {len(args) + len(named)}"
        trace.refuse("F118", what, f"call it as the model({', '.join(names)})")
    values = [*args, *(named[name] for name in names[len(args) :])]
    shapes = typed.shapes(len(values)) if hasattr(typed, "shapes") else [None] * len(values)
    values = [*map(flattened, values, shapes)]
    values += map(calls.outside, inputs.values())
    callee = trace.unit.link(module, "model", trace.span)
    made = apply(trace, callee, values, trace.span)
    found = calls.result(made, values, "the model", is_new=False)
    return restored(getattr(typed, "result", None), found)
