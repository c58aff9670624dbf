"""Destination passing: a function writes a result where its caller wants it.

The caller of such a function writes into the place of a result's address where the elements are to
be, or null. What a kernel makes, and the function returns, is made there, and is owned by no block.
"""

from collections.abc import Iterator, Mapping, Sequence

from relay.runtime.code.function import CodeFunction, Task
from relay.runtime.code.instructions import Instruction, Move, Return, RunKernel
from relay.runtime.code.sizes import View


def wanted_results(function: CodeFunction, index: int, tasks: Sequence[Task]) -> dict[int, int]:
    """Return the numbers of results by the registers that kernels write them to.

    A result may be another view of what the kernel wrote. Only functions of tasks are told where
    results are wanted.
    """
    if not any(index in task.all_functions for task in tasks):
        return {}
    instructions = [each for block in function.blocks for each in block.body]
    sources = dict(_sources(instructions))
    made = {r for each in instructions if isinstance(each, RunKernel) for r in each.outputs}
    found: dict[int, int] = {}
    for end in (block.end for block in function.blocks):
        for number, result in enumerate(end.values) if isinstance(end, Return) else ():
            register = _origin(result, sources)
            if register in made:
                found.setdefault(register, number)
    return found


def _origin(register: int, sources: Mapping[int, int]) -> int:
    while register in sources:
        register = sources[register]
    return register


def _sources(instructions: Sequence[Instruction]) -> Iterator[tuple[int, int]]:
    """Yield registers that hold the elements which another one has."""
    for each in instructions:
        match each:
            case View(to, source) | Move(to, source):
                yield to, source
            case _:
                pass
