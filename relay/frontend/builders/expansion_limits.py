"""Limits on how deep a model's graphs may nest, and how many nodes they may expand to."""

from collections.abc import Generator, Hashable
from contextlib import contextmanager
from dataclasses import dataclass, field

from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError

DEEPEST = 40
"""The limit of nested graphs; Python's stack allows no more."""

MOST_NODES = 500_000
"""The limit of translated nodes: each call, and each attempt to type a loop, translates again."""


@dataclass
class Expansion:
    """The graphs that an import is inside of, and the number of nodes that it has translated.

    A small file may describe graphs that call themselves, or that expand to too many nodes.
    """

    _open: list[Hashable] = field(default_factory=list[Hashable])
    _count: int = 0

    @contextmanager
    def inside(self, graph: Hashable) -> Generator[None]:
        """Enter `graph` for the duration of a `with` block.

        Raises `F094` if graphs are nested too deep.
        """
        if len(self._open) >= DEEPEST:
            raise RelayImportError(
                ErrorCode.F094,
                f"calls or loops in the model are nested more than {DEEPEST} deep",
                help="inline inner functions before the export",
            )
        self._open.append(graph)
        try:
            yield
        finally:
            self._open.pop()

    def check_not_inside(self, graph: Hashable) -> None:
        """Raise `F094` if the import is inside of `graph`: the graph would call itself."""
        if graph in self._open:
            raise RelayImportError(
                ErrorCode.F094,
                f"the function '{graph}' calls itself",
                help="replace the recursion by a loop before the export",
            )

    def count_node(self) -> None:
        """Count a translated node; raises `F094` if calls and loops expand to too many nodes."""
        self._count += 1
        if self._count > MOST_NODES:
            raise RelayImportError(
                ErrorCode.F094,
                (
                    f"the model expands to more than {MOST_NODES} nodes, because calls and "
                    "loops are copied"
                ),
                help=(
                    "call large functions fewer times: put repeated calls into one loop "
                    "(jax.lax.scan, tf.while_loop), nest fewer loops, or split the model"
                ),
            )
