"""Translate TensorFlow Lite conditionals and loops, whose bodies are graphs of the model.

Variables that a body assigns are further results of the conditional, or further states of the loop.
"""

from collections.abc import Iterator, Sequence

from relay.frontend.builders.tensor_helpers import reshape
from relay.frontend.builders.while_loops import repeated
from relay.frontend.tflite.node import LiteNode
from relay.frontend.tflite.registry import lite_operator
from relay.frontend.tflite.values import Handle, Value
from relay.ir.expr import Expr, If, Tuple, TupleGetItem
from relay.support.error_codes import ErrorCode


@lite_operator("IF")
def if_node(node: LiteNode) -> Sequence[Value]:
    """Translate `IF`: evaluate one of two graphs."""
    values = node.values()[1:]
    before = node.variables.snapshot()
    results: list[list[Value]] = []
    after: list[dict[str, Expr]] = []
    changed: set[str] = set()
    for name in ("ThenSubgraphIndex", "ElseSubgraphIndex"):
        node.variables.restore(before)
        results.append(list(node.subgraph(node.option(name), values)))
        after.append(dict(node.variables.snapshot()))
        changed.update(node.variables.changed_since(before))
    names = sorted(changed)
    _check_assigned(node, names, after)
    sides = [
        Tuple((*_tensors(found), *(end[name] for name in names)))
        for found, end in zip(results, after, strict=True)
    ]
    chosen = If(reshape(node.expr(0), ()), sides[0], sides[1], span=node.span)
    count = len(_tensors(results[0]))
    node.variables.restore(before)
    for index, name in enumerate(names):
        node.variables.assign(name, TupleGetItem(chosen, count + index))
    return _with_handles(results[0], (TupleGetItem(chosen, index) for index in range(count)))


def _check_assigned(node: LiteNode, names: Sequence[str], sides: Sequence[dict[str, Expr]]) -> None:
    """Raise `F018` if only one side assigns a variable that has had no value before."""
    for name in names:
        if not all(name in each for each in sides):
            problem = f"the variable '{name}' has a value after only one of the branches"
            raise node.error(ErrorCode.F018, problem)


@lite_operator("WHILE")
def while_node(node: LiteNode) -> Sequence[Value]:
    """Translate `WHILE`: repeat a graph while a condition graph is true."""
    goes_on, body = node.option("CondSubgraphIndex"), node.option("BodySubgraphIndex")
    given, before = node.values(), node.variables.snapshot()
    names = _assigned(node, body, given)
    first = [*_tensors(given), *(before[name] for name in names)]
    count = len(first) - len(names)

    def step(state: Sequence[Expr]) -> tuple[Expr, Sequence[Expr]]:
        node.variables.restore({**before, **dict(zip(names, state[count:], strict=True))})
        values = _with_handles(given, iter(state[:count]))
        (condition,) = _tensors(node.subgraph(goes_on, values))
        found = _tensors(node.subgraph(body, values))
        after = node.variables.snapshot()
        return reshape(condition, ()), [*found, *(after[name] for name in names)]

    last = repeated(first, step)
    node.variables.restore({**before, **dict(zip(names, last[count:], strict=True))})
    return _with_handles(given, iter(last[:count]))


def _assigned(node: LiteNode, body: int, given: Sequence[Value]) -> list[str]:
    """Return the variables that a step of a loop assigns; raises `F018` for new ones."""
    before = node.variables.snapshot()
    if not before and not any(isinstance(each, Handle) for each in given):
        return []
    node.subgraph(body, given)
    names = node.variables.changed_since(before)
    node.variables.restore(before)
    _check_assigned(node, names, [dict(before)])
    return names


def _tensors(values: Sequence[Value]) -> list[Expr]:
    return [each for each in values if isinstance(each, Expr)]


def _with_handles(values: Sequence[Value], tensors: Iterator[Expr]) -> list[Value]:
    """Return `values` with other tensors in place of tensors, in order; handles are unchanged."""
    return [each if isinstance(each, Handle) else next(tensors) for each in values]
