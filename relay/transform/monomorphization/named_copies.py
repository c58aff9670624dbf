"""Copies of a module's functions and their names."""

from collections import Counter, deque
from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

from relay.ir.module import Module
from relay.transform.monomorphization.type_map import unused

Choice = TypeVar("Choice", bound=Hashable)


class NamedCopies(Generic[Choice]):
    """The named copies of functions, one for each choice, and a worklist of copies to write.

    Without a choice (any false value) a function is its own copy.

    >>> copies = NamedCopies[tuple[int, ...]](Module({}))
    >>> copies.name("f", ()), copies.name("f", (3,)), copies.name("f", (4,)), copies.name("f", (3,))
    ('f', 'f_1', 'f_2', 'f_1')
    >>> list(copies.waiting())
    [('f', 'f', ()), ('f_1', 'f', (3,)), ('f_2', 'f', (4,))]
    """

    def __init__(self, module: Module) -> None:
        self._taken = set(module.functions)
        self._names: dict[tuple[str, Choice], str] = {}
        self._counts = Counter[str]()
        self._waiting: deque[tuple[str, str, Choice]] = deque()

    def count(self, function: str) -> int:
        """Return the number of choices for which a function has copies."""
        return self._counts[function]

    def has(self, function: str, choice: Choice) -> bool:
        """Whether there is a copy for a choice."""
        return (function, choice) in self._names

    def name(self, function: str, choice: Choice) -> str:
        """Return the name of the copy for a choice; a new copy is added to the worklist."""
        if not self.has(function, choice):
            self._counts[function] += bool(choice)
            new = unused(function, self._taken) if choice else function
            self._names[function, choice] = new
            self._waiting.append((new, function, choice))
        return self._names[function, choice]

    def waiting(self) -> Iterator[tuple[str, str, Choice]]:
        """Yield each copy once, also those added during iteration: name, function, choice."""
        while self._waiting:
            yield self._waiting.popleft()
