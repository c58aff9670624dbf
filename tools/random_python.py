"""Trace random Python functions, and compare them with plain Python and NumPy.

    python tools/random_python.py --count 300 [--first 0] [--every 10] [--record FILE]

The functions alias and slice arrays, capture variables, store arrays in lists, dictionaries, data
and mutable objects, and write to their parameter; they branch, loop, leave loops early, append to
lists, and call helpers. The result and the argument after the call must be those of Python; a
function may also be rejected with an error code.
"""

import argparse
import importlib.util
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # relay is that of this checkout
import relay
from relay.frontend.python import PythonFunction
from relay.support.errors import RelayError
from tools.fuzzing.cases import add_options, run

HEAD = """
from collections import deque
from dataclasses import dataclass
from typing import Any
import numpy as np
import relay
from relay.frontend.python import Tensor, float32, function, int32
WEIGHTS = [np.array([1, 2, 3], np.float32), np.array([0.5, -1, 2], np.float32)]
@relay.data
class Pair:
    first: Tensor[3]
    second: Tensor[3]
    def total(self):
        return self.first + self.second
@dataclass
class Move:
    by: Any
    count: Any = 0.0
    def step(self, k):
        if k > 1:
            self.by = self.by * 2
        self.count += k
        return self.count
def bump(x, by=1.0):
    x[0] += by
    return x
def pick(c, x, y):
    if c:
        return x * 2
    return x + y
@function
def summed(x: Tensor[3]) -> float32:
    return x.sum()
"""
_ARRAYS = ("a", "b", "c")


class Generator:
    """Writes one function; its `a`, `b`, `c` are arrays, `n` is an integer and `s` a scalar."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._count = 0

    def function(self, name: str) -> str:
        """Return the source of a function."""
        body = [
            "a = x * 2",
            "b = a",
            "c = x.copy()",
            "s = 0.0",
            "rows = [a, c]",
            "named = {'p': c, 'q': x + 1}",
        ]
        body += [
            "box = Pair(a, x * 3)",
            "move, queue = Move(c), deque([s, 1.0])",
            *self._block(6, 0),
            "kept = rows[0] + rows[1], named['p'] + named['q'], box.total()",
            "return a, b, c, s, *kept, move.by, move.count, queue[0] - queue[1]",
        ]
        lines = "\n".join(f"    {line}" for line in body)
        return f"@function\ndef {name}(x: Tensor[3], n: int32):\n{lines}\n"

    def _block(self, size: int, depth: int) -> list[str]:
        lines: list[str] = []
        for _ in range(self._random.randint(1, size)):
            lines += self._statement(depth)
        return lines

    def _array(self) -> str:
        return self._random.choice(_ARRAYS)

    def _value(self) -> str:
        a, b = self._array(), self._array()
        return self._random.choice(
            [
                a,
                f"{a} + {b}",
                f"{a}.copy()",
                f"np.tanh({a})",
                f"{a}[::-1]",
                f"rows[{self._random.randint(0, 1)}]",
                f"named['{self._random.choice('pq')}']",
                f"pick({self._test()}, {a}, {b})",
                "box.first",
                "move.by",
                "WEIGHTS[1] * 2",
                f"({a} if {self._test()} else {b} * 1)",
                f"np.where({a} > 1, {a}, {b})",
                f"sum([{a}, {b}])",
            ]
        )

    def _test(self) -> str:
        return self._random.choice(
            [
                "n > 1",
                "n % 2 == 0",
                f"{self._array()}[0] > 2",
                "s < 5 and n > 0",
                "not n == 3",
                "True",
                "1 < n < 4",
            ]
        )

    def _statement(self, depth: int) -> list[str]:
        a, b, k = self._array(), self._array(), self._random.randint(0, 2)
        simple = [
            f"{a} = {self._value()}",
            f"{a}[{k}] = s + {k}",
            f"{a} += 1.0",
            f"{a}[1:] *= 2.0",
            f"bump({a}, {k}.0)",
            f"s += {self._array()}[{k}]",
            f"s = s + summed({self._array()})",
            f"rows[{k % 2}] = {self._value()}",
            f"named['p'] = {self._value()}",
            f"box = Pair({self._array()}, {self._value()})",
            f"{a}[{a} > 3] = 0.5",
            f"view = {a}[:2]; view += 0.25",
            f"s = (lambda t: t * 0.5 + {self._array()}[1])(s)",
            f"x[{k}] = {self._array()}[0]",
            f"x += {self._value()}",
            f"{a} = x",
            f"{a} = {self._array()}[::-1]",
            f"rows = [{self._array()}, {self._value()}]",
            f"swap = {a}; {a} = {b}; {b} = swap",
            f"items = [v * 2 for v in {a}]; s += items[{k}]",
            f"items = []\nfor v in {a}.copy():\n    items.append(v + {k})\n{b} = np.array(items)",
            f"items = []\nfor v in {a} * 1:\n    if v > {k}: items.append({b})\ns += len(items)",
            f"named = {{**named, 'q': {self._array()}}}",
            f"{a}, {b} = {b} * 1, {a}",
            f"move = Move({self._value()}, s)",
            f"move.by = {self._value()}",
            f"move.by[{k}] += {k}.0",
            "s += move.step(n)",
            f"other = move\nother.count += {k}",
            f"queue[{k % 2}], s = s, {k}.0",
            f"items = []\nfor v in {a} * 1:\n  for w in range(n): items.append(v)\ns += len(items)",
            f"s += {a}[{k}] + move.step(n)",
        ]
        kind = self._random.random()
        if kind < 0.6 or depth == 2:
            return self._random.choice(simple).split("\n")
        inner = [f"    {line}" for line in self._block(3, depth + 1)]
        if kind < 0.75:
            other = [f"    {line}" for line in self._block(2, depth + 1)]
            return [
                f"if {self._test()}:",
                *inner,
                *(["else:", *other] if self._random.random() < 0.5 else []),
            ]
        self._count += 1
        leave = self._random.choice(
            [[], [], [f"    if {self._test()}: break"], ["    if s > 9: continue"]]
        )
        over = self._random.choice(
            [
                "range(n)",
                "range(2)",
                f"enumerate({self._array()}.copy())",
                "(0, 1)",
                f"{self._array()}.copy()",
            ]
        )
        return [f"for i{self._count} in {over}:", *leave, *inner]


def load(source: str, folder: str, name: str) -> ModuleType:
    """Write a source to a file and return it as a module."""
    file = Path(folder) / f"{name}.py"
    file.write_text(HEAD + source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # data classes look for their module
    spec.loader.exec_module(module)
    return module


def compared(program: PythonFunction[..., Any], *, compiled: bool) -> None:
    """Raise `AssertionError` if results or modified arguments differ from Python's."""
    call: Callable[..., Any] = relay.compile(program, threads=1) if compiled else program
    for n in (0, 1, 3):
        x = np.array([1, -2, 3], np.float32)
        given = x.copy()
        with np.errstate(all="ignore"):
            wanted: Any = (*program.python(given, np.int32(n)), given)
            found: Any = (*call(x, np.int32(n)), x)
        for one, other in zip(found, wanted, strict=True):
            if not np.allclose(one, other, rtol=1e-3, atol=1e-3, equal_nan=True):
                raise AssertionError(f"n = {n}: {found} is not {wanted}")


def check(number: int, every: int, *, shown: bool) -> str:
    """Compare one function; return "right", or the code with which it is rejected."""
    source = Generator(Random(number)).function(f"f{number}")  # noqa: S311 - no secret
    compiled = bool(every) and number % every == 0
    with tempfile.TemporaryDirectory() as folder:
        try:
            program = getattr(load(source, folder, f"random_{number}"), f"f{number}")
            compared(program, compiled=compiled)
        except RelayError as error:
            if shown:
                print(f"{error}\n{source}")
            return f"refused: {error.code}"
        except Exception as error:
            error.add_note(source)
            raise
    return "right, compiled" if compiled else "right"


def main() -> int:
    """Compare compiled random functions with Python and print the differences."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_options(parser, 300)
    parser.add_argument("--every", type=int, default=10, help="how seldom a function is compiled")
    parser.add_argument("--refused", action="store_true", help="print what is refused")
    options = parser.parse_args()
    return run(partial(check, every=options.every, shown=options.refused), options)


if __name__ == "__main__":
    raise SystemExit(main())
