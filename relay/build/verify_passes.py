"""Verifies the program after each pass: scopes, types, and values against the evaluator.

`Verifier` is the `check` of `run_passes`: it names the first pass that breaks a program.
"""

import time
from collections.abc import Iterator, Sequence

import numpy as np

from relay.build.compare_outcomes import REPORT, Comparison, check_same_traps
from relay.build.corresponding_types import fits, value_in
from relay.build.first_order_entry import first_order_entry
from relay.build.rounding_sensitivity import with_rounding_errors
from relay.build.sample_inputs import random_inputs
from relay.build.suitable_samples import keeps_infinities, step_limit, suitable_samples
from relay.build.verification_samples import BASE, Sample
from relay.build.verified_functions import (
    STEPS,
    compared_functions,
    holds_functions,
    obstacle,
)
from relay.ir.alpha_rename import rebound_variables
from relay.ir.expr import Function
from relay.ir.module import ENTRY, Module
from relay.ir.types import TensorType, is_dynamic
from relay.semantics.collect_traps import Collected, collect
from relay.semantics.evaluator_values import Value
from relay.semantics.well_formed import check_types, check_well_formed
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError, RelayError, RelayTypeError, RunError
from relay.support.node import node, replace
from relay.support.time_limit import LimitError, limited
from relay.transform.pass_contract import Rounding
from relay.transform.pipeline import Pass
from relay.transform.remarks import NotCompared, recorder

SECONDS = 60.0
"""The default limit of a pass, of an evaluation, and of the search for a small program."""


class Verifier:
    """A check of each pass: compares the module after the pass with the module before it.

    With `values`, the reference evaluator runs both on the same samples of inputs. Floats may
    differ by `tolerance`, relative to the largest element, because sums may be reordered, and by
    what rounding errors change in a sensitive program; so may integers that depend on floats which
    the program rounds to integers. All other integers and truth values are equal, NaN equals NaN
    only, and an infinity itself only. References are compared by their contents and by which of
    them are identical. Results that depend on a trap are not compared, because a pass may remove a
    trap. Nor are results whose evaluation takes more than `most_steps` steps or `seconds`; after
    the pass, the limit is ten times the time before it plus `seconds`.

    The functions that are compared are the entry and those that it does not reach, or all functions
    of a program without an entry. Functions in results are called, and parameters that are
    functions are fixed ones. `not_compared` holds the reasons for which values of functions were
    not compared; they are remarks, too.

    A pass whose contract has a rounding may change floats by `ROUNDINGS` units of that type.
    """

    def __init__(
        self,
        *,
        values: bool = False,
        tolerance: float = 1e-4,
        most_steps: int | None = None,
        seconds: float | None = SECONDS,
    ) -> None:
        self.values = values
        self.seconds = seconds
        self.tolerance = tolerance
        self._most_steps = most_steps
        self.not_compared: dict[str, str] = {}
        self._known: dict[str, list[_Run]] = {}

    def __call__(self, before: Module, after: Module, each: Pass) -> None:
        """Raise `C040` if the pass left an ill-formed program, `C041` if it changed a value."""
        name = each.info.name
        try:
            check_well_formed(after)
            _check_distinct_variables(after)
            check_types(after)
        except RelayError as error:
            raise CompileError(
                ErrorCode.C040,
                f"the pass {name} made the program invalid: {error.message}",
                span=error.span,
                help=REPORT,
            ) from error
        contract = each.contract()
        if not contract.keeps_results:
            for function in compared_functions(before, after) if self.values else ():
                self._note(function, f"the pass {name} changes what the program computes")
            return
        _same_signature(before, after, name)
        if self.values:
            rounding = contract.rounding
            for function in compared_functions(before, after):
                reason = obstacle(before, after, function, name)
                if reason is None:
                    reason = self._same_values(before, after, function, name, rounding)
                if reason is not None:
                    self._note(function, reason)

    def _note(self, function: str, reason: str) -> None:
        """Note once why values of a function were not compared."""
        if function not in self.not_compared:
            self.not_compared[function] = reason
            remarks = recorder()
            if remarks is not None:
                remarks.append(NotCompared(None, function, reason))

    def _same_values(
        self, before: Module, after: Module, function: str, name: str, rounding: Rounding | None
    ) -> str | None:
        """Compare the results of a function; return why none were compared, if so."""
        runs = self._runs(before, after, function)
        if runs[0].is_stopped:
            self._known[function] = [replace(runs[0], module=after)]
            return "its evaluation was stopped before its end"
        compared = runs if rounding is None else runs[:1]
        results = [self._evaluated(after, known, function, name) for known in compared]
        if rounding is None:
            self._known[function] = results
        comparison = Comparison(name, before, function, self._tolerance(rounding), rounding)
        for known, found in zip(compared, results, strict=True):
            check_same_traps(known.outcome, found.outcome, name)
            if not known.outcome.must_trap:
                self._check_value(comparison, known, found)
        if all(known.outcome.must_trap for known in compared):
            return "it ends with an error for the arguments that were tried"
        return "its result holds functions" if holds_functions(before, function) else None

    def _tolerance(self, rounding: Rounding | None) -> float:
        least = 0.0 if rounding is None else ROUNDINGS * rounding.epsilon
        return max(self.tolerance, least)

    def _check_value(self, comparison: Comparison, known: "_Run", found: "_Run") -> None:
        """Raise `C041` if the results of two runs on a sample differ."""

        def nudged() -> Collected:
            module = with_rounding_errors(known.module)
            return self._outcome(module, comparison.function, known.inputs, self.seconds).outcome

        comparison.check(known.outcome.value, found.outcome.value, known.inputs, nudged)

    def _runs(self, before: Module, after: Module, function: str) -> "list[_Run]":
        """Return the outcomes of the program before a pass on all samples."""
        known = self._known.pop(function, None)
        applied, entry = first_order_entry(after, function)
        if known is not None and known[0].module is before:
            types = [param.type for param in applied[entry].params]
            pairs = (each for run in known for each in zip(types, run.inputs, strict=True))
            if all(fits(applied, *each) for each in pairs):
                return [run for run in known if keeps_infinities(before) or not run.is_infinite]
        first = self._first_run(before, function, applied, entry)
        return (
            [first] if first.is_stopped else [first, *self._more(first, function, applied, entry)]
        )

    def _first_run(self, module: Module, function: str, after: Module, entry: str) -> "_Run":
        """Return a program's outcome on the first sample, preferring sizes without a trap.

        The inputs also fit `after`, which may have fewer dynamic sizes. Distinct sizes reveal
        passes that confuse them; but the program may require two sizes to be equal.
        """
        is_open = any(is_dynamic(param.type) for param in after[entry].params)
        for sizes in (BASE.sizes, (3,), (1,)):
            inputs = random_inputs(after, BASE, sizes, name=entry)
            found = replace(self._outcome(module, function, inputs, self.seconds), sizes=sizes)
            if not (is_open and found.outcome.must_trap):
                break
        return found

    def _more(self, first: "_Run", function: str, after: Module, entry: str) -> "Iterator[_Run]":
        """Yield a program's outcomes on further samples, as long as these take little time."""
        end = time.perf_counter() + max(QUICK, first.seconds)
        for sample in suitable_samples(*first_order_entry(first.module, function))[1:]:
            if time.perf_counter() > end:
                return
            found = self._run(first, function, after, entry, sample)
            if not found.is_stopped:
                yield found

    def _run(
        self, first: "_Run", function: str, after: Module, entry: str, sample: Sample
    ) -> "_Run":
        """Return a program's outcome on a sample; with the first one's sizes if others trap."""
        steps = step_limit(first.module)
        for sizes in (sample.sizes, first.sizes):
            inputs = random_inputs(after, sample, sizes, name=entry)
            outcome = self._outcome(first.module, function, inputs, self.seconds, steps)
            found = replace(outcome, sizes=sizes, is_infinite=sample.is_infinite)
            if not found.outcome.must_trap or sizes == first.sizes:
                break
        return found

    def _evaluated(self, after: Module, known: "_Run", function: str, name: str) -> "_Run":
        """Return the outcome of a program after a pass; raises `C041` if evaluating it fails."""
        seconds = None if self.seconds is None else self.seconds + 10 * known.seconds
        try:
            found = self._outcome(after, function, known.inputs, seconds)
            return replace(found, is_infinite=known.is_infinite)
        except (RunError, MemoryError):
            raise
        except Exception as error:
            raise CompileError(
                ErrorCode.C041,
                f"after the pass {name}, the program can no longer be evaluated: "
                f"{type(error).__name__}: {error}",
                help=REPORT,
            ) from error

    def _outcome(
        self,
        module: Module,
        function: str,
        inputs: Sequence[Value],
        seconds: float | None,
        most_steps: int | None = None,
    ) -> "_Run":
        """Return a function's outcome; its value includes what inputs with references hold then."""
        applied, entry = first_order_entry(module, function)
        types = [param.type for param in applied[entry].params]
        given = [value_in(applied, *each) for each in zip(types, inputs, strict=True)]
        start = time.perf_counter()
        steps = self._most_steps or most_steps or (None if entry == ENTRY else STEPS)
        try:
            with limited(seconds):
                found = collect(applied, *given, entry=entry, most_steps=steps)
        except LimitError as error:
            trap = RunError(ErrorCode.R050, f"the evaluation of the program was stopped: {error}")
            found = Collected((), (trap,), failed=True, any_trap=True)
        written = [each for each in given if not isinstance(each, np.ndarray)]
        found = replace(found, value=(found.value, *written))
        return _Run(module, inputs, found, time.perf_counter() - start)


@node
class _Run:
    """The outcome of a module on some inputs, and the seconds that the evaluation took.

    With `is_infinite`, NaN and infinities are among the inputs.
    """

    module: Module
    inputs: Sequence[Value]
    outcome: Collected
    seconds: float
    sizes: tuple[int, ...] = ()
    is_infinite: bool = False

    @property
    def is_stopped(self) -> bool:
        """Whether the evaluation was stopped before its end, so that any trap may follow."""
        return self.outcome.failed and self.outcome.any_trap


ROUNDINGS = 32
"""The allowed difference after a pass that rounds to a type, in units of the type's precision."""

QUICK = 1.0
"""The seconds that the samples after the first one take together, or as long as the first takes."""


def _check_distinct_variables(module: Module) -> None:
    """Require that no two functions bind the same variable."""
    for name, var in rebound_variables(module):
        message = (
            f"a pass copied a function with its variables: @{name} and another function both bind "
            f"%{var.name}"
        )
        help_ = "copy functions with `with_fresh_variables`, which renames the variables"
        raise RelayTypeError(ErrorCode.T030, message, span=var.span, help=help_)


def _same_signature(before: Module, after: Module, name: str) -> None:
    """Require that the entry's parameters are unchanged, except that sizes may become static.

    Other functions are internal, and values of data types are not compared.
    """
    if "main" in before.functions and not _takes_the_same(before.main, after.main):
        message = f"the pass {name} changed the parameters of @main"
        raise CompileError(ErrorCode.C040, message, help=REPORT)


def _takes_the_same(old: Function, new: Function) -> bool:
    return len(old.params) == len(new.params) and all(
        a.ty is b.ty or is_dynamic(a.type) or not isinstance(a.ty, TensorType)
        for a, b in zip(old.params, new.params, strict=True)
    )
