"""Evaluate functions on lists of a million elements and on trees 100,000 deep.

`python tools/deep_values.py [--length 1000000] [--depth 100000]` prints the time of each and the
memory at the end. Every value is compared with that of NumPy.
"""

import argparse
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
import relay
from relay.ir.equality import structural_equal
from relay.prelude import library
from relay.semantics.evaluate import evaluate
from relay.semantics.evaluator_values import Data, Value
from relay.text.printer import text_of
from tools.fuzzing.programs.values import same

_HEAD = '#[version = "0.0.5"]\nimport "prelude.rly"\n'
_LISTS = _HEAD + "def @main(%xs: List[int32])"
_TREES = _HEAD + "def @main(%t: Tree[int32])"
_TWICE = "fn (%x: int32) { %x * 2 }"
_MINUS = "fn (%a: int32, %b: int32) { %a - %b }"

ON_LISTS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "@length(%xs)": (_LISTS, len),
    "@sum(%xs)": (_LISTS, lambda xs: xs.sum(dtype=np.int32)),
    f"@foldr({_MINUS}, 0, %xs)": (
        _LISTS,
        lambda xs: (xs * np.resize([1, -1], len(xs))).sum(dtype=np.int32),
    ),
    f"@map({_TWICE}, %xs)": (_LISTS, lambda xs: 2 * xs),
    "@rev(%xs)": (_LISTS, lambda xs: xs[::-1]),
    "@filter(fn (%x: int32) { %x > 50 }, %xs)": (_LISTS, lambda xs: xs[xs > 50]),
    "@concat(%xs, %xs)": (_LISTS, lambda xs: np.concatenate([xs, xs])),
}
"""Calls on a list `%xs`: the signature of the program, and the expected result by NumPy."""

ON_TREES: dict[str, tuple[str, Callable[[int], int]]] = {
    "@size(%t)": (_TREES, lambda depth: depth),
    f"@size(@tmap({_TWICE}, %t))": (_TREES, lambda depth: depth),
}
"""Calls on a tree `%t`: the signature of the program, and the expected result for a depth."""


def long_list(numbers: "np.ndarray[Any, Any]") -> Data:
    """Return the list of these numbers."""
    c = library("prelude.rly").constructors()
    found = Data(c["Nil"], ())
    for number in reversed(numbers):
        found = Data(c["Cons"], (np.asarray(number), found))
    return found


def elements(value: Value) -> list[Value]:
    """Return the elements of a list."""
    found: list[Value] = []
    while fields := cast("Data", value).fields:
        found.append(fields[0])
        value = fields[1]
    return found


def deep_tree(depth: int) -> Data:
    """Return a tree in which every node but the last has one subtree."""
    c = library("prelude.rly").constructors()
    nothing = Data(c["Nil"], ())
    tree = Data(c["Rose"], (np.asarray(np.int32(0)), nothing))
    for _ in range(depth - 1):
        tree = Data(c["Rose"], (np.asarray(np.int32(1)), Data(c["Cons"], (tree, nothing))))
    return tree


def nested_calls(length: int) -> str:
    """Return a program that writes out a list of that length and returns its length."""
    spelled = "Cons(1, " * length + "Nil" + ")" * length
    return f"{_HEAD}def @main() {{ @length({spelled}) }}"


def timed(what: str, action: Callable[[], Any]) -> Any:
    """Return the result of `action`, and print its duration."""
    start = time.perf_counter()
    result = action()
    print(f"{time.perf_counter() - start:8.2f} s  {what}", flush=True)
    return result


def lists(length: int) -> None:
    """Create, use, compare and print lists."""
    numbers = np.arange(length, dtype=np.int32) % 97
    xs = timed(f"make a list of {length:,}", lambda: long_list(numbers))
    for body, (head, expected) in ON_LISTS.items():
        module = relay.parse(f"{head} {{ {body} }}")
        value = timed(body, lambda module=module: evaluate(module, xs))
        wanted = expected(numbers)
        np.testing.assert_array_equal(value if np.ndim(wanted) == 0 else elements(value), wanted)
    assert timed("make an equal list, compare, and free it", lambda: same(xs, long_list(numbers)))
    timed("show it", lambda: repr(xs))


def freeing(length: int) -> None:
    """Free a list."""
    holder = [long_list(np.zeros(length, np.int32))]
    timed("free a list", holder.clear)


def trees(depth: int) -> None:
    """Create and use trees."""
    tree = timed(f"make a tree {depth:,} deep", lambda: deep_tree(depth))
    for body, (head, expected) in ON_TREES.items():
        module = relay.parse(f"{head} {{ {body} }}")
        value = timed(body, lambda module=module: evaluate(module, tree))
        assert value == expected(depth)


def texts(depth: int) -> None:
    """Parse, print, compare and evaluate a deeply nested program."""
    module = timed(f"parse {depth:,} nested calls", lambda: relay.parse(nested_calls(depth)))
    text = timed("print them", lambda: text_of(module))
    again = timed("parse what was printed", lambda: relay.parse(text))
    assert timed("compare the programs", lambda: structural_equal(module, again))
    assert timed("evaluate", lambda: evaluate(again)) == depth


def main() -> None:
    """Run all checks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--length", type=int, default=1_000_000)
    parser.add_argument("--depth", type=int, default=100_000)
    options = parser.parse_args()
    lists(options.length)
    freeing(options.length)
    trees(options.depth)
    texts(options.depth)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{peak:,} MiB at most")


if __name__ == "__main__":
    main()
