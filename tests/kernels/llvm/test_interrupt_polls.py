"""Long loops poll whether the call must stop, and short ones do not."""

import ctypes
from typing import Any

import numpy as np
import pytest
from kernels.llvm.running import HOST, add, i64, serial

from relay.kernels.kernel_compiler import compile_kernels
from relay.kernels.llvm.buffer_placement import STACK_BYTES, plan
from relay.kernels.llvm.execution_engine import Engine
from relay.kernels.llvm.place_interrupt_polls import PERIOD, interrupt_polls
from relay.kernels.loops import (
    Allocate,
    Block,
    Buffer,
    For,
    If,
    Kernel,
    Load,
    Mode,
    Stmt,
    Store,
    While,
)
from relay.kernels.scalar import Binary, Compare, Const, Op, Order, Scalar, Var, size_named
from relay.support.dtype import int64
from relay.support.kernel_error_record import (
    CALL_OFFSET,
    LOOK_OFFSET,
    NEVER_OFFSET,
    RECORD_BYTES,
    STOPPED,
)

Y = Buffer("y", (), int64)
N = Var("n")
ONCE = Store(Y, (), add(Load(Y, ()), i64(1)))
SOME = Compare(Order.LT, Load(Y, ()), i64(5))


def loop(extent: Scalar | int, body: Stmt = ONCE, mode: Mode = Mode.SERIAL) -> For:
    return serial(Var("i"), extent, body, mode)


def periods(root: Stmt) -> list[int]:
    return list(interrupt_polls(root).values())


def test_a_loop_of_little_work_does_not_poll():
    assert periods(loop(PERIOD // 2)) == []
    assert periods(loop(PERIOD)) == [PERIOD // 2]
    assert periods(loop(4, loop(PERIOD // 2))) == [1]
    assert periods(loop(4, loop(PERIOD // 16))) == []


def test_a_loop_of_unknown_length_polls():
    assert periods(loop(N)) == [PERIOD // 2]
    assert periods(loop(N, loop(N))) == [PERIOD // 2, 1]  # the inner loop may be empty


def test_a_bounded_block_of_unknown_length_does_not_poll():
    """The sums of a block stay in registers, which a poll would take from them."""
    rest = Binary(Op.SUB, N, i64(3), int64)
    for bound in Binary(Op.MIN, i64(PERIOD // 2), rest, int64), Binary(Op.MIN, rest, i64(9), int64):
        assert periods(loop(bound)) == []
    assert periods(loop(Binary(Op.MIN, i64(PERIOD), rest, int64))) == [PERIOD // 2]


def test_a_test_of_a_size_bounds_the_loops_of_its_branch():
    size = size_named("n")
    few = If((size >= 1) & (size <= 99), loop(size), loop(size))
    assert list(interrupt_polls(few)) == [few.other]


def test_loops_around_a_certain_poll_do_not_poll():
    assert periods(loop(N, loop(PERIOD))) == [PERIOD // 2]
    assert periods(loop(N, Block((ONCE, loop(PERIOD))))) == [PERIOD // 2]
    assert len(periods(loop(N, If(SOME, loop(PERIOD), ONCE)))) == 2
    assert len(periods(loop(N, loop(PERIOD, mode=Mode.PARALLEL)))) == 2


def test_unrolled_copies_are_counted():
    assert periods(loop(PERIOD // 8, loop(16, mode=Mode.UNROLL))) == [PERIOD // 17]


def test_a_loop_that_ends_by_a_condition_polls():
    assert periods(While(SOME, ONCE)) == [1]
    assert periods(loop(PERIOD // 2, While(SOME, ONCE))) == [1, PERIOD // 3]  # it may do nothing


def answering(answer: int) -> tuple[list[int], Any]:
    """Return the calls of a callback so far, and the callback."""
    calls: list[int] = []

    def look(call: int) -> int:
        calls.append(call)
        return answer

    return calls, ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_size_t)(look)


BODIES = {
    "serial": loop(N),
    "known": loop(3 * PERIOD),
    "parallel": loop(N, loop(PERIOD), Mode.PARALLEL),
    "while": While(Compare(Order.LT, Load(Y, ()), Const(10**7, int64)), ONCE),
}


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize(("word", "answer"), [(0, 1), (1, 0), (1, 1), (1, None)])
def test_a_kernel_stops_when_it_is_told(name: str, word: int, answer: int | None):
    """The callback answers whether to stop; without one, the kernel stops at once."""
    (code,) = compile_kernels([Kernel("k", (Y,), (N,), BODIES[name])], HOST)
    assert code.polls
    assert code.main == RECORD_BYTES
    engine, memory, y = Engine([code]), np.zeros(32, np.int64), np.zeros((), np.int64)
    workspace = memory.ctypes.data + -memory.ctypes.data % 64
    call = workspace + NEVER_OFFSET
    ctypes.c_size_t.from_address(workspace + CALL_OFFSET).value = call
    ctypes.c_int32.from_address(call).value = word
    calls, look = answering(answer or 0)
    if answer is not None:
        address = ctypes.cast(look, ctypes.c_void_p).value or 0
        ctypes.c_size_t.from_address(workspace + LOOK_OFFSET).value = address
    native = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_size_t] * 3)(engine._library[code.symbol])
    n = 3 * PERIOD if name == "serial" else 3
    status = native(y.ctypes.data, n, workspace)
    whole = {"serial": n, "known": n * PERIOD, "parallel": 3 * PERIOD, "while": 10**7}[name]
    stops = word and answer != 0
    assert status == (STOPPED if stops else 0)
    assert (y < whole) == stops
    assert set(calls) == ({call} if word and answer is not None else set())


@pytest.mark.parametrize("mode", [Mode.SERIAL, Mode.PARALLEL])
def test_scratch_memory_of_a_kernel_that_does_not_poll_lies_behind_the_record(mode: Mode):
    scratch = Buffer("scratch", (STACK_BYTES,), int64)
    body = Allocate(scratch, Store(scratch, (i64(0),), i64(1)))
    made = plan(Kernel("short", (Y,), (), loop(2, body, mode)))
    assert not made.polls
    assert made.main == RECORD_BYTES + (8 * STACK_BYTES if mode is Mode.SERIAL else 0)
    assert made.worker == (8 * STACK_BYTES if mode is Mode.PARALLEL else 0)
