"""Variables that are uniform in some calls: initial states, for example."""

from collections.abc import Collection

import numpy as np

from relay.ir.expr import Constant, Var
from relay.ir.module import Module
from relay.transform.batching.callees import nodes_of
from relay.transform.batching.flow import Part, follow


def sometimes_alike(module: Module, invariant: Collection[Var]) -> dict[Var, Constant | None]:
    """Return the variables that may stand for a constant, or for an invariant variable.

    A state that begins with zeros is such a one: the first steps of all sequences, and the leaves
    of all trees, have it alike. This is a guess of what happens often, not of what always does.
    Values are followed through calls of known functions, branches and tuples, but not through data.
    If all that a variable may stand for, as far as that tells, is one constant, it is given.

    The module is in A-normal form.
    """
    nodes = nodes_of(module)
    begin: dict[Part, Constant | None] = {
        (each, None): each if isinstance(each, Constant) else None
        for each in nodes
        if isinstance(each, Constant) or each in invariant
    }
    found = follow(module, begin, _is_same)
    return {
        expr: held for (expr, part), held in found.items() if isinstance(expr, Var) and part is None
    }


def _is_same(one: Constant, other: Constant) -> bool:
    return one.data is other.data or (one.ty is other.ty and np.array_equal(one.data, other.data))
