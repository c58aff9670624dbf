"""Draws of a program and a pass, or a sequence of passes: types, values, executors, derivatives.

A draw follows from its number, so a failure can be made again.
"""

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from relay.autodiff.grad import value_and_grad
from relay.build.pipeline import pipeline
from relay.build.rounding_sensitive_results import rounds_to_integers
from relay.build.sample_inputs import can_sample, random_inputs
from relay.build.value_difference import difference
from relay.build.verification_samples import Sample
from relay.build.verify_passes import Verifier
from relay.classic.dataflow_pattern import is_op, wildcard
from relay.ir.module import ENTRY, Module
from relay.ir.walk import post_order
from relay.ops.device_annotations import DeviceCopy, OnDevice
from relay.semantics.collect_traps import Collected, collect
from relay.semantics.evaluate import evaluate
from relay.semantics.evaluator_values import Reference, Value
from relay.semantics.infer import infer
from relay.support.error_codes import ErrorCode
from relay.support.errors import (
    CompileError,
    DifferentiationError,
    RelayTypeError,
    RunError,
    UsageError,
)
from relay.support.node import Value as Content
from relay.support.node import value
from relay.targets.cpu import this_cpu
from relay.transform.canonicalize.split_args import SplitArgs
from relay.transform.change_batch_size import ChangeBatch
from relay.transform.checkpoints.choose_checkpoints import ChooseCheckpoints
from relay.transform.combine.conv2d import CombineParallelConv2D
from relay.transform.compilers.external_compiler import find_compiler
from relay.transform.compilers.merge_composite import MergeComposite
from relay.transform.compilers.outline_supported_calls import AnnotateTarget
from relay.transform.compilers.partition_for import PartitionFor
from relay.transform.layouts.desired_layouts import DesiredLayouts
from relay.transform.lower_complex import LowerComplex
from relay.transform.parse_passes import needs_values, pass_class, pass_names
from relay.transform.pipeline import Pass
from relay.transform.remove_unused_functions import RemoveUnusedFunctions
from relay.transform.run_passes import run_passes
from relay.transform.specialize_sizes import Specialize
from relay.transform.to_mixed_precision import ToMixedPrecision
from tools.fuzzing.programs.changed_meanings import (
    CHANGING,
    LAWS,
    TOLERANCE,
    check_change,
    for_program,
    has_batches,
)
from tools.fuzzing.programs.choices import RandomChoices
from tools.fuzzing.programs.executors import check_executors
from tools.fuzzing.programs.gradients import differentiable, is_smooth
from tools.fuzzing.programs.laws import Broken
from tools.fuzzing.programs.program import Program, random_program
from tools.fuzzing.programs.required import with_required
from tools.fuzzing.programs.seeds import Seeds, registered_rules

NEVER: Mapping[str, str] = {
    "print-ir": "prints the program, and returns it as it is",
    "repeat": "runs other passes again, which are drawn themselves",
}
"""The passes that are never drawn, and why."""

ABSENT: Mapping[str, str] = {
    "lower-data-dependent-dims": "operators take sizes from types since 5759265f",
    "open-global-kernels": "it also opens other kernels, as open-kernel-values",
}
"""Passes of earlier draws that no longer exist, and why."""

_NAMING = frozenset({"open-existential-dims"})
"""Passes that name sizes; inference, which comes first in a compilation, would name them again."""

_REFUSALS = frozenset(
    {ErrorCode.C112, ErrorCode.C160, ErrorCode.C161, ErrorCode.C163, ErrorCode.D011, ErrorCode.U043}
)
"""The errors by which passes refuse programs."""

_STEPS = 500_000
"""The most steps of an evaluation: a wrong pass may make a program endless."""

_ALONE = (ChangeBatch, LowerComplex)
"""The passes whose seeds are programs of their own: their types do not fit random programs."""

_COMPILER = "numpy"
"""The external compiler of the examples, to which regions are given."""

_BUDGET = 96
"""The bytes for values that a derivative reads: a few of the small tensors of random programs."""

_TABLE = (
    ("drawn.dense_relu", is_op("nn.relu")(is_op("nn.dense")(wildcard(), wildcard())), None),
    ("drawn.scaled", is_op("add")(is_op("multiply")(wildcard(), wildcard()), wildcard()), None),
    ("drawn.negative_exp", is_op("exp")(is_op("negative")(wildcard())), None),
)
"""Patterns of composite functions."""


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
    changing = {each.title() for each in CHANGING}
    classes = {n: pass_class(n) for n in pass_names() if n not in NEVER and n not in changing}
    found: dict[str, Pass] = {n: cls() for n, cls in classes.items() if not needs_values(cls)}
    layouts = (("nn.conv2d", ("NHWC", "OHWI")), ("nn.max_pool2d", ("NHWC",)))
    external = (PartitionFor(_COMPILER),) if find_compiler(_COMPILER) else ()
    more = (
        AnnotateTarget((_COMPILER,)),
        ChooseCheckpoints(_BUDGET),
        CombineParallelConv2D(2),
        DesiredLayouts(layouts),
        MergeComposite(_TABLE),
        Specialize((("m", 3), ("n", 2))),
        SplitArgs(2),
        *external,
    )
    found |= {each.title(): each for each in (*pipeline(this_cpu()), *more)}
    return [each for title, each in found.items() if title not in changing]


def draw(
    number: int,
    *,
    length: int = 1,
    size: int = 30,
    every: int = 10,
    gradients: int = 20,
    seeds: Seeds | None = None,
    having: Sequence[str] = (),
) -> Draw:
    """Check a draw, and return its outcome; raises `Broken` if a pass broke the program.

    Of `every` draws of a pass one is compiled for all executors, and of `gradients` draws the
    derivatives of the program before and after are compared in one. With `seeds`, three of four
    programs have one of those in it which a drawn pass changes. Sequences have one of the passes
    `having` these names in them, in turn.
    """
    known = drawn_passes() if length > 1 else (*drawn_passes(), *CHANGING)
    turn = number if length > 1 else number // len(known)  # of the same pass
    with registered_rules():
        drawn = _drawn(number, length, seeds or Seeds(()), known, having)
        program = _program(number, size, drawn)
        if isinstance(drawn.passes[0], tuple(LAWS)):
            return _changed(drawn, program, turn % every == 0)
        return _checked(drawn, program, turn % every == 0, turn % gradients == 1)


def steps(
    number: int, chosen: Sequence[Pass], seeds: Seeds, size: int = 30
) -> Iterator[tuple[Module, Pass]]:
    """Yield each pass of a draw of one of the `chosen` passes, with the program that it gets."""
    drawn = _drawn(number, 1, seeds, chosen)
    module = infer(_program(number, size, drawn).module)
    for each, following in pairwise([*drawn.steps(), None]):
        assert each is not None, "only the last is None"
        module = with_required(each, module)
        yield module, each
        module = each(module) if following is not None else module


@dataclass(frozen=True)
class _Drawn:
    """The passes of a draw, passes that run before the one at `place`, and a seed."""

    passes: Sequence[Pass]
    place: int = 0
    before: Sequence[Pass] = ()
    around: Module | None = None

    def steps(self) -> Iterator[Pass]:
        """Yield all passes in order."""
        yield from (*self.passes[: self.place], *self.before, *self.passes[self.place :])


def _checked(drawn: _Drawn, program: Program, compiled: bool, differentiated: bool) -> Draw:
    """Run the passes of a draw on a program; return the outcome."""
    titles = tuple(each.title() for each in drawn.passes)
    before = infer(program.module)
    try:
        after, changed = _after(drawn, before)
    except (CompileError, DifferentiationError) as error:
        if error.code in _REFUSALS:
            return Draw(titles, refused=str(error.code))
        raise
    _same_values(before, after, program.inputs, titles)
    inputs = _inputs_after(before, after, program.inputs)
    compiled = compiled and inputs is not None and _can_be_compiled(before, after, titles)
    if compiled and inputs is not None:
        check_executors(Program(after, tuple(inputs)), (3,))
    differentiated = differentiated and _same_gradients(program, drawn)
    return Draw(titles, changed, "", compiled, differentiated)


def _changed(drawn: _Drawn, program: Program, compiled: bool) -> Draw:
    """Run a pass that changes what the program computes, after those before it."""
    around = drawn.around if isinstance(drawn.passes[0], _ALONE) else None
    before = infer(program.module if around is None else RemoveUnusedFunctions()(around))
    for other in drawn.before:
        before = other(with_required(other, before))
    each = for_program(drawn.passes[0], before)
    try:
        given = program.inputs if around is None else _sampled(before)
        after, inputs = check_change(each, with_required(each, before), given)
    except RelayTypeError as error:  # the program fixes the old sizes
        if not isinstance(each, ChangeBatch):
            raise
        return Draw((each.title(),), refused=str(error.code))
    except UsageError as error:
        if error.code in _REFUSALS:
            return Draw((each.title(),), refused=str(error.code))
        raise
    compiled = compiled and inputs is not None
    if compiled and inputs is not None:
        check_executors(Program(after, tuple(inputs)), (3,))
    return Draw((each.title(),), after is not before, "", compiled)


def _sampled(module: Module) -> Sequence[Value]:
    return random_inputs(module, Sample()) if can_sample(module, ENTRY) else ()


def _program(number: int, size: int, drawn: _Drawn) -> Program:
    """Return a random program, with the seed in it unless the law of a pass is about that alone."""
    return random_program(
        RandomChoices(number),
        size,
        guarded_reads=number % 2 == 1,
        smooth=isinstance(drawn.passes[0], ToMixedPrecision),
        around=None if isinstance(drawn.passes[0], _ALONE) else drawn.around,
    )


def _drawn(
    number: int, length: int, seeds: Seeds, known: Sequence[Pass], having: Sequence[str] = ()
) -> _Drawn:
    """Return the passes of a draw: one in turn, or several at random; by chance with a seed."""
    turn, index = divmod(number, len(known))
    random = np.random.default_rng(number)
    passes = [known[index]]
    if length > 1:
        passes = [known[int(random.integers(len(known)))] for _ in range(length)]
        turn = int(random.integers(1 << 16))
    place = int(random.integers(length))
    if having:
        wanted = having[number % len(having)]
        passes[place] = next(each for each in known if each.title() == wanted)
    found = [seed for seed in seeds.of(passes[place]) if _keep_meaning(seed.before)]
    if isinstance(passes[place], ChangeBatch):
        found = [seed for seed in found if has_batches(seed.module)]
    if not found or turn % 4 == 0:
        return _Drawn(passes)
    seed = found[turn % len(found)]
    passes[place] = seed.each
    return _Drawn(passes, place, seed.before, seed.module)


def _keep_meaning(passes: Sequence[Pass]) -> bool:
    return {each.title() for each in passes} <= {each.title() for each in drawn_passes()}


def _after(drawn: _Drawn, module: Module) -> tuple[Module, bool]:
    """Return the module after the passes of a draw, and whether one of them changed it.

    Of one pass alone, the passes before it do not count.
    """
    start, changed = module, False
    for each in drawn.steps():
        ready = with_required(each, module)
        after, _ = run_passes(ready, [each], check=Verifier())
        changed = after is not ready
        module = after if changed else module
    return module, changed if len(drawn.passes) == 1 else module is not start


def _can_be_compiled(before: Module, after: Module, titles: Sequence[str]) -> bool:
    """Whether the result of passes can be compiled again.

    Parts may be on devices that are not here.
    """
    if after is not before and not _NAMING.isdisjoint(titles):
        return False
    everything = (e for f in after.functions.values() for e in post_order(f))
    return not any(isinstance(each, OnDevice | DeviceCopy) for each in everything)


def _inputs_after(before: Module, after: Module, inputs: Sequence[Value]) -> Sequence[Value] | None:
    """Return inputs of the program after a pass; None if there are none.

    Data belong to the types before: if the types have changed, other data are drawn.
    """
    if after.types == before.types or _are_tensors(inputs):
        return inputs
    return random_inputs(after, Sample()) if can_sample(after, ENTRY) else None


def _are_tensors(inputs: Sequence[Value]) -> bool:
    """Whether inputs are tensors, also in tuples and references, and no data or functions."""
    pending = [*inputs]
    while pending:
        match pending.pop():
            case tuple() as fields:
                pending += fields
            case Reference() as reference:
                pending.append(reference.content)
            case np.ndarray():
                pass
            case _:
                return False
    return True


def _same_values(
    before: Module, after: Module, inputs: Sequence[Value], titles: Sequence[str]
) -> None:
    expected, found = _collected(before, inputs), _collected(after, inputs)
    if expected is None or found is None or expected.any_trap or found.any_trap:
        return
    if expected.must_trap != found.must_trap:
        raise Broken(f"{titles}: one of the programs traps, the other does not", before)
    error = 0.0 if expected.must_trap else _apart(before, expected.value, found.value)
    if not error <= TOLERANCE:
        raise Broken(f"{titles}: values differ by {error:.3g}", before)


def _apart(module: Module, expected: Value, found: Value) -> float:
    return difference(expected, found, rounds=rounds_to_integers(module))


def _collected(module: Module, inputs: Sequence[Value]) -> Collected | None:
    """Return the outcome of a program, or None if the inputs do not fit it."""
    try:
        return collect(module, *inputs, most_steps=_STEPS)
    except RunError:
        return None


def _same_gradients(program: Program, drawn: _Drawn) -> bool:
    """Compare the derivatives before and after; return whether there were any."""
    try:
        found = differentiable(program)
    except RelayTypeError:  # a local function of several sizes
        return False
    if isinstance(found, str):
        return False
    module, inputs = found
    for number in range(len(inputs)):
        try:
            derived = [value_and_grad(m, number) for m in (module, _after(drawn, module)[0])]
            one, other = (evaluate(each, *inputs) for each in derived)
        except (CompileError, DifferentiationError, RunError):
            continue
        error = _apart(module, one, other)
        if not error <= TOLERANCE:
            if not is_smooth(module, inputs, number, one):
                continue  # a pass may choose another one of equal elements
            titles = [each.title() for each in drawn.passes]
            raise Broken(f"{titles}: derivatives differ by {error:.3g}", module)
        return True
    return False
