"""Names for specialised copies of functions, and a worklist of the copies to create."""

from collections import Counter, deque
from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

from relay.ir.fresh_names import unused
from relay.ir.module import Module

Choice = TypeVar("Choice", bound=Hashable)


class NamedCopies(Generic[Choice]):
    """The names of specialised copies of functions, and a worklist of the copies to make.

    A `Choice`, such as type arguments, identifies a specialisation. Without a choice (any false
    value) a function is its own copy. With `first_is_own`, the function itself also serves as its
    first copy.

    >>> copies = NamedCopies[tuple[int, ...]](Module({}))
    >>> copies.name("f", ()), copies.name("f", (3,)), copies.name("f", (4,)), copies.name("f", (3,))
    ('f', 'f_1', 'f_2', 'f_1')
    >>> list(copies.waiting())
    [('f', 'f', ()), ('f_1', 'f', (3,)), ('f_2', 'f', (4,))]
    """

    def __init__(self, module: Module, *, first_is_own: bool = False) -> None:
        self._first_is_own = first_is_own
        self._taken = set(module.functions)
        self._names: dict[tuple[str, Choice], str] = {}
        self._counts = Counter[str]()
        self._waiting: deque[tuple[str, str, Choice]] = deque()

    def count(self, function: str) -> int:
        """Return the number of choices for which a function has copies."""
        return self._counts[function]

    def has(self, function: str, choice: Choice) -> bool:
        """Whether a function has a copy for a choice."""
        return (function, choice) in self._names

    def name(self, function: str, choice: Choice) -> str:
        """Return the name of the copy for a choice; a new copy is added to the worklist."""
        if not self.has(function, choice):
            is_own = self._first_is_own and not self._counts[function]
            new = unused(function, self._taken) if choice and not is_own else function
            self._counts[function] += bool(choice)
            self._names[function, choice] = new
            self._waiting.append((new, function, choice))
        return self._names[function, choice]

    def waiting(self) -> Iterator[tuple[str, str, Choice]]:
        """Yield each copy once, also those added during iteration: name, function, choice."""
        while self._waiting:
            yield self._waiting.popleft()
