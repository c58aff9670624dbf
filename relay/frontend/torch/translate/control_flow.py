"""Translate PyTorch's higher-order operators: conditionals, loops, scans and maps."""

from collections.abc import Sequence

from relay.frontend.builders.collect_loop_outputs import Collection, collecting
from relay.frontend.builders.counted_loops import at, mirrored, size_of
from relay.frontend.builders.let_before_loops import bound, bound_among
from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.builders.while_loops import repeated
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.subgraph import Subgraph
from relay.ir.expr import Expr, If, Tuple, TupleGetItem
from relay.support.dtype import int64
from relay.transform.effects import Unspeculatable


@torch_operator("cond", namespace="higher_order")
def cond(node: TorchNode) -> Sequence[object]:
    """Translate `cond`: evaluate one of two graphs."""
    values = node.sequence("3")
    then, other = node.subgraph("1"), node.subgraph("2")
    condition = node.value("0")
    if isinstance(condition, bool):
        return then(*values) if condition else other(*values)
    sides = [
        Tuple(tuple(node.as_tensor(each, "each result of a branch") for each in side(*values)))
        for side in (then, other)
    ]
    chosen = If(reshape(node.tensor("0"), ()), *sides, span=node.span)
    return [TupleGetItem(chosen, index) for index in range(len(sides[0].fields))]


@torch_operator("invoke_subgraph", namespace="higher_order")
def invoke_subgraph(node: TorchNode) -> Sequence[object]:
    """Translate `invoke_subgraph`: a graph that the program contains once and calls by name."""
    node.ignore("1")
    return node.subgraph("0")(*(node.value(str(i)) for i in range(2, len(node.arguments))))


@torch_operator("while_loop", namespace="higher_order")
def while_loop(node: TorchNode) -> Sequence[object]:
    """Translate `while_loop`: repeat a graph while a condition graph is true."""
    goes_on, body = node.subgraph("0"), node.subgraph("1")
    first = [node.as_tensor(each, "each loop variable") for each in node.sequence("2")]

    def looped(others: Sequence[object]) -> Sequence[Expr]:
        def step(state: Sequence[Expr]) -> tuple[Expr, Sequence[Expr]]:
            (found,) = goes_on(*state, *others)
            following = [node.as_tensor(x, "each loop variable") for x in body(*state, *others)]
            return reshape(node.as_tensor(found, "the condition"), ()), following

        return repeated(first, step)

    return bound_among(node.sequence("3"), Unspeculatable(), looped)


@torch_operator("scan", namespace="higher_order")
def scan(node: TorchNode) -> Sequence[object]:
    """Translate `scan`: run a graph with state over slices along the first axis."""
    body = node.subgraph("0")
    first = [node.as_tensor(each, "each loop variable") for each in node.sequence("1")]
    sequences = [node.as_tensor(each, "a sequence") for each in node.sequence("2")]
    node.ignore("reverse")
    backwards = node.flag("reverse")
    return bound_among(
        node.sequence("3"),
        Unspeculatable(),
        lambda others: _scanned(node, body, first, sequences, others, backwards=backwards),
    )


@torch_operator("map_impl", namespace="higher_order")
def map_node(node: TorchNode) -> Sequence[object]:
    """Translate `map_impl`: run a graph on each slice along the first axis."""
    sequences = [node.as_tensor(each, "a sequence") for each in node.sequence("1")]
    body = node.subgraph("0")
    return bound_among(
        node.sequence("2"),
        Unspeculatable(),
        lambda others: _scanned(node, body, [], sequences, others, backwards=False),
    )


def _scanned(
    node: TorchNode,
    body: Subgraph,
    first: Sequence[Expr],
    sequences: Sequence[Expr],
    others: Sequence[object],
    *,
    backwards: bool,
) -> list[Expr]:
    count = len(first)

    def looped(given: Sequence[Expr]) -> Sequence[Expr]:
        state, parts = given[:count], given[count:]
        length = size_of(parts[0], 0)

        def step(time: Expr, old: Sequence[Expr]) -> tuple[Sequence[Expr], None]:
            index = mirrored(time, length) if backwards else time
            results = body(*old, *(at(x, index) for x in parts), *others)
            return [node.as_tensor(each, "each result of the loop body") for each in results], None

        shown, _ = step(constant(0, int64), state)
        steps = parts[0].tensor_type.shape[0]
        collections = [
            Collection(each.tensor_type, steps, length, backwards=backwards)
            for each in shown[count:]
        ]
        types = [each.type for each in state]
        return collecting(length, None, state, types, collections, step)

    return bound([*first, *sequences], Unspeculatable(), looped)
