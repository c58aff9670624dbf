"""Translate TensorFlow control flow: conditionals, loops and calls of functions."""

from collections.abc import Sequence
from functools import partial

from relay.frontend.builders.tensor_helpers import constant, reshape
from relay.frontend.tensorflow.loops import repeated
from relay.frontend.tensorflow.model import Graph
from relay.frontend.tensorflow.node import TfNode
from relay.frontend.tensorflow.non_tensor_values import (
    Value,
    described,
    like_list,
)
from relay.frontend.tensorflow.registry import tf_operator
from relay.ir.expr import Call, Constant, Expr, If, Tuple, TupleGetItem
from relay.ops.comparison import NotEqual, equal
from relay.support.dtype import bool_
from relay.support.error_codes import ErrorCode
from relay.support.errors import RelayImportError
from relay.support.span import Span


@tf_operator("PartitionedCall", "StatefulPartitionedCall")
def partitioned_call(node: TfNode) -> Sequence[Value]:
    """Translate a call of a function."""
    return node.around.call(node.function("f"), node.inputs)


@tf_operator("If", "StatelessIf")
def if_node(node: TfNode) -> Sequence[Value]:
    """Translate `If`: call one of two functions."""
    sides = [
        partial(node.around.call, node.function(name), node.inputs[1:])
        for name in ("then_branch", "else_branch")
    ]
    condition = truth(node.expr(0))
    if isinstance(condition, Constant):
        return sides[0 if condition.array else 1]()
    return alternatives(condition, sides[0](), sides[1](), node.span)


@tf_operator("Case", "StatelessCase")
def case(node: TfNode) -> Sequence[Value]:
    """Translate `Case`: call the function with an index, or the last if out of range."""
    index, (*others, last) = node.expr(0), node.attribute("branches")
    results: Sequence[Value] = node.around.call(last, node.inputs[1:])
    for place, name in reversed(list(enumerate(others))):
        chosen = equal(index, constant(place, index.tensor_type.dtype))
        here = node.around.call(name, node.inputs[1:])
        results = alternatives(reshape(chosen, ()), here, results, node.span)
    return results


@tf_operator("While", "StatelessWhile")
def while_node(node: TfNode) -> Sequence[Value]:
    """Translate `While`: call a function on its own results while a condition function is true."""
    goes_on, body = node.function("cond"), node.function("body")

    def step(state: Sequence[Value]) -> tuple[Expr, Sequence[Value]]:
        (condition,) = node.around.call(goes_on, state)
        if not isinstance(condition, Expr):
            problem = f"the condition must be a tensor, not {described(condition)}"
            raise node.error(ErrorCode.F021, problem)
        return truth(condition), node.around.call(body, state)

    fixed = _unchanged_parameters(node.around.function(body))
    return repeated(node.inputs, fixed, step, node.around)


def _unchanged_parameters(body: Graph) -> set[int]:
    """Return the indices of parameters that a function returns unchanged at the same index."""
    return {
        index
        for index, (parameter, result) in enumerate(
            zip(body.parameters, body.results, strict=False)
        )
        if body.source(result).node == parameter
    }


@tf_operator("Switch", "RefSwitch")
def switch(node: TfNode) -> Sequence[Value]:
    """Translate `Switch`: both results are the data, because the `Merge` selects a side."""
    return [node.value(0)] * 2


@tf_operator("_SwitchN")
def switch_n(node: TfNode) -> Sequence[Value]:
    """Translate `_SwitchN`: all results are the data, because the `Merge` selects a side."""
    return [node.value(0)] * node.integer_of("num_outs")


@tf_operator("LoopCond")
def loop_condition(node: TfNode) -> Value:
    """Translate `LoopCond`, which returns the condition of a loop."""
    return node.value(0)


def truth(x: Expr) -> Expr:
    """Return a value as a boolean scalar; numbers other than 0 are true."""
    flat = reshape(x, ()) if x.tensor_type.rank else x
    ty = flat.tensor_type
    return flat if ty.dtype is bool_ else Call(NotEqual(), (flat, constant(0, ty.dtype)))


def alternatives(
    condition: Expr, then: Sequence[Value], other: Sequence[Value], span: Span
) -> list[Value]:
    """Return the values of an `If`; values that are equal in both branches stay unchanged.

    Raises `F041` if one branch has a tensor and the other has not.
    """
    if isinstance(condition, Constant):
        return list(then if condition.array else other)
    pairs = [_branch_values(*pair) for pair in zip(then, other, strict=True)]
    sides = zip(*(pair for pair in pairs if len(pair) > 1), strict=True)
    chosen = [Tuple(tuple(e for e in side if isinstance(e, Expr))) for side in sides]
    if not chosen:
        return [pair[0] for pair in pairs]
    whole = If(condition, *chosen, span=span)
    places = iter(range(len(chosen[0].fields)))
    return [pair[0] if len(pair) == 1 else TupleGetItem(whole, next(places)) for pair in pairs]


def _branch_values(a: Value, b: Value) -> Sequence[Value]:
    """Return the values of both branches as tensors, or a single value if they are equal."""
    if a is b or a == b:
        return [a]
    a = like_list(a, b) if isinstance(b, Expr) else a
    b = like_list(b, a) if isinstance(a, Expr) else b
    if isinstance(a, Expr) and isinstance(b, Expr):
        return [a, b]
    raise RelayImportError(
        ErrorCode.F041, f"one branch returns {described(a)}, but the other returns {described(b)}"
    )
