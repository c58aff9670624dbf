"""Check that a program of symbolic sizes is compiled once, and is right at every size."""

from collections.abc import Sequence

import numpy as np

from relay.build.pipeline import pipeline
from relay.ir.expr import Array
from relay.ir.types import has_any, is_dynamic
from relay.semantics.evaluator_values import Value
from relay.semantics.infer import infer
from relay.targets.cpu import this_cpu
from relay.transform.pass_context import HIGHEST, PassContext
from relay.transform.run_passes import run_passes
from tools.fuzzing.programs.executors import agrees, executables
from tools.fuzzing.programs.laws import Broken
from tools.fuzzing.programs.outcomes import expected, outcome
from tools.fuzzing.programs.program import Program

LENGTHS = ((1, 1), (2, 1), (5, 5), (1, 4), (3, 6))
"""The lengths of tensors: of those with a named length, and of the others."""


def has_open_sizes(program: Program) -> bool:
    """Whether `main` takes tensors of unknown length."""
    return any(is_dynamic(param.type) for param in infer(program.module).main.params)


def check_open_sizes(
    program: Program, lengths: Sequence[tuple[int, int]] = LENGTHS, level: int = HIGHEST
) -> None:
    """Raise `Broken` unless executors agree with the evaluator for inputs of all lengths."""
    module = infer(program.module)
    target = this_cpu()
    optimised, _ = run_passes(module, pipeline(target, PassContext(level)))
    runs = list(executables(module, optimised, target, level))
    for length in lengths:
        args = _inputs(program, *length)
        right = expected(module, *args)
        for name, run in runs:
            found = outcome(lambda run=run, args=args: run(*args))
            if not right.allows(found, agrees):
                law = f"{name} at length {length} gives {found!r:.300}, not {right!r:.300}"
                raise Broken(law, module)


def _inputs(program: Program, named: int, unnamed: int) -> list[Value]:
    """Return the program's inputs, with those of unknown length replaced."""
    pairs = zip(infer(program.module).main.params, program.inputs, strict=True)
    lengths = {True: unnamed, False: named}
    return [
        _quarters(lengths[has_any(param.type)]) if is_dynamic(param.type) else given
        for param, given in pairs
    ]


def _quarters(length: int) -> Array:
    return (np.arange(2 * length).reshape(length, 2) % 7 - 3).astype(np.float32) / 4
