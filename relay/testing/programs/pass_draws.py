"""Draws of a program and a pass, or a sequence of passes: types, values, executors, derivatives.

A draw follows from its number, so a failure can be made again.
"""

import functools
from collections.abc import Sequence

import numpy as np

from relay.autodiff.grad import value_and_grad
from relay.build.pipeline import pipeline
from relay.build.verify import Verifier, difference
from relay.ir.module import Module
from relay.semantics.collect import Collected, collect
from relay.semantics.evaluate import evaluate
from relay.semantics.infer import infer
from relay.semantics.values import Value
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError, DifferentiationError, RunError
from relay.support.node import Value as Content
from relay.support.node import value
from relay.targets.cpu import this_cpu
from relay.testing.programs.choices import RandomChoices
from relay.testing.programs.executors import check_executors
from relay.testing.programs.gradients import differentiable
from relay.testing.programs.laws import Broken
from relay.testing.programs.program import Program, random_program
from relay.testing.programs.required import with_required
from relay.transform.canonicalize.split_args import SplitArgs
from relay.transform.combine.conv2d import CombineParallelConv2D
from relay.transform.layouts.desired import DesiredLayouts
from relay.transform.pass_text import needs_values, pass_class, pass_names
from relay.transform.pipeline import Pass, run_passes

_UNEQUAL = frozenset(
    {"change-batch", "over-many", "print-ir", "to-mixed-precision", "use-fast-math"}
)
"""Passes that change what a program computes, or print it."""

_REFUSALS = frozenset({ErrorCode.C112, ErrorCode.C160, ErrorCode.C161, ErrorCode.C163})
"""The errors by which passes refuse programs."""

_STEPS = 500_000
"""The most steps of an evaluation: a wrong pass may make a program endless."""

_TOLERANCE = 1e-3
"""The allowed difference, relative to the largest element: passes may reorder sums."""


@value
class Draw(Content):
    """The outcome of a draw: the passes, and whether they changed the program.

    `refused` is the code of an error by which a pass refused the program. `compiled` and
    `differentiated` say which further checks were made.
    """

    passes: tuple[str, ...]
    changed: bool = False
    refused: str = ""
    compiled: bool = False
    differentiated: bool = False


@functools.cache
def drawn_passes() -> Sequence[Pass]:
    """Return an instance of each pass that keeps the meaning of programs, in the order of names."""
    classes = {n: pass_class(n) for n in pass_names() if n not in _UNEQUAL}
    found: dict[str, Pass] = {n: cls() for n, cls in classes.items() if not needs_values(cls)}
    layouts = (("nn.conv2d", ("NHWC", "OHWI")), ("nn.max_pool2d", ("NHWC",)))
    more = (CombineParallelConv2D(2), DesiredLayouts(layouts), SplitArgs(2))
    found |= {each.title(): each for each in (*pipeline(this_cpu(1)), *more)}
    return list(found.values())


def draw(
    number: int, *, length: int = 1, size: int = 30, every: int = 10, gradients: int = 20
) -> Draw:
    """Check a draw, and return its outcome; raises `Broken` if a pass broke the program.

    Of `every` draws one is compiled for all executors, and of `gradients` draws the derivatives of
    the program before and after are compared in one.
    """
    passes = _passes(number, length)
    titles = tuple(each.title() for each in passes)
    program = random_program(RandomChoices(number), size, guarded_reads=number % 2 == 1)
    before = infer(program.module)
    try:
        after = _after(passes, before)
    except CompileError as error:
        if error.code in _REFUSALS:
            return Draw(titles, refused=str(error.code))
        raise
    _same_values(before, after, program.inputs, titles)
    # Inputs of data types belong to the types of the program before.
    compiled = number % every == 0 and after.types == before.types
    if compiled:
        check_executors(Program(after, program.inputs), (3,))
    differentiated = number % gradients == 1 and _same_gradients(program, passes)
    return Draw(titles, after is not before, "", compiled, differentiated)


def _passes(number: int, length: int) -> Sequence[Pass]:
    """Return the passes of a draw: one in turn, or several at random."""
    known = drawn_passes()
    if length == 1:
        return (known[number % len(known)],)
    random = np.random.default_rng(number)
    return [known[int(random.integers(len(known)))] for _ in range(length)]


def _after(passes: Sequence[Pass], module: Module) -> Module:
    for each in passes:
        ready = with_required(each, module)
        after, _ = run_passes(ready, [each], check=Verifier())
        module = module if after is ready else after
    return module


def _same_values(
    before: Module, after: Module, inputs: Sequence[Value], titles: Sequence[str]
) -> None:
    expected, found = _collected(before, inputs), _collected(after, inputs)
    if expected is None or found is None or expected.any_trap or found.any_trap:
        return
    if expected.must_trap != found.must_trap:
        raise Broken(f"{titles}: one of the programs traps, the other does not", before)
    error = 0.0 if expected.must_trap else difference(expected.value, found.value)
    if not error <= _TOLERANCE:
        raise Broken(f"{titles}: values differ by {error:.3g}", before)


def _collected(module: Module, inputs: Sequence[Value]) -> Collected | None:
    """Return the outcome of a program, or None if the inputs do not fit it."""
    try:
        return collect(module, *inputs, most_steps=_STEPS)
    except RunError:
        return None


def _same_gradients(program: Program, passes: Sequence[Pass]) -> bool:
    """Compare the derivatives before and after; return whether there were any."""
    found = differentiable(program)
    if isinstance(found, str):
        return False
    module, inputs = found
    for number in range(len(inputs)):
        try:
            derived = [value_and_grad(m, number) for m in (module, _after(passes, module))]
            one, other = (evaluate(each, *inputs) for each in derived)
        except (CompileError, DifferentiationError, RunError):
            continue
        error = difference(one, other)
        if not error <= _TOLERANCE:
            titles = [each.title() for each in passes]
            raise Broken(f"{titles}: derivatives differ by {error:.3g}", module)
        return True
    return False
