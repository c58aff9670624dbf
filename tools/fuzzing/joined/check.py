"""Compile many functions as one program, call it in many rounds, and compare all results.

A round calls the program with arguments for each function. A trap ends the whole call: in a round
that should trap, only one function gets such arguments. Functions that always trap, or that cannot
be compiled together, are programs of their own.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

import numpy as np

from relay.build.compile import compile_module, compile_static
from relay.kernels.kernel_compiler import Options
from relay.support.error_codes import ErrorCode
from relay.support.errors import OpenSizeError, RelayError
from relay.support.node import Value, replace, value
from relay.targets.cpu import this_cpu
from relay.transform.pass_context import HIGHEST, PassContext
from tools.fuzzing.joined.difference import difference
from tools.fuzzing.joined.guarded_executable import GuardedExecutable
from tools.fuzzing.joined.subject import NO_VALUE, Results, Round, Subject, joined, result_count
from tools.fuzzing.programs.outcomes import Trapped
from tools.fuzzing.sizes.guarded import guarded

Run: TypeAlias = Callable[..., Any]

_FOR_EACH_SHAPE = 3  # rounds of a program that is compiled again for each shape
_UNKNOWN = ErrorCode.C103
"""The code of programs with sizes that only data decide, which are not compiled."""


@value
class Settings(Value):
    """How programs are compiled: the level of passes and of LLVM; and where results lie."""

    passes: int = HIGHEST
    level: int = 3
    places_results: bool = False


@dataclass
class Findings:
    """What was compared, in words with counts, and the differences."""

    words: Counter[str] = field(default_factory=Counter[str])
    differences: list[str] = field(default_factory=list[str])

    def add(self, subject: Subject, right: Round, found: Results) -> None:
        """Compare the results of a round."""
        self.words[_kind(right)] += 1
        said = difference(found, right, subject)
        if said:
            shapes = ", ".join(f"{each.dtype}{[*each.shape]}" for each in right.arrays)
            self.differences.append(f"{subject.name} {said}\n    {subject.text} for {shapes}")


def _kind(right: Round) -> str:
    match right.wanted:
        case Trapped(error=error):
            return "without a value in the reference" if error == NO_VALUE else "traps"
        case _:
            return "values"


def check(subjects: Sequence[Subject], settings: Settings) -> Counter[str]:
    """Return how many programs were compiled, and how many of their results compared.

    Raises an `AssertionError` with all differences.
    """
    found = Findings()
    _check_together([each for each in subjects if each.can_join], settings, found)
    for each in subjects:
        if not each.can_join:
            _check_together([each], settings, found)
    assert not found.differences, "\n".join(found.differences)
    return found.words


def _check_together(subjects: Sequence[Subject], settings: Settings, found: Findings) -> None:
    """Check functions as one program, or as two if it cannot be compiled."""
    if not subjects:
        return
    try:
        run = _compiled(subjects, settings)
    except Exception as error:  # noqa: BLE001 - what cannot be compiled is reported
        if len(subjects) == 1:
            _refused(subjects[0], error, found)
            return
        middle = len(subjects) // 2
        _check_together(subjects[:middle], settings, found)
        _check_together(subjects[middle:], settings, found)
        return
    found.words["programs"] += 1
    found.words["kernels"] += len(subjects)
    _call(run, subjects, settings, found)


def _compiled(subjects: Sequence[Subject], settings: Settings) -> GuardedExecutable:
    module, options = joined(subjects), Options(level=settings.level)
    context = PassContext(settings.passes)
    program = compile_static(module, this_cpu(), options, None, context=context)
    return GuardedExecutable(program, places_results=settings.places_results)


def _refused(subject: Subject, error: Exception, found: Findings) -> None:
    """Compile a function again for each shape if it needs that; report any other refusal."""
    if isinstance(error, OpenSizeError):
        _check_each_shape(subject, found)
    elif isinstance(error, RelayError) and error.code == _UNKNOWN:
        found.words["refused by the compiler"] += 1
    elif isinstance(error, RelayError) and not any(each.has_value for each in subject.rounds):
        found.words["refused by the compiler, always traps"] += 1
    else:
        said = f"cannot be compiled: {type(error).__name__}: {error}"
        found.differences.append(f"{subject.name} {said}\n    {subject.text}")


def _check_each_shape(subject: Subject, found: Findings) -> None:
    try:
        run = compile_module(subject.module, threads=1)
    except OpenSizeError:
        found.words["refused by the compiler"] += 1
        return
    for each in subject.rounds[:_FOR_EACH_SHAPE]:
        found.words["programs"] += 1
        found.words["kernels"] += 1
        beside = replace(each, arrays=tuple(map(guarded, each.arrays)))
        found.add(subject, each, _outcome(run, [beside], [subject])[0])


def _call(run: Run, subjects: Sequence[Subject], settings: Settings, found: Findings) -> None:
    """Call the program in rounds of values, and then in one for each trap."""
    values = [[each for each in subject.rounds if each.has_value] for subject in subjects]
    for turn in range(max(map(len, values))):
        chosen = [own[min(turn, len(own) - 1)] for own in values if own]
        if not _called(run, chosen, subjects, found, [turn < len(own) for own in values]):
            _call_alone(
                [own[min(turn, len(own) - 1) :] for own in values], subjects, settings, found
            )
            return
    for place, subject in enumerate(subjects):
        for each in subject.rounds:
            if not each.has_value:
                chosen = [each if place == k else own[0] for k, own in enumerate(values)]
                result = _outcome(run, chosen, subjects)[place]
                found.add(subject, each, result)


def _called(
    run: Run,
    chosen: Sequence[Round],
    subjects: Sequence[Subject],
    found: Findings,
    are_new: Iterable[bool],
) -> bool:
    """Compare the results of a round that are new; whether it had results."""
    results = _outcome(run, chosen, subjects)
    if len(subjects) > 1 and isinstance(results[0], Trapped):
        return False
    for subject, each, result, is_new in zip(subjects, chosen, results, are_new, strict=True):
        if is_new:
            found.add(subject, each, result)
    return True


def _call_alone(
    values: Sequence[Sequence[Round]],
    subjects: Sequence[Subject],
    settings: Settings,
    found: Findings,
) -> None:
    """Compile each function by itself, and call it in its rounds; the first of them trapped.

    A function that traps by itself differs from the reference, unless that trap is accepted.
    """
    traps = False
    for subject, own in zip(subjects, values, strict=True):
        run = _compiled([subject], settings)
        results = [_outcome(run, [each], [subject])[0] for each in own]
        traps |= isinstance(results[0], Trapped)
        for each, result in zip(own, results, strict=True):
            found.add(subject, each, result)
    if not traps:
        names = ", ".join(subject.name for subject in subjects)
        found.differences.append(f"a program of {names} traps, but none of them by itself")


def _outcome(run: Run, chosen: Sequence[Round], subjects: Sequence[Subject]) -> list[Results]:
    """Return the results of each function in a round; a trap is that of all of them."""
    try:
        made: Any = run(*(array for each in chosen for array in each.arrays))
    except RelayError as error:
        return [Trapped(error.code, error.message)] * len(chosen)
    except Exception as error:  # noqa: BLE001 - a failure of ours
        return [Trapped(type(error).__name__, str(error))] * len(chosen)
    rest = iter(cast("Sequence[Any]", made if isinstance(made, tuple) else (made,)))
    return [tuple(np.asarray(next(rest)) for _ in range(result_count(s))) for s in subjects]
