"""The tensor expressions that a kernel computes, before a schedule is chosen."""

from collections.abc import Sequence

from relay.kernels import te
from relay.kernels.loops import Buffer, Kernel
from relay.kernels.scalar import Size
from relay.kernels.schedule.default import default_schedule
from relay.kernels.schedule.lower import Limits, lower
from relay.kernels.schedule.schedule import Schedule
from relay.opdef.definition import OperatorDef
from relay.support.node import node, replace


@node
class Formulas:
    """The results of a kernel as tensor expressions of its inputs.

    `anchor` is the operator that determines the loops, with the tensor expression of its result; it
    is None if everything is injective.
    `sizes` are the kernel's integer arguments for symbolic dimensions in the shapes. `parity` is
    an input of one integer: if it is odd, data that is read once may be read from its end. `params`
    are the buffers of the tensors, if another kernel has created them. If `joint`, all outputs
    are computed in the same loops (`relay.kernels.schedule.join_outputs`). `limits` are bounds of
    sizes that a test around the loops ensures.
    """

    name: str
    inputs: Sequence[te.Tensor]
    outputs: Sequence[te.Tensor]
    anchor: tuple[OperatorDef, te.Tensor] | None = None
    sizes: tuple[Size, ...] = ()
    parity: te.Tensor | None = None
    params: Sequence[Buffer] = ()
    joint: bool = False
    limits: Limits = ()

    def plain(self) -> Kernel:
        """Return the kernel with the default schedule, which is independent of the machine."""
        return self.lowered(default_schedule(self.outputs, joint=self.joint))

    def lowered(self, schedule: Schedule) -> Kernel:
        """Return the kernel that a schedule of the outputs describes."""
        kernel = lower(schedule, self.inputs, self.name, self.params, self.limits)
        return replace(kernel, scalars=self.sizes)
