"""Containers that must not be modified any more, because another reference would not see it.

They are of three kinds:

1. Lists, dictionaries and objects that are the same object on some paths only: where paths meet
   they are merged into copies, which may be read.
2. Containers that an argument of the program is or contains, because the caller refers to them,
   too.
3. Objects that have already been converted to values of an algebraic data type.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from relay.frontend.python.tracing.loop_carried_values import Carried
from relay.frontend.python.tracing.mutable_state import State, get
from relay.frontend.python.values.data_class_fields import can_change
from relay.frontend.python.values.traced_values import is_list, is_mapping, is_object, is_tuple


class DividedLists:
    """The containers of a trace that must not be modified any more."""

    def __init__(self, trace: Any) -> None:
        self.trace = trace
        self._known: dict[int, tuple[Any, str]] = {}  # with the lists, so that identities last

    def add(self, containers: Iterable[Any], what: str) -> None:
        """Add containers; `what` names the other container that would have to change, too."""
        for each in containers:
            self._known.setdefault(id(each), (each, what))

    def add_copies(self, lists: Iterable[Any], name: str) -> None:
        """Add containers that are the same object on some paths only."""
        for each in lists:
            kind = type(each).__name__
            self.add([each], f"{name} may be the same {kind} as another variable")

    def holds(self, value: object) -> bool:
        """Whether a container must not be modified."""
        return id(value) in self._known

    def refuse(self, changed: object) -> None:
        """Raise `F116` if `changed` is a container that must not be modified."""
        if id(changed) in self._known:
            what = f"{self._known[id(changed)][1]}, so it cannot be changed here"
            self.trace.refuse(
                "F116", what, "change a copy instead: list(x), dict(x) or dataclasses.replace(x)"
            )

    def note_carried(
        self,
        carried: Iterable[Carried],
        start: State,
        paths: Sequence[tuple[State, Callable[[], None]]],
    ) -> bool:
        """Add containers that a loop carries and other references share in some iterations only.

        Return whether any of them is new.
        """
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
    """Whether a value is a mutable container, for which a copy is not the same as the original."""
    changing = is_object(value) and can_change(type(value))
    return is_list(value) or is_mapping(value) or changing


def held_lists(state: State) -> Counter[int]:
    """Count the references to each mutable container in `state`, by identity."""
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
