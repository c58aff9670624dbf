"""How large a size may become before arithmetic on it takes longer than reading it."""

from relay.ir.dims import Dim, Polynomial

MAX_PARTS = 256


def parts_of(dim: Dim) -> int:
    """Return how many factors a size has as a sum of products, in all terms together."""
    if not isinstance(dim, Polynomial):
        return 1
    return sum(max(1, len(atoms)) for _, atoms in dim.terms)
