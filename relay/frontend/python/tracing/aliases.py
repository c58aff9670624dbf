"""Determine which memory each array refers to where control-flow paths meet or a loop iterates.

An array that may differ between the paths gets memory of its own, which receives its contents from
the path that was taken. Alternatively it may refer to existing memory; the program then carries a
number that selects one of these options:

1. An array from before the paths split: writes through either name are seen through both.
2. A new array whose memory belongs to another name: that name's array, or a view of it.
3. A view refers to the memory that it viewed on its path.
4. All other arrays share memory in a way that cannot be tracked, because a view's index is known
   only on its path, or a loop takes a view of the previous iteration's view. Writing to them is
   refused (`F116`).
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np

from relay.frontend.python.values.traced_values import (
    UNKNOWN,
    Box,
    Traced,
    TracedSize,
    expr_of,
    is_sequence,
    is_slice,
)
from relay.ir.expr import Call, Constant, Expr, If
from relay.ops.comparison import Equal

OWN = 0
"""The option number that means an array's own memory."""

PERHAPS = "possibly the same array as another variable"

Code: TypeAlias = "int | Expr"
"""The option number of an array on one path: an integer, or an expression of the program."""


class Option:
    """A candidate for what an array refers to: a base (memory or another array) and views of it."""

    def __init__(self, target: "Box | Alias", steps: Sequence[Traced]) -> None:
        self.target, self.steps = target, tuple(steps)

    def is_same(self, other: "Option") -> bool:
        """Whether two options refer to the same memory through the same views."""
        same = self.target is other.target and len(self.steps) == len(other.steps)
        pairs = zip(self.steps, other.steps, strict=False)
        return same and all(_is_step(*each) for each in pairs)


class Alias:
    """An array that may refer to other memory on each path: the candidates, and its values."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.options: list[Option] = []  # beside its own memory
        self.owns = False  # whether it may have its own memory
        self.owner: str | None = None
        self.values: Sequence[Traced] = ()

    def number(self, option: Option) -> int:
        """Return the index of an option, adding it if it is new."""
        for number, each in enumerate(self.options, 1):
            if each.is_same(option):
                return number
        self.options.append(option)
        return len(self.options)

    @property
    def is_one(self) -> bool:
        """Whether only one option exists, so that the program need not select one."""
        return len(self.options) + self.owns == 1

    def restored(self, trace: Any, own: Callable[["Alias"], Traced], which: Expr | None) -> Traced:
        """Return the array after the paths have merged: the option at index `which`.

        `own` returns the array for an alias that has its own memory.
        """
        found = [_shown(trace, each, own) for each in self.options]
        found.insert(OWN, own(self) if self.owns else found[0])
        if self.owner is not None:
            for each in found:
                each.box.owner = each.box.owner or self.owner
        if self.is_one:
            return found[-1]
        made = Traced(trace, found[OWN].box)
        made.options, made.which = tuple(found), which
        return made


def _shown(trace: Any, option: Option, own: Callable[[Alias], Traced]) -> Traced:
    at = own(option.target) if isinstance(option.target, Alias) else Traced(trace, option.target)
    for step in option.steps:
        view = Traced(trace, at.box, at, step.read, step.write)
        view.key = step.key
        at = view
    return at


class Aliases:
    """All arrays that may differ where certain paths meet."""

    def __init__(
        self,
        trace: Any,
        aliases: Iterable[Alias],
        paths: Sequence[Callable[[], None]],
        is_before: Callable[[Box], bool],
        is_seen: Callable[[Expr], bool],
        *,
        of_rounds: bool = False,
    ) -> None:
        self.trace, self.paths, self._of_rounds = trace, paths, of_rounds
        self._is_before, self._is_seen = is_before, is_seen
        self.endless: Alias | None = None  # an array that is a view of its previous value
        self._aliases = list(aliases)

    def codes(self) -> dict[Alias, list[Code]]:
        """Return for each array its option number on each path; `OWN` stands for its own memory."""
        found: dict[Alias, list[Code]] = {each: [] for each in self._aliases}
        for path, enter in enumerate(self.paths):
            enter()
            order = sorted(self._aliases, key=lambda each, path=path: _depth(each.values[path]))
            for number, alias in enumerate(order):
                found[alias].append(self._code(alias, path, order[:number]))
        for alias, codes in found.items():
            alias.owns = alias.owns or any(code is OWN or isinstance(code, Expr) for code in codes)
        return found

    def _code(self, alias: Alias, path: int, others: Sequence[Alias]) -> Code:
        value = alias.values[path]
        which = _which(value)
        codes = [self._of(alias, path, box, steps, others) for box, steps in _places(value)]
        found = codes[0]
        for number in range(1, len(codes)):
            if codes[number] is not found:
                found = self._if(which, number, codes[number], found)
        return found

    def _of(
        self, alias: Alias, path: int, box: Box, steps: Sequence[Traced], others: Sequence[Alias]
    ) -> Code:
        """Return the option number of an array that is a view of memory `box` on a path.

        The view is the result of the nested views `steps`.
        """
        endless = self._of_rounds and any(_is_step(*each) for each in combinations(steps, 2))
        if endless and self.endless is None:
            self.endless = alias
        if endless or not all(self._is_known(step.key) for step in steps):
            return self._cannot_follow(box, path)
        if self._is_before(box) or (box.owner is not None and self._is_seen(box.expr)):
            return alias.number(Option(box, steps))
        alias.owner = alias.owner or box.owner
        found: Code = OWN
        shown = False
        for other in reversed(others):
            which = _which(other.values[path])
            for number, (held, views) in enumerate(_places(other.values[path])):
                if held is not box:
                    continue
                if not _begins_with(steps, views):
                    shown = True
                    continue
                code = alias.number(Option(other, steps[len(views) :]))
                found = code if which is None else self._if(which, number, code, found)
        certain = isinstance(found, int) and found != OWN
        return self._cannot_follow(box, path) if shown and not certain else found

    def _cannot_follow(self, box: Box, path: int) -> Code:
        """Mark all arrays that share memory `box` as shared in an untracked way (case 4)."""
        box.owner = box.owner or PERHAPS
        for each in self._aliases:
            if any(held is box for held, _ in _places(each.values[path])):
                each.owner = PERHAPS
        return OWN

    def _if(self, which: Expr | None, number: int, code: Code, other: Code) -> Code:
        assert which is not None, "one of several"
        here = Call(Equal(), (which, _expr(number)))
        return self.trace.emit(If(here, _expr(code), _expr(other)), "which")

    def _is_known(self, key: Any) -> bool:
        """Whether the index of a view can be evaluated where the paths meet."""
        if is_sequence(key):
            return all(map(self._is_known, key))
        if is_slice(key):
            return all(map(self._is_known, (key.start, key.stop, key.step)))
        if isinstance(key, Traced | TracedSize):
            key = expr_of(key)
        return self._is_seen(key) if isinstance(key, Expr) else key is not UNKNOWN


def codes_as_exprs(codes: Sequence[Code]) -> list[Expr]:
    """Return option numbers, which may depend on conditions, as expressions of the program."""
    return [_expr(each) for each in codes]


def _expr(code: Code) -> Expr:
    return code if isinstance(code, Expr) else Constant(np.asarray(code, np.int32))


def _which(value: Traced) -> Expr | None:
    while value.base is not None:
        value = value.base
    return value.which


def _depth(value: Traced) -> int:
    """Return the greatest number of nested views between an array and its memory."""
    return max(len(steps) for _, steps in _places(value))


def _begins_with(steps: Sequence[Traced], first: Sequence[Traced]) -> bool:
    """Whether the views `steps` begin with the views `first`."""
    pairs = zip(steps, first, strict=False)
    return len(first) <= len(steps) and all(_is_step(*each) for each in pairs)


def _is_step(one: Traced, other: Traced) -> bool:
    return one is other or _is_key(one.key, other.key)


def _places(value: Traced) -> list[tuple[Box, tuple[Traced, ...]]]:
    """Return each memory that an array may refer to, with the views that lead to it."""
    if value.options:
        return [place for each in value.options for place in _places(each)]
    if value.base is None:
        return [(value.box, ())]
    return [(box, (*steps, value)) for box, steps in _places(value.base)]


def _is_key(a: Any, b: Any) -> bool:
    """Whether two indices are the same; recursion follows their nesting."""
    if a is b:
        return a is not UNKNOWN
    if is_sequence(a) and is_sequence(b):
        return len(a) == len(b) and all(map(_is_key, a, b))
    if is_slice(a) and is_slice(b):
        return all(map(_is_key, (a.start, a.stop, a.step), (b.start, b.stop, b.step)))
    return type(a) is type(b) and isinstance(a, int | str) and a == b
