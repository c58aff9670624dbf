"""Translate `flex_attention`: attention whose scores and mask are functions of positions.

The functions are graphs of scalars: a score, the numbers of a batch, a head, a query and a key, and
tensors that the function reads. They are mapped over all positions at once.
"""

from collections.abc import Sequence
from math import inf, log

from relay.frontend.builders.matrix_products import multiplied
from relay.frontend.builders.size_expressions import numbers_below
from relay.frontend.builders.tensor_helpers import constant, converted
from relay.frontend.torch.node import TorchNode
from relay.frontend.torch.registry import torch_operator
from relay.frontend.torch.subgraph import Subgraph
from relay.frontend.torch.translate.reduction import log_of_sum
from relay.frontend.torch.translate.shapes import broadcast, transposed
from relay.frontend.vmap_functions import mapped_program
from relay.ir.dims import ANY, Dim
from relay.ir.expr import Call, Expr, Function, Var
from relay.ir.module import Module
from relay.ir.types import scalar_type
from relay.ops.binary import multiply
from relay.ops.comparison import equal
from relay.ops.max_min_reductions import Max
from relay.ops.nn.softmax import Softmax
from relay.ops.selection import where
from relay.ops.tensor.tile_and_repeat import Repeat
from relay.semantics.infer import infer
from relay.support.dtype import float32, float64, int32

_POSITIONS = ("batch", "head", "query", "key")


@torch_operator("flex_attention", namespace="higher_order")
def flex_attention(node: TorchNode) -> Sequence[Expr]:
    """Translate `flex_attention`: the attention, the log-sum-exp of scores, and their maxima.

    1. A score is changed by the function `score_mod`.
    2. It is masked where the function of the block mask, its last part, is false.
    3. A query whose scores are all masked gets zeros.
    """
    node.ignore("6")  # options of GPU kernels
    q, k, v = (node.tensor(str(index)) for index in range(3))
    k, v = (_like_queries(node, each, q) for each in (k, v))
    wide = float64 if q.tensor_type.dtype is float64 else float32
    products = converted(multiplied(q, transposed(k, (0, 1, 3, 2))), wide)
    scores = multiply(products, constant(node.number("5"), wide))
    scores = _mapped(node, node.subgraph("3"), node.sequence("7"), scores, with_score=True)
    mask_graph = node.sequence("4")[-1]
    assert isinstance(mask_graph, Subgraph), "the last part of a block mask is its function"
    mask = _mapped(node, mask_graph, node.sequence("8"), scores, with_score=False)
    scores = where(mask, scores, constant(-inf, wide))
    largest = Call(Max(axis=(-1,), keepdims=True), (scores,))
    is_empty = equal(largest, constant(-inf, wide))
    weights = where(is_empty, constant(0, wide), Call(Softmax(-1), (scores,)))
    found = multiplied(converted(weights, q.tensor_type.dtype), v)
    sums = multiply(log_of_sum(scores, (-1,), keep=False), constant(1 / log(2), wide))
    return [found, sums, Call(Max(axis=(-1,)), (scores,))]


def _like_queries(node: TorchNode, x: Expr, q: Expr) -> Expr:
    """Return keys or values with the batch and the heads of queries; heads are repeated."""
    (batch, heads, *rest), (wanted_batch, wanted, *_) = x.tensor_type.shape, q.tensor_type.shape
    if not isinstance(heads, int) or not isinstance(wanted, int):
        raise node.dynamic("the number of heads", heads, wanted)
    if heads != wanted:
        x = Call(Repeat(wanted // heads, 1), (x,))
    return x if batch == wanted_batch else broadcast(x, (wanted_batch, wanted, *rest))


def _mapped(
    node: TorchNode, graph: Subgraph, others: Sequence[object], scores: Expr, *, with_score: bool
) -> Expr:
    """Return the results of a graph at all positions of `scores`."""
    shape = scores.tensor_type.shape
    if ANY in shape:
        raise node.dynamic("the sizes of the attention", *shape)
    tensors = [
        node.as_tensor(each, "each tensor that a function of the attention reads")
        for each in others
    ]
    score = [Var("score", scalar_type(scores.tensor_type.dtype))] if with_score else []
    positions = [Var(name, scalar_type(int32)) for name in _POSITIONS]
    captured = [Var(f"other_{index}", each.type) for index, each in enumerate(tensors)]
    params = (*score, *positions, *captured)
    (body,) = graph(*params)
    whole = _over_axes(Function(params, node.as_tensor(body, "the result")), len(score), shape)
    numbers = [converted(numbers_below(size), int32) for size in shape]
    return Call(whole, (*([scores] if with_score else []), *numbers, *tensors), span=node.span)


def _over_axes(function: Function, scores: int, shape: Sequence[Dim]) -> Expr:
    """Return a function of a score and four positions, mapped over all positions.

    `scores` is the number of parameters before the positions, which all axes map.
    """
    module = infer(Module({"main": function}))
    last = len(shape) - 1
    for axis in range(last, -1, -1):
        mapped = {*range(scores), scores + axis}
        shared = [index for index in range(len(function.params)) if index not in mapped]
        module = mapped_program(module, shape[axis], shared)
    return module.main
