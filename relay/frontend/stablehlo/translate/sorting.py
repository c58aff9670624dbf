"""Translate sorts whose comparator is lexicographic in keys, each ascending or descending."""

from collections.abc import Sequence
from typing import Any

from relay.frontend.builders.translation_registry import registering
from relay.frontend.stablehlo.node import HloNode, Region
from relay.frontend.stablehlo.registry import TRANSLATIONS, hlo_operation
from relay.ir.expr import Call, Expr, TupleGetItem, Var
from relay.ir.types import TensorType
from relay.ir.walk import post_order
from relay.opdef.definition import OperatorDef
from relay.ops.cast import Reinterpret
from relay.ops.comparison import Equal, Greater, Less, NotEqual
from relay.ops.logical import BitwiseAnd, BitwiseXor, LogicalAnd, LogicalOr, RightShift
from relay.ops.selection import Where
from relay.ops.tensor.gather import Gather
from relay.ops.tensor.slice import StridedSlice
from relay.ops.tensor.sort import Argsort, Sort, TopK
from relay.support.error_codes import ErrorCode

Key = tuple[int, bool]
"""The compared operand, and whether the order is ascending."""

_NORMALISING = (Where, Equal, NotEqual, Reinterpret, RightShift, BitwiseAnd, BitwiseXor)
"""Operators with which a comparator normalises zeros and NaN, and orders bits."""


@hlo_operation("sort")
def sort(node: HloNode) -> Sequence[Expr]:
    """Translate `sort` along an axis; operands that are not keys are permuted with them."""
    return _sorted(node, node.operands, node.integer("dimension"), node.region(0))


@registering(TRANSLATIONS, "custom_call @ApproxTopK")
def approximate_top_k(node: HloNode) -> Sequence[Expr]:
    """Translate JAX's approximate largest or smallest elements, to the exact ones."""
    options: Any = node.attribute("mhlo.backend_config")
    (function,) = (each.value for each in node.attribute("called_computations"))
    node.ignore_all()
    data = node.operands[: len(node.operands) // 2]
    types = tuple(TensorType((), x.tensor_type.dtype) for x in data for _ in range(2))
    body = Region(types, lambda values: node.called(function, values))
    axis = int(options["reduction_dim"].value)
    found = _sorted(node, data, axis, body)
    first = StridedSlice((0,), (node.result_types[0].shape[axis],), axes=(axis,))
    return [Call(first, (x,)) for x in found]


def _sorted(node: HloNode, operands: Sequence[Expr], axis: int, body: Region) -> list[Expr]:
    """Return tensors, sorted along an axis by a comparator of elements."""
    variables = body.variables()
    (answer,) = body(*variables)
    keys = _keys(node, answer, variables)
    if len(operands) == 1:
        ((_, ascending),) = keys
        return [Call(Sort(axis, ascending), tuple(operands), span=node.span)]
    order: Expr | None = None
    for operand, ascending in reversed(keys):  # the last key first, because sorts are stable
        key = operands[operand]
        key = key if order is None else Call(Gather(axis), (key, order))
        found = Call(Argsort(axis, ascending), (key,), span=node.span)
        order = found if order is None else Call(Gather(axis), (order, found))
    assert order is not None, "there is a key"
    return [Call(Gather(axis), (x, order)) for x in operands]


def _keys(node: HloNode, answer: Expr, variables: Sequence[Var]) -> list[Key]:
    """Return the keys by which a comparator sorts, most significant first.

    A comparator is `a < b` or `a < b or (a == b and …)`, where the rest is a comparator. Raises
    `F030` for others.
    """
    match answer:
        case Call(LogicalOr(), (first, Call(LogicalAnd(), (same, others)))):
            key = _key(node, first, variables)
            if _compared(same, Equal, variables) != key[0]:
                raise _no_order(node)
            return [key, *_keys(node, others, variables)]
        case _:
            return [_key(node, answer, variables)]


def _key(node: HloNode, answer: Expr, variables: Sequence[Var]) -> Key:
    for kind, ascending in ((Less, True), (Greater, False)):
        operand = _compared(answer, kind, variables)
        if operand is not None:
            return operand, ascending
    raise _no_order(node)


def _no_order(node: HloNode) -> Exception:
    return node.error(
        ErrorCode.F030, "a sort with a comparison other than `<` or `>` is not supported"
    )


def _compared(answer: Expr, kind: type[OperatorDef], variables: Sequence[Var]) -> int | None:
    """Return the index of the operand that an expression compares by operator `kind`, or None."""
    if not isinstance(answer, Call) or not isinstance(answer.op, kind):
        return None
    left, right = (_source(side) for side in answer.args)
    for operand in range(len(variables) // 2):
        if left is variables[2 * operand] and right is variables[2 * operand + 1]:
            return operand
    return None


def _source(side: Expr) -> Expr | None:
    """Return the variable that a comparison's side depends on, or None.

    The side may apply operators that only normalise the variable.
    """
    found = {e for e in post_order(side) if isinstance(e, Var)}
    calls = (e for e in post_order(side) if isinstance(e, Call))
    plain = all(isinstance(e.op, _NORMALISING) for e in calls)
    return found.pop() if plain and len(found) == 1 else None


@hlo_operation("top_k", namespace="chlo")
def top_k(node: HloNode) -> Sequence[Expr]:
    """Translate `top_k`: the largest elements along the last axis, and their indices."""
    found = Call(TopK(node.integer("k")), node.operands, span=node.span)
    return [TupleGetItem(found, 0), TupleGetItem(found, 1)]
