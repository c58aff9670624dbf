"""Translate TensorFlow Lite's variables, whose values the translation follows."""

from collections.abc import Sequence

from relay.frontend.tflite.node import LiteNode
from relay.frontend.tflite.registry import lite_operator
from relay.frontend.tflite.values import Handle
from relay.ir.expr import Expr
from relay.support.error_codes import ErrorCode


@lite_operator("VAR_HANDLE")
def handle(node: LiteNode) -> Handle:
    """Translate `VAR_HANDLE`: refer to a variable by its names."""
    parts = [(node.option(name) or b"").decode() for name in ("Container", "SharedName")]
    return Handle("/".join(part for part in parts if part))


@lite_operator("READ_VARIABLE")
def read(node: LiteNode) -> Expr:
    """Translate `READ_VARIABLE`: return the value that was assigned last."""
    name = node.handle(0).name
    found = node.variables.read(name)
    if found is None:
        problem = f"the variable '{name}' is read before a value is assigned to it"
        raise node.error(ErrorCode.F018, problem)
    return found


@lite_operator("ASSIGN_VARIABLE")
def assign(node: LiteNode) -> Sequence[Expr]:
    """Translate `ASSIGN_VARIABLE`: change the value that later nodes read."""
    node.variables.assign(node.handle(0).name, node.expr(1))
    return []


@lite_operator("CALL_ONCE")
def call_once(node: LiteNode) -> Sequence[Expr]:
    """Translate `CALL_ONCE`, whose graph assigns the initial values of variables."""
    number = node.option("InitSubgraphIndex")
    if node.variables.is_first_call(number):
        node.subgraph(number, [])
    return []
