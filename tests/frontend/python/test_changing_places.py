"""Arrays that change places in loops and are written to: NumPy's values, or `F116`."""

import linecache
from itertools import count

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import relay
from relay.frontend.python import PythonFunction, Tensor, float32, int32
from relay.support.errors import RelayError
from tests.frontend.python.oracle import assert_same, expected

Three = tuple[Tensor[3], Tensor[3], Tensor[3]]


@relay.function
def swapped(x: Tensor[3], n: int32):
    y, z = x.copy(), x * 2
    for i in range(n):
        y, z = z, y
        y[i % 3] += 10
    return y, z


@relay.function
def ping_pong(x: Tensor[3], n: int32):
    now, then = x.copy(), np.zeros(3, np.float32)
    for _ in range(n):
        for j in range(3):
            then[j] = 0.5 * now[j] + 0.25 * now[(j + 1) % 3]
        now, then = then, now
    return now


@relay.function
def rotated(x: Tensor[3], n: int32):
    a, b, c = x.copy(), x * 2, x * 3
    for _ in range(n):
        a, b, c = b, c, a
        a[0] += b[1]
        c[1] = a[0]
    a[2] = 7
    return a, b, c


@relay.function
def left_early(x: Tensor[3], n: int32):
    a, b = x.copy(), x * 2
    k = 0
    while True:
        a[0] += 1
        if k > n:
            break
        if k % 2:
            a, b = b, a
        k += 1
    b[1] = 5
    return a, b


@relay.function
def by_a_third_name(x: Tensor[3], n: int32):
    a, b = x.copy(), x * 2
    for _ in range(n):
        spare = a
        a = b
        b = spare
        b[0] += a[1]
    return a, b


@relay.function
def new_in_each_round(x: Tensor[3], n: int32):
    last = x
    for _ in range(n):
        now = last.copy()
        for j in range(3):
            now[j] += last[(j + 1) % 3]
        last = now
    return last


@relay.function
def returned_from_the_loop(x: Tensor[3], n: int32) -> Tensor[3]:
    a, b = x.copy(), x * 2
    for i in range(5):
        a, b = b, a
        a[i % 3] += 1
        if i == n:
            return b
    a[0] = 9
    return b


@pytest.mark.parametrize(
    "program",
    [
        *(swapped, ping_pong, rotated, left_early, by_a_third_name, new_in_each_round),
        returned_from_the_loop,
    ],
    ids=lambda each: each.__name__,
)
def test_what_is_never_one_array_is_written(program):
    compiled = relay.compile(program, threads=1)
    for n in (0, 1, 2, 5):
        given = np.array([1, 2, 3], "f"), n
        assert_same(program(*given), expected(program, given))
        assert_same(compiled(*given), expected(program, given))


@relay.function
def one_of_three_stays(x: Tensor[3], n: int32):
    a, b, c = x.copy(), x * 2, x * 3
    for _ in range(n):
        a, b = b, c
        a[0] += 1
    return a, b, c


@relay.function
def swapped_in_some_rounds_only(x: Tensor[3], n: int32):
    a, b = x.copy(), x * 2
    for i in range(n):
        if i % 2:
            a = b
        b[0] += 1
    return a, b


@relay.function
def read_in_the_next_round(x: Tensor[3], n: int32):
    a, kept = x.copy(), x * 2
    total = 0.0
    for i in range(n):
        if i > 0:
            total += kept[0]
        kept = a
        a[0] += 1
    return total


@relay.function
def part_of_a_part(x: Tensor[3], n: int32):
    kept = x * 3
    pair = ((x * 2, kept), x * 4)
    match pair:
        case (first, _):
            inner = first[1]
    inner[0] = 9.0
    return kept


@pytest.mark.parametrize(
    "program",
    [one_of_three_stays, swapped_in_some_rounds_only, read_in_the_next_round, part_of_a_part],
    ids=lambda each: each.__name__,
)
def test_what_may_be_one_array_is_refused(program):
    with pytest.raises(RelayError, match="F116"):
        _ = program.module


@relay.function
def ident(x: Tensor[3]) -> Tensor[3]:
    return x


NUMBER = count()
HEAD = """def program(x: Tensor[3], n: int32) -> tuple[Three, Tensor[3], int32]:
    a, b, c, d = x.copy(), x * 2, x * 3, x + 1
    s = 0
"""
STATEMENTS = (
    "{0}[0] += {1}[2] + 3",
    "{0}[s % 3] = {0}[1] + 5",
    "{0} += {1}",
    "{0} = {1}",
    "{0} = {1}[::-1]",
    "{0} = ident({1})",
    "{0} = np.zeros(3, np.float32)",
    "{0} = {1} + {2}",
    "{0} = {1}.copy()",
    "{0}, {1} = {1}, {0}",
    "{0}, {1}, {2} = {1}, {2}, {0}",
    "e = {0}; {0} = {1}; {1} = e",
    "pair = {0}, {1}; {2}, {3} = pair",
    "{0} = {1} if s % 2 else {2}",
)
LEAVING = ("break", "continue", "return (a, b, c), d, s")


@st.composite
def blocks(draw: st.DrawFn, depth: int = 3, *, loop: bool = False) -> list[str]:
    """Return statements that move arrays, and write to them."""
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.integers(0, 9))
        if kind >= 4 or not depth:
            names = draw(st.permutations("abcd"))
            lines += draw(st.sampled_from(STATEMENTS)).format(*names).split("; ")
        elif kind >= 2:
            head = draw(st.sampled_from(("for _ in range(n):", "while s < 6:", "for _ in (1, 2):")))
            body = draw(blocks(depth - 1, loop=True))
            lines += [head, "    s += 1", *(f"    {line}" for line in body)]
        else:
            body = draw(blocks(depth - 1, loop=loop))
            leave = [draw(st.sampled_from(LEAVING))] if loop and draw(st.booleans()) else []
            lines += [f"if s % 3 == {kind}:", *(f"    {line}" for line in [*body, *leave])]
    return lines


def compiled(source: str) -> PythonFunction:
    """Return a function from its text, which Python's tools find as if it were in a file."""
    name = f"<places {next(NUMBER)}>"
    linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
    names = {"int32": int32, "float32": float32, "Tensor": Tensor, "np": np, "ident": ident}
    names["Three"] = Three
    exec(compile(source, name, "exec"), names)
    return relay.function(names["program"])


def is_refused(program: PythonFunction) -> bool:
    """Whether a program writes to what may have two names; another error is one of this test."""
    try:
        return not program.module.functions
    except RelayError as error:
        if error.code != "F116":
            raise
        return True


@settings(max_examples=60, deadline=None)
@given(blocks())
def test_random_programs(lines):
    program = compiled(HEAD + "\n".join(f"    {each}" for each in [*lines, LEAVING[-1]]) + "\n")
    if is_refused(program):
        return
    for n in (0, 1, 2, 3):
        given = np.array([1, 2, 3], "f"), n
        assert_same(program(*given), expected(program, given))
