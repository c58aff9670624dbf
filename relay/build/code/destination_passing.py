"""Destination passing: callers choose the addresses to which functions write their results.

The caller stores the wanted address of the elements, or null, into the result's slot. If a kernel
of the function makes a returned result, the kernel writes directly to that address, and no block
owns the result.
"""

from collections.abc import Iterator, Mapping, Sequence

from relay.runtime.code.function import CodeFunction, Task
from relay.runtime.code.instructions import Instruction, Move, Return, RunKernel
from relay.runtime.code.size_instructions import View


def wanted_results(function: CodeFunction, index: int, tasks: Sequence[Task]) -> dict[int, int]:
    """Return the results of a function that kernels can write directly to the caller's addresses.

    The result maps the register of a kernel's output to the number of the function's result, which
    is this tensor or a view of it. It is empty for a function that no task calls, because only
    tasks pass such addresses.
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
    """Yield pairs of registers of which the first shares the elements of the second."""
    for each in instructions:
        match each:
            case View(to, source) | Move(to, source):
                yield to, source
            case _:
                pass
