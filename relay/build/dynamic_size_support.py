"""Decides whether the kernels of a program can be compiled once for all dynamic sizes."""

from collections.abc import Iterator

from relay.build.compile_kernels import label
from relay.build.kernel_sizes import dimensions
from relay.build.lower_to_tensor_expressions import formulas
from relay.build.unknown_size_errors import makes_unknown_sizes
from relay.ir.expr import Call, Constant, Function
from relay.ir.module import Module
from relay.ir.walk import outside_kernels, post_order
from relay.ops.tensor.run_time_sizes import WithSizes
from relay.support.errors import OpenSizeError

_SMALL = 64  # bytes of a constant whose content is compared; others are compared by identity


def runs_at_any_size(module: Module) -> bool:
    """Whether each kernel of a fused module can be compiled for all dynamic sizes.

    An operator whose tensor expression depends on the value of a size raises an `OpenSizeError`. A
    kernel with unnamed sizes in its result cannot be compiled either: these sizes may become static
    when others do.
    """
    return not makes_unknown_sizes(module) and all(map(_has_formula, _open_kernels(module)))


def _open_kernels(module: Module) -> Iterator[Function]:
    """Yield kernels of dynamic sizes such that each operator is in one of them with each type."""
    seen: set[object] = set()
    for function in module.functions.values():
        for expr in post_order(function, edges=outside_kernels):
            if isinstance(expr, Call) and isinstance(expr.op, Function) and expr.op.is_primitive:
                calls = {_content(each) for each in _calls(expr.op)}
                if not calls <= seen and dimensions(expr.op):
                    seen |= calls
                    yield expr.op


def _calls(function: Function) -> Iterator[Call]:
    return (expr for expr in post_order(function.body) if isinstance(expr, Call))


def _content(call: Call) -> object:
    """Return what determines the tensor expression of a call: its operator, types and constants."""
    constants = (_data(arg) if isinstance(arg, Constant) else None for arg in call.args)
    return (call.op, call.type, *(arg.type for arg in call.args), *constants)


def _data(constant: Constant) -> object:
    small = constant.array.nbytes <= _SMALL
    return constant.array.tobytes() if small else id(constant)


def _has_formula(function: Function) -> bool:
    if any(isinstance(call.op, WithSizes) for call in _calls(function)):
        return True  # not a kernel: it binds dimension names
    try:
        formulas(function, label(function))
    except OpenSizeError:
        return False
    return True
