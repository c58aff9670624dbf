"""Back edges of a control-flow graph, which correspond to the loops of a function."""

from collections.abc import Iterator

from relay.runtime.code.function import CodeFunction


def back_edges(function: CodeFunction) -> frozenset[int]:
    """Return the numbers of the blocks that end with a back edge, that is, close a loop.

    A jump to a lower block number need not close a loop: a join block may precede its branches.
    """
    found: set[int] = set()
    seen, on_path = {0}, {0}
    path = [(0, _targets(function, 0))]
    while path:
        block, targets = path[-1]
        target = next(targets, None)
        if target is None:
            on_path.discard(block)
            path.pop()
        elif target in on_path:
            found.add(block)
        elif target not in seen:
            seen.add(target)
            on_path.add(target)
            path.append((target, _targets(function, target)))
    return frozenset(found)


def _targets(function: CodeFunction, block: int) -> Iterator[int]:
    return iter(function.blocks[block].end.targets)
