"""Random programs that move arrays and write to them have NumPy's values."""

import linecache
from itertools import count

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import relay
from relay.frontend.python import PythonFunction, Tensor, float32, int32
from relay.support.errors import RelayError
from tests.frontend.python.oracle import assert_same, expected

Three = tuple[Tensor[3], Tensor[3], Tensor[3]]


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


@settings(max_examples=25, deadline=None)
@given(blocks())
def test_random_programs(lines):
    program = compiled(HEAD + "\n".join(f"    {each}" for each in [*lines, LEAVING[-1]]) + "\n")
    if is_refused(program):
        return
    for n in (0, 1, 2, 3):
        given = np.array([1, 2, 3], "f"), n
        assert_same(program(*given), expected(program, given))
