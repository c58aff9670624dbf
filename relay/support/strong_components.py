"""Strongly connected components of a directed graph."""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


def strong_components(edges: Mapping[T, Iterable[T]]) -> list[tuple[T, ...]]:
    """Return the strongly connected components, in reverse topological order.

    `edges` maps each node to its successors; nodes that are not keys of `edges` are left out.
    Within a component, nodes are ordered by the end of their visit in a depth-first search.

    >>> strong_components({"f": "g", "g": "fh", "h": ""})
    [('h',), ('g', 'f')]
    """
    search = _Search(edges)
    for root in edges:
        if root not in search.number:
            search.visit(root)
    return search.found


class _Search(Generic[T]):
    """One run of Tarjan's algorithm (Depth-First Search and Linear Graph Algorithms, 1972)."""

    def __init__(self, edges: Mapping[T, Iterable[T]]) -> None:
        self._edges = edges
        self._lowest: dict[T, int] = {}  # of nodes that are in no component yet
        self._left: list[T] = []  # these nodes, in order
        self.number: dict[T, int] = {}
        self.found: list[tuple[T, ...]] = []

    def visit(self, root: T) -> None:
        """Search depth-first from `root`, which has not been visited yet."""
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
