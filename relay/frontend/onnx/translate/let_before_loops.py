"""Bind the inputs of an ONNX node to variables before the loops of its translation."""

from collections.abc import Callable, Sequence

from relay.frontend.builders.let_before_loops import bound
from relay.frontend.onnx.node import OnnxNode
from relay.ir.expr import Expr


def bound_before(node: OnnxNode, then: Callable[[OnnxNode], Sequence[Expr]]) -> list[Expr]:
    """Return the results of `then`, before which the node's inputs and captures are bound."""
    read = [each for each in node.exprs_read if each.ty is not None]
    return bound(
        read, node.uncertain, lambda new: then(node.reading(dict(zip(read, new, strict=True))))
    )
