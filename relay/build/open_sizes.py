"""Whether a target has kernels for sizes that are known only at run time."""

import logging
from collections.abc import Iterator

from relay.build.dimensions import dimensions
from relay.build.kernels import label
from relay.build.lower import formulas
from relay.ir.equality import structural_key
from relay.ir.expr import Call, Function
from relay.ir.module import Module
from relay.ir.walk import outside_kernels, post_order
from relay.opdef.definition import OperatorDef
from relay.ops.tensor.run_time_sizes import WithSizes
from relay.targets.target import Target

_log = logging.getLogger("relay")


def runs_at_any_size(module: Module, target: Target) -> bool:
    """Whether each kernel of a fused module that is told sizes has a schedule without them.

    Loops that are plain would do, but what is compiled for each choice of sizes is then far better.
    """
    return all(_is_arranged(function, target) for function in _open_kernels(module))


def _open_kernels(module: Module) -> Iterator[Function]:
    """Yield the kernels that are told sizes, each once."""
    seen: set[object] = set()
    for function in module.functions.values():
        for expr in post_order(function, edges=outside_kernels):
            if isinstance(expr, Call) and isinstance(expr.op, Function) and dimensions(expr.op):
                key = structural_key(expr.op)
                if key not in seen:
                    seen.add(key)
                    yield expr.op


def _is_arranged(function: Function, target: Target) -> bool:
    calls = [expr for expr in post_order(function.body) if isinstance(expr, Call)]
    if any(isinstance(call.op, WithSizes) for call in calls):
        return True  # no kernel, but what gives names their meaning
    if any(isinstance(call.op, OperatorDef) and target.wants_sizes(call.op) for call in calls):
        return False
    try:
        formulas(function, label(function)).scheduled(target)
    except Exception as error:  # noqa: BLE001 - whatever it is, known sizes avoid it
        _log.info("known sizes for %s: %s", label(function), error)
        return False
    return True
