"""The samples on which a function is verified, adapted to the program."""

from collections.abc import Sequence

from relay.build.sample_inputs import held_data, sample_count
from relay.build.verification_samples import BASE, DEEP, Sample, samples
from relay.ir.dims import ANY
from relay.ir.expr import Call, Expr, Function
from relay.ir.module import Module
from relay.ir.types import dim_variables, dimensions
from relay.ir.walk import post_order
from relay.opdef.access_map import Fusion
from relay.opdef.definition import OperatorDef
from relay.ops.binary import Arithmetic, Extreme
from relay.support.node import replace

_BOUND = 40
"""The largest integer for programs whose sizes depend on values."""

_STEPS = 1000
"""The steps that an evaluation may take in addition to four for each node of the program."""


def suitable_samples(module: Module, name: str) -> list[Sample]:
    """Return the samples for a function of a module, beginning with the base sample.

    The module is the program before a pass: the additions of a wrong pass must not choose the
    samples.

    1. A function without parameters has the same value for all samples: one suffices.
    2. If sizes depend on values, integers are small: a tensor of all sizes does not fit in memory.
    3. NaN and infinities are left out of programs with sums and products of floats, which passes
       may rearrange: `x * 2 - x` is NaN where `x` is infinite, but `x` is not.
    4. The second sample of a function that takes data has deeply nested data.
    """
    if not module[name].params:
        return [BASE]
    nodes = post_order(*module.functions.values())
    found = samples(sample_count(module, name))
    if _values_decide_sizes(nodes):
        found = [_bounded(each) for each in found]
    if any(map(_is_rearranged, nodes)):
        found = [replace(each, special=()) if each.is_infinite else each for each in found]
    types = [param.type for param in module[name].params]
    return [BASE, DEEP, *found[1:]] if held_data(types, module) else found


def keeps_infinities(module: Module) -> bool:
    """Whether passes keep the results of a program for NaN and infinities, too."""
    return not any(map(_is_rearranged, post_order(*module.functions.values())))


def step_limit(module: Module) -> int:
    """Return the limit of steps of further samples: a large number may be one of repetitions."""
    return _STEPS + 4 * len(post_order(*module.functions.values()))


def _bounded(sample: Sample) -> Sample:
    return sample if sample.least is not None else replace(sample, least=-_BOUND, most=_BOUND)


def _values_decide_sizes(nodes: Sequence[Expr]) -> bool:
    """Whether a program has tensors whose sizes depend on values, not only on other sizes."""
    params = [p.type for each in nodes if isinstance(each, Function) for p in each.params]
    types = [each.ty for each in nodes if isinstance(each, Call) and each.ty is not None]
    dims = {dim for ty in types for dim in dimensions(ty)}
    return ANY in dims or not dim_variables(*types) <= dim_variables(*params)


def _is_rearranged(expr: Expr) -> bool:
    """Whether passes may compute an operator's result from other sums or products."""
    match expr:
        case Call(Extreme()):
            return False
        case Call(Arithmetic()):
            return True
        case Call(OperatorDef() as op):
            return op.fusion > Fusion.INJECTIVE
        case _:
            return False
