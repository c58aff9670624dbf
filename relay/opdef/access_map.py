"""Access maps: the argument elements from which each result element is computed.

The map is derived from the operator's formula (`compute`), so operators need not declare it.
"""

from collections.abc import Iterator, Sequence
from enum import IntEnum
from itertools import pairwise

from relay.kernels import te
from relay.kernels.scalar import Const, Scalar
from relay.kernels.te.tensor import Axis, Computed, Placeholder, Read
from relay.kernels.traverse_scalars import substitute, walk
from relay.support.node import node


class Fusion(IntEnum):
    """How an operator may be fused with others into one kernel; larger is more restrictive."""

    ELEMENTWISE = 0  # element i from element i
    BROADCAST = 1  # element i from arguments that are broadcast
    INJECTIVE = 2  # element i from one element at another index
    REDUCTION = 3  # each element from many, by a commutative reduction
    ANCHOR = 4  # has its own schedule; elementwise operators can be fused after it
    OPAQUE = 8  # never fused


@node
class Access:
    """A read of an operator's argument; `indices` depend on result and reduction axes."""

    argument: te.Tensor
    indices: tuple[Scalar, ...]

    def along(self, axes: Sequence[Axis]) -> tuple[int | None, ...] | None:
        """Return the position in `axes` of each index of the read; None for an index that is 0.

        The whole result is None if an index is any other expression.
        """
        numbers = {axis: number for number, axis in enumerate(axes)}
        found = [numbers.get(index) for index in self.indices]  # pyright: ignore[reportArgumentType] - others are not keys
        is_zero = [isinstance(index, Const) and index.value == 0 for index in self.indices]
        known = all(n is not None or z for n, z in zip(found, is_zero, strict=True))
        return tuple(found) if known else None


@node
class AccessMap:
    """The reads from which one result of an operator is computed.

    `axes` are the axes of the result, and `reduced` the reduction axes if its formula is a
    reduction. `is_staged` means that the formula reads the result of another reduction.
    """

    axes: tuple[Axis, ...]
    reduced: tuple[Axis, ...]
    is_staged: bool
    accesses: tuple[Access, ...]

    @property
    def fusion(self) -> Fusion:
        """Return how the operator's loops may be fused, given these reads."""
        if self.is_staged:
            return Fusion.ANCHOR
        if self.reduced:
            return self._of_reduction()
        return max(map(self._of_access, self.accesses), default=Fusion.ELEMENTWISE)

    def _of_access(self, access: Access) -> Fusion:
        along = access.along(self.axes)
        if along is None:
            return Fusion.INJECTIVE
        if along == tuple(range(len(self.axes))):
            return Fusion.ELEMENTWISE
        numbers = [number for number in along if number is not None]
        return Fusion.BROADCAST if all(a < b for a, b in pairwise(numbers)) else Fusion.INJECTIVE

    def _of_reduction(self) -> Fusion:
        """Return `REDUCTION` for a plain reduction of one argument, else `ANCHOR`.

        In a plain reduction each index is an axis or 0; products and windows have schedules of
        their own.
        """
        everything = (*self.axes, *self.reduced)
        plain = [access.along(everything) for access in self.accesses]
        is_one = len({access.argument for access in self.accesses}) == 1
        return Fusion.REDUCTION if is_one and None not in plain else Fusion.ANCHOR


def access_maps(results: Sequence[te.Tensor]) -> list[AccessMap] | None:
    """Return the access map of each result of an operator; None for hand-written loops."""
    stages = _stages(results)
    if any(not isinstance(each, Computed) for each in stages):
        return None
    return [_map(each) for each in results if isinstance(each, Computed)]


def _stages(results: Sequence[te.Tensor]) -> list[te.Tensor]:
    """Return tensors and all intermediate tensors that they are computed from."""
    found: dict[te.Tensor, None] = {}
    pending = [*results]
    while pending:
        each = pending.pop()
        if each not in found and not isinstance(each, Placeholder):
            found[each] = None
            pending += each.inputs
    return [*found]


def _map(result: Computed) -> AccessMap:
    before = _stages(result.inputs)
    is_staged = any(isinstance(each, Computed) and each.reduce_axes for each in before)
    return AccessMap(result.axes, result.reduce_axes, is_staged, tuple(_accesses(result.body)))


def _accesses(body: Scalar) -> Iterator[Access]:
    """Yield the reads of arguments in an expression, also those inside intermediate tensors."""
    pending = [body]
    while pending:
        for part in walk(pending.pop()):
            match part:
                case Read(Computed() as stage, indices):
                    places: dict[Scalar, Scalar] = dict(zip(stage.axes, indices, strict=True))
                    pending.append(substitute(stage.body, places))
                case Read(argument, indices):
                    yield Access(argument, indices)
                case _:
                    pass
