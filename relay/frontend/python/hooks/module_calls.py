"""Calls of other modules' programs, and inlined calls of annotated functions."""

from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import Any

from relay.frontend.python.tracing.path_merging import held_by
from relay.frontend.python.values.containers import flattened
from relay.frontend.python.values.generic_calls import apply
from relay.frontend.python.values.traced_values import is_object
from relay.ir.module import ModuleLike
from relay.ir.types import Type


def inlined_call(calls: Any, original: FunctionType, values: Sequence[Any]) -> Any:
    """Return the result of an annotated function, traced inline so that it may modify arguments."""
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
    calls: Any, model: ModuleLike, args: Sequence[Any], named: Mapping[str, Any]
) -> Any:
    """Return the result of calling the `main` of another module, such as a loaded model."""
    trace, module = calls.trace, model.module
    names = [each.name for each in module.main.params]
    unknown = [each for each in named if each not in names[len(args) :]]
    if unknown or len(args) + len(named) != len(names):
        what = f"expected {len(names)} arguments of the model, found {len(args) + len(named)}"
        if unknown:
            what = f"{unknown[0]} is not one of the parameters that the call must still pass"
        trace.refuse("F118", what, f"pass each of ({', '.join(names)}) once")
    values = [flattened(each) for each in (*args, *(named[name] for name in names[len(args) :]))]
    callee = trace.unit.link(module, "model", trace.span)
    made = apply(trace, callee, values, trace.span)
    return calls.result(made, values, "the model", is_new=False)
