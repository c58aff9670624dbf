"""Verifies the program after each pass: scopes, types, and values against the evaluator.

`Verifier` is the `check` of `run_passes`: it names the first pass that breaks a program.
"""

import time
from collections.abc import Sequence

import numpy as np

from relay.build.first_order_entry import first_order_entry
from relay.build.rounding_sensitive_results import Rounded, rounded_results, rounds_to_integers
from relay.build.sample_inputs import copied, random_inputs
from relay.build.value_difference import difference
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

_REPORT = "report this defect of the pass to its authors, with the program"

SECONDS = 60.0
"""The default limit of a pass, of an evaluation, and of the search for a small program."""


class Verifier:
    """A check of each pass: compares the module after the pass with the module before it.

    With `values`, the reference evaluator runs both on the same random inputs. Floats may differ by
    `tolerance`, relative to the largest element, because sums may be reordered; so may integers
    that depend on floats which the program rounds to integers. All other integers and truth values
    are equal, NaN equals NaN only, and an infinity itself only. References are compared by their
    contents and by which of them are identical. Results that depend on a trap are not compared,
    because a pass may remove a trap. Nor are results whose evaluation takes more than `most_steps`
    steps or `seconds`; after the pass, the limit is ten times the time before it plus `seconds`.

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
        seed: int = 0,
        most_steps: int | None = None,
        seconds: float | None = SECONDS,
    ) -> None:
        self.values = values
        self.seconds = seconds
        self.tolerance = tolerance
        self._most_steps = most_steps
        self._seed = seed
        self.not_compared: dict[str, str] = {}
        self._known: dict[str, _Known] = {}

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
                help=_REPORT,
            ) from error
        _same_signature(before, after, name)
        if self.values:
            rounding = each.contract().rounding
            for function in compared_functions(before, after):
                reason = obstacle(before, after, function)
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
        """Compare the results of a function; return why some were not compared, if any."""
        known = self._known.get(function)
        applied, entry = first_order_entry(after, function)
        taker = applied[entry]
        if known is None or known.module is not before or not _takes(taker, known.inputs):
            known = self._collected(before, after, function)
        expected = known.outcome
        if expected.failed and expected.any_trap:  # the evaluation was stopped
            self._known[function] = replace(known, module=after)
            return "its evaluation was stopped before its end"
        found = self._evaluated(after, known, function, name)
        self._known[function] = found
        _same_traps(expected, found.outcome, name)
        if expected.must_trap:
            return "it ends with an error for the arguments that were tried"
        written = [each for each in known.inputs if not isinstance(each, np.ndarray)]
        results = rounded_results(*first_order_entry(before, function))
        rounds = results, *(rounds_to_integers(before) for _ in written)
        self._check_difference(expected.value, found.outcome.value, name, rounding, rounds)
        return "its result holds functions" if holds_functions(before, function) else None

    def _check_difference(
        self,
        expected: Value,
        found: Value,
        name: str,
        rounding: Rounding | None,
        rounds: Rounded,
    ) -> None:
        tolerance, narrow = self.tolerance, None
        if rounding is not None:
            tolerance = max(tolerance, ROUNDINGS * rounding.epsilon)
            narrow = rounding.dtype if rounding.results else None
        error = difference(expected, found, narrow, rounds=rounds)
        if not error <= tolerance:
            raise CompileError(
                ErrorCode.C041,
                f"the pass {name} changed the results of the program by up to {error:.3g} of "
                "the largest element",
                notes=[f"the tolerance is {tolerance:g}"],
                help=_REPORT,
            )

    def _evaluated(self, after: Module, known: "_Known", function: str, name: str) -> "_Known":
        """Return the outcome of a program after a pass; raises `C041` if evaluating it fails."""
        seconds = None if self.seconds is None else self.seconds + 10 * known.seconds
        try:
            return self._outcome(after, function, known.inputs, seconds)
        except (RunError, MemoryError):
            raise
        except Exception as error:
            raise CompileError(
                ErrorCode.C041,
                f"after the pass {name}, the program can no longer be evaluated: "
                f"{type(error).__name__}: {error}",
                help=_REPORT,
            ) from error

    def _collected(self, module: Module, after: Module, function: str) -> "_Known":
        """Return inputs and a program's outcome on them, preferring sizes without a trap.

        The inputs also fit `after`, which may have fewer dynamic sizes. Distinct sizes reveal
        passes that confuse them; but the program may require two sizes to be equal.
        """
        for sizes in (range(2, 2 + _SIZES), (3,), (1,)):
            random = np.random.default_rng(self._seed)
            applied, entry = first_order_entry(after, function)
            inputs = random_inputs(applied, random, sizes, name=entry)
            found = self._outcome(module, function, inputs, self.seconds)
            if not found.outcome.must_trap:
                break
        return found

    def _outcome(
        self, module: Module, function: str, inputs: Sequence[Value], seconds: float | None
    ) -> "_Known":
        """Return a function's outcome; its value includes what inputs with references hold then."""
        given, start = [*map(copied, inputs)], time.perf_counter()
        applied, entry = first_order_entry(module, function)
        steps = self._most_steps if entry == ENTRY else self._most_steps or STEPS
        try:
            with limited(seconds):
                found = collect(applied, *given, entry=entry, most_steps=steps)
        except LimitError as error:
            trap = RunError(ErrorCode.R050, f"the evaluation of the program was stopped: {error}")
            found = Collected((), (trap,), failed=True, any_trap=True)
        written = [each for each in given if not isinstance(each, np.ndarray)]
        found = replace(found, value=(found.value, *written))
        return _Known(module, inputs, found, time.perf_counter() - start)


@node
class _Known:
    """The outcome of a module on some inputs, and the seconds that the evaluation took."""

    module: Module
    inputs: Sequence[Value]
    outcome: Collected
    seconds: float


ROUNDINGS = 32
"""The allowed difference after a pass that rounds to a type, in units of the type's precision."""

_SIZES = 5
"""The number of distinct sizes; few, so that tensors of many axes stay small."""


def _same_traps(expected: Collected, found: Collected, name: str) -> None:
    """Require that a program traps after a pass if and only if it did before, by the same errors.

    Traps are imprecise: each of them may be reported, and a pass may remove but not add any.
    """
    if expected.must_trap and not found.must_trap:
        raise CompileError(
            ErrorCode.C041,
            f"the program raised an error before the pass {name}, but returns a value after it",
            help=_REPORT,
        )
    if found.must_trap and not expected.must_trap:
        message = (
            f"the program returned a value before the pass {name}, but raises an error after it"
        )
        raise CompileError(
            ErrorCode.C041,
            message,
            notes=[trap.message for trap in found.traps[:1]],
            help=_REPORT,
        )
    known = {trap.code for trap in expected.traps}
    new = [trap for trap in found.traps if trap.code not in known]
    if expected.must_trap and new and not expected.any_trap:
        message = f"the program raises another error after the pass {name} than before it"
        notes = [f"the new error: {new[0].message}"]
        raise CompileError(ErrorCode.C041, message, notes=notes, help=_REPORT)


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
        raise CompileError(ErrorCode.C040, message, help=_REPORT)


def _takes_the_same(old: Function, new: Function) -> bool:
    return len(old.params) == len(new.params) and all(
        a.ty is b.ty or is_dynamic(a.type) or not isinstance(a.ty, TensorType)
        for a, b in zip(old.params, new.params, strict=True)
    )


def _takes(function: Function, inputs: Sequence[Value]) -> bool:
    """Whether `inputs` have the static sizes that the parameters of a function require."""
    return all(
        not isinstance(dim, int) or dim == size
        for param, array in zip(function.params, inputs, strict=True)
        if isinstance(param.ty, TensorType) and isinstance(array, np.ndarray)
        for dim, size in zip(param.ty.shape, array.shape, strict=True)
    )
