"""The difference of two values: results of the evaluator, or of compiled programs."""

from collections.abc import Sequence

import numpy as np

from relay.build.rounding_sensitive_results import INTEGERS, Rounded
from relay.ir.expr import Array, Constructor
from relay.runtime.complex_arrays import parts_of
from relay.semantics.evaluator_values import Closure, Data, Reference, Value
from relay.support.dtype import DType, Kind, dtype


def difference(
    expected: Value, found: Value, others: Sequence[DType] = (), *, rounds: Rounded = False
) -> float:
    """Return the largest difference of two values, relative to the largest element.

    1. Floats differ by their distance, complex numbers by that of their parts. NaN equals NaN, and
       differs from all numbers by infinity; an infinity equals itself, and differs from everything
       else by infinity.
    2. Integers and truth values are equal, or differ by infinity. If a value, or a field of the
       tuple, `rounds` floats to integers, integers in it differ by their distance, as floats do.
    3. Values of different structure, shapes or element types differ by infinity, but floats of the
       types `others` may replace other floats. So do values that differ in which of their
       references are the same. Functions are not compared.
    """
    largest = 0.0
    pairs: list[tuple[Value, Value, Rounded]] = [(expected, found, rounds)]
    partners = dict[Reference, Reference]()
    while pairs:
        match pairs.pop():
            case (tuple() as a, tuple() as b, rounds) if len(a) == len(b):
                each = rounds if isinstance(rounds, tuple) else (rounds,) * len(a)
                pairs += zip(a, b, each, strict=True)
            case (Data(one, a), Data(other, b), rounds) if one.index == other.index:
                pairs += zip(a, b, (rounds,) * len(a), strict=True)
            case (Reference() as a, Reference() as b, rounds):
                if a not in partners and b not in partners:
                    partners |= {a: b, b: a}
                    pairs.append((a.content, b.content, rounds))
                elif partners.get(a) is not b:
                    return float("inf")
            case (Closure() | Constructor(), Closure() | Constructor(), _):
                pass
            case (np.ndarray() | np.generic() as a, np.ndarray() | np.generic() as b, rounds):
                one, other = np.asarray(a), np.asarray(b)
                if one.shape != other.shape or not _is_kept(one, other, others):
                    return float("inf")
                largest = max(largest, _distance(one, other, rounds=bool(rounds)))
            case _:
                return float("inf")
    return largest


def largest_difference(expected: Value, found: Value) -> str | None:
    """Describe the elements that differ most in tensors, or tuples of them; None for other values.

    >>> largest_difference(np.array([1.0, 2.0]), np.array([1.0, 5.0]))
    'element [1] was 2.0 and is 5.0'
    """
    pair = _most_different(expected, found)
    if pair is None or changed_type(expected, found) is not None:
        return None
    expected, found = pair
    kind = np.complex128 if dtype(expected.dtype).is_complex else np.float64
    a, b = np.asarray(expected, kind), np.asarray(found, kind)
    with np.errstate(all="ignore"):
        distance = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, np.abs(a - b))
    place = np.unravel_index(np.nan_to_num(distance, nan=np.inf).argmax(), a.shape)
    what = f"element {[*map(int, place)]}" if place else "the result"
    return f"{what} was {expected[place]} and is {found[place]}"


def changed_type(expected: Value, found: Value) -> str | None:
    """Describe the types of the tensors that differ most; None if the types are equal.

    >>> changed_type((np.ones(2), np.ones(3)), (np.ones(2), np.ones((1, 3))))
    'from float64[3] to float64[1, 3]'
    """
    pair = _most_different(expected, found)
    if pair is None:
        return None
    before, after = (f"{each.dtype}{[*each.shape]}" for each in pair)
    return None if before == after else f"from {before} to {after}"


def _most_different(expected: Value, found: Value) -> tuple[Array, Array] | None:
    """Return the tensors that differ most in two tensors, or tuples of them."""
    while isinstance(expected, tuple) and isinstance(found, tuple) and expected:
        expected, found = max(
            zip(expected, found, strict=False), key=lambda pair: difference(*pair)
        )
    if isinstance(expected, np.ndarray) and isinstance(found, np.ndarray):
        return expected, found
    return None


def _real_numbers(array: Array) -> Array:
    """Return numbers as float64; complex ones as their parts."""
    real = parts_of(np.ascontiguousarray(array)) if dtype(array.dtype).is_complex else array
    return np.asarray(real, np.float64)


def _is_kept(expected: Array, found: Array, others: Sequence[DType]) -> bool:
    """Whether the element type is that which is expected, or one of `others` for a float."""
    if expected.dtype == found.dtype:
        return True
    return dtype(expected.dtype).is_float and any(found.dtype == each.numpy for each in others)


def _distance(expected: Array, found: Array, *, rounds: bool) -> float:
    """Return the largest distance of elements, relative to the largest element; never NaN."""
    kind = dtype(expected.dtype).kind
    if kind is Kind.BOOL or (kind in INTEGERS and not rounds):
        return 0.0 if np.array_equal(expected, found) else float("inf")
    a, b = (_real_numbers(each) for each in (expected, found))
    differs = ~((a == b) | (np.isnan(a) & np.isnan(b)))
    if not differs.any():
        return 0.0
    if not (np.isfinite(a[differs]).all() and np.isfinite(b[differs]).all()):
        return float("inf")
    largest = np.abs(a[np.isfinite(a)]).max(initial=1.0)
    with np.errstate(over="ignore"):  # float64 has no room for the distance of its ends
        return float(np.abs(a[differs] - b[differs]).max() / largest)
