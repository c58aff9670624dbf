"""Random Python functions have the values that Python gives, evaluated and compiled.

Whole numbers stay small and floats are quarters below 64: 32 bits hold what Python computes.
"""

import linecache
from itertools import count

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import relay
from relay.frontend.python import PythonFunction, Tensor, float32, function, int32
from tests.frontend.python.oracle import assert_same, expected

NUMBER = count()
WHOLE, FLOAT = ("i", "j", "n"), ("x", "y", "z")
HEAD = """def program(n: int32, m: int32, x: float32, v: Tensor[4]):
    i, j, y, z = 3, -2, 0.5, x
"""


class Writer:
    """Writes statements of one program, as `draw` decides."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.loops = 0

    def pick(self, *choices: str) -> str:
        return self.draw(st.sampled_from(choices))

    def whole(self, depth: int) -> str:
        """Return an expression of whole numbers."""
        if depth == 0:
            return self.pick("0", "1", "-3", "7", "i", "j", "n", "m", "len(v)")
        a, b = self.whole(depth - 1), self.whole(depth - 1)
        forms = [f"({a} {s} {b})" for s in ("+", "-", "*")]
        forms += [f"({a} {s} {d})" for s in ("//", "%") for d in ("3", "-4", "5")]
        forms += [f"({a} if {self.truth(depth - 1)} else {b})", f"min({a}, {b})", f"abs({a})"]
        forms += [
            f"({a} % 4) ** 2",
            f"max({a}, 2, {b})",
            f"-{a}",
            f"({a} and {b})",
            f"({a} or {b})",
        ]
        return self.pick(*forms)

    def number(self, depth: int) -> str:
        """Return an expression of floats."""
        if depth == 0:
            return self.pick("0.5", "-1.25", "2.0", "x", "y", "z", "v[0]", "v[-1]", "v[i % 4]")
        a, b = self.number(depth - 1), self.number(depth - 1)
        forms = [f"({a} {s} {b})" for s in ("+", "-", "*")]
        forms += [f"({a} {s} {d})" for s in ("//", "%") for d in ("0.75", "-1.5")]
        forms += [f"({a} if {self.truth(depth - 1)} else {b})", f"max({a}, {b})", f"abs({a})"]
        forms += [f"({a} * {self.whole(0)})", f"({a} + {self.whole(0)} / 4)", f"({a} or {b})"]
        forms += ["sum([v[k] * k for k in range(3)])", "v.sum()", "max(v)", f"(-{a})"]
        return self.pick(*forms)

    def truth(self, depth: int) -> str:
        """Return a condition."""
        a, b = self.whole(0), self.whole(0)
        forms = [f"{a} < {b}", f"{self.number(0)} >= {self.number(0)}", f"{a} != {b}", "True"]
        forms += [f"{a} <= {b} < 5", f"{a} in (1, 2, {b})", "i", "not j"]
        if depth:
            c, d = self.truth(depth - 1), self.truth(depth - 1)
            forms += [f"({c} and {d})", f"({c} or {d})", f"not ({c})"]
        return self.pick(*forms)

    def assignment(self) -> str:
        name = self.pick(*WHOLE, *FLOAT)
        if name in WHOLE:
            form = self.pick("{0} = ({1}) % 97 - 48", "{0} += ({1}) % 7", "i, j = j % 5, ({1}) % 9")
            return form.format(name, self.whole(2))
        small = f"max(min({self.number(2)}, 60.0), -60.0)"
        if self.draw(st.booleans()):
            return f"{name} = round({small} * 4) / 4"
        return f"{name} = round(({name} * 0.5 + {small} * 0.5) * 4) / 4"

    def block(self, depth: int, *, loop: bool) -> list[str]:
        """Return statements, indented by nothing."""
        lines: list[str] = []
        for _ in range(self.draw(st.integers(1, 3))):
            lines += self.statement(depth, loop=loop)
        return lines

    def statement(self, depth: int, *, loop: bool) -> list[str]:
        kinds = ["assign", "assign", *(["if", "for", "while", "list"] if depth else [])]
        match self.pick(*kinds, *(["leave"] if loop else [])):
            case "if":
                other = self.block(depth - 1, loop=loop) if self.draw(st.booleans()) else []
                return [
                    f"if {self.truth(1)}:",
                    *indented(self.block(depth - 1, loop=loop)),
                    *(["else:", *indented(other)] if other else []),
                ]
            case "for":
                heads = (
                    "for k in range(4):",
                    "for k in range(n % 5):",
                    "for k in range(5, 0, -2):",
                )
                heads += (
                    "for k in (1, 2, 3):",
                    "for k, w in enumerate(v):",
                    "for w in reversed(v):",
                )
                body = indented(self.block(depth - 1, loop=True))
                ending = ["else:", "    i = 1"] if self.draw(st.booleans()) else []
                return [self.pick(*heads), *body, *ending]
            case "while":
                self.loops += 1
                name = f"c{self.loops}"
                body = indented(self.block(depth - 1, loop=True))
                return [f"{name} = 0", f"while {name} < 3:", f"    {name} += 1", *body]
            case "list":
                items = f"[{self.whole(1)}, {self.whole(1)}, *[k * 2 for k in range(2)]]"
                return [
                    f"items = {items}",
                    "i, *rest = items",
                    "j = sum(rest[1:]) % 11",
                    "i = i % 13",
                ]
            case "leave":
                return [f"if {self.truth(1)}:", f"    {self.pick('break', 'continue')}"]
            case _:
                return [self.assignment()]


def indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


@st.composite
def sources(draw: st.DrawFn) -> str:
    """Return the text of a function."""
    body = Writer(draw).block(2, loop=False)
    return HEAD + "\n".join(indented([*body, "return i, j, n, x, y, z"])) + "\n"


def compiled(source: str) -> PythonFunction:
    """Return a function from its text, which Python's tools find as if it were in a file."""
    name = f"<random {next(NUMBER)}>"
    linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
    names: dict[str, object] = {"int32": int32, "float32": float32, "Tensor": Tensor}
    exec(compile(source, name, "exec"), names)
    return function(names["program"])  # pyright: ignore[reportArgumentType]


ARGUMENTS = [
    (n, m, x, np.array([0.5, -2.0, 1.25, 3.0], np.float32))
    for n, m, x in ((5, -7, 1.5), (-3, 0, -0.25), (0, 8, 0.0))
]


@settings(max_examples=60, deadline=None)
@given(sources())
def test_it_has_the_value_that_python_gives(source):
    program = compiled(source)
    for arguments in ARGUMENTS:
        numbers = [np.asarray(each).item() for each in program(*arguments)]
        assert numbers == list(expected(program, arguments))


@settings(max_examples=5, deadline=None)
@given(sources())
def test_compiled_too(source):
    program = compiled(source)
    native = relay.compile(program, threads=1)
    for arguments in ARGUMENTS:
        assert_same(
            tuple(np.asarray(each, np.float64) for each in native(*arguments)),
            tuple(np.asarray(each, np.float64) for each in expected(program, arguments)),
        )
