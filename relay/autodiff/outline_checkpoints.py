"""Outlines the parts of a program that the backward part recomputes instead of storing.

`annotation.checkpoint(data)` becomes a call of a function with the attribute `CHECKPOINT`, which
computes the data from the checkpoints and variables before it.

1. The function contains calls of operators, constructors and functions, and tuples, unless they
   belong to the function of an earlier checkpoint.
2. The function also returns the values that are used elsewhere.
3. Branches, matches and function literals, and everything they need, stay outside and become
   arguments.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from relay.autodiff.fresh_names import Names
from relay.ir.expr import (
    Call,
    Constant,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    Operator,
    Tuple,
    TupleGetItem,
    Var,
)
from relay.ir.module import Module
from relay.ir.walk import children, fold, post_order, rewrite, with_children
from relay.opdef.definition import OperatorDef
from relay.ops.annotation import Checkpoint
from relay.support.node import node

CHECKPOINT = "Checkpoint"
"""The attribute of functions that the backward part recomputes."""

_FIXED = Constant | Constructor | GlobalVar | Operator
"""The kinds of expressions that an outlined function uses without taking them as parameters."""


def with_checkpoints(module: Module) -> Module:
    """Return a module in graph form in which checkpoints are calls of functions."""
    names = Names(module)
    functions: dict[str, Function] = {}
    for name, function in module.functions.items():
        regions = _regions(function)
        called = [(each, names.fresh("checkpoint")) for each in regions]
        functions[name] = _rewritten(function, called) if called else function
        functions |= {callee: each.function for each, callee in called}
    return module.with_functions(functions)


@node
class _Region:
    """The nodes that a checkpoint recomputes, with their inputs from outside and their outputs.

    The first output is the data; `checkpoint` is the call that marks it.
    """

    checkpoint: Expr
    nodes: frozenset[Expr]
    inputs: tuple[Expr, ...]
    outputs: tuple[Expr, ...]

    @property
    def function(self) -> Function:
        """The function that computes the outputs of the region from its inputs."""
        params = {each: Var("kept", each.type) for each in self.inputs}
        whole = self.outputs[0] if len(self.outputs) == 1 else Tuple(self.outputs)

        def inside(expr: Expr) -> Sequence[Expr]:
            return children(expr) if expr in self.nodes or expr is whole else ()

        body = rewrite(whole, lambda expr: params.get(expr, expr), edges=inside)
        return Function(tuple(params.values()), body, attrs={CHECKPOINT: 1})


def _regions(function: Function) -> list[_Region]:
    """Return the regions that the checkpoints of a function recompute; they are disjoint."""
    order = post_order(function)
    marks = [each for each in order if isinstance(each, Call) and isinstance(each.op, Checkpoint)]
    users: dict[Expr, set[Expr]] = defaultdict(set)
    for each in order if marks else ():
        for child in children(each):
            users[child].add(each)
    found: list[_Region] = []
    owned: set[Expr] = set()
    for mark in marks:
        region = _region(mark, users, owned)
        if region is not None:
            found.append(region)
            owned |= region.nodes
    return found


def _region(
    mark: Call, users: Mapping[Expr, Collection[Expr]], owned: Collection[Expr]
) -> _Region | None:
    """Return the region of nodes between the checkpoint call `mark` and earlier checkpoints.

    The result is None if there are none.
    """
    (data,) = mark.args

    def inside(expr: Expr) -> Sequence[Expr]:
        return children(expr) if _is_dataflow(expr) and expr not in owned else ()

    order = post_order(data, edges=inside)
    nodes = {each for each in order if _is_dataflow(each) and each not in owned}
    nodes.difference_update(post_order(*_inputs(order, nodes)))  # case 3
    for each in order:  # fields of outside tuples are arguments, not the whole tuple
        if isinstance(each, TupleGetItem) and each.tuple_value not in nodes:
            nodes.discard(each)
    if data not in nodes:
        return None
    own = {mark, *nodes}
    shared = [each for each in order if each in nodes and not own.issuperset(users[each])]
    outputs = (data, *(each for each in shared if each is not data))
    return _Region(mark, frozenset(nodes), tuple(_inputs(order, nodes)), outputs)


def _inputs(order: Sequence[Expr], nodes: Collection[Expr]) -> list[Expr]:
    """Return the values that the `nodes` of a region read from outside, in order."""
    read = (child for each in order if each in nodes for child in children(each))
    outside = dict.fromkeys(each for each in read if each not in nodes)
    return [each for each in outside if not isinstance(each, _FIXED)]


def _rewritten(function: Function, called: Sequence[tuple[_Region, str]]) -> Function:
    """Return the function with each region replaced by a call of the function named with it."""
    regions = {each: region for region, _ in called for each in region.nodes}
    regions |= {region.checkpoint: region for region, _ in called}
    callees = {region: GlobalVar(name, ty=region.function.ty) for region, name in called}
    calls: dict[_Region, Expr] = {}

    def edges(expr: Expr) -> Sequence[Expr]:
        return regions[expr].inputs if expr in regions else children(expr)

    def visit(expr: Expr, inner: Sequence[Expr]) -> Expr:
        region = regions.get(expr)
        if region is None:
            return with_children(expr, inner)
        call = calls.setdefault(region, Call(callees[region], tuple(inner), span=expr.span))
        if len(region.outputs) == 1:
            return call
        mark = region.outputs[0] if expr is region.checkpoint else expr
        return TupleGetItem(call, region.outputs.index(mark))

    found = fold(function, visit, edges=edges)
    assert isinstance(found, Function), "a function stays one"
    return found


def _is_dataflow(expr: Expr) -> bool:
    match expr:
        case Call(OperatorDef() as op):
            return not isinstance(op, Checkpoint)
        case Call(GlobalVar() | Constructor()) | Tuple() | TupleGetItem():
            return True
        case _:
            return False
