"""What the compiler asks of a machine's target."""

from collections.abc import Sequence
from typing import Protocol

from relay.ir.expr import Call
from relay.kernels import te
from relay.kernels.loops import Kernel
from relay.kernels.machine import Machine
from relay.opdef.definition import OperatorDef
from relay.opdef.relayout import ArgLayout, Relayout


class Target(Protocol):
    """A kind of machine, with everything in it that is decided by operator class."""

    @property
    def machine(self) -> Machine:
        """Return the machine that code is made for."""
        ...

    def prefer(self, call: Call, layouts: Sequence[ArgLayout]) -> Relayout | None:
        """Return the layouts in which a call runs fastest; None where plain ones are as good.

        `layouts` are those in which its arguments are at hand.
        """
        ...

    def accepts(self, anchor: OperatorDef, producer: OperatorDef) -> bool:
        """Whether the anchor's schedule reads through that injective producer at no cost."""
        ...

    def schedule(
        self,
        name: str,
        inputs: Sequence[te.Tensor],
        outputs: Sequence[te.Tensor],
        anchor: tuple[OperatorDef, te.Tensor] | None,
        parity: te.Tensor | None = None,
    ) -> Kernel:
        """Return the loops that compute the outputs from the inputs.

        `anchor` is the operator that determines the schedule, with the formula of its result, which
        is an output or read elementwise by one; None if everything is injective. `parity` is an
        input of one integer: where that is odd, what is read once may be read from its end.
        """
        ...
