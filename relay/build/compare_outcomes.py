"""Comparisons of the outcomes of a program before and after a pass."""

from collections.abc import Callable, Sequence
from math import isinf

import numpy as np

from relay.build.first_order_entry import first_order_entry
from relay.build.rounding_sensitive_results import Rounded, rounded_results, rounds_to_integers
from relay.build.value_difference import changed_type, difference, largest_difference
from relay.ir.module import Module
from relay.semantics.collect_traps import Collected
from relay.semantics.evaluator_values import Value
from relay.support.error_codes import ErrorCode
from relay.support.errors import CompileError
from relay.support.node import node
from relay.transform.pass_contract import Rounding

REPORT = "report this defect of the pass to its authors, with the program"

SENSITIVITY = 8
"""How many times as much as a rounding error of each operator a pass may change a result."""

SHOWN = 8
"""The most elements of an input that an error shows."""


@node
class Comparison:
    """The comparison of the results of a function before and after the pass `name`.

    Floats may differ by `tolerance`, relative to the largest element, and by what small rounding
    errors in the program change: `x` and `3 * (x / 3)` have very different sines if x is large.
    """

    name: str
    before: Module
    function: str
    tolerance: float
    rounding: Rounding | None

    def check(
        self,
        expected: Value,
        found: Value,
        inputs: Sequence[Value],
        nudged: Callable[[], Collected],
    ) -> None:
        """Raise `C041` if two results differ.

        `nudged` returns the outcome of the program before the pass with rounding errors.
        """
        others = () if self.rounding is None else self.rounding.results
        rounds = self._rounded(inputs)
        error = difference(expected, found, others, rounds=rounds)
        if error <= self.tolerance:
            return
        other = nudged()
        sensitivity = (
            float("inf") if other.must_trap else difference(expected, other.value, rounds=rounds)
        )
        if error <= self.tolerance + SENSITIVITY * sensitivity:
            return
        changed = changed_type(expected, found) if isinf(error) else None
        raise CompileError(
            ErrorCode.C041,
            f"the pass {self.name} changed the type of a result of the program {changed}"
            if changed
            else f"the pass {self.name} changed the results of the program by up to {error:.3g} of "
            "the largest element",
            notes=[
                f"the tolerance is {self.tolerance:g}",
                *filter(None, [largest_difference(expected, found)]),
                *self._inputs(inputs),
            ],
            help=REPORT,
        )

    def _inputs(self, inputs: Sequence[Value]) -> list[str]:
        """Return a note with the values of inputs that are small tensors."""
        module, entry = first_order_entry(self.before, self.function)
        small = [
            f"%{param.name} = {each.tolist()}"
            for param, each in zip(module[entry].params, inputs, strict=True)
            if isinstance(each, np.ndarray) and each.size <= SHOWN
        ]
        return [f"for the inputs {', '.join(small)}"] if small else []

    def _rounded(self, inputs: Sequence[Value]) -> Rounded:
        """Return which results, and contents of references among the inputs, are rounded."""
        written = [each for each in inputs if not isinstance(each, np.ndarray)]
        results = rounded_results(*first_order_entry(self.before, self.function))
        return results, *(rounds_to_integers(self.before) for _ in written)


def check_same_traps(expected: Collected, found: Collected, name: str) -> None:
    """Require that a program traps after a pass if and only if it did before, by the same errors.

    Traps are imprecise: each of them may be reported, and a pass may remove but not add any.
    """
    if expected.must_trap and not found.must_trap:
        raise CompileError(
            ErrorCode.C041,
            f"the program raised an error before the pass {name}, but returns a value after it",
            help=REPORT,
        )
    if found.must_trap and not expected.must_trap:
        message = (
            f"the program returned a value before the pass {name}, but raises an error after it"
        )
        raise CompileError(
            ErrorCode.C041,
            message,
            notes=[trap.message for trap in found.traps[:1]],
            help=REPORT,
        )
    known = {trap.code for trap in expected.traps}
    new = [trap for trap in found.traps if trap.code not in known]
    if expected.must_trap and new and not expected.any_trap:
        message = f"the program raises another error after the pass {name} than before it"
        notes = [f"the new error: {new[0].message}"]
        raise CompileError(ErrorCode.C041, message, notes=notes, help=REPORT)
