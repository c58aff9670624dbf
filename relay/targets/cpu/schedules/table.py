"""Which rule schedules which operator."""

from collections.abc import Sequence

from relay.kernels import te
from relay.kernels.loops import If, Kernel
from relay.kernels.machine import Machine
from relay.kernels.scalar import Scalar
from relay.kernels.schedule.lower import lower
from relay.kernels.schedule.schedule import Schedule, copy_of, topological
from relay.kernels.te.imperative import Built
from relay.kernels.te.tensor import Computed, Reduce, Tensor
from relay.opdef.definition import OperatorDef
from relay.support.node import replace
from relay.targets.cpu.schedules.across import across
from relay.targets.cpu.schedules.along import along
from relay.targets.cpu.schedules.formulas import inlined
from relay.targets.cpu.schedules.loose import loose
from relay.targets.cpu.schedules.packing import turns_too_little
from relay.targets.cpu.schedules.product import in_tiles, only_reduction
from relay.targets.cpu.schedules.rows import runs_along
from relay.targets.cpu.schedules.together import rows_together, together


def schedule(
    name: str,
    inputs: Sequence[te.Tensor],
    outputs: Sequence[te.Tensor],
    anchor: tuple[OperatorDef, te.Tensor] | None,
    machine: Machine,
    parity: Tensor | None = None,
) -> Kernel:
    """Return the loops that compute the outputs from the inputs, as the anchor's rule says.

    Where it depends on sizes that only a call tells whether an operand is worth turning, there are
    loops for both. Where `parity`, an input, is odd, what is read once is read from its end.
    """
    del anchor  # what is computed says enough
    outputs = inlined(outputs)
    kernel = lower(_general(outputs, machine, parity), inputs, name)
    test = _turns_too_little(outputs)
    if test is None:
        return kernel
    other = lower(_general(outputs, machine, parity, turns=False), inputs, name, kernel.params)
    return replace(kernel, body=If(test, other.body, kernel.body))


def _turns_too_little(outputs: Sequence[Tensor]) -> Scalar | None:
    output = outputs[0]
    sums = only_reduction(output) if isinstance(output, Computed) and len(outputs) == 1 else None
    return turns_too_little(sums) if sums is not None and sums.axes else None


def _general(
    outputs: Sequence[Tensor], machine: Machine, parity: Tensor | None, *, turns: bool = True
) -> Schedule:
    """Return a schedule for anything."""
    order = topological(outputs)
    by_hand = any(isinstance(tensor, Built) for tensor in order)
    reduces = any(isinstance(t, Computed) and isinstance(t.body, Reduce) for t in order)
    if by_hand or not reduces or len(outputs) > 1:
        return loose(outputs, machine)
    (output,) = outputs
    assert isinstance(output, Computed)
    tiled = in_tiles(output, machine, parity, turns=turns)
    if tiled is not None:
        return tiled
    if output.reduce_axes:
        output = copy_of(output)
    if not runs_along(output, machine):
        return across(output, machine)
    rows = rows_together(output, machine)
    return along(output, machine) if rows is None else together(output, rows, machine)
