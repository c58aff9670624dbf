"""The CPU as a target."""

from collections.abc import Sequence
from dataclasses import replace

from relay.ir.expr import Call
from relay.kernels import te
from relay.kernels.loops import Kernel
from relay.kernels.machine import Machine
from relay.opdef.definition import OperatorDef
from relay.opdef.relayout import ArgLayout, Relayout
from relay.ops.nn.dense_pack import DensePack
from relay.ops.nn.matmul import Dense, MatrixProduct
from relay.ops.tensor.reshape import Reshape
from relay.ops.tensor.transpose import Transpose
from relay.support.node import Value, value
from relay.targets.cpu.layouts import prefer
from relay.targets.cpu.schedules import schedule


@value
class CpuTarget(Value):
    """A CPU with the instruction set, the caches and the cores of `machine`."""

    machine: Machine

    @staticmethod
    def host(threads: int | None = None) -> "CpuTarget":
        """Return this machine's CPU, of which at most `threads` cores are used."""
        machine = Machine.host()
        return CpuTarget(machine if threads is None else replace(machine, cores=threads))

    def prefer(self, call: Call, layouts: Sequence[ArgLayout]) -> Relayout | None:
        """Return the blocked layouts in which convolutions run fastest."""
        return prefer(call, layouts, self.machine)

    def accepts(self, anchor: OperatorDef, producer: OperatorDef) -> bool:
        """Accept what only says in which order the operands of a matrix product lie."""
        product = isinstance(anchor, MatrixProduct | Dense | DensePack)
        return product and isinstance(producer, Transpose | Reshape)

    def schedule(
        self,
        name: str,
        inputs: Sequence[te.Tensor],
        outputs: Sequence[te.Tensor],
        anchor: tuple[OperatorDef, te.Tensor] | None,
        parity: te.Tensor | None = None,
    ) -> Kernel:
        """Choose loops by the anchor's class, and numbers in them by the machine's."""
        return schedule(name, inputs, outputs, anchor, self.machine, parity)
