"""Inserts flush points before instructions that read tensors which may be deferred."""

from collections.abc import Sequence

from relay.runtime.code.function import Block, CodeFunction, Task
from relay.runtime.code.instructions import Await, Instruction, RunKernel, Update
from relay.runtime.code.register_kinds import Tensor
from relay.runtime.code.size_instructions import LoadElement
from relay.support.node import replace


def await_results(
    functions: Sequence[CodeFunction], tasks: Sequence[Task]
) -> tuple[CodeFunction, ...]:
    """Return the functions with an `Await` before each instruction that reads deferred elements.

    Functions that compute deferred calls (`tasks`) need none: their inputs are already computed.
    """
    ready = {index for task in tasks for index in task.all_functions}
    return tuple(
        function if not tasks or index in ready else _awaiting(function)
        for index, function in enumerate(functions)
    )


def _awaiting(function: CodeFunction) -> CodeFunction:
    """Return a function with an `Await` for tensors that its own kernels do not compute."""
    instructions = [i for block in function.blocks for i in block.body]
    made = {r for i in instructions if isinstance(i, RunKernel) for r in i.outputs}
    elsewhere = {r for i in instructions if not isinstance(i, RunKernel) for r in i.writes}
    here = made - elsewhere - set(range(function.parameters))
    here.difference_update(r for block in function.blocks for r in block.end.writes)

    def waits(instruction: Instruction) -> list[Instruction]:
        if not isinstance(instruction, RunKernel | Update | LoadElement):
            return [instruction]
        read = (*instruction.borrows, *instruction.consumes)
        tensors = [r for r in read if isinstance(function.kinds[r], Tensor)]
        late = tuple(dict.fromkeys(r for r in tensors if r not in here))
        return [Await(late), instruction] if late else [instruction]

    blocks = [Block(tuple(w for i in b.body for w in waits(i)), b.end) for b in function.blocks]
    return replace(function, blocks=tuple(blocks))
