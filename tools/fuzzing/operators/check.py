"""Compile programs of many random calls, and compare each result with the NumPy reference.

Arguments are placed next to inaccessible memory, so that a read out of bounds ends the process.
Calls whose reference traps are separate programs, because a trap ends the program.
"""

import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from relay.build.compile import compile_module
from relay.ir.expr import Array, Var
from relay.runtime.executable import Executable
from relay.runtime.specializing_executable import Specialising
from relay.semantics.evaluate import evaluate
from relay.support.dtype import dtype
from relay.support.error_codes import ErrorCode
from relay.testing.argument_values import flat, precision
from tools.fuzzing.operators.calls import RandomCall, program, random_call
from tools.fuzzing.programs.outcomes import Trapped
from tools.fuzzing.sizes.guarded import guarded
from tools.fuzzing.sizes.sweep import alike, outcome

CALLS = 16
"""How many calls a program has."""

_LONG = 100  # sums are longer than those of the examples, and less exact accordingly

Results: TypeAlias = "tuple[Array, ...] | Trapped"
Mask: TypeAlias = npt.NDArray[np.bool_]


def random_calls(number: int) -> list[RandomCall]:
    """Return the calls of a program; in every other program types leave sizes open."""
    random = Random(number)  # noqa: S311 - a case, not a secret
    is_open = number % 2 == 1
    return [random_call(random, f"n{place}_", is_open=is_open) for place in range(CALLS)]


def check_calls(number: int, *, alone: bool) -> Counter[str]:
    """Compare the calls of a program with their references, as `compare` does."""
    calls = random_calls(number)
    if alone:
        for place, call in enumerate(calls):
            print(f"{number}.{place}: {call}", flush=True)
            compare([call])
    return compare(calls)


def compare(calls: Sequence[RandomCall]) -> Counter[str]:
    """Compile calls, and return how many of them have values, trap, or are refused.

    Raises an `AssertionError` with all differences from the references.
    """
    wanted = [_expected(call) for call in calls]
    values = [place for place, each in enumerate(wanted) if not isinstance(each, Trapped)]
    together = _together([calls[place] for place in values])
    found = dict(zip(values, together, strict=False))
    results = [found.get(place) or _alone(call) for place, call in enumerate(calls)]
    return _outcomes(calls, results, wanted)


def _outcomes(
    calls: Sequence[RandomCall], found: Sequence[Results], wanted: Sequence[Results]
) -> Counter[str]:
    words, differences = Counter[str](), list[str]()
    for place, (call, result, right) in enumerate(zip(calls, found, wanted, strict=True)):
        said = ""
        if isinstance(result, Trapped) and result.error == _UNKNOWN:
            words["refused by the compiler"] += 1
        elif _has_no_value(right) and not _is_failure(result):
            words["without a value in NumPy"] += 1
        else:
            said = _difference(result, right, call)
            words["traps" if isinstance(right, Trapped) else "values"] += 1
        if said:
            differences.append(f"{call.op.name} {said}\n    call {place}: {call}")
    assert not differences, "\n".join(differences)
    return words


_NO_VALUE = ErrorCode.R042
"""The code for arguments for which NumPy has no result: NaN as an index, an invalid matrix."""


def _has_no_value(right: Results) -> bool:
    return isinstance(right, Trapped) and right.error == _NO_VALUE


def _is_failure(result: Results) -> bool:
    """Whether a result is an exception that is not an error of Relay."""
    return isinstance(result, Trapped) and result.error not in ErrorCode.__members__


def _expected(call: RandomCall) -> Results:
    module = program([call])
    with warnings.catch_warnings(action="ignore"):
        return _guarded(lambda: evaluate(module, *call.arrays))


def _guarded(run: Callable[[], Any]) -> Results:
    """Return the results of a run, its trap, or another exception, which is reported as one."""
    try:
        return _results(outcome(run))
    except Exception as error:  # noqa: BLE001 - our own failure
        where = traceback.extract_tb(error.__traceback__)[-1]
        return Trapped(type(error).__name__, f"{error} in {where.filename}:{where.lineno}")


def _results(value: Any) -> Results:
    return value if isinstance(value, Trapped) else flat(value)


def _together(calls: Sequence[RandomCall]) -> list[Results]:
    """Return the results of calls that are compiled as one program; of none if that fails.

    A trap of one call hides the other results, and a call that cannot be compiled for symbolic
    sizes makes the whole program one of static sizes.
    """
    if not calls:
        return []
    try:
        executable = compile_module(program(calls), threads=1)
    except Exception:  # noqa: BLE001 - which call it is will be seen
        return []
    if isinstance(executable, Specialising):
        return []
    arrays = [array for call in calls for array in call.arrays]
    results = _guarded(lambda: _run(executable, arrays))
    if isinstance(results, Trapped):
        return []
    rest = iter(results)
    return [tuple(next(rest) for _ in range(_count(call))) for call in calls]


def _count(call: RandomCall) -> int:
    return len(call.applied([Var("x", ty) for ty in call.tensor_types]))


def _alone(call: RandomCall) -> Results:
    """Return the results of a call that is compiled as a separate program."""
    return _guarded(lambda: _run(compile_module(program([call]), threads=1), call.arrays))


_UNKNOWN = ErrorCode.C103
"""The code for programs with sizes that depend on data, which cannot be compiled."""


def _run(executable: Executable, arrays: Sequence[Array]) -> Any:
    inputs = [guarded(each, at_end=place % 4 != 3) for place, each in enumerate(arrays)]
    return executable(*inputs)


def _difference(found: Results, wanted: Results, call: RandomCall) -> str:
    """Return a description of the difference of the results of a call; empty if they agree."""
    if isinstance(found, Trapped) or isinstance(wanted, Trapped):
        is_same = isinstance(found, Trapped) and isinstance(wanted, Trapped)
        if is_same and alike(cast("Trapped", found), cast("Trapped", wanted)):
            return ""
        return f"gives {_shown(found)}, not {_shown(wanted)}"
    kinds = {dtype(each.dtype) for each in (*call.arrays, *wanted)}
    error = max((precision(kind) for kind in kinds if kind.is_float), default=0.0)
    pairs = zip(found, wanted, strict=True)
    return next(filter(None, (_apart(*pair, call.tolerance * error) for pair in pairs)), "")


def _apart(found: Array, wanted: Array, error: float) -> str:
    if (found.dtype, found.shape) != (wanted.dtype, wanted.shape):
        return f"gives {found.dtype}{found.shape}, not {wanted.dtype}{wanted.shape}"
    kind = dtype(wanted.dtype)
    differs = _differ(found, wanted) if not kind.is_float else _far(found, wanted, error)
    if not differs.any():
        return ""
    share = f"{np.count_nonzero(differs)} of {differs.size} elements"
    return f"differs in {share}: {found[differs][0]}, not {wanted[differs][0]}"


def _differ(found: Array, wanted: Array) -> Mask:
    """Return which elements are not equal; NaN is equal to itself."""
    if not dtype(wanted.dtype).is_minifloat:
        return found != wanted
    one, other = found.astype(np.float32), wanted.astype(np.float32)
    return (one != other) & ~(np.isnan(one) & np.isnan(other))


def _far(found: Array, wanted: Array, error: float) -> Mask:
    """Return which elements differ by more than rounding errors in sums of the largest elements."""
    one, other = found.astype(np.float64), wanted.astype(np.float64)
    largest = float(np.max(np.abs(other), initial=1, where=np.isfinite(other)))
    return ~np.isclose(one, other, rtol=0, atol=_LONG * error * largest, equal_nan=True)


def _shown(outcome: Results) -> str:
    if isinstance(outcome, Trapped):
        return f"{outcome.error} ({outcome.place.splitlines()[0]})"
    return "a value of " + ", ".join(f"{each.dtype}{[*each.shape]}" for each in outcome)
