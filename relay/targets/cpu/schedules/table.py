"""Which rule schedules which operator."""

from collections.abc import Sequence

from relay.kernels import te
from relay.kernels.loops import Kernel
from relay.kernels.machine import Machine
from relay.kernels.schedule.lower import lower
from relay.kernels.schedule.schedule import Schedule, copy_of, topological
from relay.kernels.te.imperative import Built
from relay.kernels.te.tensor import Computed, Reduce, Tensor
from relay.opdef.definition import OperatorDef
from relay.targets.cpu.schedules.across import across
from relay.targets.cpu.schedules.along import along
from relay.targets.cpu.schedules.formulas import inlined
from relay.targets.cpu.schedules.loose import loose
from relay.targets.cpu.schedules.product import in_tiles
from relay.targets.cpu.schedules.rows import runs_along


def schedule(
    name: str,
    inputs: Sequence[te.Tensor],
    outputs: Sequence[te.Tensor],
    anchor: tuple[OperatorDef, te.Tensor] | None,
    machine: Machine,
) -> Kernel:
    """Return the loops that compute the outputs from the inputs, as the anchor's rule says."""
    del anchor  # what is computed says enough
    return lower(_general(inlined(outputs), machine), inputs, name)


def _general(outputs: Sequence[Tensor], machine: Machine) -> Schedule:
    """Return a schedule for anything."""
    order = topological(outputs)
    by_hand = any(isinstance(tensor, Built) for tensor in order)
    reduces = any(isinstance(t, Computed) and isinstance(t.body, Reduce) for t in order)
    if by_hand or not reduces or len(outputs) > 1:
        return loose(outputs, machine)
    (output,) = outputs
    assert isinstance(output, Computed)
    tiled = in_tiles(output, machine)
    if tiled is not None:
        return tiled
    if output.reduce_axes:
        output = copy_of(output)
    return along(output, machine) if runs_along(output) else across(output, machine)
