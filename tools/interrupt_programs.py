"""Send Control-C during long kernels and programs: `python tools/interrupt_programs.py`.

Each program is called twice completely, then interrupted at several moments, then called
again. An interrupted call must soon raise `KeyboardInterrupt` in Python, and the last call must
return exactly the first result. Prints the longest time from the signal to Python for each program,
and how many calls were interrupted before they ended; exits with 1 if a time exceeds the limit, a
result differs, or no call was interrupted.
"""

import argparse
import math
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
import relay
from relay.runtime import Data

Arrays = tuple[Any, ...]
MOMENTS = [each / 10 for each in range(1, 10)]
"""When a call is interrupted, as parts of its time."""
_HEAD = '#[version = "0.0.5"]\n'
_DENSE = """
def @main(%x: Tensor[({}, 3000), float32], %w: Tensor[(3000, 3000), float32]) {{
  nn.dense(%x, %w)
}}
"""
_CONVOLUTION = """
def @main(%x: Tensor[(2, 256, 112, 112), float32], %w: Tensor[(256, 256, 3, 3), float32]) {
  nn.conv2d(%x, %w, padding=[1, 1])
}
"""
_TREE = """
type Tree { Leaf(float32), Node(Tree, Tree) }
def @grow(%n: int32) -> Tree {
  if (%n <= 0) { Leaf(1f) } else { let %t = @grow(%n - 1); Node(@grow(%n - 1), %t) }
}
def @sum(%t: Tree) -> float32 {
  match (%t) { Leaf(%x) => %x, Node(%l, %r) => @sum(%l) + @sum(%r) }
}
def @total(%n: int32, %sum: float32) -> float32 {
  if (%n <= 0) { %sum } else { @total(%n - 1, %sum + @sum(@grow(14))) }
}
def @main(%n: int32) -> float32 { @total(%n, 0f) }
"""
_LIST = """
type List { Cons(int32, List), Nil }
def @upto(%n: int32, %l: List) -> List {
  if (%n <= 0) { %l } else { @upto(%n - 1, Cons(%n, %l)) }
}
def @sum(%l: List, %n: int32) -> int32 {
  match (%l) { Cons(%x, %rest) => @sum(%rest, %n + %x), Nil => %n }
}
"""
_LOOP = """
def @main(%n: int32, %x: Tensor[(64), float32]) -> Tensor[(64), float32] {
  if (%n <= 0) { %x } else { @main(%n - 1, tanh(%x * 1.5f)) }
}
"""


def _drawn(*shape: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(0).random(shape, np.float32)


def _listed(count: int) -> Data:
    found = Data("Nil")
    for _ in range(count):
        found = Data("Cons", (1, found))
    return found


PROGRAMS: Mapping[str, tuple[str, Callable[[], Arrays]]] = {
    "product of matrices": (
        _DENSE.format("3000"),
        lambda: (_drawn(3000, 3000), _drawn(3000, 3000)),
    ),
    "product of open size": (
        _DENSE.format("n"),
        lambda: (_drawn(3000, 3000), _drawn(3000, 3000)),
    ),
    "convolution": (
        _CONVOLUTION,
        lambda: (_drawn(2, 256, 112, 112), _drawn(256, 256, 3, 3)),
    ),
    "elementwise": (
        "def @main(%x: Tensor[(n), float32]) { sum(erf(tan(sin(exp(%x))))) }",
        lambda: (_drawn(40_000_000),),
    ),
    "sort": ("def @main(%x: Tensor[(n), float32]) { sort(%x) }", lambda: (_drawn(6_000_000),)),
    "running sum": (
        "def @main(%x: Tensor[(n, 8), float32]) { cumsum(exp(%x), axis=0) }",
        lambda: (_drawn(12_000_000, 8),),
    ),
    "softmax": (
        "def @main(%x: Tensor[(n, 1000), float32]) { nn.softmax(%x) }",
        lambda: (_drawn(120_000, 1000),),
    ),
    "gather": (
        "def @main(%x: Tensor[(n, 16), float32], %i: Tensor[(k), int32]) { take(%x, %i, axis=0) }",
        lambda: (
            _drawn(2_000_000, 16),
            np.random.default_rng(0).integers(0, 2_000_000, 10_000_000, np.int32),
        ),
    ),
    "recursion over trees": (_TREE, lambda: (np.int32(1000),)),
    "loop": (_LOOP, lambda: (np.int32(30_000_000), _drawn(64))),
    "list as an argument": (
        _LIST + "def @main(%l: List) -> int32 { @sum(%l, 0) }",
        lambda: (_listed(2_000_000),),
    ),
    "list as a result": (
        _LIST + "def @main(%n: int32) -> List { @upto(%n, Nil) }",
        lambda: (np.int32(2_000_000),),
    ),
    "list of large tensors": (
        """
type Rows { Row(Tensor[(n), float32], Rows), End }
def @rows(%n: int32, %x: Tensor[(m), float32], %l: Rows) -> Rows {
  if (%n <= 0) { %l } else { @rows(%n - 1, %x, Row(tanh(%x), %l)) }
}
def @main(%n: int32, %x: Tensor[(m), float32]) -> Rows { @rows(%n, %x, End) }
""",
        lambda: (np.int32(300), _drawn(500_000)),
    ),
    "transposed argument": (
        "def @main(%x: Tensor[(n, m), float32]) { %x }",
        lambda: (_drawn(16000, 12000).T,),
    ),
}


def _numbers(found: Any) -> Iterator[Any]:
    """Yield the arrays in a result, which may be a long list."""
    pending = [found]
    while pending:
        each = pending.pop()
        if isinstance(each, Data):
            pending += each.fields
        else:
            yield each


def _equal(left: Any, right: Any) -> bool:
    return all(map(np.array_equal, _numbers(left), _numbers(right)))


def waits(call: Callable[[], Any], moments: Sequence[float]) -> list[float]:
    """Return the times from a signal to Python, of calls that did not end before their signal.

    The signal is that of the system's timer, because a thread could not send one to a call that
    holds the lock of the interpreter; it is handled as that of Control-C.
    """
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    found = list[float]()
    for moment in moments:
        has_ended = False
        sent = time.perf_counter() + moment
        try:
            signal.setitimer(signal.ITIMER_REAL, moment)
            call()
            has_ended = True
            time.sleep(10 * moment)
        except KeyboardInterrupt:
            if not has_ended:
                found.append(time.perf_counter() - sent)
    return found


def main() -> int:
    """Interrupt the programs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=float, default=0.05, help="seconds")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", default="", help="programs with this in their names")
    options = parser.parse_args()
    failed = 0
    for name, (text, inputs) in PROGRAMS.items():
        if options.only not in name:
            continue
        program: Any = relay.compile(relay.parse(_HEAD + text), threads=options.threads)
        arguments = inputs()
        first = program(*arguments)
        start = time.perf_counter()
        program(*arguments)
        whole = time.perf_counter() - start
        moments = [whole * part for part in MOMENTS]
        found = waits(partial(program, *arguments), moments)
        is_right = _equal(first, program(*arguments))
        longest = max(found, default=math.inf)
        failed += longest > options.limit or not is_right
        right = "the next call is right" if is_right else "the next call DIFFERS"
        times = f"{whole:6.2f} s whole, back after {longest * 1e3:5.1f} ms ({len(found)} calls)"
        print(f"{name:<22} {times}, {right}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
