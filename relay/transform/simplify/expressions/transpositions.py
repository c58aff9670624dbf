"""Rewrite rules for consecutive transpositions and layout changes."""

from collections.abc import Sequence

from relay.ir.dataflow import Found, operators, wildcard
from relay.ir.expr import Call, Expr
from relay.opdef.definition import OperatorDef
from relay.opdef.layout import Layout
from relay.ops.tensor.layout_transform import LayoutTransform
from relay.ops.tensor.transpose import Transpose, inverted
from relay.transform.rewriting import Rule

Movement = Transpose | LayoutTransform

x = wildcard()
first, second = operators(Transpose, LayoutTransform), operators(Transpose, LayoutTransform)
moved, moved_twice = first(x), second(first(x))


def _without_effect(found: Found) -> Expr | None:
    """Return the operand of a movement that leaves all axes in place."""
    op, rank = found[first], found[x].tensor_type.rank
    if isinstance(op, LayoutTransform):
        return found[x] if op.src_layout == op.dst_layout else None
    return found[x] if op.permutation(rank) == tuple(range(rank)) else None


def _once(found: Found) -> Expr | None:
    """Return one movement that has the effect of two; None if there is no such operator."""
    whole = found[moved_twice]
    ranks = found[x].tensor_type.rank, whole.args[0].tensor_type.rank
    op = _joined(found[first], found[second], ranks)
    return None if op is None else Call(op, (found[x],), span=whole.span)


def _joined(inner: Movement, outer: Movement, ranks: tuple[int, int]) -> OperatorDef | None:
    """Return an operator that moves axes like `inner` and then `outer`, for operands of `ranks`.

    1. Two layout changes that meet in the same layout are one.
    2. Two permutations are a transposition. So is a change between layouts without blocks.
    3. A permutation before or after a change to or from blocks permutes the names of its axes.
    """
    match inner, outer:
        case LayoutTransform(source, middle), LayoutTransform(again, result) if middle == again:
            return LayoutTransform(source, result)  # case 1
        case _:
            pass
    before, after = _permutation(inner, ranks[0]), _permutation(outer, ranks[1])
    if before is not None and after is not None:  # case 2
        return Transpose(tuple(before[axis] for axis in after))
    if before is not None and isinstance(outer, LayoutTransform):  # case 3
        return _between(outer.layouts[0].permuted(inverted(before)), outer.layouts[1])
    if after is not None and isinstance(inner, LayoutTransform):
        return _between(inner.layouts[0], inner.layouts[1].permuted(after))
    return None


def _between(source: Layout | None, result: Layout | None) -> LayoutTransform | None:
    known = source is not None and result is not None
    return LayoutTransform(str(source), str(result)) if known else None


def _permutation(op: Movement, rank: int) -> Sequence[int] | None:
    """Return the permutation of axes that a movement is; None for one that splits or joins axes."""
    if isinstance(op, Transpose):
        return op.permutation(rank)
    source, result = op.layouts
    if not (source.is_plain and result.is_plain):
        return None
    return [source.letters.index(letter) for letter in result.letters]


RULES = (
    Rule(moved, _without_effect),
    Rule(moved_twice, _once),
)
