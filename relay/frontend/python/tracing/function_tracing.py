"""Trace a Python function into a function of the program."""

from collections.abc import Callable, Sequence
from functools import partial
from types import FunctionType, MethodType
from typing import Any

from relay.frontend.python.tracing.blocks import Block, Leaf, finish
from relay.frontend.python.tracing.mutable_state import State, changed
from relay.frontend.python.tracing.regions import Ended, Region, cells_of
from relay.frontend.python.values.traced_values import (
    Box,
    Traced,
    expr_of,
    inner,
    is_array,
    roots_of,
)
from relay.ir.expr import Expr, Function, Var
from relay.ir.type_comparison import join as join_types
from relay.ir.types import UNIT, TensorType, TupleType, Type
from relay.numpy.errors import mistake
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.support.span import Span

FELL = object()
"""The value of a function that ends without `return`."""


def traced_body(
    trace: Any,
    call: Callable[..., Any],
    params: Sequence[Var],
    owner: str,
    roots: Sequence[Any],
    result: Type | None,
    *,
    code: Any,
    ending: Callable[[bool], RelayError],
    writes: Callable[[Sequence[int]], None] | None = None,
    returns: Callable[[Any], Any] | None = None,
) -> Expr:
    """Trace `call` and return the function's body; `returns` converts the results of the call.

    If `writes` is set, the function may write to its parameters: their new contents follow the
    result, and `writes` is called with their positions. Raises `F116` for changes of anything else
    outside.
    """
    outer, span = trace.block, trace.span
    trace.block = Block(outer)
    region = Region(trace, roots, "function")
    region.expected = code
    given = [trace.python(var, _owner(var, owner, writes is not None)) for var in params]
    for value, var in zip(given, params, strict=True):
        if isinstance(value, Traced):
            value.box.name = var.name
    try:
        value = call(*given)
    except Ended:
        pass
    else:
        trace.leave(region, value, trace.returned_at)
    region.expected = None
    assert trace.regions.pop() is region, "regions are nested"
    _refuse_changes(trace, region, span)
    if returns is not None:
        for leaf in region.leaves:
            leaf.value = FELL if leaf.value is FELL else returns(leaf.value)
    written = [] if writes is None else _written(given, params, region)
    if written and writes is not None:
        writes(written)
        arrays = [given[place] for place in written]
        for leaf in region.leaves:
            leaf.value = None if leaf.value is FELL else leaf.value
            leaf.state.restore()
            leaf.value = leaf.value, *[expr_of(each) for each in arrays]
        result = None if result is None else TupleType((result, *(params[i].type for i in written)))
    exprs, ty = _results(trace, region, result, span, ending)
    trace.returned_new = _are_new(region)
    region.root.parent = outer
    body = finish(region.root, exprs, ty)
    region.before.restore()
    trace.block = outer
    return body


def _owner(var: Var, owner: str, written: bool) -> str | None:
    """Return who else refers to a parameter's array, if the function must not write to it."""
    return None if written and isinstance(var.ty, TensorType) else owner


def _written(given: Sequence[Any], params: Sequence[Var], region: Region) -> list[int]:
    """Return the positions of the parameters that have changed on some path to a return."""
    found: list[int] = []
    for place, (value, var) in enumerate(zip(given, params, strict=True)):
        for leaf in region.leaves if is_array(value) else ():
            leaf.state.restore()
            if expr_of(value) is not var and place not in found:
                found.append(place)
    return found


def _results(
    trace: Any,
    region: Region,
    result: Type | None,
    span: Span,
    ending: Callable[[bool], RelayError],
) -> tuple[dict[Leaf, Expr], Type]:
    leaves = region.leaves
    fell = [leaf for leaf in leaves if leaf.value is FELL]
    if fell and result is not UNIT:
        raise ending(len(fell) == len(leaves) and result is None)
    for leaf in leaves:
        leaf.value = None if leaf.value is FELL else leaf.value

    def at(leaf: Leaf) -> Callable[[], None]:
        def enter() -> None:
            leaf.state.restore()
            trace.block = leaf.block

        return enter

    exprs: dict[Leaf, Expr] = {}
    if not leaves:
        if result is None:
            advice = "annotate the result of the function, as in -> float32"
            raise mistake(
                ErrorCode.F123,
                "every path of this function raises an exception, so the type of its result is "
                "unknown",
                span,
                advice,
            )
        return {}, result
    if result is not None:
        for leaf in leaves:
            at(leaf)()
            exprs[leaf] = trace.convert.typed(leaf.value, result, leaf.span)
        return exprs, result
    made = trace.convert.joined(
        "the result",
        [leaf.value for leaf in leaves],
        leaves[-1].span,
        [at(leaf) for leaf in leaves],
    )
    ty = made[0].type
    for each in made[1:]:
        ty = join_types(ty, each.type) or ty
    return dict(zip(leaves, made, strict=True)), ty


def _refuse_changes(trace: Any, region: Region, span: Span) -> None:
    """Raise `F116` if a function changes outside state, because only the trace would change it."""
    for leaf in region.leaves:
        places = list(changed(region.before, leaf.state).values())
        for place, key in changed(region.given, leaf.state).values():
            places += [] if isinstance(place, Box) else [(place, key)]
        for place, key in places:
            if id(place) in region.own:
                continue
            name = trace.name_of(place, key)
            what = f"this function changes {name}, which is defined outside of it"
            raise mistake(
                ErrorCode.F116,
                what,
                span,
                f"pass {name} as an argument, and return its new value",
            )


def _are_new(region: Region) -> bool:
    """Whether no array that is returned can share memory with anything from before the call."""
    for leaf in region.leaves:
        seen = set(region.before.held)
        if not _is_new(leaf.value, seen):
            return False
    return True


def _is_new(value: Any, seen: set[int]) -> bool:
    """Whether arrays in a value share no memory with `seen`, to which they are then added."""
    if isinstance(value, Traced):
        if not is_array(value):
            return value.box.owner is None and isinstance(value.box.expr.ty, TensorType)
        boxes = [root.box for root in roots_of(value)]
        new = all(box.owner is None and id(box) not in seen for box in boxes)
        seen.update(map(id, boxes))
        return new
    held = inner(value)
    return not callable(value) if held is None else all(_is_new(each, seen) for each in held)


def function_of(
    trace: Any, value: Any, types: Sequence[Type], result: Type | None, span: Span
) -> Function:
    """Trace a Python function for parameters of these types.

    Raises `F111` if it takes another number of parameters.
    """
    cells = cells_of([getattr(value, "__func__", value)], trace)
    trace.captured.append((cells, State(cells, trace.unit.outside)))
    name = getattr(value, "__name__", "the function")
    names = _names(value, len(types))
    if names is None or len(names) != len(types):
        count = len(_names(value, -1) or ())
        what = f"the function {name} takes {count} arguments, but is called with {len(types)}"
        raise mistake(ErrorCode.F111, what, span, f"define {name} with {len(types)} parameters")
    params = tuple(Var(each, ty, span=span) for each, ty in zip(names, types, strict=True))
    call = partial(trace.calls.call, value)
    return called_function(trace, name, value, call, params, result, span)


def called_function(
    trace: Any,
    name: str,
    value: Any,
    call: Callable[..., Any],
    params: Sequence[Var],
    result: Type | None,
    span: Span,
    returns: Callable[[Any], Any] | None = None,
) -> Function:
    """Trace `call`, which calls the Python function `value`, and return it as a function."""

    def ending(nothing: bool) -> RelayError:
        what = (
            f"the function {name} returns nothing"
            if nothing
            else f"the function {name} has a path that ends without a return statement"
        )
        return mistake(
            ErrorCode.F115, what, span, "add a return statement to every path, with a value"
        )

    body = traced_body(
        trace,
        call,
        params,
        "an argument of this function",
        [value, *cells_of([value], trace)],
        result,
        code=_code(value),
        ending=ending,
        returns=returns,
    )
    return Function(tuple(params), body, result or body.ty, span=span)


def _code(value: Any) -> Any:
    plain = value.__func__ if isinstance(value, MethodType) else value
    return plain.__code__ if isinstance(plain, FunctionType) else None


def _names(value: Any, count: int) -> tuple[str, ...] | None:
    """Return the parameter names of a function called with `count` arguments.

    None if impossible.
    """
    plain = value.__func__ if isinstance(value, MethodType) else value
    if not isinstance(plain, FunctionType):
        return getattr(value, "__relay_params__", None) or tuple(
            f"a{i}" for i in range(max(count, 0))
        )
    code = plain.__code__
    names = code.co_varnames[: code.co_argcount][isinstance(value, MethodType) :]
    needed = len(names) - len(plain.__defaults__ or ())
    return (
        names
        if count < 0 or len(names) == count
        else names[:count]
        if needed <= count <= len(names)
        else None
    )
