"""Find candidates for uniform variables, which are equal in all calls of a batch.

They are the variables that in some calls hold a constant, such as an initial state of zeros, or the
same value in the whole run.
"""

from collections.abc import Collection

import numpy as np

from relay.ir.expr import Constant, Var
from relay.ir.module import Module
from relay.transform.batching.dataflow_analysis import Part, propagate_facts
from relay.transform.batching.find_callees import nodes_of


def constants_in_some_calls(
    module: Module, invariant: Collection[Var]
) -> dict[Var, Constant | None]:
    """Return variables that hold a constant, or one value of the whole run, in some calls.

    A state that is initialised with zeros is an example. This is a guess about common cases, and
    does not hold in every call. `invariant` are the variables with one value in the whole run.
    Values are propagated through calls of known functions, branches and tuples, but not through
    data constructors. The result maps a variable to its constant if only one was found for it, and
    to None otherwise. The module is in A-normal form.
    """
    nodes = nodes_of(module)
    begin: dict[Part, Constant | None] = {
        (each, None): each if isinstance(each, Constant) else None
        for each in nodes
        if isinstance(each, Constant) or each in invariant
    }
    found = propagate_facts(module, begin, _is_same)
    return {
        expr: held for (expr, part), held in found.items() if isinstance(expr, Var) and part is None
    }


def _is_same(one: Constant, other: Constant) -> bool:
    return one.array is other.array or (
        one.ty is other.ty and np.array_equal(one.array, other.array)
    )
