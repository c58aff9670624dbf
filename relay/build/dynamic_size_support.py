"""Decides whether the kernels of a program can be compiled once for all dynamic sizes."""

from collections.abc import Iterator

from relay.build.compile_kernels import label
from relay.build.kernel_sizes import dimensions, kernel_key
from relay.build.lower_to_tensor_expressions import formulas
from relay.build.unknown_size_errors import makes_unknown_sizes
from relay.ir.expr import Call, Function
from relay.ir.module import Module
from relay.ir.walk import outside_kernels, post_order
from relay.ops.tensor.run_time_sizes import WithSizes
from relay.support.errors import OpenSizeError


def runs_at_any_size(module: Module) -> bool:
    """Whether each kernel of a fused module can be compiled for all dynamic sizes.

    An operator whose tensor expression depends on the value of a size raises an `OpenSizeError`. A
    kernel with unnamed sizes in its result cannot be compiled either: these sizes may become static
    when others do.
    """
    return not makes_unknown_sizes(module) and all(map(_has_formula, _open_kernels(module)))


def _open_kernels(module: Module) -> Iterator[Function]:
    """Yield the kernels that take sizes as arguments, each once."""
    seen: set[object] = set()
    for function in module.functions.values():
        for expr in post_order(function, edges=outside_kernels):
            match expr:
                case Call(Function(is_primitive=True) as kernel) if dimensions(kernel):
                    key = kernel_key(kernel)
                    if key not in seen:
                        seen.add(key)
                        yield kernel
                case _:
                    continue


def _has_formula(function: Function) -> bool:
    calls = (expr for expr in post_order(function.body) if isinstance(expr, Call))
    if any(isinstance(call.op, WithSizes) for call in calls):
        return True  # not a kernel: it binds dimension names
    try:
        formulas(function, label(function))
    except OpenSizeError:
        return False
    return True
