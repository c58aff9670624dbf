"""Lists and dictionaries that are one on some paths only: where paths meet, they are copies.

Their items may be read from there on, but not changed, as the other would not change with them.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from relay.frontend.python.arrays import is_list, is_mapping, is_tuple
from relay.frontend.python.carried import Carried
from relay.frontend.python.state import State, get


class DividedLists:
    """The lists of a trace that cannot change from here on."""

    def __init__(self, trace: Any) -> None:
        self.trace = trace
        self._known: dict[int, tuple[Any, str]] = {}  # with the lists, so that identities last

    def add(self, lists: Iterable[Any], name: str) -> None:
        """Note lists that are one on some paths only."""
        for each in lists:
            self._known[id(each)] = each, name

    def refuse(self, changed: object) -> None:
        """Raise `F116` for a change of a list that may have another name."""
        if id(changed) in self._known:
            name = self._known[id(changed)][1]
            kind = type(changed).__name__
            what = f"{name} is perhaps a {kind} that has another name, which would change with it"
            self.trace.refuse("F116", what, f"make a new one before: {name} = {name}.copy()")

    def note_carried(
        self,
        carried: Iterable[Carried],
        start: State,
        paths: Sequence[tuple[State, Callable[[], None]]],
    ) -> bool:
        """Note which lists of a loop have another name in some rounds; whether any is new."""
        lists = [each for each in carried if isinstance(each.start, list | dict)]
        fresh = [each for each in lists if not each.divided]
        counts = [held_lists(each) for each in (start, *(state for state, _ in paths))]
        for each in fresh:
            values: list[Any] = [each.start]
            for _, enter in paths:
                enter()
                values.append(get(*each.place))
            pairs = zip(values, counts, strict=True)
            each.divided = any(count[id(value)] > 1 for value, count in pairs)
        return any(each.divided for each in fresh)


def held_lists(state: State) -> Counter[int]:
    """Return how often each list and dictionary is held, by identity."""
    found = Counter[int]()
    for _, _, value in state.slots():
        stack = [value]
        while stack:
            each = stack.pop()
            if is_tuple(each):
                stack += each
            elif is_list(each) or is_mapping(each):
                found[id(each)] += 1
    return found
