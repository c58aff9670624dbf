"""Translate TensorFlow Lite conditionals and loops, whose bodies are graphs of the model."""

from collections.abc import Sequence

from relay.frontend.builders.tensors import reshape
from relay.frontend.builders.while_loops import repeated
from relay.frontend.tflite.node import LiteNode
from relay.frontend.tflite.registry import lite_operator
from relay.ir.expr import Expr, If, Tuple, TupleGetItem


@lite_operator("IF")
def if_node(node: LiteNode) -> Sequence[Expr]:
    """Translate `IF`: evaluate one of two graphs."""
    condition, *values = node.exprs()
    sides = [
        Tuple(tuple(node.subgraph(node.option(name), values)))
        for name in ("ThenSubgraphIndex", "ElseSubgraphIndex")
    ]
    chosen = If(reshape(condition, ()), sides[0], sides[1], span=node.span)
    return [TupleGetItem(chosen, index) for index in range(len(node.results))]


@lite_operator("WHILE")
def while_node(node: LiteNode) -> Sequence[Expr]:
    """Translate `WHILE`: repeat a graph while a condition graph is true."""
    goes_on, body = node.option("CondSubgraphIndex"), node.option("BodySubgraphIndex")

    def step(state: Sequence[Expr]) -> tuple[Expr, Sequence[Expr]]:
        (condition,) = node.subgraph(goes_on, state)
        return reshape(condition, ()), node.subgraph(body, state)

    return repeated(node.exprs(), step)
