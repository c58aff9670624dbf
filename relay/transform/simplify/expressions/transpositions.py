"""Rewrite rules for consecutive transpositions and layout changes."""

from relay.ir.dataflow import Found, operators, wildcard
from relay.ir.expr import Call, Expr
from relay.ops.tensor.layout_transform import LayoutTransform
from relay.ops.tensor.transpose import Transpose
from relay.transform.rewriting import Rule

x, first, second = wildcard(), operators(Transpose), operators(Transpose)
single, twice = first(x), second(first(x))
before, after = operators(LayoutTransform), operators(LayoutTransform)
moved, moved_twice = before(x), after(before(x))


def _without_effect(found: Found) -> Expr | None:
    rank = found[x].tensor_type.rank
    return found[x] if found[first].permutation(rank) == tuple(range(rank)) else None


def _composed(found: Found) -> Expr:
    rank = found[x].tensor_type.rank
    inner, outer = (found[op].permutation(rank) for op in (first, second))
    axes = tuple(inner[axis] for axis in outer)
    return Call(Transpose(axes), (found[x],), span=found[twice].span)


def _without_change(found: Found) -> Expr | None:
    op = found[before]
    return found[x] if op.src_layout == op.dst_layout else None


def _joined(found: Found) -> Expr | None:
    inner, outer = found[before], found[after]
    if inner.dst_layout != outer.src_layout:
        return None
    op = LayoutTransform(inner.src_layout, outer.dst_layout)
    return Call(op, (found[x],), span=found[moved_twice].span)


RULES = (
    Rule(single, _without_effect),
    Rule(twice, _composed),
    Rule(moved, _without_change),
    Rule(moved_twice, _joined),
)
