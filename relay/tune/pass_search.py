"""Search for the order and options of passes with the least run time, within a time budget.

1. The search starts from the default passes of a compilation, and tries one change at a time
   (`relay.tune.pass_changes`).
2. A change is kept if two measurements show that the program is faster by more than the measurement
   error, and if it computes the same results. A change is discarded without a measurement if the
   compiled program stays the same, if the new order violates the passes' requirements, or if the
   program cannot be compiled.
3. At the end the best program is measured against the first one again, because the best of many
   noisy measurements looks faster than it is. Unless it is faster, the default passes are kept.
"""

import math
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from enum import Enum

import numpy as np

from relay.build.compare_times import TOLERANCE, disagreement, fastest, is_faster
from relay.build.compile import compile_static, linked_executable
from relay.build.pipeline import named_pipelines
from relay.build.rounding_sensitive_results import rounds_to_integers
from relay.ir.module import HasModule, Module, module_of
from relay.kernels.kernel_cache import KernelCache
from relay.kernels.kernel_compiler import Options
from relay.runtime.arguments import Array
from relay.runtime.native_executable import NativeExecutable
from relay.semantics.infer import infer
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayError, UsageError
from relay.support.node import node
from relay.targets.registry import target_for
from relay.targets.target import HostTarget
from relay.transform.pipeline import Pass
from relay.transform.shapes_of_inputs import with_shapes
from relay.tune.pass_changes import PassChange, changes


class Verdict(Enum):
    """The outcome of trying a change of the passes."""

    KEPT = "kept"
    SAME = "does not change the program"
    SLOWER = "not faster"
    WRONG = "changes results"
    IMPOSSIBLE = "cannot be compiled"


@node
class Trial:
    """A change that was tried, the verdict, and the run times before and after, if measured."""

    change: PassChange
    verdict: Verdict
    before: float = 0.0
    after: float = 0.0

    def __str__(self) -> str:
        times = f", {self.before * 1e3:.4f} ms → {self.after * 1e3:.4f} ms" if self.after else ""
        return f"{self.change}: {self.verdict.value}{times}"


@node
class PassSearch:
    """The result of a search: the fastest executable, its passes, and all trials.

    `before` and `after` are the run times in seconds with the default and the changed passes,
    measured in alternation at the end.
    """

    executable: NativeExecutable
    passes: tuple[Pass, ...]
    changes: tuple[PassChange, ...]
    trials: tuple[Trial, ...]
    before: float
    after: float

    @property
    def pays(self) -> bool:
        """Whether the changed passes are faster by more than the measurement error."""
        return is_faster(self.after, self.before)

    def __str__(self) -> str:
        gain = self.before / self.after
        verdict = "faster" if self.pays else "not faster"
        head = f"{self.before * 1e3:.4f} ms → {self.after * 1e3:.4f} ms ({gain:.2f}×): {verdict}"
        return "\n".join([head, *map(str, self.changes), "", "trials:", *map(str, self.trials)])


def search_passes(
    model: HasModule,
    *,
    seconds: float = 60.0,
    shapes: Mapping[str, Sequence[int]] | None = None,
    threads: int | None = None,
    seed: int = 0,
    clock: Callable[[], float] = time.perf_counter,
) -> PassSearch:
    """Search for `seconds` for the fastest passes for a model, and return the result.

    The inputs of the model must be tensors of static sizes, or tuples of them (`U018` otherwise);
    their values are generated. `shapes` sets sizes that are not known, by inputs. `clock` returns
    the current time in seconds.

    Raises `U010` if `seconds` is not a number, negative, or infinite.
    """
    if not isinstance(seconds, int | float) or not 0 <= seconds < math.inf:  # pyright: ignore[reportUnnecessaryIsInstance] - as callers may
        message = f"the option seconds must be a number of seconds, not {seconds!r}"
        raise UsageError(ErrorCode.U010, message, help="pass 60.0, for a minute")
    module = with_shapes(infer(module_of(model)), shapes or {})
    search = _Search(module, target_for(None), threads)
    end = clock() + seconds
    for change in changes(search.passes, search.needed, np.random.default_rng(seed)):
        if clock() >= end:
            break
        search.attempt(change)
    return search.result()


class _Search:
    """The state of a search: the best program so far, and all trials."""

    def __init__(self, module: Module, target: HostTarget, threads: int | None) -> None:
        levels = named_pipelines(target)
        self.passes: Sequence[Pass] = levels["O3"]
        self._usual = self.passes
        self.needed: Sequence[Pass] = levels["O0"]
        self._module, self._target, self._threads = module, target, threads
        self._rounds = rounds_to_integers(module)
        self._cache = KernelCache()
        self._changes: list[PassChange] = []
        self._trials: list[Trial] = []
        self._first = self._best = self._built(self.passes)
        self._arrays = _inputs(self._first)

    def attempt(self, change: PassChange) -> None:
        """Try a change of the best passes, and keep it if it is faster."""
        passes = change.apply(self.passes)
        trial = self._trial(change, passes)
        self._trials.append(trial)
        if trial.verdict is Verdict.KEPT:
            self.passes = passes
            self._changes.append(change)

    def result(self) -> PassSearch:
        """Return the result after a final measurement; the default passes if none are faster."""
        before, after = fastest(self._first, self._best, self._arrays)
        if self._best is self._first:
            after = before
        found = self._best, tuple(self.passes), tuple(self._changes)
        usual = self._first, tuple(self._usual), ()
        chosen = found if is_faster(after, before) else usual
        return PassSearch(*chosen, tuple(self._trials), before, after)

    def _trial(self, change: PassChange, passes: Sequence[Pass]) -> Trial:
        try:
            candidate = self._built(passes)
        except RelayError:
            return Trial(change, Verdict.IMPOSSIBLE)
        if _code(candidate) == _code(self._best):
            return Trial(change, Verdict.SAME)
        error = disagreement(self._first, candidate, self._arrays, rounds=self._rounds)
        if not error <= TOLERANCE:
            return Trial(change, Verdict.WRONG)
        times = fastest(self._best, candidate, self._arrays)
        if is_faster(*reversed(times)):  # measure again: the fastest of many is often luck
            times = fastest(self._best, candidate, self._arrays)
        if not is_faster(*reversed(times)):
            return Trial(change, Verdict.SLOWER, *times)
        self._best = candidate
        return Trial(change, Verdict.KEPT, *times)

    def _built(self, passes: Sequence[Pass]) -> NativeExecutable:
        program = compile_static(self._module, self._target, Options(), self._cache, passes=passes)
        return linked_executable(self._module, program, self._threads)


def _inputs(executable: NativeExecutable) -> Sequence[Array]:
    """Return generated inputs for the measurements; raises `U018` if they cannot be generated."""
    try:
        return executable.samples()
    except UsageError as error:
        error.help = (
            "let main take tensors only, and set sizes that are not known: shapes={name: sizes}, "
            "or --shape NAME=SIZES"
        )
        raise


def _code(executable: NativeExecutable) -> Hashable:
    """Return a program's native code, by which the search recognises equal programs."""
    return tuple((each.symbol, each.code) for each in executable.program.objects)
