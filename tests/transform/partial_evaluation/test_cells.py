"""Partial evaluation of random programs whose cells have several names."""

from collections.abc import Sequence
from itertools import count
from random import Random

import numpy as np
import pytest

import relay
from relay.semantics.evaluate import evaluate
from relay.transform.partial_evaluation.partial_evaluate import PartialEvaluate

HEAD = """#[version = "0.0.5"]
def @count(%r: ref(int32), %n: int32) -> ref(int32) {
  if (%n < 1) { %r } else { ref_write(%r, ref_read(%r) + %n); @count(%r, %n - 1) }
}
"""


class Writer:
    """Writes a program that makes cells, writes to them, and reads them all at its end."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._names = map("%v{}".format, count())

    def program(self) -> str:
        lines, cells = self._statements(["%p"], depth=2, length=7)
        reads = ", ".join(f"ref_read({cell})" for cell in cells)
        types = ", ".join(["int32"] * len(cells))
        head = f"def @main(%c: bool, %n: int32) -> ({types},)"
        return f"{HEAD}{head} {{ let %p = ref(1); {lines} ({reads},) }}"

    def _cell(self, cells: Sequence[str], depth: int) -> str:
        some = self._random.choice
        ways = [lambda: some(cells), lambda: f"ref({self._random.randrange(9)})"]
        if depth:
            a, b = self._cell(cells, depth - 1), self._cell(cells, depth - 1)
            ways += [
                lambda: f"(if ({self._condition()}) {{ {a} }} else {{ {b} }})",
                lambda: f"@count({a}, {some(['%n', '2'])})",
                lambda: f"(fn () -> ref(int32) {{ {a} }})()",
            ]
        return some(ways)()

    def _condition(self) -> str:
        return self._random.choice(["%c", "%n < 2"])

    def _statements(self, around: Sequence[str], depth: int, length: int) -> tuple[str, list[str]]:
        lines, cells = "", list(around)
        for _ in range(length):
            name, way = next(self._names), self._random.randrange(3)
            if way == 0:
                written = self._cell(cells, 1)
                lines += f"ref_write({written}, ref_read({self._random.choice(cells)}) * 2 + 1);\n"
            elif way == 1 or not depth:
                lines += f"let {name} = {self._cell(cells, 2)};\n"
                cells.append(name)
            else:
                arms = [self._statements(cells, depth - 1, 2)[0] for _ in range(2)]
                ends = [f"{arm} {self._cell(cells, 1)}" for arm in arms]
                test = self._condition()
                lines += f"let {name} = if ({test}) {{ {ends[0]} }} else {{ {ends[1]} }};\n"
                cells.append(name)
        return lines, cells


@pytest.mark.parametrize("limit", [400, 30])
def test_writes_are_seen_by_all_names(limit: int):
    for number in range(12):
        module = relay.parse(Writer(Random(number)).program())
        after = PartialEvaluate(limit)(module)
        for condition, n in [(True, 3), (False, 1), (False, 2)]:
            inputs = np.array(condition), np.int32(n)
            assert evaluate(after, *inputs) == evaluate(module, *inputs)
