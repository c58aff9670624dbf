"""What native programs must survive: threads, small stacks, depth, and a million turns."""

import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import relay
from relay.runtime import Data
from relay.support.errors import RelayError, RunError

HEAD = '#[version = "0.0.5"]\n'
LIST = """
type List { Cons(int32, List), Nil }
def @upto(%n: int32, %l: List) -> List {
  if (less(%n, 1)) { %l } else { @upto(subtract(%n, 1), Cons(%n, %l)) }
}
def @sum(%l: List) -> int32 {
  match (%l) { Cons(%x, %rest) => { add(%x, @sum(%rest)) }, Nil => { 0 } }
}
"""
SUM = HEAD + LIST + "def @main(%n: int32) -> int32 { @sum(@upto(%n, Nil)) }"
"""As many calls deep as `n`."""

LISTS = HEAD + LIST + "def @main(%n: int32) -> List { @upto(%n, Nil) }"
X = relay.var("x", shape=(9, 9))
STRAIGHT = relay.Module({"main": relay.Function((X,), relay.add(X, X))})
Y = relay.var("y", shape=(relay.DimVar("n"), 3))
OPEN = relay.Module({"main": relay.Function((Y,), relay.exp(Y))})

DEPTH = 100_000
TOTAL = np.int32(np.int64(DEPTH * (DEPTH + 1) // 2).astype(np.int32))


@contextmanager
def stack_of(kibibytes: int) -> Generator[None]:
    """Give threads that begin in this scope a stack of this size."""
    before = threading.stack_size(kibibytes << 10)
    try:
        yield
    finally:
        threading.stack_size(before)


@pytest.mark.parametrize("kibibytes", [32, 64, 128, 512])
def test_deep_recursion_in_threads_with_small_stacks(kibibytes: int):
    deep = relay.compile(relay.parse(SUM))
    with stack_of(kibibytes), ThreadPoolExecutor(1) as pool:
        found = [int(each) for each in pool.map(deep, np.array([3, 300, 3000, DEPTH], np.int32))]
    assert found == [6, 45150, 4501500, TOTAL]


NOT_TAIL = {
    "a function": "def @main(%n: int32) -> int32 {"
    " if (less(%n, 1)) { 0 } else { add(%n, @main(subtract(%n, 1))) } }",
    "two functions": """
def @even(%n: int32) -> int32 { if (less(%n, 1)) { 0 } else { add(%n, @odd(subtract(%n, 1))) } }
def @odd(%n: int32) -> int32 { if (less(%n, 1)) { 0 } else { add(%n, @even(subtract(%n, 1))) } }
def @main(%n: int32) -> int32 { @even(%n) }
""",
}


@pytest.mark.parametrize("name", NOT_TAIL)
def test_recursion_a_hundred_thousand_deep(name: str):
    deep = relay.compile(relay.parse(HEAD + NOT_TAIL[name]))
    for _ in range(3):
        assert deep(np.int32(DEPTH)) == TOTAL


def listed(value: Any) -> int:
    """Return the sum of a list."""
    total = 0
    while isinstance(value, Data) and value.fields:
        total += int(value.fields[0])
        value = value.fields[1]
    return total


KINDS: dict[str, tuple[Callable[[], Any], Callable[[Any, int], bool]]] = {
    "straight line": (
        lambda: relay.compile(STRAIGHT),
        lambda call, i: bool((call(np.full((9, 9), i, np.float32)) == 2 * i).all()),
    ),
    "program": (
        lambda: relay.compile(relay.parse(SUM)),
        lambda call, i: bool(call(np.int32(20 * i)) == 10 * i * (20 * i + 1)),
    ),
    "data": (
        lambda: relay.compile(relay.parse(LISTS)),
        lambda call, i: listed(call(np.int32(i))) == i * (i + 1) // 2,
    ),
    "open sizes": (
        lambda: relay.compile(OPEN),
        lambda call, i: bool(call(np.zeros((i % 3 + 1, 3), np.float32)).sum() == 3 * (i % 3 + 1)),
    ),
    "named machine": (
        lambda: relay.compile(relay.parse(SUM), target="native"),
        lambda call, i: call(np.int32(i)) == i * (i + 1) // 2,
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_four_threads_call_one_executable(kind: str):
    make, check = KINDS[kind]
    executable = make()
    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(lambda i: check(executable, i), range(200)))


MILLION = (
    HEAD
    + LIST
    + """
def @loop(%n: int32, %x: Tensor[(40), float32], %l: List) -> (Tensor[(40), float32], List) {
  if (less(%n, 1)) { (%x, %l) }
  else { @loop(subtract(%n, 1), tanh(add(%x, 0.1f)), Cons(%n, Cons(@sum(%l), Nil))) }
}
def @main(%n: int32, %x: Tensor[(40), float32]) -> Tensor[(40), float32] { @loop(%n, %x, Nil).0 }
"""
)


def resident() -> int:
    """Return the bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) << 12


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not say")
def test_a_million_turns_keep_no_memory():
    loop = relay.compile(relay.parse(MILLION))
    x = np.zeros(40, np.float32)
    for _ in range(3):
        loop(np.int32(1000), x)
    before = resident()
    loop(np.int32(1_000_000), x)
    for _ in range(3000):
        loop(np.int32(3), x)
    assert resident() - before < 2 << 20  # a million blocks of 64 bytes would be 61 MiB


CYCLES = (
    HEAD
    + """
def @cycle(%n: int32) -> int32 {
  let %r = ref(fn (%x: int32) -> int32 { %x });
  let %f = fn (%x: int32) -> int32 { let %g = ref_read(%r); add(%x, %n) };
  ref_write(%r, %f);
  %f(1)
}
def @main(%k: int32, %s: int32) -> int32 {
  if (less(%k, 1)) { %s } else { @main(subtract(%k, 1), add(%s, @cycle(%k))) }
}
"""
)
"""Each turn leaves two blocks that refer to each other."""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not say")
def test_what_refers_to_itself_lives_until_the_call_ends():
    call = relay.compile(relay.parse(CYCLES))
    for _ in range(3):
        call(np.int32(10_000), np.int32(0))
    before = resident()
    for _ in range(100):
        call(np.int32(10_000), np.int32(0))
    assert resident() - before < 4 << 20  # a million circles would be 122 MiB


def test_a_place_that_a_list_does_not_have():
    nth = relay.parse(
        HEAD + 'import "prelude.rly"\n'
        "def @main(%n: int32) -> int32 { @nth(Cons(1, Cons(2, Nil)), %n) }"
    )
    executable = relay.compile(nth)
    assert executable(np.int32(1)) == 2
    with pytest.raises(RunError, match="R040") as caught:
        executable(np.int32(2))
    assert caught.value.span is not None
    assert "prelude.rly" in str(caught.value)


@pytest.mark.parametrize("size", [3, relay.DimVar("n")], ids=str)
@pytest.mark.parametrize("kind", ["aot", "vm"])
def test_more_axes_than_arrays_have_stay_inside(size: Any, kind: str):
    x = deep = relay.var("x", shape=(size,))
    for _ in range(64):
        deep = relay.expand_dims(deep, axis=0)
    inside = relay.IRModule.from_expr(relay.Function((x,), relay.sum(relay.exp(deep))))
    run = relay.create_executor(kind, inside).evaluate()
    np.testing.assert_allclose(run(np.zeros(3, np.float32)).numpy(), 3)
    crossing = relay.IRModule.from_expr(relay.Function((x,), deep))
    with pytest.raises(RelayError, match=r"C102.*65 axes"):
        relay.create_executor(kind, crossing).evaluate()
