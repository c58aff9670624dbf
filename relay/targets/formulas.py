"""What a kernel computes, before anything is decided about how: the formulas of its results."""

from collections.abc import Sequence

from relay.kernels import te
from relay.kernels.loops import Buffer, Kernel
from relay.kernels.scalar import Size
from relay.kernels.schedule.default import default_schedule
from relay.kernels.schedule.lower import lower
from relay.kernels.schedule.schedule import Schedule
from relay.opdef.definition import OperatorDef
from relay.support.node import node, replace


@node
class Formulas:
    """Results as tensor expressions of inputs, and the operator that decides about the loops.

    `anchor` is that operator with the formula of its result; None if everything is injective.
    `sizes` are those that the kernel is called with, for what is symbolic in the shapes. `parity`
    is an input of one integer: where it is odd, what is read once may be read from its end.
    `params` are the buffers of the kernel where another one has them already.
    """

    name: str
    inputs: Sequence[te.Tensor]
    outputs: Sequence[te.Tensor]
    anchor: tuple[OperatorDef, te.Tensor] | None = None
    sizes: tuple[Size, ...] = ()
    parity: te.Tensor | None = None
    params: Sequence[Buffer] = ()

    def plain(self) -> Kernel:
        """Return the kernel with loops that are right for anything and know no machine."""
        return self.lowered(default_schedule(self.outputs))

    def lowered(self, schedule: Schedule) -> Kernel:
        """Return the kernel of a schedule of the outputs."""
        kernel = lower(schedule, self.inputs, self.name, self.params)
        return replace(kernel, scalars=self.sizes)
