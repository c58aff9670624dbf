"""Types that say sizes which values only turn out to have: they are tested where they are said."""

from relay.ir.expr import Let
from relay.ir.matched_sizes import sizes_fit


def promises_sizes(let: Let) -> bool:
    """Whether the type of a variable says sizes that the type of its value does not."""
    wanted, found = let.var.ty, let.value.ty
    if wanted is None or found is None or wanted is found:
        return False
    return not sizes_fit([wanted], [found])
