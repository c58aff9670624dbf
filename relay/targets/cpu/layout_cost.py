"""Estimates what the layouts of a whole function cost on a CPU."""

from relay.ir.expr import Call, Function
from relay.ir.walk import outside_kernels, post_order
from relay.kernels.cpu_model import CpuModel
from relay.ops.nn.conv import Convolution
from relay.targets.cpu.preferred_layouts import CYCLES_OF_MOVE, fullness, fullness_along
from relay.targets.cpu.schedules.size_hints import product
from relay.transform.convert_layout import conversions


def layout_cost(function: Function, machine: CpuModel) -> float:
    """Return the cycles of the convolutions of a function, and of its conversions of layouts.

    Other operators take the same time in all layouts, nearly.
    """
    moved = sum(product(call.tensor_type.shape) for call in conversions(function))
    calls = post_order(function, edges=outside_kernels)
    convolutions = (e for e in calls if isinstance(e, Call) and isinstance(e.op, Convolution))
    return CYCLES_OF_MOVE * moved + sum(_cycles(call, machine) for call in convolutions)


def _cycles(call: Call, machine: CpuModel) -> float:
    """Return the cycles in which full vectors of a convolution are multiplied and added."""
    assert isinstance(call.op, Convolution), "only convolutions are estimated"
    _, kernel, result = call.op.layouts
    weight, lanes = call.args[1].tensor_type, machine.lanes(call.tensor_type.dtype)
    products = product(weight.shape) / product([kernel.sizes(weight.shape)["O"]])
    block = result.block("C")
    full = fullness(block, lanes) if block > 1 else fullness_along(call, lanes)
    return product(call.tensor_type.shape) * products / (lanes * max(1, machine.fma_ports) * full)
