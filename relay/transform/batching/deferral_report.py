"""A report of the operators of a program that are deferred, and of those that cannot be."""

from collections.abc import Iterator

from relay.ir.expr import Call, Expr, Function, Let
from relay.ir.module import Module
from relay.ir.types import TensorType, is_dynamic
from relay.ir.walk import outside_kernels, post_order
from relay.opdef.definition import OperatorDef
from relay.transform.batched_region_records import region_of
from relay.transform.batching.deferrable_operators import is_form_missing


def deferral_notes(module: Module, entry: str = "main") -> tuple[str, ...]:
    """Return a line for each group of deferred operators, and for each that cannot be deferred.

    The module is the output of `BatchRegions`. Operators in the entry's outermost scope are
    computed once, and are not reported.
    """
    regions = {name: f for name, f in module.functions.items() if region_of(f) is not None}
    records = filter(None, map(region_of, regions.values()))
    forms = {form for region in records for form in (region.many, region.uniform)}
    once = set(_outermost(module.functions[entry])) if entry in module.functions else set[Expr]()
    waiting = [f"{name}: {_count(f)} operators wait{_place(f.body)}" for name, f in regions.items()]
    others = [f for name, f in module.functions.items() if name not in forms | set(regions)]
    now = [note for f in others for note in _computed_now(f, once)]
    return (*waiting, *dict.fromkeys(now))


def _outermost(function: Function) -> Iterator[Expr]:
    body = function.body
    while isinstance(body, Let):
        yield body.value
        body = body.body
    yield body


def _count(region: Function) -> int:
    """Return the number of operators in a region; all of its calls are calls of operators."""
    return sum(isinstance(expr, Call) for expr in post_order(region.body))


def _computed_now(function: Function, once: set[Expr]) -> Iterator[str]:
    for expr in post_order(function.body, edges=outside_kernels):
        if not (isinstance(expr, Call) and isinstance(expr.op, OperatorDef)) or expr in once:
            continue
        types = [arg.type for arg in expr.args]
        tensors = [ty for ty in types if isinstance(ty, TensorType)]
        is_view = len(tensors) == len(types) and expr.op.keeps_order(*tensors)
        if any(ty.rank for ty in tensors) and not is_view:
            yield f"{expr.op.name} is not batched{_place(expr)}: {_reason(expr)}"


def _reason(call: Call) -> str:
    if any(is_dynamic(each.type) for each in (call, *call.args)):
        return "its sizes are known only when it runs"
    if is_form_missing(call):
        return "it cannot be mapped over a new axis"
    return "its result is needed immediately, or is the same in all calls"


def _place(expr: Expr) -> str:
    """Return the source location of an expression, or that of its first part that has one."""
    spans = (each.span for each in post_order(expr) if each.span is not None)
    span = next(spans, None)
    return "" if span is None else f" at {span}"
