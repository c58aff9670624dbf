"""The difference of compiled results from right ones, in words."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from relay.ir.expr import Array
from relay.support.dtype import dtype, float32
from relay.support.error_codes import ErrorCode
from relay.testing.compare_values import precision
from tools.fuzzing.joined.subject import NO_VALUE, Invariants, Results, Round, Subject
from tools.fuzzing.programs.outcomes import Trapped
from tools.fuzzing.sizes.sweep import alike

Mask = npt.NDArray[np.bool_]

_LONG = 100  # sums are longer than those of examples, and less exact accordingly


def difference(found: Results, right: Round, subject: Subject) -> str:
    """Return a description of the difference of results; empty if they agree."""
    wanted = right.wanted
    has_shapes_only = subject.has_shapes_only and any(each.size == 0 for each in right.arrays)
    results = () if isinstance(wanted, Trapped) else wanted
    is_empty = subject.has_shapes_only and any(x.size == 0 for x in (*right.arrays, *results))
    if is_empty and isinstance(found, Trapped) and found.error in ErrorCode.__members__:
        return ""  # the other engine may accept, or return, no elements where one is needed
    if isinstance(found, Trapped) or isinstance(wanted, Trapped):
        return "" if _are_alike(found, wanted) else f"gives {_shown(found)}, not {_shown(wanted)}"
    kinds = {dtype(each.dtype) for each in (*right.arrays, *wanted)}
    kinds |= {float32} if subject.truncates else set()
    kinds |= {kind.part for kind in kinds}
    error = max((precision(kind) for kind in kinds if kind.is_float), default=0.0)
    pairs = list(zip(found, wanted, strict=True))
    said = next(filter(None, (_apart_in_type(*pair) for pair in pairs)), "")
    if said or has_shapes_only:
        return said
    if subject.invariants is not None:
        one, other = (_invariants(subject.invariants, each) for each in (found, wanted))
        pairs = list(zip(one, other, strict=True))
    bound = _LONG * subject.tolerance * error
    apart = (_apart(*pair, bound, truncates=subject.truncates) for pair in pairs)
    return next(filter(None, apart), "")


def _invariants(rule: Invariants, results: Sequence[Array]) -> Sequence[Array]:
    return rule([each.astype(np.float64) for each in results])


def _are_alike(found: Results, wanted: Results) -> bool:
    """Whether two outcomes are traps of one reason; an exception of another kind never is one."""
    if isinstance(found, Trapped) and found.error not in ErrorCode.__members__:
        return False
    if not isinstance(wanted, Trapped):
        return False
    return wanted.error == NO_VALUE or (isinstance(found, Trapped) and alike(found, wanted))


def _apart(found: Array, wanted: Array, error: float, *, truncates: bool) -> str:
    kind = dtype(wanted.dtype)
    if kind.is_complex:
        return _apart(*_finite_parts(found, wanted), error, truncates=False)
    if kind.is_float:
        differs = _far(found, wanted, error)
    elif truncates:
        differs = _far(found, wanted, error, steps=1)
    else:
        differs = _differ(found, wanted)
    if not differs.any():
        return ""
    share = f"{np.count_nonzero(differs)} of {differs.size} elements"
    return f"differs in {share}: {found[differs][0]}, not {wanted[differs][0]}"


def _finite_parts(found: Array, wanted: Array) -> tuple[Array, Array]:
    """Return the parts of complex results where the right one is finite.

    Products with infinite numbers depend on the formula, which NumPy and BLAS do not share.
    """
    is_finite = np.isfinite(wanted)
    one, other = (np.stack([np.real(e), np.imag(e)], -1)[is_finite] for e in (found, wanted))
    return one, other


def _apart_in_type(found: Array, wanted: Array) -> str:
    if (found.dtype, found.shape) == (wanted.dtype, wanted.shape):
        return ""
    return f"gives {found.dtype}{found.shape}, not {wanted.dtype}{wanted.shape}"


def _differ(found: Array, wanted: Array) -> Mask:
    """Return which elements are not equal; NaN is equal to itself."""
    if not dtype(wanted.dtype).is_minifloat:
        return np.asarray(found != wanted)
    one, other = found.astype(np.float32), wanted.astype(np.float32)
    return (one != other) & ~(np.isnan(one) & np.isnan(other))


def _far(found: Array, wanted: Array, error: float, steps: int = 0) -> Mask:
    """Return which elements differ by more than rounding errors in sums of the largest elements.

    They may differ by `steps` in addition.
    """
    one, other = found.astype(np.float64), wanted.astype(np.float64)
    largest = float(np.max(np.abs(other), initial=1, where=np.isfinite(other)))
    return ~np.isclose(one, other, rtol=0, atol=error * largest + steps, equal_nan=True)


def _shown(outcome: Results) -> str:
    if isinstance(outcome, Trapped):
        return f"{outcome.error} ({outcome.place.splitlines()[0] if outcome.place else ''})"
    return "a value of " + ", ".join(f"{each.dtype}{[*each.shape]}" for each in outcome)
