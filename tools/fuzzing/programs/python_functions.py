"""Random smooth Python functions, as source: for derivatives, maps, and their compositions.

A function takes a vector, a matrix, a number and a count, and returns a number. Its values stay
small, so that finite differences are exact to seven digits.
"""

from tools.fuzzing.programs.choices import Choices

SCALAR, VECTOR, MATRIX = "float", "vector", "matrix"

_ELEMENTWISE = (
    "np.sin({a})", "np.cos({a})", "np.tanh({a})", "np.exp(-{a} * {a})", "np.sqrt({a} * {a} + 1.0)",
    "np.log({a} * {a} + 1.0)", "-{a}", "{a} * 0.5", "1.0 / ({a} * {a} + 1.0)", "helper({a})",
    "np.arctan({a})", "np.maximum({a}, 0.5 * {a})",
)  # fmt: skip
_BINARY = ("({a} + {b})", "({a} - {b})", "0.5 * ({a} * {b})", "np.where({a} > {b}, {a}, {b} * 2.0)")
_TO_VECTOR = (
    "{m} @ {v}", "{v} @ {m}", "{m}.sum(axis=0)", "{m}[{i}]", "{m}[:, {i}]", "np.cumsum({v})",
    "{v}[::-1]", "np.concatenate([{v}[1:], {v}[:1]])", "np.full(3, 0.5) * {s}", "{v} * {s}",
    "np.sort({v})",
)  # fmt: skip
_TO_SCALAR = (
    "{v}.sum()",
    "{v}[{i}]",
    "{v} @ {u}",
    "{v}.mean()",
    "{m}[{i}, {j}]",
    "np.sum({m} * {m})",
)
_TO_MATRIX = ("{m} @ {n}", "{m}.T", "np.outer({v}, {u})", "{m} + {v}", "{m} * {s}")


def random_function(choices: Choices, name: str = "f", length: int = 6) -> str:
    """Return the source of a function of `x`, `w`, `s` and `count`."""
    writer = _Writer(choices)
    body = writer.block(length)
    result = f"    return {writer.whole()}"
    head = f"def {name}(x: Tensor[3, float64], w: Tensor[3, 3, float64], s: float64, count: int32)"
    return "\n".join([f"{head} -> float64:", *(f"    {each}" for each in body), result])


class _Writer:
    """A writer of statements; `known` are the variables by kind."""

    def __init__(self, choices: Choices) -> None:
        self._choices = choices
        self._known = {SCALAR: ["s"], VECTOR: ["x"], MATRIX: ["w"]}
        self._count = 0

    def whole(self) -> str:
        """Return a number that depends on all variables."""
        parts = [f"np.tanh({each})" for each in self._known[SCALAR]]
        parts += [f"np.sum(np.tanh({each}))" for each in self._known[VECTOR] + self._known[MATRIX]]
        return " + ".join(parts)

    def block(self, length: int) -> list[str]:
        """Return statements, which may define variables."""
        return [line for _ in range(length) for line in self._statement()]

    def _statement(self) -> list[str]:
        match self._choices.below(8):
            case 0:
                return self._loop()
            case 1:
                return self._branch()
            case 2:
                return self._closure()
            case _:
                kind = self._kind()
                value = self._value(kind, 2)
                return [f"{self._new(kind)} = {value}"]

    def _kind(self) -> str:
        return self._choices.pick((SCALAR, VECTOR, VECTOR, MATRIX))

    def _new(self, kind: str) -> str:
        self._count += 1
        self._known[kind].append(f"{kind[0]}{self._count}")
        return self._known[kind][-1]

    def _loop(self) -> list[str]:
        """Return a loop that changes a variable a few times.

        It may end as soon as a condition on the variable holds: after another number of steps for
        each element of a map.
        """
        kind = self._kind()
        start = self._value(kind, 1)
        name = self._new(kind)
        change = self._choices.pick(_ELEMENTWISE).format(a=name)
        more = f"{change} + 0.1 * {self._value(kind, 1)}"
        steps = self._choices.pick(("count", "2", "3"))
        lines = [f"{name} = {start}", f"for _ in range({steps}):", f"    {name} = {more}"]
        ends = [f"    if {self._condition(name)}:", "        break"]
        return lines + (ends if self._choices.chance(2) else [])

    def _branch(self) -> list[str]:
        """Return a branch on the count, which all elements of a map share, or on a variable."""
        kind = self._kind()
        start = self._value(kind, 1)
        then, other = self._value(kind, 1), self._value(kind, 1)
        name = self._new(kind)
        shared = f"count > {self._choices.below(4)}"
        condition = shared if self._choices.chance(2) else self._condition(name)
        lines = [f"{name} = {start}", f"if {condition}:"]
        lines += [f"    {name} = {then}"]
        return lines + (["else:", f"    {name} = {other}"] if self._choices.chance(2) else [])

    def _condition(self, name: str) -> str:
        """Return a condition on the values of a variable."""
        return f"np.sum(np.sin({name})) > 0.{self._choices.below(4)}"

    def _closure(self) -> list[str]:
        """Return a local function that captures variables, and a call of it."""
        kind = self._kind()
        given = self._value(kind, 1)
        inner = self._choices.pick(_ELEMENTWISE).format(a="z")
        captured = self._choices.pick(self._known[SCALAR])
        name = self._new(kind)
        return [f"g{name} = lambda z: {inner} * {captured}", f"{name} = g{name}({given})"]

    def _value(self, kind: str, depth: int) -> str:
        if depth == 0:
            return self._choices.pick(self._known[kind])
        match self._choices.below(3):
            case 0:
                part = self._value(kind, depth - 1)
                return self._choices.pick(_ELEMENTWISE).format(a=part)
            case 1:
                a, b = (self._value(kind, depth - 1) for _ in range(2))
                return self._choices.pick(_BINARY).format(a=a, b=b)
            case _:
                return self._structured(kind)

    def _structured(self, kind: str) -> str:
        choose, known = self._choices.pick, self._known
        forms = {SCALAR: _TO_SCALAR, VECTOR: _TO_VECTOR, MATRIX: _TO_MATRIX}[kind]
        return choose(forms).format(
            v=choose(known[VECTOR]),
            u=choose(known[VECTOR]),
            m=choose(known[MATRIX]),
            n=choose(known[MATRIX]),
            s=choose(known[SCALAR]),
            i=self._choices.below(3),
            j=self._choices.below(3),
        )
