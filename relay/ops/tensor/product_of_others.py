"""For each element, the product of the other elements of its group, without a division."""

from relay.ir.dims import ANY
from relay.ir.expr import Call, Expr
from relay.ops.binary import add, multiply
from relay.ops.cast import Cast
from relay.ops.comparison import equal
from relay.ops.creation import OnesLike, ZerosLike, number
from relay.ops.selection import where
from relay.ops.tensor.gather import Take
from relay.ops.tensor.linear_recurrence import LinearRecurrence
from relay.ops.tensor.position_tensors import positions
from relay.ops.tensor.reshape import Reshape, reshape_to
from relay.ops.tensor.scan import Cumsum
from relay.ops.tensor.sort import Argsort
from relay.support.dtype import float64, int64


def element_numbers(x: Expr) -> Expr:
    """Return a different number for each element of `x`, whose sizes may be unknown."""
    if ANY not in x.tensor_type.shape:
        return positions(x)
    counts = Call(Cumsum(dtype=int64), (Call(OnesLike(), (x,)),))
    return reshape_to(counts, x)


def product_of_others(x: Expr, groups: Expr) -> Expr:
    """Return the products of all other elements of `x` with the same number in `groups`.

    Groups are sorted; the product before an element and that after it are recurrences, whose
    derivatives of every order exist where elements are 0. Group numbers are at least 0.
    """
    flat, numbers = (Call(Reshape((-1,)), (each,)) for each in (x, groups))
    order = Call(Argsort(0, dtype=int64), (numbers,))
    members = Call(Take(0), (flat, order))
    group = Call(Cast(float64), (Call(Take(0), (numbers, order)),))
    group = add(group, number(1, group))  # the neighbour beyond either end is 0
    before, behind = (_products(members, group, reverse) for reverse in (False, True))
    ranks = Call(Argsort(0, dtype=int64), (order,))
    return reshape_to(Call(Take(0), (multiply(before, behind), ranks)), x)


def _products(x: Expr, group: Expr, reverse: bool) -> Expr:
    """Return the product of the elements of a group before each one, or with `reverse` after it.

    The first element of a group starts a new product.
    """
    scan, zeros = LinearRecurrence(0, reverse), Call(ZerosLike(), (x,))
    neighbour = Call(scan, (Call(ZerosLike(), (group,)), group))
    goes_on = equal(group, neighbour)
    found = Call(scan, (where(goes_on, x, zeros), where(goes_on, zeros, x)))
    return where(goes_on, found, number(1, x))
