"""The thread pool: every iteration once, at any number of threads, from anywhere."""

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from relay.runtime.thread_pool import CAPACITY, pool
from relay.support.errors import RunError

# mark: count each iteration, and note the worker that ran it; nest: a loop in each iteration.
LOOPS = """
declare i32 @relay_pool_run(ptr, ptr, i64, i64, i32, i64, ptr)
define internal void @mark_body(ptr %closure, i64 %begin, i64 %end, i64 %worker) {
  %counts = load ptr, ptr %closure
  %slot = getelementptr ptr, ptr %closure, i64 1
  %workers = load ptr, ptr %slot
  br label %test
test:
  %i = phi i64 [%begin, %0], [%next, %loop]
  %more = icmp slt i64 %i, %end
  br i1 %more, label %loop, label %done
loop:
  %pc = getelementptr i64, ptr %counts, i64 %i
  %old = load i64, ptr %pc
  %new = add i64 %old, 1
  store i64 %new, ptr %pc
  %pw = getelementptr i64, ptr %workers, i64 %i
  store i64 %worker, ptr %pw
  %next = add i64 %i, 1
  br label %test
done:
  ret void
}
define i32 @mark(ptr %counts, ptr %workers, i64 %n, i64 %threads, i64 %grain, i32 %backwards) {
  %closure = alloca [2 x ptr]
  store ptr %counts, ptr %closure
  %slot = getelementptr ptr, ptr %closure, i64 1
  store ptr %workers, ptr %slot
  %status = call i32 @relay_pool_run(ptr @mark_body, ptr %closure, i64 %n, i64 %grain,
    i32 %backwards, i64 %threads, ptr null)
  ret i32 %status
}
define internal void @nest_body(ptr %counts, i64 %begin, i64 %end, i64 %worker) {
  br label %test
test:
  %i = phi i64 [%begin, %0], [%next, %loop]
  %more = icmp slt i64 %i, %end
  br i1 %more, label %loop, label %done
loop:
  %offset = mul i64 %i, 100
  %row = getelementptr i64, ptr %counts, i64 %offset
  %spare = alloca [100 x i64]
  call i32 @mark(ptr %row, ptr %spare, i64 100, i64 4, i64 1, i32 0)
  %next = add i64 %i, 1
  br label %test
done:
  ret void
}
define i32 @nest(ptr %counts, i64 %n, i64 %threads) {
  %status = call i32 @relay_pool_run(ptr @nest_body, ptr %counts, i64 %n, i64 1, i32 0,
    i64 %threads, ptr null)
  ret i32 %status
}
"""
POINTER, NUMBER = ctypes.c_size_t, ctypes.c_int64


@pytest.fixture
def loops(link):
    kinds = POINTER, POINTER, NUMBER, NUMBER, NUMBER, ctypes.c_int32
    return link(LOOPS, mark=kinds, nest=(POINTER, NUMBER, NUMBER))


def mark(
    loops, n: int, threads: int, times: int = 1, grain: int = 1, backwards: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    counts, workers = np.zeros(max(n, 1), np.int64), np.full(max(n, 1), -1, np.int64)
    for _ in range(times):
        places = counts.ctypes.data, workers.ctypes.data
        assert loops.mark(*places, n, threads, grain, backwards) == 0
    return counts[: max(n, 0)], workers[: max(n, 0)]


@pytest.mark.parametrize("threads", [1, 2, 3, 8, 10**9])
@pytest.mark.parametrize("n", [-5, 0, 1, 2, 3, 7, 64])
@pytest.mark.parametrize("grain", [-1, 1, 3])
def test_every_iteration_runs_once(loops, n, threads, grain):
    for backwards in (0, 1):
        counts, workers = mark(loops, n, threads, grain=grain, backwards=backwards)
        assert (counts == 1).all()
        assert ((workers >= 0) & (workers < threads)).all()


def test_the_iterations_of_a_chunk_run_on_one_thread(loops):
    for _ in range(20):
        _, workers = mark(loops, 23, 3, grain=5)
        chunks = [workers[:5], workers[5:10], workers[10:15], workers[15:]]
        assert all(len(set(chunk)) == 1 for chunk in chunks)
    _, workers = mark(loops, 23, 3, grain=12)
    assert set(workers) == {0}  # too few iterations for two threads


def test_many_loops_in_a_row_lose_nothing(loops):
    counts, _ = mark(loops, 50, 3, times=3000)
    assert (counts == 3000).all()


def test_threads_sleep_and_wake(loops):
    for pause in (0.0, 0.001, 0.02):
        time.sleep(pause)
        counts, _ = mark(loops, 10, 2)
        assert (counts == 1).all()


def test_an_idle_pool_uses_no_processor_time(loops):
    mark(loops, 10, 2, times=10)
    time.sleep(0.05)
    before = time.process_time()
    time.sleep(0.3)
    assert time.process_time() - before < 0.1  # a spinning worker would use all of it


def test_nested_loops_do_not_deadlock(loops):
    counts = np.zeros((20, 100), np.int64)
    loops.nest(counts.ctypes.data, 20, 4)
    assert (counts == 1).all()


def test_python_threads_may_loop_at_once(loops):
    results = []

    def work():
        results.append((mark(loops, 100, 3, times=300)[0] == 300).all())

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert results == [True] * 6


@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
def test_a_forked_child_has_a_pool_of_its_own(loops):
    mark(loops, 10, 3)
    assert pool().started >= 3
    child = os.fork()
    if child == 0:
        signal.alarm(20)  # a deadlock ends the child, with a status that is not 0
        fresh = pool().started == 1
        counts, workers = mark(loops, 10, 3)
        again = (counts == 1).all() and workers.max() <= 2 and pool().started == 3
        os._exit(0 if fresh and again else 1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
def test_a_fork_while_another_thread_loops_is_harmless(loops):
    stop = threading.Event()

    def keep_busy():
        while not stop.is_set():
            mark(loops, 1000, 2)

    busy = threading.Thread(target=keep_busy)
    busy.start()
    try:
        for _ in range(10):
            child = os.fork()
            if child == 0:
                signal.alarm(20)
                os._exit(0 if (mark(loops, 10, 3)[0] == 1).all() else 1)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        stop.set()
        busy.join()


def test_workers_block_signals(loops):
    mark(loops, 10, 3)
    masks = []
    for status_file in Path("/proc/self/task").glob("*/status"):
        status = dict(line.split(":", 1) for line in status_file.read_text().splitlines())
        masks.append(int(status["SigBlk"], 16) >> (signal.SIGINT - 1) & 1)
    assert sum(masks) >= 2  # the workers; Python's own threads do not block it


def test_a_process_ends_while_workers_spin():
    script = (
        "import numpy, relay.runtime.thread_pool as p, ctypes;"
        "pool = p.pool();"
        "body = ctypes.CFUNCTYPE(None, *[ctypes.c_size_t] * 4)(lambda *a: None);"
        "run = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_size_t] * 7)(pool.run_address);"
        "address = ctypes.cast(body, ctypes.c_void_p).value;"
        "[run(address, 0, 10, 1, 0, 4, 0) for _ in range(100)]"
    )
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", script], timeout=60, check=False)
        assert done.returncode == 0


def test_the_number_of_threads_is_checked():
    assert pool().threads(None) >= 1
    assert pool().threads(3) == 3
    for asked in (0, -1, CAPACITY + 1):
        with pytest.raises(RunError) as caught:
            pool().threads(asked)
        assert caught.value.code == "R013"


def test_there_is_one_pool():
    found = []
    threads = [threading.Thread(target=lambda: found.append(pool())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(p is pool() for p in found)
