"""Broadcasting and reducing shapes that nobody chose, against NumPy."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relay.ir.types import TensorType
from relay.opdef.definition import OperatorDef
from relay.ops.binary import Add, Maximum
from relay.ops.broadcasting import BroadcastTo, CollapseSumTo
from relay.ops.comparison import Less
from relay.ops.max_min_reductions import ArgMax, Max
from relay.ops.selection import Where
from relay.ops.sum_and_mean_reductions import Mean, Sum
from relay.semantics.apply_operator import apply
from relay.targets.cpu import this_cpu
from relay.targets.target import HostTarget
from relay.testing.compare_values import assert_close
from relay.testing.compile_operator import run_operator

EACH = (None, this_cpu())  # the plainest schedule, and this machine's
SIZES = st.sampled_from([0, 1, 1, 2, 3, 5, 8, 17, 33])
SHAPES = st.lists(SIZES, max_size=4).map(tuple)


@st.composite
def broadcastable(draw: st.DrawFn, count: int) -> list[tuple[int, ...]]:
    """Draw shapes that broadcast together: suffixes of one shape, with some sizes made 1."""
    whole = draw(SHAPES)
    shapes = []
    for _ in range(count):
        suffix = whole[draw(st.integers(0, len(whole))) :]
        keep = draw(st.lists(st.booleans(), min_size=len(suffix), max_size=len(suffix)))
        shapes.append(tuple(n if kept else 1 for n, kept in zip(suffix, keep, strict=True)))
    return shapes


def numbers(*shape: int) -> np.ndarray:
    return np.asarray(np.random.default_rng(3).standard_normal(shape), np.float32)


def check(op: OperatorDef, *values: np.ndarray, targets: Sequence[HostTarget | None] = (None,)):
    for target in targets:
        assert_close(run_operator(op, values, target), apply(op, *values), 1e-5)


@pytest.mark.parametrize("op", [Add(), Maximum(), Less()], ids=lambda op: op.name)
@given(shapes=broadcastable(2))
def test_two_sides(op: OperatorDef, shapes: list[tuple[int, ...]]):
    values = [numbers(*shape) for shape in shapes]
    assert np.shape(apply(op, *values)) == np.broadcast_shapes(*shapes)
    check(op, *values, targets=EACH)


@given(shapes=broadcastable(3))
def test_where(shapes: list[tuple[int, ...]]):
    condition, x, y = (numbers(*shape) for shape in shapes)
    check(Where(), condition > 0, x, y, targets=EACH)


@given(shapes=broadcastable(2))
def test_there_and_back(shapes: list[tuple[int, ...]]):
    small = shapes[0]
    large = np.broadcast_shapes(*shapes)
    check(BroadcastTo(large), numbers(*small))
    check(CollapseSumTo(small), numbers(*large))
    back = apply(CollapseSumTo(small), np.ones(large, np.float32))
    copies = np.prod(large) / max(np.prod(small), 1)
    np.testing.assert_array_equal(back, np.full(small, copies, np.float32))


@pytest.mark.parametrize("cls", [Sum, Mean, Max, ArgMax], ids=lambda cls: cls.name)
@given(shape=SHAPES, data=st.data(), keepdims=st.booleans(), exclude=st.booleans())
def test_reductions(cls, shape: tuple[int, ...], data: st.DataObject, keepdims, exclude):
    rank = len(shape)
    axes = data.draw(st.none() | st.lists(st.integers(0, max(rank - 1, 0)), unique=True))
    signed = [axis - rank * data.draw(st.booleans()) for axis in axes or () if rank]
    op = cls(tuple(signed) or None, keepdims=keepdims, exclude=exclude)
    if cls is ArgMax and (not rank or any(shape[axis] == 0 for axis in op.axes(rank))):
        return
    check(op, np.round(8 * numbers(*shape)))  # whole numbers: sums are exact in any order


def test_a_reduction_of_nothing_named_reduces_all():
    assert Sum(()) is Sum()
    assert Sum((), exclude=True).infer(TensorType((2, 3))) is TensorType(())
    assert Sum(-1) is Sum([-1])
