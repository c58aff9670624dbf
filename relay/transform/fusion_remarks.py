"""Remarks of operator fusion: why kernels were not fused with the readers of their results."""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from relay.ir.analysis.value_flow import ValueFlow
from relay.ir.expr import (
    Call,
    Constructor,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Operator,
    Tuple,
    Var,
)
from relay.ir.match_patterns import Match
from relay.ir.reference_cells import RefCreate, RefWrite
from relay.opdef.definition import Fusion, OperatorDef
from relay.ops.annotation import StopFusion
from relay.transform.fusion_groups import Group, Grouping, is_known_tensor
from relay.transform.remarks import FusionObstacle, NotFused


def fusion_remarks(
    grouping: Grouping, groups: Sequence[Group], called: str | None = None
) -> Iterator[NotFused]:
    """Yield a remark for each kernel that explains why it was not fused with its readers.

    The remarks are in order of evaluation. Every kernel whose result another kernel or an unknown
    function may read has one; the result may be held by tuples, data, variables, references,
    branches and functions in between. `called` is the name of a function that functions of the
    program call: its callers then read its result. If a function has too many of these, results
    that no other kernel reads have remarks, too, and readers may not be named.
    """
    flow = ValueFlow(grouping.order, grouping.users)
    position = {expr: index for index, expr in enumerate(grouping.order)}
    for each in reversed(groups):
        readers = sorted(flow.readers(each.root), key=position.__getitem__)
        names = dict.fromkeys(filter(None, map(_name, readers)))
        if called is not None and flow.is_returned(each.root):
            names[f"callers of @{called}"] = None
        is_unknown = not (flow.is_complete or _is_result(grouping, each.root))
        if each.obstacle is not None or readers or names or is_unknown:
            op = cast("OperatorDef", each.root.op)
            obstacle = each.obstacle or _obstacle_at_holder(grouping, each.root)
            yield NotFused(each.root.span, op, tuple(names), obstacle)


def _is_result(grouping: Grouping, call: Call) -> bool:
    """Whether a call is only the result of the function, or unused."""
    return grouping.users.get(call, []) in ([], [grouping.order[-1]])


def _name(reader: Call) -> str | None:
    """Return the name of the operator or function that reads a result, if it has one."""
    match reader.op:
        case Operator(name=name):
            return name
        case GlobalVar(name):
            return f"@{name}"
        case Var(name):
            return f"%{name}"
        case _:
            return None


def _obstacle_at_holder(grouping: Grouping, call: Call) -> FusionObstacle:
    """Return why a call is in no group of its readers, which no operator reads directly."""
    if isinstance(call.op, StopFusion):
        return FusionObstacle.ANNOTATION
    if grouping.kind(call) is Fusion.OPAQUE:
        return FusionObstacle.OPAQUE
    if not is_known_tensor(call.type):
        return FusionObstacle.UNKNOWN_SIZE
    ways = map(_way, _holders(grouping, call))
    return next(filter(None, ways), FusionObstacle.OTHER_READER)


def _holders(grouping: Grouping, call: Call) -> Iterator[Expr]:
    """Yield the users of a call, and of each `let` whose value it is."""
    pending: list[Expr] = [call]
    while pending:
        expr = pending.pop()
        for user in grouping.users.get(expr, ()):
            if isinstance(user, Let) and user.body is expr:
                pending.append(user)
            else:
                yield user


def _way(user: Expr) -> FusionObstacle | None:
    """Return why no kernel contains both a call and the readers of what holds its result."""
    if isinstance(user, Call):
        is_data = isinstance(user.op, Constructor)
        return FusionObstacle.DATA if is_data else FusionObstacle.ARGUMENT
    return _WAYS.get(type(user))


_WAYS: Mapping[type[Expr], FusionObstacle] = {
    Tuple: FusionObstacle.TUPLE,
    If: FusionObstacle.BRANCH,
    Match: FusionObstacle.BRANCH,
    Let: FusionObstacle.VARIABLE,
    RefCreate: FusionObstacle.REFERENCE,
    RefWrite: FusionObstacle.REFERENCE,
    Function: FusionObstacle.RESULT,
}
