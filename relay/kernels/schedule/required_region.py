"""Bounds of an index while some loops are not entered yet, which determine required regions.

An index is brought to the form of a sum; values that are fixed at this point stay symbolic, and
running variables are replaced by their smallest and their largest value.
"""

from collections.abc import Mapping, Sequence

from relay.kernels.passes.affine_arithmetic import Affine, Arithmetic
from relay.kernels.scalar import Binary, Const, Op, Scalar, lift, maximum, minimum
from relay.kernels.schedule.iteration_state import Span
from relay.kernels.te.tensor import Dim
from relay.kernels.traverse_scalars import walk

_ONE: Dim = 1


class Bounds:
    """Bounds of an index over the variables in `running`, which range from 0 to their extents.

    The bounds may be wider than necessary; `are_reached` means that the index takes both values.
    """

    def __init__(self, arithmetic: Arithmetic, running: Mapping[Scalar, Dim]) -> None:
        self._arithmetic = arithmetic
        self._running = running
        self._met: set[Scalar] = set()
        self.are_reached = True

    def of(self, index: Scalar) -> Span | None:
        """Return the span of an index, or None if it is unbounded, such as a loaded index."""
        arithmetic = self._arithmetic
        low, extent = Affine({}, 0), _ONE
        total = arithmetic.affine(index)
        for atom, factor in total.terms.items():
            if not self._runs(atom):
                low = low.plus(Affine({atom: factor}, 0))
                continue
            span = self._of_atom(atom)
            if span is None:
                return None
            reach = (span.extent - 1) * abs(factor)
            low = low.plus(arithmetic.affine(span.low), factor)
            if factor < 0:
                low = low.plus(arithmetic.affine(lift(reach)), -1)
            extent = extent + reach
        return Span(arithmetic.scalar(low.plus(Affine({}, total.const))), extent)

    def _runs(self, e: Scalar) -> bool:
        return e in self._running or any(part in self._running for part in walk(e))

    def _of_atom(self, atom: Scalar) -> Span | None:
        match atom:
            case _ if atom in self._running:
                self.are_reached &= atom not in self._met  # correlated terms may miss bounds
                self._met.add(atom)
                return Span(Const(0), self._running[atom])
            case Binary(op=Op.FLOORDIV, a=a, b=Const(value=int() as by)) if by > 0:
                return self._quotient(self.of(a), by)
            case Binary(op=Op.FLOORMOD, b=Const(value=int() as by)) if by > 0:
                return Span(Const(0), by)
            case Binary(op=Op.MIN | Op.MAX as op, a=a, b=b):
                return self._extreme(op, self.of(a), self.of(b))
            case _:
                return None

    def _quotient(self, span: Span | None, by: int) -> Span | None:
        if span is None or not isinstance(span.extent, int):
            return None
        low = self._arithmetic.affine(span.low // by)
        high = self._arithmetic.affine((span.low + (span.extent - 1)) // by)
        difference = high.plus(low, -1)
        worst = (span.extent - 2) // by + 2
        extent = difference.const + 1 if difference.is_constant else worst
        self.are_reached &= difference.is_constant
        return Span(self._arithmetic.scalar(low), extent)

    def _extreme(self, op: Op, a: Span | None, b: Span | None) -> Span | None:
        """Return bounds of `min(a, b)` or `max(a, b)`: at most as wide as the wider operand."""
        if a is None or b is None:
            return None
        self.are_reached = False
        if not (isinstance(a.extent, int) and isinstance(b.extent, int)):
            return None
        choose = minimum if op is Op.MIN else maximum
        low = self._arithmetic.index(choose(a.low, b.low))
        return Span(low, max(a.extent, b.extent))


def union(arithmetic: Arithmetic, spans: Sequence[Span | None]) -> Span | None:
    """Return a span that contains all the given ones, or None if they cannot be compared."""
    total = spans[0]
    for span in spans[1:]:
        total = _both(arithmetic, total, span)
    return total


def _both(arithmetic: Arithmetic, a: Span | None, b: Span | None) -> Span | None:
    if a is None or b is None:
        return None
    shift = _difference(arithmetic, b.low, a.low)
    if shift is None:
        return None
    first, second = (a, b) if shift >= 0 else (b, a)
    longer = _difference(arithmetic, lift(second.extent), lift(first.extent))
    if longer is None:
        return None
    is_inside = longer + abs(shift) <= 0
    return Span(first.low, first.extent if is_inside else second.extent + abs(shift))


def _difference(arithmetic: Arithmetic, a: Scalar, b: Scalar) -> int | None:
    """Return `a - b` if it is a constant."""
    found = arithmetic.affine(a).plus(arithmetic.affine(b), -1)
    return found.const if found.is_constant else None


def clamp(arithmetic: Arithmetic, span: Span | None, size: Dim, *, inside: bool) -> Span:
    """Return a span restricted to a dimension: shortened, and moved inside if necessary.

    If a size is unknown, a span that is not certainly `inside` becomes the whole dimension.
    """
    if span is None:
        return Span(Const(0), size)
    if not isinstance(span.extent, int) or not isinstance(size, int):
        fits = inside or _fits(arithmetic, span, size)
        return span if fits else Span(Const(0), size)
    extent = min(span.extent, size)
    low, high = arithmetic.interval(arithmetic.affine(span.low))
    place = span.low
    if high > size - extent:
        place = minimum(place, size - extent)
    if low < 0:
        place = maximum(place, 0)
    return Span(arithmetic.index(place), extent)


def _fits(arithmetic: Arithmetic, span: Span, size: Dim) -> bool:
    """Whether a span is provably within a dimension."""
    low = arithmetic.affine(span.low)
    beyond = low.plus(arithmetic.affine(lift(span.extent))).plus(arithmetic.affine(lift(size)), -1)
    return arithmetic.interval(low)[0] >= 0 and arithmetic.interval(beyond)[1] <= 0
