"""Assertions of a model: its results are defined only if they hold."""

from collections.abc import Sequence
from typing import TypeAlias

from relay.frontend.builders.tensor_helpers import reshape
from relay.frontend.torch.result_expressions import result_of
from relay.ir.expr import Expr, If, Tuple, TupleGetItem
from relay.ir.trap import failure

Assertion: TypeAlias = tuple[Expr, str]
"""A condition, and the reason that a program reports if the condition is false."""


def asserted(results: Sequence[object], assertions: Sequence[Assertion]) -> list[object]:
    """Return results that trap (fail at run time) unless all assertions hold."""
    found = list(results)
    places = [place for place, each in enumerate(found) if each is not None]
    for condition, said in reversed(assertions):
        whole = Tuple(tuple(result_of(found[place]) for place in places))
        chosen = If(reshape(condition, ()), whole, failure(whole.type, said))
        for index, place in enumerate(places):
            found[place] = TupleGetItem(chosen, index)
    return found
