"""Which part of a tensor is needed: bounds of indices while some loops still run.

An index is brought to the form of a sum; what is fixed at this point stays symbolic, what still
runs is replaced by its smallest and its largest value.
"""

from collections.abc import Collection, Sequence

from relay.kernels.passes.affine import Affine, Arithmetic
from relay.kernels.scalar import Binary, Const, Op, Scalar, maximum, minimum, walk
from relay.kernels.schedule.iteration import Span
from relay.kernels.te.tensor import Dim


class Bounds:
    """Bounds of indices in which the variables `running` take any value of their ranges."""

    def __init__(self, arithmetic: Arithmetic, running: Collection[Scalar]) -> None:
        self._arithmetic = arithmetic
        self._running = set(running)

    def of(self, index: Scalar) -> Span | None:
        """Return the span of an index; nothing if it is not bounded (a loaded index, say)."""
        arithmetic = self._arithmetic
        low, extent = Affine({}, 0), 1
        total = arithmetic.affine(index)
        for atom, factor in total.terms.items():
            if not self._runs(atom):
                low = low.plus(Affine({atom: factor}, 0))
                continue
            span = self._of_atom(atom)
            if span is None or not isinstance(span.extent, int):
                return None
            reach = (span.extent - 1) * abs(factor)
            low = low.plus(arithmetic.affine(span.low), factor)
            low = low.plus(Affine({}, -reach if factor < 0 else 0))
            extent += reach
        return Span(arithmetic.scalar(low.plus(Affine({}, total.const))), extent)

    def _runs(self, e: Scalar) -> bool:
        return e in self._running or any(part in self._running for part in walk(e))

    def _of_atom(self, atom: Scalar) -> Span | None:
        match atom:
            case _ if atom in self._running:
                low, high = self._arithmetic.range_of(atom)
                return Span(Const(low), high - low + 1)
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
        return Span(self._arithmetic.scalar(low), extent)

    def _extreme(self, op: Op, a: Span | None, b: Span | None) -> Span | None:
        """Bound `min(a, b)`, which moves by no more than the side that moves more."""
        if a is None or b is None:
            return None
        if not (isinstance(a.extent, int) and isinstance(b.extent, int)):
            return None
        choose = minimum if op is Op.MIN else maximum
        low = self._arithmetic.index(choose(a.low, b.low))
        return Span(low, max(a.extent, b.extent))


def union(arithmetic: Arithmetic, spans: Sequence[Span | None]) -> Span | None:
    """Return a span that holds all the given ones, nothing if they cannot be compared."""
    total = spans[0]
    for span in spans[1:]:
        total = _both(arithmetic, total, span)
    return total


def _both(arithmetic: Arithmetic, a: Span | None, b: Span | None) -> Span | None:
    if a is None or b is None:
        return None
    if not (isinstance(a.extent, int) and isinstance(b.extent, int)):
        return None
    distance = arithmetic.affine(b.low).plus(arithmetic.affine(a.low), -1)
    if not distance.is_constant:
        return None
    shift = distance.const
    low = a.low if shift >= 0 else b.low
    return Span(low, max(a.extent, shift + b.extent) - min(0, shift))


def clamp(arithmetic: Arithmetic, span: Span | None, size: Dim) -> Span:
    """Return a span as a part of a dimension: shortened, then moved inside if need be."""
    if span is None or not isinstance(span.extent, int) or not isinstance(size, int):
        return Span(Const(0), size)
    extent = min(span.extent, size)
    low, high = arithmetic.interval(arithmetic.affine(span.low))
    inside = span.low
    if high > size - extent:
        inside = minimum(inside, size - extent)
    if low < 0:
        inside = maximum(inside, 0)
    return Span(arithmetic.index(inside), extent)
