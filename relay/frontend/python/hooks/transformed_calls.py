"""Calls of transformed functions, such as gradients, in a trace.

The function is traced where the transformed function is called, transformed, and merged into the
program. Variables of the surrounding program that it captures become parameters of the transformed
one.
"""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from inspect import BoundArguments
from typing import Any, cast

from relay.frontend.python.data_types.annotations import Annotations
from relay.frontend.python.tracing.function_tracing import called_function
from relay.frontend.python.tracing.mutable_state import State
from relay.frontend.python.transformed_functions import Given, Shapes, Transformed, argument_shapes
from relay.frontend.python.values.containers import (
    Annotation,
    ResultShape,
    annotation_of,
    flatten_arguments,
    opened,
    restored,
)
from relay.frontend.python.values.generic_calls import apply
from relay.frontend.python.values.traced_values import Box, is_plain
from relay.ir.expr import Constant, Expr, Function, Let, Var
from relay.ir.fresh_names import free_name
from relay.ir.module import ENTRY, Module
from relay.ir.types import FuncType, TupleType, Type, TypeCall
from relay.ir.walk import children, free_vars, post_order, rewrite
from relay.numpy.errors import mistake
from relay.semantics.infer import infer
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError
from relay.support.node import replace
from relay.support.span import Span


def transformed_call(
    calls: Any, function: Transformed, args: Sequence[Any], named: Mapping[str, Any]
) -> Any:
    """Return the result of calling a transformed function, which is traced and transformed now.

    The transformed program takes the variables of this trace that the function captures.
    """
    trace, span = calls.trace, calls.trace.span
    own, added = function.bound(args, named)
    form = function.call_form(args, named)
    names = [*own.arguments, *function.added]
    values = [*own.arguments.values(), *added]
    data, pairs = trace.unit.data, zip(names, values, strict=False)
    known = [annotation_of(each, name, data.data_annotation) for name, each in pairs]
    known = [*map(data.mapped.annotation, known)]
    types = [Annotations({}, trace.unit.data).type_of(each, span) for each in known]
    known = function.function_annotations(known, form.omitted)[: len(own.arguments)]
    main, shapes = _traced(trace, function.function, own, _declared(calls, function, own, known))
    module, captured = trace.unit.closed(main, span)
    more = [var for var in _captured_by(trace, function.rules) if var not in captured]
    module, captured = _with_params(module, len(known), more), [*more, *captured]
    inputs = [param.name for param in module.main.params[len(known) :]]
    shapes = replace(shapes, form=form)
    given = Given(module, inputs, shapes, trace.unit.data.annotation, captured)
    callee, made = trace.unit.link_transformed(function, given, types)
    flat = flatten_arguments(values, made.arguments, len(own.arguments))
    assert isinstance(callee.ty, FuncType), "transformed functions are typed"
    for name, *pair in zip(names, types, callee.ty.params, strict=False):
        if _differs_in_data(*pair):
            raise _has_rows(name, types[names.index(name)], span)
    pairs = zip(flat[len(known) :], callee.ty.params[len(known) :], strict=False)
    tangents = [_as_tangent(*each) for each in pairs]
    found = apply(trace, callee, [*flat[: len(known)], *tangents, *captured], span)
    return restored(made.result, trace.python(found))


def _captured_by(trace: Any, rules: Sequence[object]) -> Sequence[Var]:
    """Return the variables of this trace whose values the functions `rules` capture."""
    found: dict[Var, None] = {}
    for each, _ in State(rules, trace.unit.outside).held.values():
        if isinstance(each, Box) and trace.is_seen(each.expr, trace.block):
            each.expr = trace.emit(each.expr)
            if isinstance(each.expr, Var):
                found[each.expr] = None
    return list(found)


def _with_params(module: Module, index: int, variables: Sequence[Var]) -> Module:
    """Return a module whose `main` has parameters for variables, at an index; it ignores them."""
    if not variables:
        return module
    main, names = module.main, [each.name for each in module.main.params]
    for var in variables:
        names.append(free_name(var.name, names))
    more = map(Var, names[len(main.params) :], (var.type for var in variables))
    params = (*main.params[:index], *more, *main.params[index:])
    return infer(module.with_function(ENTRY, replace(main, params=params, ty=None)))


def _differs_in_data(given: Type, wanted: Type) -> bool:
    """Whether a transformation has changed the data type of an argument; recursion follows tuples.

    `vmap` does so, for example: the tensors in mapped data have one more axis.
    """
    match given, wanted:
        case TupleType(fields), TupleType(others):
            return any(map(_differs_in_data, fields, others))
        case TypeCall(head), TypeCall(other):
            return head != other
        case _:
            return False


def _has_rows(name: str, ty: Type, span: Span | None) -> RelayError:
    """Return the error for data without the new axis as a mapped argument."""
    what = (
        f"'{name}' is mapped, so each tensor in it needs an additional first axis, but the tensors "
        f"have only the axes that the class declares: {ty!r}"
    )
    help_ = "pass data whose tensors have the new axis first, or share it by in_axes=None"
    return mistake(ErrorCode.F111, what, span, help_)


def _as_tangent(value: Any, ty: Type) -> Any:
    """Return a tangent with `()` in place of everything but floats; recursion follows tuples."""
    match ty:
        case TupleType(()):
            return ()
        case TupleType(fields) if isinstance(value, tuple):
            return tuple(map(_as_tangent, cast("tuple[Any, ...]", value), fields))
        case _:
            return cast("object", value)


def _declared(
    calls: Any, function: Transformed, own: BoundArguments, known: Sequence[Annotation]
) -> Sequence[Annotation]:
    """Return annotations of a call's arguments.

    Python numbers get the types that the function declares for its parameters.
    """
    declared = calls.declared_type(function.function)
    types = declared.params if isinstance(declared, FuncType) else known
    rows = zip(own.arguments.values(), types, known, strict=True)
    return [ty if is_plain(value) else annotation for value, ty, annotation in rows]


def _traced(
    trace: Any, function: Any, own: BoundArguments, known: Sequence[Annotation]
) -> tuple[Function, Shapes]:
    """Trace a call with arguments of these annotations; return it as a function, and its shapes."""
    types, span = Annotations({}, trace.unit.data), trace.span
    before = [each for each, _ in State([function], trace.unit.outside).held.values()]
    params = tuple(
        Var(name, types.type_of(each, span), span=span)
        for name, each in zip(own.arguments, known, strict=True)
    )
    result = ResultShape(trace.unit.data.is_data)

    def call(*args: Any) -> Any:
        values = [opened(*each) for each in zip(known, args, strict=True)]
        trace.regions[-1].admit(values)
        given = OrderedDict(zip(own.arguments, values, strict=True))
        called = BoundArguments(own.signature, given)
        return trace.calls.call(function, *called.args, **called.kwargs)

    name = getattr(function, "__name__", "the function")
    made = called_function(trace, name, function, call, params, None, span, result.flattened)
    shapes = argument_shapes(own.signature, dict(zip(own.arguments, known, strict=True)))
    boxes = (each.expr for each in before if isinstance(each, Box))
    return _with_variables(trace, made, {*boxes}), replace(shapes, result=result.shape)


def _with_variables(trace: Any, function: Function, known: set[Expr]) -> Function:
    """Return a function with variables in place of the expressions `known` from around it.

    Local functions that it calls are bound in its body: only the values that these capture are
    parameters of the program.
    """
    found = {each for each in known if not isinstance(each, Var | Constant)}
    inside = {each for each in post_order(function) if each in found}
    values = {each: trace.emit(each) for each in inside}
    body = rewrite(
        function.body,
        lambda expr: values.get(expr, expr),
        edges=lambda expr: () if expr in values else children(expr),
    )
    while True:
        made = Function(function.params, body, function.result, span=function.span)
        local = [each for each in free_vars(made) if isinstance(trace.values.get(each), Function)]
        if not local:
            return made
        body = Let(local[0], trace.values[local[0]], body)
