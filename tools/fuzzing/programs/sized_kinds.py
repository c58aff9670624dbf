"""Kinds of values in random programs about sizes, and the syntax of their types.

A kind is a type without its sizes. Sizes are drawn wherever the type is written: numbers, names in
scope, expressions of both, or `?`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from tools.fuzzing.programs.choices import Choices


@dataclass(frozen=True)
class Tensor:
    """A tensor of a given rank."""

    rank: int = 1


@dataclass(frozen=True)
class Group:
    """A tuple of kinds."""

    fields: "tuple[Kind, ...]"


@dataclass(frozen=True)
class Func:
    """A function from kinds to a kind."""

    params: "tuple[Kind, ...]"
    result: "Kind"


@dataclass(frozen=True)
class Holder:
    """A list, a box, or a reference: a container of values of one type."""

    name: str
    content: "Kind"


Kind: TypeAlias = Tensor | Group | Func | Holder

ROW, TABLE = Tensor(), Tensor(2)
HOLDERS = ("List", "Box", "ref")
NAMES = ("n", "m", "k")


def random_kind(choices: Choices, depth: int = 2) -> Kind:
    """Return a kind of value of a nesting depth, mostly a tensor."""
    if depth == 0 or choices.chance(3):
        return TABLE if choices.chance(6) else ROW
    match choices.below(3):
        case 0:
            count = choices.between(2, 3)
            return Group(tuple(random_kind(choices, depth - 1) for _ in range(count)))
        case 1:
            params = (random_kind(choices, 0),) * choices.between(1, 2)
            return Func(params, random_kind(choices, depth - 1))
        case _:
            return Holder(choices.pick(HOLDERS), random_kind(choices, depth - 1))


class Annotations:
    """Type annotations with holes for sizes, and the size drawn for each hole."""

    def __init__(self, choices: Choices) -> None:
        self._choices = choices
        self.sizes: list[str] = []

    def type_of(self, kind: Kind, names: Sequence[str], *, computed: bool = True) -> str:
        """Return a type of a kind; its sizes are of these names, or computed from them."""
        part = partial(self.type_of, names=names, computed=computed)
        match kind:
            case Tensor(rank):
                holes = ", ".join(self._hole(names, computed) for _ in range(rank))
                return f"Tensor[({holes}), float32]"
            case Group(fields):
                return f"({', '.join(map(part, fields))})"
            case Func(params, result):
                taken = ", ".join(map(part, params))
                return f"fn ({taken}) -> {part(result)}"
            case Holder("ref", content):
                return f"ref({part(content)})"
            case Holder(name, content):
                return f"{name}[{part(content)}]"

    def forget_some(self) -> None:
        """Replace a third of the sizes by `?`."""
        self.sizes = ["?" if self._choices.chance(3) else size for size in self.sizes]

    def _hole(self, names: Sequence[str], computed: bool) -> str:
        self.sizes.append(self._size(names, computed))
        return f"${{s{len(self.sizes) - 1}}}"

    def _size(self, names: Sequence[str], computed: bool) -> str:
        if not names or self._choices.chance(3):
            return self._choices.pick(("?", "?", "?", "2", "2", "3"))
        name, other = self._choices.pick(names), self._choices.pick(names)
        plain = (name, name, name, name, "?", "?")
        forms = (f"{name} + 1", f"2 * {name}", f"{name} + {other}") if computed else ()
        return self._choices.pick(plain + forms)


def names_in(text: str, sizes: Sequence[str]) -> tuple[str, ...]:
    """Return the names of sizes in the holes of a text."""
    holes = {f"${{s{index}}}": size for index, size in enumerate(sizes)}
    said = " ".join(size for hole, size in holes.items() if hole in text)
    return tuple(name for name in NAMES if name in said)
