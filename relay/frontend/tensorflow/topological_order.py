"""Visit the nodes of a graph in topological order, starting from a node that is needed."""

from collections.abc import Callable, Container, Sequence

from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError


def visit(
    root: str,
    done: Container[str],
    needs: Callable[[str], Sequence[str]],
    act: Callable[[str], None],
) -> None:
    """Call `act` for the dependencies of `root` in topological order, then for `root`.

    `act` must add its node to `done`. Raises `F011` for a cycle.
    """
    waiting, opened = [root], set[str]()
    while waiting:
        name = waiting[-1]
        missing = [] if name in done else [each for each in needs(name) if each not in done]
        if missing:
            opened.add(name)
            if not opened.isdisjoint(missing):
                raise RelayImportError(
                    ErrorCode.F011, f"the graph has a cycle through the node {name}"
                )
            waiting += reversed(missing)
            continue
        waiting.pop()
        opened.discard(name)
        if name not in done:
            act(name)
