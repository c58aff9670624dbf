"""The difference of two values: results of the evaluator, or of compiled programs."""

from collections.abc import Iterator

import numpy as np

from relay.ir.expr import Array, Call, Constructor, Expr
from relay.ir.module import Module
from relay.ir.types import TensorType, TupleType
from relay.ir.walk import post_order
from relay.opdef.definition import OperatorDef
from relay.semantics.evaluator_values import Closure, Data, Reference, Value
from relay.support.dtype import DType, Kind, dtype

_INTEGERS = (Kind.INT, Kind.UINT)
_EXACT = (*_INTEGERS, Kind.BOOL)


def difference(
    expected: Value, found: Value, narrow: DType | None = None, *, rounds: bool = False
) -> float:
    """Return the largest difference of two values, relative to the largest element.

    1. Floats differ by their distance. NaN equals NaN, and differs from all numbers by infinity; an
       infinity equals itself, and differs from everything else by infinity.
    2. Integers and truth values are equal, or differ by infinity. If the program `rounds` floats
       to integers, integers differ by their distance, as floats do.
    3. Values of different structure, shapes or element types differ by infinity, but floats of the
       type `narrow` may replace others. So do values that differ in which of their references are
       the same. Functions are not compared.
    """
    largest, pairs = 0.0, [(expected, found)]
    partners = dict[Reference, Reference]()
    while pairs:
        match pairs.pop():
            case (tuple() as a, tuple() as b) if len(a) == len(b):
                pairs += zip(a, b, strict=True)
            case (Data(one, a), Data(other, b)) if one.index == other.index:
                pairs += zip(a, b, strict=True)
            case (Reference() as a, Reference() as b):
                if a not in partners and b not in partners:
                    partners |= {a: b, b: a}
                    pairs.append((a.content, b.content))
                elif partners.get(a) is not b:
                    return float("inf")
            case (Closure() | Constructor(), Closure() | Constructor()):
                pass
            case (np.ndarray() | np.generic() as a, np.ndarray() | np.generic() as b):
                one, other = np.asarray(a), np.asarray(b)
                if one.shape != other.shape or not _is_kept(one, other, narrow):
                    return float("inf")
                largest = max(largest, _distance(one, other, rounds=rounds))
            case _:
                return float("inf")
    return largest


def rounds_to_integers(module: Module) -> bool:
    """Whether an operator of a module makes integers of floats, as casts and quantisation do.

    A rounding error before it may then change an integer.
    """
    return any(
        isinstance(each, Call)
        and isinstance(each.op, OperatorDef)
        and any(kind in _INTEGERS for kind in _kinds(each))
        and any(kind not in _EXACT for arg in each.args for kind in _kinds(arg))
        for each in post_order(*module.functions.values())
    )


def _kinds(expr: Expr) -> Iterator[Kind]:
    """Yield the kinds of elements of a tensor, or of the tensors of a tuple."""
    types = [expr.type]
    while types:
        match types.pop():
            case TensorType(dtype=element):
                yield element.kind
            case TupleType(fields=fields):
                types += fields
            case _:
                pass


def _is_kept(expected: Array, found: Array, narrow: DType | None) -> bool:
    """Whether the element type is that which is expected, or `narrow` in the place of a float."""
    if expected.dtype == found.dtype:
        return True
    return narrow is not None and expected.dtype.kind == "f" and found.dtype == narrow.numpy


def _distance(expected: Array, found: Array, *, rounds: bool) -> float:
    """Return the largest distance of elements, relative to the largest element; never NaN."""
    kind = dtype(expected.dtype).kind
    if kind is Kind.BOOL or (kind in _INTEGERS and not rounds):
        return 0.0 if np.array_equal(expected, found) else float("inf")
    a, b = np.asarray(expected, np.float64), np.asarray(found, np.float64)
    differs = ~((a == b) | (np.isnan(a) & np.isnan(b)))
    if not differs.any():
        return 0.0
    if not (np.isfinite(a[differs]).all() and np.isfinite(b[differs]).all()):
        return float("inf")
    largest = np.abs(a[np.isfinite(a)]).max(initial=1.0)
    with np.errstate(over="ignore"):  # float64 has no room for the distance of its ends
        return float(np.abs(a[differs] - b[differs]).max() / largest)
