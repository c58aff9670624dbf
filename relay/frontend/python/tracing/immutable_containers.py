"""Containers that cannot change from here on, since what else has them would not change with them.

1. Lists, dictionaries and objects that are one on some paths only: where paths meet, they are
   copies, whose items may be read.
2. Those that an argument of the program is, or holds: the caller has them.
3. Objects that are data of the program by now.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from relay.frontend.python.tracing.loop_carried_values import Carried
from relay.frontend.python.tracing.mutable_state import State, get
from relay.frontend.python.values.data_class_fields import can_change
from relay.frontend.python.values.traced_values import is_list, is_mapping, is_object, is_tuple


class DividedLists:
    """The containers of a trace that cannot change from here on."""

    def __init__(self, trace: Any) -> None:
        self.trace = trace
        self._known: dict[int, tuple[Any, str]] = {}  # with the lists, so that identities last

    def add(self, containers: Iterable[Any], what: str) -> None:
        """Note containers; `what` says which other ones would change with them."""
        for each in containers:
            self._known.setdefault(id(each), (each, what))

    def add_copies(self, lists: Iterable[Any], name: str) -> None:
        """Note containers that are one on some paths only."""
        for each in lists:
            kind = type(each).__name__
            self.add([each], f"{name} is perhaps a {kind} that has another name")

    def holds(self, value: object) -> bool:
        """Whether a container is one of these."""
        return id(value) in self._known

    def refuse(self, changed: object) -> None:
        """Raise `F116` for a change of a container that would have to change elsewhere, too."""
        if id(changed) in self._known:
            what = f"{self._known[id(changed)][1]}, which would change with it"
            self.trace.refuse(
                "F116", what, "copy it first: list(x), dict(x), dataclasses.replace(x)"
            )

    def note_carried(
        self,
        carried: Iterable[Carried],
        start: State,
        paths: Sequence[tuple[State, Callable[[], None]]],
    ) -> bool:
        """Note which containers of a loop have another name in some rounds; whether any is new."""
        lists = [each for each in carried if can_differ(each.start)]
        fresh = [each for each in lists if not each.divided]
        counts = [held_lists(each) for each in (start, *(state for state, _ in paths))]
        unseen = self.trace.stack.holds(start) if fresh else ()
        for each in fresh:
            values: list[Any] = [each.start]
            for _, enter in paths:
                enter()
                values.append(get(*each.place))
            pairs = zip(values, counts, strict=True)
            each.divided = any(count[id(v)] > 1 or id(v) in unseen for v, count in pairs)
        return any(each.divided for each in fresh)


def can_differ(value: object) -> bool:
    """Whether a value is a container that may change, so that a copy is not the same."""
    changing = is_object(value) and can_change(type(value))
    return is_list(value) or is_mapping(value) or changing


def held_lists(state: State) -> Counter[int]:
    """Return how often each container that may change is held, by identity."""
    found = Counter[int]()
    for _, _, value in state.slots():
        stack = [value]
        while stack:
            each = stack.pop()
            if can_differ(each):
                found[id(each)] += 1
            elif is_tuple(each):
                stack += each
    return found
