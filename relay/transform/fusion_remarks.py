"""Remarks of operator fusion: why kernels were not fused with the readers of their results."""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from relay.ir.expr import Call, Expr, If, Let, Tuple, TupleGetItem
from relay.ir.reference_cells import RefCreate, RefRead
from relay.opdef.definition import Fusion, OperatorDef
from relay.transform.fusion_groups import Group, Grouping, is_known_tensor
from relay.transform.remarks import FusionObstacle, NotFused


def fusion_remarks(grouping: Grouping, groups: Sequence[Group]) -> Iterator[NotFused]:
    """Yield a remark for each kernel that explains why it was not fused with its readers.

    The remarks are in order of evaluation.
    """
    for each in reversed(groups):
        readers = _readers(grouping, each.root)
        obstacle = each.obstacle or (_obstacle_at_holder(grouping, each.root) if readers else None)
        if obstacle is not None:
            names = dict.fromkeys(op.name for op in readers)
            op = cast("OperatorDef", each.root.op)
            yield NotFused(each.root.span, op, tuple(names), obstacle)


def _readers(grouping: Grouping, call: Call) -> list[OperatorDef]:
    """Return the operators that read a result, directly or by way of what holds it.

    It is held by tuples, variables and references, and is the result of branches.
    """
    found: list[OperatorDef] = []
    holders: set[Expr] = {call}
    pending: list[Expr] = [call]
    for expr in pending:  # which grows
        for user in grouping.users.get(expr, []):
            if isinstance(user, Call) and isinstance(user.op, OperatorDef):
                found.append(user.op)
            holder = _holder(user, expr, call)
            if holder is not None and holder not in holders:
                holders.add(holder)
                pending.append(holder)
    return found


def _obstacle_at_holder(grouping: Grouping, call: Call) -> FusionObstacle:
    """Return why a call is in no group of its readers, which no operator reads directly."""
    if grouping.kind(call) is Fusion.OPAQUE:
        return FusionObstacle.OPAQUE
    if not is_known_tensor(call.type):
        return FusionObstacle.UNKNOWN_SIZE
    ways = (_WAYS.get(type(user)) for user in grouping.users[call])
    return next(filter(None, ways), FusionObstacle.OTHER_READER)


def _holder(user: Expr, expr: Expr, call: Call) -> Expr | None:
    """Return what holds the result of a call because `user` reads `expr`, which holds it.

    The fields of what has the type of the result are parts of the result.
    """
    match user:
        case Let(var, value, body):
            return user if expr is body else var if expr is value else None
        case If(condition):
            return user if expr is not condition else None
        case TupleGetItem():
            return user if expr.type == call.type else None
        case Tuple() | RefCreate() | RefRead():
            return user
        case _:
            return None


_WAYS: Mapping[type[Expr], FusionObstacle] = {
    Tuple: FusionObstacle.TUPLE,
    If: FusionObstacle.BRANCH,
    Let: FusionObstacle.VARIABLE,
    RefCreate: FusionObstacle.REFERENCE,
}
"""Why no kernel contains both a call and the readers of what holds its result."""
