"""Several indices at once, `x[rows, columns]`, and masks, `x[x > 0]`, by NumPy's rules."""

from collections.abc import Mapping

import numpy as np

from relay.ir.expr import Call, Constant, Expr, Tuple
from relay.ops.tensor.adv_index import AdvIndex
from relay.ops.tensor.gather import Take
from relay.ops.tensor.search import ArgWhere
from relay.ops.tensor.transpose import Transpose
from relay.support.span import Span


def places_of_mask(mask: Expr, span: Span) -> list[Expr]:
    """Return where a mask holds: a vector of places for each of its axes."""
    rows = Call(ArgWhere(), (mask,), span=span)
    axes = range(mask.tensor_type.rank)
    numbers = [Constant(np.asarray(axis, np.int32)) for axis in axes]
    return [Call(Take(axis=1), (rows, number), span=span) for number in numbers]


def advanced(whole: Expr, chosen: Mapping[int, Expr], span: Span) -> Expr:
    """Return the elements at the places that are chosen along some axes, together.

    The axes of the places come where the first chosen axis was if the chosen axes are neighbours,
    and first of all if they are not.
    """
    axes = sorted(chosen)
    rank = whole.tensor_type.rank
    others = [axis for axis in range(rank) if axis not in chosen]
    turned = _transposed(whole, [*axes, *others], span)
    indices = tuple(chosen[axis] for axis in axes)
    found = Call(AdvIndex(), (Tuple((turned, *indices)),), span=span)
    if axes != list(range(axes[0], axes[-1] + 1)):
        return found
    new = found.tensor_type.rank - len(others)
    before = [new + others.index(axis) for axis in others if axis < axes[0]]
    after = [new + others.index(axis) for axis in others if axis > axes[0]]
    return _transposed(found, [*before, *range(new), *after], span)


def _transposed(x: Expr, order: list[int], span: Span) -> Expr:
    return x if order == sorted(order) else Call(Transpose(tuple(order)), (x,), span=span)
