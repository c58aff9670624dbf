"""Partitioning: moving the parts of a program that match a pattern into functions of their own.

1. Each expression is tried as the root of a match, from the program's result to its inputs; a match
claims its nodes. 2. A match becomes a region if no earlier region has claimed one of its computed
nodes, and if only its root is used outside of it. 3. Each input of a region becomes a parameter,
`FunctionVar_<region>_<number>`, in order. An input that only a branch or a function in the region
evaluates becomes part of the region, because it must not be computed earlier.
"""

import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

from relay.ir.analysis.scopes import operands
from relay.ir.dataflow.matching import Found, Matchable, Memo, head_of
from relay.ir.expr import (
    Call,
    Constant,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Operator,
    Tuple,
    TupleGetItem,
    Var,
)
from relay.ir.field_validation import require, require_attributes, require_callable
from relay.ir.match_patterns import Match
from relay.ir.use_counts import use_counts
from relay.ir.walk import binders, children, fold, post_order, with_children
from relay.support.error_codes import ErrorCode
from relay.support.errors import UsageWarning

FROM_PATTERN = "PartitionedFromPattern"
"""The attribute of a function made by a partition; its value names the operators in it."""


class MatchedRegion(NamedTuple):
    """A matched region: its root, its nodes in post-order, and its inputs.

    `is_entangled` means that an input is evaluated after a call in the region that may have
    effects, so that moving the input before the region would change the order of effects.
    """

    root: Expr
    nodes: Sequence[Expr]
    inputs: Sequence[Expr]
    is_entangled: bool


def partition(
    pattern: Matchable[Any],
    expr: Expr,
    attrs: Mapping[str, object] | None = None,
    check: Callable[[Expr], bool] = lambda _: True,
) -> Expr:
    """Return the expression with each matching region replaced by a call of a new function.

    The function has the attributes `attrs`, and `PartitionedFromPattern` with the names of the
    operators in the region. If `check` returns False for the root of a region, the region is not
    moved. A pattern that matches only functions has no regions: the warning `U301` is issued and
    the expression is returned unchanged.
    """
    require(Expr, "the expression to partition", expr)
    require_callable("check", check)
    given = require_attributes("the attributes of regions", {} if attrs is None else attrs)
    if pattern.heads == (Function,):
        message = "this pattern matches a function itself, which partition cannot extract"
        help_ = "match a call of the function instead: FunctionPattern(…)(…)"
        warnings.warn(UsageWarning(ErrorCode.U301, message, help=help_), stacklevel=2)
        return expr
    found = _Regions(pattern, expr).found
    regions = {region.root: (n, region) for n, region in enumerate(found) if check(region.root)}
    if not regions:
        return expr

    def visit(old: Expr, new: list[Expr]) -> Expr:
        found = regions.get(old)
        if found is not None:
            number, region = found
            return Call(_function(number, region, given), tuple(new), span=old.span)
        return with_children(old, new) if new else old

    def edges(old: Expr) -> Sequence[Expr]:
        found = regions.get(old)
        return _searched(old) if found is None else found[1].inputs

    return fold(expr, visit, edges=edges)


def _searched(expr: Expr) -> Sequence[Expr]:
    """Return the children in which regions are searched; none for kernels and moved regions."""
    if isinstance(expr, Function) and (expr.is_primitive or FROM_PATTERN in expr.attrs):
        return ()
    return children(expr)


class _Regions:
    """The regions of a program that match a pattern, searched from the result to the inputs."""

    def __init__(self, pattern: Matchable[Any], root: Expr) -> None:
        self._pattern = pattern
        self._root = root
        self._order = post_order(root, edges=_searched)
        self._claimed: set[Expr] = set()
        self._memo = Memo()
        found = (self._at(expr) for expr in reversed(self._order))
        self.found = [region for region in found if region is not None]

    @cached_property
    def _uses(self) -> Counter[Expr]:
        return use_counts(self._root)

    @cached_property
    def _places(self) -> dict[Expr, int]:
        return {expr: place for place, expr in enumerate(self._order)}

    @cached_property
    def _users(self) -> dict[Expr, list[Expr]]:
        users: dict[Expr, list[Expr]] = {}
        for expr in self._order:
            for part in _searched(expr):
                users.setdefault(part, []).append(expr)
        return users

    def _at(self, expr: Expr) -> MatchedRegion | None:
        """Return the region that matches at `expr`, and claim its nodes; None if there is none."""
        if not self._pattern.may_match(head_of(expr)) or expr in self._claimed:
            return None
        found = Found(lambda part: self._uses[part], self._memo)
        if not found.matches(self._pattern, expr):
            return None
        inside = {part for pattern, part in found.pairs if pattern.is_inside}
        if expr not in inside:
            return None
        region = _region(expr, inside)
        computed = {node for node in region.nodes if not isinstance(node, _COPIED)}
        is_free = self._claimed.isdisjoint(computed) and not region.is_entangled
        if not is_free or not self._is_closed(region, computed):
            return None
        self._claimed |= computed
        return region

    def _is_closed(self, region: MatchedRegion, computed: set[Expr]) -> bool:
        """Whether only the root of a region is used outside; `computed` has its computed nodes."""
        last = self._places[region.root]
        pending = [node for node in computed if node is not region.root]
        seen = {*computed}
        while pending:
            for user in self._users.get(pending.pop(), ()):
                if user not in seen:
                    if self._places[user] > last:
                        return False
                    seen.add(user)
                    pending.append(user)
        return True


_COPIED = (Operator, Constructor, Constant, Function, GlobalVar, Var)
"""The kinds of nodes that several regions may contain, because each gets a copy."""


def _region(root: Expr, inside: set[Expr]) -> MatchedRegion:
    """Return the region with the root `root` and the matched nodes `inside`.

    Operands that are always evaluated become inputs; operands that only a branch or a function in
    the region evaluates become part of the region.
    """

    def evaluated(expr: Expr) -> Sequence[Expr]:
        return _evaluated(expr) if expr in inside else ()

    before = {
        expr
        for expr in post_order(root, edges=evaluated)
        if expr not in inside and not isinstance(expr, Operator | Constructor | GlobalVar | Var)
    }
    order = post_order(root, edges=lambda expr: () if expr in before else children(expr))
    bound = {var for expr in order if expr not in before for var in binders(expr)}
    free = {expr for expr in order if isinstance(expr, Var) and expr not in bound}
    inputs = before | free
    first = next((i for i, e in enumerate(order) if e not in before and _may_have_effect(e)), None)
    return MatchedRegion(
        root,
        [expr for expr in order if expr not in inputs and expr not in bound],
        [expr for expr in order if expr in inputs],
        first is not None and any(expr in before and children(expr) for expr in order[first:]),
    )


def _may_have_effect(expr: Expr) -> bool:
    """Whether an expression is a call that may have effects, or whose callee is unknown."""
    match expr:
        case Call(Operator() as op):
            return bool(op.get_attr("TOpIsStateful"))
        case Call(op):
            return not isinstance(op, Constructor)
        case _:
            return False


def _evaluated(expr: Expr) -> Sequence[Expr]:
    """Return the operands of a node that are evaluated whenever the node is."""
    if isinstance(expr, Let):
        return (expr.value,)
    return () if isinstance(expr, Function) else operands(expr)


def _function(number: int, region: MatchedRegion, attrs: Mapping[str, object]) -> Function:
    """Return a function that computes a region from its inputs."""
    params = {
        each: Var(f"FunctionVar_{number}_{index}", ty=each.ty)
        for index, each in enumerate(region.inputs)
    }

    def edges(expr: Expr) -> Sequence[Expr]:
        return () if expr in params else children(expr)

    def visit(expr: Expr, new: list[Expr]) -> Expr:
        return with_children(expr, new) if new else params.get(expr, expr)

    body = fold(region.root, visit, edges=edges)
    names = "".join(map(_name, region.nodes))
    own = MappingProxyType({**attrs, FROM_PATTERN: names})
    return Function(tuple(params.values()), body, attrs=own, span=region.root.span)


def _name(expr: Expr) -> str:
    """Return the part of a region's name for one node, such as `nn.conv2d_`."""
    match expr:
        case Call(Operator() as op):
            return f"{op.name}_"
        case TupleGetItem(_, index):
            return f"TupleGetItem{index}_"
        case Call() | Tuple() | Let() | If() | Match():
            return f"{type(expr).__name__}_"
        case Function():
            return "Function"
        case _:
            return ""
