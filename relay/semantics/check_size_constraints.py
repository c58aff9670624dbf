"""Checks of the evaluator that sizes satisfy the constraints of type rules.

A type rule may accept more sizes if they are static, such as a vector of one scale instead of a
scale for each channel. If they are dynamic, it requires one relation, which a run checks.
"""

from collections.abc import Mapping

from relay.ir.dims import DimVar, substitute
from relay.ir.expr import Call
from relay.ir.types import is_dynamic
from relay.opdef.definition import OperatorDef
from relay.opdef.dim_constraints import Constraint, Relation
from relay.support.error_codes import ErrorCode
from relay.support.errors import RunError
from relay.support.span import Span


def size_constraints(call: Call, op: OperatorDef) -> tuple[Constraint, ...]:
    """Return the constraints of a call's type rule, without those on sizes that broadcast.

    The values of operators check these.
    """
    types = [arg.ty for arg in call.args if arg.ty is not None]
    if len(types) < len(call.args) or not any(map(is_dynamic, types)):
        return ()
    found = op.typing(types).constraints
    return tuple(each for each in found if each.relation is not Relation.BROADCAST)


def require(constraint: Constraint, sizes: Mapping[DimVar, int], span: Span | None) -> None:
    """Raise `R054` if sizes violate a constraint; one whose sizes are not all known holds."""
    left, right = (substitute(dim, sizes) for dim in (constraint.left, constraint.right))
    if not isinstance(left, int) or not isinstance(right, int):
        return
    holds = left >= right if constraint.relation is Relation.AT_LEAST else left == right
    if not holds:
        said = constraint.message.format(size=left, index=right)
        raise RunError(ErrorCode.R054, said, span=span)
