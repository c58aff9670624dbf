"""Strongly connected components of a directed graph."""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


def strong_components(edges: Mapping[T, Iterable[T]]) -> list[tuple[T, ...]]:
    """Return the strongly connected components, each before its predecessors.

    Nodes without an entry are left out. The nodes of a component are in the order in which a
    depth-first search leaves them.

    >>> strong_components({"f": "g", "g": "fh", "h": ""})
    [('h',), ('g', 'f')]
    """
    search = _Search(edges)
    for root in edges:
        if root not in search.number:
            search.visit(root)
    return search.found


class _Search(Generic[T]):
    """Tarjan's algorithm: Depth-First Search and Linear Graph Algorithms (1972)."""

    def __init__(self, edges: Mapping[T, Iterable[T]]) -> None:
        self._edges = edges
        self._lowest: dict[T, int] = {}  # of nodes that are in no component yet
        self._left: list[T] = []  # these nodes, in order
        self.number: dict[T, int] = {}
        self.found: list[tuple[T, ...]] = []

    def visit(self, root: T) -> None:
        """Search from a node that was not reached yet."""
        stack = [self._opened(root)]
        while stack:
            node, rest = stack[-1]
            following = next((each for each in rest if each in self._edges), None)
            if following is None:
                stack.pop()
                self._leave(node)
                if stack and node in self._lowest:
                    self._lower(stack[-1][0], self._lowest[node])
            elif following not in self.number:
                stack.append(self._opened(following))
            elif following in self._lowest:
                self._lower(node, self.number[following])

    def _opened(self, node: T) -> tuple[T, Iterator[T]]:
        self.number[node] = self._lowest[node] = len(self.number)
        return node, iter(self._edges[node])

    def _lower(self, node: T, number: int) -> None:
        self._lowest[node] = min(self._lowest[node], number)

    def _leave(self, node: T) -> None:
        self._left.append(node)
        if self._lowest[node] == self.number[node]:
            start = len(self._left)
            while start and self.number[self._left[start - 1]] >= self.number[node]:
                start -= 1
                del self._lowest[self._left[start]]
            self.found.append(tuple(self._left[start:]))
            del self._left[start:]
