"""The validation of kernels: each defect that it finds, in a kernel that has only this one."""

from collections.abc import Sequence

import pytest

from relay.kernels.loops import (
    Allocate,
    Block,
    Buffer,
    For,
    If,
    Kernel,
    Let,
    Load,
    MemoryScope,
    Mode,
    Stmt,
    Store,
    While,
)
from relay.kernels.passes.validate_loops import complaints
from relay.kernels.scalar import (
    Apply,
    Broadcast,
    Cast,
    Compare,
    Const,
    Order,
    Ramp,
    Scalar,
    Select,
    Var,
)
from relay.kernels.scalar_operations import Fn
from relay.support.dtype import DType, bool_, float32, int32

I, J, N = Var("i"), Var("j"), Var("n")  # noqa: E741
X, OUT = Buffer("x", (4,), float32), Buffer("out", (4, 8), float32)
ZERO, ONE = Const(0), Const(1.0, float32)
YES, WIDE_YES = Const(True, bool_), Broadcast(Const(True, bool_), 4)
LANES, HALF = Ramp(ZERO, Const(1), 4), Ramp(ZERO, Const(1), 2)
WIDE, WIDE_ZERO = Broadcast(ONE, 4), Broadcast(ZERO, 4)
FLOATS = DType(float32.kind, 32, 4)
NOTHING = Block(())
ELSEWHERE = Buffer("own", (4,), float32, MemoryScope.SCRATCH)


def store(value: Scalar = ONE, *indices: Scalar, mask: Scalar | None = None) -> Store:
    return Store(OUT, indices or (ZERO, ZERO), value, mask)


def wide(value: Scalar, mask: Scalar | None = None) -> Store:
    return store(value, ZERO, LANES, mask=mask)


def loop(
    start: Scalar = ZERO,
    extent: Scalar = N,
    mode: Mode = Mode.SERIAL,
    lanes: int = 0,
    backwards: Scalar | None = None,
) -> For:
    return For(I, start, extent, mode, store(ONE, I, ZERO), lanes, backwards=backwards)


def local(scope: MemoryScope, of: Buffer | None = None) -> Buffer:
    return Buffer("own", (4,), float32, scope, of=of)


VALID: Sequence[Stmt] = [
    store(Load(X, (N,))),
    store(ONE, N, ZERO, mask=YES),
    wide(WIDE),
    wide(Load(X, (LANES,), WIDE_YES), WIDE_YES),
    store(WIDE, LANES, WIDE_ZERO),
    wide(Select(YES, WIDE, WIDE)),
    wide(Select(WIDE_YES, WIDE, WIDE)),
    wide(Apply(Fn.SQRT, (WIDE,), FLOATS)),
    wide(Cast(WIDE_ZERO, FLOATS)),
    loop(),
    loop(ZERO, Const(4), Mode.UNROLL),
    loop(ZERO, Const(4), Mode.VECTOR, lanes=8),
    loop(backwards=YES),
    loop(mode=Mode.PARALLEL),
    If(YES, store(), store()),
    While(YES, store()),
    Let(J, ZERO, store(ONE, J, J)),
    Allocate(local(MemoryScope.SCRATCH), NOTHING),
    Allocate(local(MemoryScope.VIEW, X), NOTHING),
]


@pytest.mark.parametrize("stmt", VALID, ids=range(len(VALID)))
def test_well_formed(stmt: Stmt):
    assert complaints(Kernel("k", (X, OUT), (N,), stmt)) == []


DEFECTS: Sequence[tuple[str, Stmt]] = [
    ("variable i is not bound", store(ONE, I, ZERO)),
    ("variable j is not bound", Block((Let(J, ZERO, NOTHING), store(ONE, J, ZERO)))),
    ("variable j is not bound", Let(J, J, NOTHING)),
    ("variable i is bound twice", Block((loop(), loop()))),
    ("variable j is bound twice", Let(J, ZERO, Let(J, ZERO, NOTHING))),
    ("the bounds of the loop over i are not int64", loop(Const(0, int32))),
    ("the bounds of the loop over i are not int64", loop(ZERO, Const(4, int32))),
    ("the bounds of the loop over k are not int64",
     For(Var("k", int32), ZERO, N, Mode.SERIAL, NOTHING)),
    ("the unrolled loop over i has no constant bounds", loop(mode=Mode.UNROLL)),
    ("the unrolled loop over i has no constant bounds", loop(N, Const(4), Mode.UNROLL)),
    ("the loop over i has lanes, but is not vectorised", loop(lanes=8)),
    ("the loop over i runs backwards, but its iterations have no order",
     loop(ZERO, Const(4), Mode.UNROLL, backwards=YES)),
    ("the direction of the loop over i is int64, not bool", loop(backwards=ZERO)),
    ("a condition is int64, not bool", If(ZERO, store(), NOTHING)),
    ("a condition is int64, not bool", While(ZERO, store())),
    ("variable j is int64, its value float32", Let(J, ONE, NOTHING)),
    ("argument own is allocated", Allocate(local(MemoryScope.ARGUMENT), NOTHING)),
    ("own is view, and of None", Allocate(local(MemoryScope.VIEW), NOTHING)),
    (f"own is scratch, and of {X}", Allocate(local(MemoryScope.SCRATCH, X), NOTHING)),
    ("buffer own is viewed, but not allocated",
     Allocate(Buffer("v", (4,), float32, MemoryScope.VIEW, of=ELSEWHERE), NOTHING)),
    ("buffer own is not allocated", store(Load(ELSEWHERE, (ZERO,)))),
    ("buffer own is not allocated", Store(ELSEWHERE, (ZERO,), ONE)),
    ("buffer out has 2 dimensions, not 1", store(ONE, ZERO)),
    ("an index of out is not int64", store(ONE, ZERO, Const(0, int32))),
    ("indices of out have different numbers of lanes", store(WIDE, HALF, LANES)),
    ("int64 is stored in out, whose elements are float32", store(ZERO)),
    ("float32x4 is stored in out, whose elements are float32", store(WIDE)),
    ("float32 is stored in out, whose elements are float32", wide(ONE)),
    ("a mask of out is boolx4", store(ONE, ZERO, ZERO, mask=WIDE_YES)),
    ("a mask of out is bool", wide(WIDE, YES)),
    ("a mask of x is bool", wide(Load(X, (LANES,), YES))),
    ("the condition of a choice is int64", store(Select(ZERO, ONE, ONE))),
    ("the condition of a choice is boolx4", store(Select(WIDE_YES, ONE, ONE))),
    ("sqrt gives 4 lanes of [float32]", wide(Apply(Fn.SQRT, (ONE,), FLOATS))),
    ("int64 is converted to float32x4", wide(Cast(ZERO, FLOATS))),
    ("a ramp of int64 has steps of int32", store(WIDE, ZERO, Ramp(ZERO, Const(1, int32), 4))),
    ("float32x4 is broadcast", wide(Broadcast(WIDE, 4))),
]  # fmt: skip


@pytest.mark.parametrize(("said", "stmt"), DEFECTS, ids=range(len(DEFECTS)))
def test_defects(said: str, stmt: Stmt):
    assert complaints(Kernel("k", (X, OUT), (N,), stmt)) == [said]


def test_parameters_are_arguments():
    own = local(MemoryScope.SCRATCH)
    assert complaints(Kernel("k", (own,), (), NOTHING)) == ["parameter own is not an argument"]


def test_a_defect_is_reported_once():
    twice = Block((store(ONE, I, ZERO), store(ONE, J, I)))
    found = complaints(Kernel("k", (OUT,), (), twice))
    assert found == ["variable i is not bound", "variable j is not bound"]


def test_comparisons_have_a_lane_for_each_of_their_operands():
    condition = Compare(Order.LT, LANES, WIDE_ZERO)
    assert complaints(Kernel("k", (OUT,), (), wide(Select(condition, WIDE, WIDE)))) == []
