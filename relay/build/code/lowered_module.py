"""Lowers a module to program code whose kernels are not compiled yet; all executors share it."""

from collections.abc import Collection, Sequence

from relay.build.code.insert_flush_points import await_results
from relay.build.code.program_lowering import ProgramLowering
from relay.build.code.reference_counting import count_references
from relay.build.code.register_kinds import kinds_of
from relay.build.code.stack_allocation import place_in_frame
from relay.build.compile_kernels import label
from relay.build.inplace_kernels import IN_PLACE
from relay.build.kernel_sizes import dimensions
from relay.ir.expr import Array, Function
from relay.ir.module import Module
from relay.runtime import program as runtime
from relay.runtime.code.function import CodeFunction, KernelUse, ProgramCode, Task
from relay.runtime.program import Trap
from relay.support.node import node


@node
class Lowered:
    """The functions of program code, with the kernels, constants and traps that they use."""

    functions: tuple[CodeFunction, ...]
    kernels: tuple[Function, ...]
    constants: tuple[Array, ...]
    traps: tuple[Trap, ...]
    tasks: tuple[Task, ...] = ()

    def code(self, symbols: Sequence[str], measuring: Collection[str] = ()) -> ProgramCode:
        """Return the program code in which `symbols` name the compiled kernels.

        Kernels in `measuring` have a function that returns their workspace size.
        """
        named = ((f"c{i}", array) for i, array in enumerate(self.constants))
        pairs = zip(self.kernels, symbols, strict=True)
        uses = (_use(kernel, symbol, symbol in measuring) for kernel, symbol in pairs)
        constants = runtime.pack_constants(named)
        return ProgramCode(self.functions, tuple(uses), constants, self.traps, self.tasks)


def lower_program(module: Module) -> Lowered:
    """Return a module in A-normal form with fused kernels as program code."""
    lowering = ProgramLowering(module, "main")
    awaiting = await_results(lowering.functions(), lowering.tasks)
    functions = [count_references(place_in_frame(f)) for f in awaiting]
    needs = lowering.resources
    return Lowered(
        tuple(functions),
        tuple(needs.kernels),
        tuple(needs.constants),
        tuple(needs.traps),
        tuple(lowering.tasks),
    )


def _use(function: Function, symbol: str, measures: bool) -> KernelUse:
    params = function.params[1:] if IN_PLACE in function.attrs else function.params
    inputs = tuple(kind for param in params for kind in kinds_of(param.type))
    outputs, sizes = kinds_of(function.body.type), len(dimensions(function))
    return KernelUse(symbol, label(function), inputs, outputs, sizes, measures)
