"""Translate conditionals and loops, whose bodies are other graphs of the model."""

from collections.abc import Sequence

from relay.frontend.builders.bound import bound
from relay.frontend.builders.loops import loop
from relay.frontend.builders.tensors import constant, reshape
from relay.frontend.tflite.node import LiteNode
from relay.frontend.tflite.registry import lite_operator
from relay.ir.expr import Expr, If, Tuple, TupleGetItem
from relay.support.dtype import int64
from relay.transform.effects import Unspeculatable

ENDLESS = 2**62  # the step count of a loop that only its condition ends


@lite_operator("IF")
def if_node(node: LiteNode) -> Sequence[Expr]:
    """Compute one of two graphs."""
    condition, *values = node.exprs()
    sides = [
        Tuple(tuple(node.subgraph(node.option(name), values)))
        for name in ("ThenSubgraphIndex", "ElseSubgraphIndex")
    ]
    chosen = If(reshape(condition, ()), sides[0], sides[1], span=node.span)
    return [TupleGetItem(chosen, index) for index in range(len(node.results))]


@lite_operator("WHILE")
def while_node(node: LiteNode) -> Sequence[Expr]:
    """Repeat a graph while another graph returns true."""
    goes_on, body = node.option("CondSubgraphIndex"), node.option("BodySubgraphIndex")

    def condition(state: Sequence[Expr]) -> Expr:
        (found,) = node.subgraph(goes_on, state)
        return reshape(found, ())

    def looped(state: Sequence[Expr]) -> Sequence[Expr]:
        def step(_: Expr, old: Sequence[Expr]) -> tuple[Sequence[Expr], Expr]:
            new = node.subgraph(body, old)
            return new, condition(new)

        types = [each.type for each in state]
        return loop(constant(ENDLESS, int64), condition(state), state, types, step)

    return bound(node.exprs(), Unspeculatable(), looped)
