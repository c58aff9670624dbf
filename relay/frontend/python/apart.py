"""Whether two values, at one point of a program, may be one array, or parts of one.

Both are followed back together, what was bound last first, so that they always are values of one
time: variables of a loop go back by one round at once, and two that change places in every round
are never the same. What is made after a variable was bound is not in it.
"""

from collections.abc import Iterable
from itertools import product

from relay.frontend.python.origins import Origins, Path, exprs, has_memory, is_operator, is_view
from relay.frontend.python.values import Value
from relay.ir.expr import Call, Expr, Tuple, TupleGetItem, Var
from relay.ir.types import TensorType, TupleType, Type

Spot = tuple[Expr, Path, bool]
"""A field of a value, and whether it is what it is made of: it does not lead back any further."""

Pair = tuple[Spot, Spot]


class Apart:
    """Finds pairs of values that never are one array; what it has found out stays known."""

    def __init__(self, origins: Origins) -> None:
        self._origins = origins
        self._apart: set[Pair] = set()

    def surely(self, a: Value, b: Value) -> bool:
        """Whether two values of one time share no memory.

        It is so unless a pair that they may come from is one array: pairs that come from each
        other, round after round, are none.
        """
        stack: list[Pair] = _pairs([(x, ()) for x in exprs(a)], [(y, ()) for y in exprs(b)])
        seen: set[Pair] = set()
        while stack:
            pair = stack.pop()
            if pair in seen or pair in self._apart or not _may_share(pair):
                continue
            seen.add(pair)
            before = self._before(pair)
            if before is None:
                return False
            stack += before
        self._apart |= seen
        return True

    def _before(self, pair: Pair) -> list[Pair] | None:
        """Return the pairs that a pair may come from; None if it may be one array."""
        (a, path, _), (b, other, _) = pair
        if a is b:
            shorter = min(len(path), len(other))
            return None if path[:shorter] == other[:shorter] else self._fields(a, path, other)
        rows = self._origins.rows(a, b)
        if rows is not None and not pair[0][2] and not pair[1][2]:
            found = [
                _pairs([(x, path) for x in row[a]], [(y, other) for y in row[b]]) for row in rows
            ]
            return [each for some in found for each in some]
        return self._back(pair)

    def _fields(self, whole: Expr, a: Path, b: Path) -> list[Pair] | None:
        """Return what two fields of one value come from."""
        match whole:
            case Tuple(fields):
                x, y = (fields[a[0]], a[1:]), (fields[b[0]], b[1:])
                return _pairs([x], [y])
            case TupleGetItem(inner, index):
                return _pairs([(inner, (index, *a))], [(inner, (index, *b))])
            case Call() if is_operator(whole):
                return None if is_view(whole) else []
            case _:
                ways = self._origins.ways(whole)
                return [(_spot(x, a), _spot(x, b)) for x in ways] or None

    def _back(self, pair: Pair) -> list[Pair] | None:
        """Return the pairs with what the one value comes from that was bound later."""
        first, second = pair
        if first[2] and second[2]:
            return []
        if self._age(second) > self._age(first):
            first, second = second, first
        value, path, _ = first
        if second[2] and self._origins.is_made_after(second[0], value):
            return []
        before = self._origins.before(value, path)
        spots = [_spot(*each) for each in before]
        if not before or self._origins.is_open(value):
            spots.append((value, path, True))
        return [(each, second) for each in spots]

    def _age(self, spot: Spot) -> float:
        """Return when a value was bound; what has no name stands where it is looked at."""
        value, _, settled = spot
        number = self._origins.number(value) if isinstance(value, Var) else None
        return -1 if settled else float("inf") if number is None else number


def _spot(value: Expr, path: Path) -> Spot:
    return value, path, False


def _pairs(a: Iterable[tuple[Expr, Path]], b: Iterable[tuple[Expr, Path]]) -> list[Pair]:
    return [(_spot(*x), _spot(*y)) for x, y in product(a, b)]


def _may_share(pair: Pair) -> bool:
    """Whether types allow that two values are parts of one array."""
    (a, path, _), (b, other, _) = pair
    if not has_memory(a) or not has_memory(b):
        return False
    match _type(a.ty, path), _type(b.ty, other):
        case TensorType() as x, TensorType() as y:
            return bool(x.shape and y.shape) and x.dtype is y.dtype
        case (TensorType(shape=()), _) | (_, TensorType(shape=())):
            return False
        case _:
            return True


def _type(ty: Type | None, path: Path) -> Type | None:
    """Return the type of a field; None where it is not known."""
    for index in path:
        if not isinstance(ty, TupleType):
            return None
        ty = ty.fields[index]
    return ty
